"""What the headers of an HTTP response say."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime

import httpcore


def header(response: httpcore.Response, name: bytes) -> str:
    """The first header of a name (in small letters); empty where there is none."""
    return next((value.decode("latin-1") for key, value in response.headers if key.lower() == name), "").strip()


def retry_after_s(response: httpcore.Response) -> float | None:
    """How long the server asks to wait, in seconds or until a date; None where it does not say so, or says no such thing."""
    text = header(response, b"retry-after").strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        return max(0.0, (_moment(text) - _moment(header(response, b"date"))).total_seconds())
    except (ValueError, TypeError, OverflowError):  # neither seconds nor a date
        return None


def _moment(text: str) -> datetime:
    """The moment of a header; ValueError, TypeError or OverflowError where it gives none."""
    moment = parsedate_to_datetime(text)
    if moment.utcoffset() is None:
        raise ValueError("a date without its offset")
    return moment
