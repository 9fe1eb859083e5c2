"""The JSON of HAPI, versions 2 and 3, as servers send it and our own does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError

from helio_dagster.archives.transfer.json_text import read_json

MOST_COLUMNS = 4096
"""Values a record of one parameter may have that become columns, or bins along one axis."""
MOST_VALUES = 2**16
"""Values a record with several axes may have."""
_LONGEST_ECHO = 200
_DEEPEST = 4
_MOST_AXES = 16
_LONGEST_STATUS = 2**20

OK, NO_DATA, OUT_OF_RANGE, UNKNOWN_DATASET, UNKNOWN_PARAMETER, TOO_MUCH = 1200, 1201, 1405, 1406, 1407, 1408
BAD_REQUEST, BAD_FORMAT, SERVER_FAILED = 1400, 1409, 1500


def _as_text(value: object) -> object:
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def _as_sizes(value: object) -> object:
    return [] if value is None else [value] if isinstance(value, int) else value


def _bounded(sizes: list[int]) -> list[int]:
    if len(sizes) > _MOST_AXES or any(size < 1 for size in sizes) or math.prod(sizes) > 2**20:
        raise ValueError("no such size can be")
    return sizes


Text = Annotated[str, BeforeValidator(_as_text)]
Sizes = Annotated[list[int], BeforeValidator(_as_sizes), AfterValidator(_bounded)]


class _Message(BaseModel):
    """Servers add their own fields: unknown ones are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class Status(_Message):
    """What a server says about its answer."""

    code: int = OK
    message: Text = ""

    @property
    def sentence(self) -> str:
        """Code and message in one short line."""
        return f"{self.code} {printable(self.message)}".strip()


class Bins(_Message):
    """One axis of a parameter: `centers` or `ranges` as numbers, or as the name of a parameter that holds them by record."""

    name: Text = ""
    units: Any = None
    label: Any = None
    description: Text = ""
    centers: list[float | None] | str | None = None
    ranges: list[list[float | None] | None] | str | None = None


class Parameter(_Message):
    """One parameter of a dataset, the first being its times; `length` is of texts, in bytes."""

    name: str
    type: Literal["isotime", "double", "integer", "string"]
    length: Annotated[int, Field(ge=1, le=65536)] | None = None
    units: Any = None
    fill: Annotated[str | None, BeforeValidator(lambda value: value if value is None else str(value))] = None
    description: Text = ""
    label: Any = None
    size: Sizes = []
    bins: list[Bins] | None = None
    frame: Annotated[Any, Field(alias="coordinateSystemName")] = None
    components: Annotated[Any, Field(alias="vectorComponents")] = None

    @property
    def width(self) -> int:
        """Values in one record."""
        return math.prod(self.size)


class Info(_Message):
    """What a server says of a dataset. Times are the server's own text."""

    version: Annotated[Text, Field(alias="HAPI")] = ""
    status: Status = Status()
    start: Annotated[Text, Field(alias="startDate")] = ""
    stop: Annotated[Text, Field(alias="stopDate")] = ""
    modified: Annotated[Text, Field(alias="modificationDate")] = ""
    cadence: Text = ""
    stamp: Annotated[Any, Field(alias="timeStampLocation")] = None
    longest_request: Annotated[Text, Field(alias="maxRequestDuration")] = ""
    description: Text = ""
    contact: Text = ""
    citation: Text = ""
    resource: Annotated[Text, Field(alias="resourceURL")] = ""
    parameters: Annotated[list[Parameter], FailFast()] = []

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name, if there is one beside the times."""
        return next((parameter for parameter in self.parameters[1:] if parameter.name == name), None)

    def with_bins(self, name: str) -> list[Parameter]:
        """The parameter and those that hold its bins by record, in the dataset's order."""
        wanted = self.parameter(name)
        named = {bins.centers for bins in (wanted.bins if wanted else None) or [] if isinstance(bins.centers, str)}
        return [parameter for parameter in self.parameters[1:] if parameter.name == name or parameter.name in named]


class Capabilities(_Message):
    """What a server can do."""

    version: Annotated[Text, Field(alias="HAPI")] = ""
    status: Status = Status()
    formats: Annotated[list[str], FailFast(), Field(alias="outputFormats")]


class CatalogItem(_Message):
    """One dataset of a server."""

    id: str
    title: Text = ""


class CatalogMessage(_Message):
    """All datasets of a server."""

    status: Status = Status()
    catalog: Annotated[list[CatalogItem], FailFast()]


class Refusal(_Message):
    """An answer that is only a status."""

    status: Status


def read_status(body: bytes) -> Status | None:
    """The status in a JSON answer; None where the answer is not a HAPI one, or longer than any status is."""
    if len(body) > _LONGEST_STATUS:
        return None
    try:
        return status_of(read_json(body))
    except ValueError:
        return None


def status_of(document: object) -> Status | None:
    """The status in a JSON document; None where it holds none."""
    try:
        return Refusal.model_validate(document).status
    except ValidationError:
        return None


def flat(value: Any, depth: int = _DEEPEST) -> Iterator[Any]:
    """The entries of lists in lists, in order; a list too deep counts as one."""
    if isinstance(value, list) and depth:
        for each in value:
            yield from flat(each, depth - 1)
    else:
        yield value


def printable(text: str) -> str:
    """A server's text as it may be echoed: one line of what can be printed, not too long."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text[: 4 * _LONGEST_ECHO]).split())
    return plain[:_LONGEST_ECHO]
