"""A file of requests: what is typed, and what must come of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, PlainValidator, Tag, model_validator

from helio_dagster.domain.described import Described
from helio_dagster.domain.did_you_mean import suggestion
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline_fields import Name
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.validation_messages import keys_at, schema_of
from helio_dagster.domain.yaml.document import parse_path

Expected = Literal["plan", "question", "refusal", "edits", "replay", "fork", "undo", "information"]
Part = Literal["tune", "report"]
"""What a request is for: `tune` may be looked at while a planner is worked on, `report` only says how good it is."""

_TextOrList = Annotated[
    Annotated[str, Tag("text")] | Annotated[list[str], Field(min_length=1), Tag("list")],
    Discriminator(lambda value: "list" if isinstance(value, list) else "text"),
]
Words = _TextOrList
"""Words that an answer must contain; of a list, any one."""
Quantity = _TextOrList
"""The name of a list of the file, or `dataset/parameter` patterns, any of which answers it."""
Panels = Annotated[
    Annotated[int, Field(ge=0), Tag("number")] | Annotated[list[str], Field(min_length=1), Tag("list")],
    Discriminator(lambda value: "list" if isinstance(value, list) else "number"),
]
"""How many panels there are, 0 where nothing is drawn, or what each draws: ids of steps, joined by `+` (with wildcards)."""
NO_RANGE: Literal["none"] = "none"


def _as_range(value: object) -> TimeRange | Literal["none"]:
    if value == NO_RANGE:
        return NO_RANGE
    try:
        start, stop = (_moment(word) for word in str(value).split())
        return TimeRange(start, stop)
    except ValueError:
        raise ValueError(f"{value!r} is not a range. Write START STOP as 2003-10-28 2003-11-01, or none.") from None


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _as_figure_path(text: str) -> str:
    schema, parts = schema_of(Figure), parse_path(text)
    for place, part in enumerate(parts):
        known = keys_at(schema, parts[:place])
        if part not in known and not (isinstance(part, int) and place):
            hint = suggestion(str(part), known) or "Write a path such as panels[0].y.scale, without wildcards."
            raise ValueError(f"a figure has no {part!r} there. {hint}")
    return text


FigurePath = Annotated[str, AfterValidator(_as_figure_path)]
Range = Annotated[TimeRange | Literal["none"], PlainValidator(_as_range, json_schema_input_type=str)]
Moment = Annotated[datetime, AfterValidator(lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=UTC))]


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Way(_Strict):
    """One way to answer: what is fetched, and what is computed."""

    fetch: list[Quantity]
    """One item for each quantity; nothing else may be fetched."""
    compute: list[str]
    """Operations, each with the options that matter (`rolling_mean window=PT10M`); one that ends in `?` may be missing."""


class Expectation(_Strict):
    """A request, and what must come of it."""

    request: str
    """What is typed."""
    repeat: Annotated[int, Field(ge=1, le=100_000)] = 1
    """How often it is typed without a break."""
    part: Annotated[Part | None, Field(alias="set")] = None
    """tune or report."""
    given: str | None = None
    """A request that was planned before: its pipeline is the current one."""
    saved: dict[Name, str] = {}
    """Saved pipelines: name to title."""
    expect: Expected
    """The kind of answer."""
    may_ask: list[Words] | None = None
    """Words of a question that is right too."""
    fetch: list[Quantity] | None = None
    """See `Way`."""
    compute: list[str] | None = None
    """See `Way`."""
    ways: Annotated[list[Way], Field(min_length=1)] | None = None
    """Several ways, instead of fetch and compute; any of them is right."""
    panels: Panels | None = None
    """How many panels the figure has, or what each draws."""
    range: Range | None = None
    """START and STOP, or none."""
    about: list[Words] = []
    """Words that the answer must contain."""
    changes: dict[str, Any] = {}
    """Path in the pipeline or step (with wildcards) to its new value; any is any value, `any?` a change that may be missing."""
    adds: list[Quantity] = []
    """Steps that are added: quantities and operations."""
    removes: list[str] = []
    """Ids of steps that are removed (with wildcards)."""
    after: dict[FigurePath, Any] = {}
    """Path in the figure (`panels[0].y.scale`) to its value once the edits are made."""
    title: str | None = None
    """The pipeline's title once the edits are made."""
    name: Name | None = None
    """The saved pipeline that is meant."""
    mission: str | None = None
    """The mission of a fork."""
    instead_of: str | None = None
    """The mission that it replaces."""

    @model_validator(mode="after")
    def _is_complete(self) -> Expectation:
        is_plan = self.expect == "plan"
        if self.ways is not None and (self.fetch is not None or self.compute is not None):
            raise ValueError("ways exclude fetch and compute. Put them into each way.")
        if is_plan and self.ways is None and (self.fetch is None or self.compute is None):
            raise ValueError("a plan needs fetch and compute. Write compute: [] where nothing is computed.")
        if is_plan and self.panels is None:
            raise ValueError("a plan needs panels. Write how many its figure has.")
        for key, kinds in _ONLY_OF.items():
            if self.expect not in kinds and key in self.model_fields_set:
                raise ValueError(f"{key} says nothing about {self.expect!r}. It belongs to: {', '.join(kinds)}.")
        return self

    @property
    def wanted(self) -> Sequence[Way]:
        """The ways in which a plan may be right."""
        return self.ways or [Way(fetch=self.fetch or [], compute=self.compute or [])]

    @property
    def typed(self) -> str:
        """What a planner is asked."""
        return self.request * self.repeat


_ONLY_OF: dict[str, tuple[Expected, ...]] = {
    **dict.fromkeys(("fetch", "compute", "ways"), ("plan",)),
    **dict.fromkeys(("changes", "adds", "removes", "after", "title"), ("edits",)),
    "panels": ("plan", "edits"),
    "range": ("plan", "replay", "edits"),
    "name": ("replay", "fork"),
    **dict.fromkeys(("mission", "instead_of"), ("fork",)),
}


class RequestFile(_Strict):
    """Requests, the time at which they are asked, and lists of parameters that they name."""

    now: Moment | None = None
    """When the requests are asked, for words such as `last week`; by default the time of the evaluation."""
    lists: dict[str, list[str]] = {}
    """Name to `dataset/parameter` patterns."""
    requests: Annotated[list[Expectation], Field(min_length=1)]
    """The requests."""
