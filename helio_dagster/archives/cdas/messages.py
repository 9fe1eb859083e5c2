"""The JSON of the CDAS web services, as sent by CDAWeb and by our own server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, FailFast, Field, PlainSerializer
from pydantic.alias_generators import to_pascal

from helio_dagster.domain.time_range import EARLIEST


def path_time(moment: datetime) -> str:
    """A time as it appears in a request path: `20230102T000000Z`."""
    moment = moment.astimezone(UTC)
    return f"{moment.year:04d}{moment:%m%dT%H%M%SZ}"


def parse_path_time(text: str) -> datetime:
    """The time in a request path; ValueError where it is none."""
    return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def message_time(moment: datetime) -> str:
    """A time as it appears in a message: `2023-01-02T00:00:00.000Z`."""
    moment = moment.astimezone(UTC)
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _not_a_number(value: object) -> object:
    if isinstance(value, str) and not _DATE.match(value):
        raise ValueError("not a time such as 2023-01-02T00:00:00.000Z")
    if not isinstance(value, str | datetime):
        raise ValueError("not a text with a time")
    return value


def _as_utc(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # an offset leads out of the calendar: its edge is what was meant
        return (datetime.max if moment.year > EARLIEST.year else datetime.min).replace(tzinfo=UTC)


def _no_list_is_empty(value: object) -> object:
    return [] if value is None else value


def _no_text_is_empty(value: object) -> object:
    return "" if value is None else value


def _readable(value: object) -> object:
    """The entries that are objects, with those of their fields that are text: nothing depends on the others."""
    entries = value if isinstance(value, list) else []
    return [{name: text for name, text in one.items() if isinstance(text, str)} for one in entries if isinstance(one, dict)]


_DATE = re.compile(r"\d{4}-\d\d-\d\d")

Moment = Annotated[datetime, BeforeValidator(_not_a_number), AfterValidator(_as_utc), PlainSerializer(message_time)]
Text = Annotated[str, BeforeValidator(_no_text_is_empty)]
Texts = Annotated[list[str], FailFast(), BeforeValidator(_no_list_is_empty)]


class _Message(BaseModel):
    """CDAS writes names in Pascal case, and adds fields over the years: unknown ones are passed over."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True, extra="ignore", frozen=True)


class TimeInterval(_Message):
    """Coverage of a dataset or of a part of it."""

    start: Moment
    end: Moment  # CDAS's own word


class DatasetLink(_Message):
    """Where to read more about a dataset."""

    title: Text = ""
    text: Text = ""
    url: Text = ""


class AdditionalMetadata(_Message):
    """Where a description in another form is, such as SPASE."""

    type: Text = ""
    value: Annotated[Text, Field(validation_alias=AliasChoices("Value", "value"))] = ""


class DatasetDescription(_Message):
    """One dataset of the archive."""

    id: str
    label: Text = ""
    observatory: Texts = []
    observatory_group: Texts = []
    instrument: Texts = []
    instrument_type: Texts = []
    time_interval: TimeInterval | None = None
    pi_name: Text = ""
    pi_affiliation: Text = ""
    doi: Text = ""
    notes: Text = ""
    dataset_link: Annotated[list[DatasetLink], BeforeValidator(_readable)] = []
    additional_metadata: Annotated[list[AdditionalMetadata], BeforeValidator(_readable)] = []


class VariableDescription(_Message):
    """One variable of a dataset; only its files give units and dimensions."""

    name: str
    short_description: Text = ""
    long_description: Text = ""


class InventoryDescription(_Message):
    """When a dataset has data."""

    id: str = ""
    time_interval: Annotated[list[TimeInterval], FailFast(), BeforeValidator(_no_list_is_empty)] = []


class FileDescription(_Message):
    """One file of a dataset. `name` is its URL; a length of None is not known; `last_modified` is the archive's own text."""

    name: str
    mime_type: Text = "application/x-cdf"
    start_time: Moment
    end_time: Moment
    length: Annotated[int, Field(ge=0)] | None = None
    last_modified: Text = ""


class Datasets(_Message):
    """Answer to `datasets`."""

    dataset_description: Annotated[list[DatasetDescription], FailFast(), BeforeValidator(_no_list_is_empty)] = []


class Variables(_Message):
    """Answer to `datasets/{id}/variables`."""

    variable_description: Annotated[list[VariableDescription], FailFast(), BeforeValidator(_no_list_is_empty)] = []


class Inventories(_Message):
    """Answer to `datasets/{id}/inventory`."""

    inventory_description: Annotated[list[InventoryDescription], FailFast(), BeforeValidator(_no_list_is_empty)] = []


class Files(_Message):
    """Answer to `datasets/{id}/orig_data/{start},{stop}`."""

    file_description: Annotated[list[FileDescription], FailFast(), BeforeValidator(_no_list_is_empty)] = []


class Complaint(_Message):
    """What CDAS says in place of an answer, under `Message` or `Error`."""

    message: Texts = []
    error: Texts = []

    @property
    def text(self) -> str:
        """All that it says, in one line."""
        return " ".join(_lines([*self.message, *self.error]))

    @property
    def is_no_data(self) -> bool:
        """Whether it says that there are no data: a true answer, no failure."""
        return "no data available" in self.text.casefold()


def _lines(texts: Sequence[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts if text.strip()]
