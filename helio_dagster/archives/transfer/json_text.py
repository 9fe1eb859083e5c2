"""JSON as servers send it: read strictly, and never larger in memory than an honest answer is."""

from __future__ import annotations

import codecs
import json
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

_MOST_VALUES = 1_500_000
_LONGEST_FAULT = 300


class TooManyValues(ValueError):
    """A JSON text holds more than any answer should."""


def read_json(body: bytes) -> Any:
    """What a JSON text in UTF-8 holds. Of a name twice in one object the last value counts; half a surrogate pair becomes `?`.

    Raises
    ------
    TooManyValues
        It has more values than any answer should.
    ValueError
        It is not JSON, or is nested deeper than anybody means it.
    """
    if body.count(b",") + body.count(b"[") + body.count(b"{") > _MOST_VALUES:
        raise TooManyValues(f"the answer holds more than {_MOST_VALUES} values")
    text = body.removeprefix(codecs.BOM_UTF8)
    try:
        return from_json(text)
    except ValueError:
        if b"\\u" not in text:
            raise
    try:  # half a pair, which Python's own reader takes, can be written to no file or record
        return from_json(json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace"))
    except RecursionError:
        raise ValueError("too deeply nested") from None


def first_fault(error: ValidationError) -> str:
    """The first thing that is wrong with an answer: where it is and what is wrong, in one short line."""
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    text = f"{place}: {fault['msg']}" if place else str(fault["msg"])
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_LONGEST_FAULT]
