"""The kinds of fields in a pipeline's file: names, references, durations, moments."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, SerializerFunctionWrapHandler, WrapSerializer

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.fine_duration import FineDuration
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, server_url
from helio_dagster.domain.time_range import EARLIEST, LATEST, format_duration, parse_duration

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
NAME_PATTERN = r"^[a-z][a-z0-9_]*$"
REFERENCE_PATTERN = r"^([a-z][a-z0-9_]*/)?[a-z][a-z0-9_]*$"
DATASET_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.@+:/-]*$"
OPERATION_PATTERN = r"^[a-z][a-z0-9_]*(@[1-9][0-9]{0,3})?$"
ASSET_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$"
LIST_PATTERN = r"^([A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*\.(csv|tsv|txt|dat|json|xml|vot|votable)$"
ARCHIVE_PATTERN = r"^[a-z][a-z0-9_]*(:(https?://)?[A-Za-z0-9][A-Za-z0-9_.:/~-]*)?$"


def _duration_from_text(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except InputError as error:
            raise ValueError(f"{error.problem}. {error.hint}") from None
    if isinstance(value, timedelta):
        return value
    raise ValueError("not an ISO 8601 duration such as PT10M")


def _exact_duration(value: timedelta, write: SerializerFunctionWrapHandler) -> Any:
    return format_duration(value) if isinstance(value, FineDuration) else write(value)


def _utc_from_value(value: Any) -> Any:
    if isinstance(value, datetime):
        moment = value if value.utcoffset() is not None else value.replace(tzinfo=UTC)
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day, tzinfo=UTC)
    elif isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value!r} is not an ISO date or time such as 1997-09-02") from None
        moment = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    else:
        raise ValueError(f"{value!r} is not an ISO date or time such as 1997-09-02")
    if not EARLIEST <= moment <= LATEST:
        raise ValueError(f"{value} is outside {EARLIEST:%Y} to {LATEST:%Y}")
    return moment.astimezone(UTC)


def text_of_range(value: Any) -> Any:
    """A year or a date as the text that it was written as."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def checked_server(value: str) -> str:
    """The name of an archive; ValueError if it names a HAPI server in a way that cannot be."""
    if value.startswith(HAPI_PREFIX):
        try:
            server_url(value)
        except InputError as error:
            raise ValueError(f"{error.problem}. {error.hint}") from None
    return value


def _checked_lines(value: str) -> str:
    if CONTROL.search(value):
        raise ValueError("control characters are not allowed")
    return value


Duration = Annotated[
    timedelta,
    BeforeValidator(_duration_from_text, json_schema_input_type=Annotated[str, Field(examples=["PT10M", "P1D"])]),
    WrapSerializer(_exact_duration, when_used="json"),
]
Moment = Annotated[datetime, BeforeValidator(_utc_from_value, json_schema_input_type=str)]
Text = Annotated[str, AfterValidator(_checked_lines)]
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=80)]
Column = Annotated[str, Field(min_length=1, max_length=120)]
Reference = Annotated[str, Field(pattern=REFERENCE_PATTERN, max_length=161)]


def is_name(text: str) -> bool:
    """Whether the text can name a pipeline or step."""
    return re.fullmatch(NAME_PATTERN, text) is not None and len(text) <= 80
