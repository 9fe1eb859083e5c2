"""The pipeline: the model of one reviewed YAML file."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    WrapSerializer,
    model_serializer,
    model_validator,
)

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.fine_duration import FineDuration
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, server_url
from helio_dagster.domain.time_range import EARLIEST, LATEST, format_duration, parse_duration

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
NAME_PATTERN = r"^[a-z][a-z0-9_]*$"
REFERENCE_PATTERN = r"^([a-z][a-z0-9_]*/)?[a-z][a-z0-9_]*$"
DATASET_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.@+:/-]*$"
OPERATION_PATTERN = r"^[a-z][a-z0-9_]*(@[1-9][0-9]{0,3})?$"
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


def _text_of_range(value: Any) -> Any:
    """A year or a date as the text that it was written as."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _checked_server(value: str) -> str:
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


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Fetch(_Strict):
    """Measurements of one parameter of one archive dataset."""

    archive: Annotated[str, Field(pattern=ARCHIVE_PATTERN, max_length=120), AfterValidator(_checked_server)]
    """`cdaweb`, `demo` for the embedded synthetic archive, or `hapi:` and a HAPI server's short name, host or URL."""
    dataset: Annotated[str, Field(pattern=DATASET_PATTERN, max_length=120)]
    """The archive's dataset id, such as AC_H0_MFI."""
    parameter: Annotated[str, Field(min_length=1, max_length=120)]
    """The dataset's parameter, such as BGSEc."""


class Compute(_Strict):
    """A registered operation, or a Python function body, over named inputs."""

    operation: Annotated[str, Field(pattern=OPERATION_PATTERN, max_length=85)] | None = None
    """Id of a shipped operation, or id@version of a saved one."""
    inputs: Annotated[dict[Name, Reference], Field(min_length=1)]
    """Input name to step id, or `other_pipeline/step`."""
    options: dict[Name, Any] = {}
    """Options of the operation."""
    code: Text | None = None
    """A function body over the inputs; instead of `operation`."""
    lookback: Duration | None = None
    """How far before its partition the step reads; an operation knows its own."""
    lookahead: Duration | None = None
    """How far after its partition the step reads; an operation knows its own."""
    unit: str | None = None
    """Unit of the result of `code`."""
    frame: str | None = None
    """Coordinate frame of the result of `code`."""
    kind: Literal["curve", "map", "points", "facts", "events"] | None = None
    """What the result of `code` is, unless it is a series, a vector or a spectrogram over time."""
    units: dict[Name, str] = {}
    """Units of single columns of the result of `code`."""

    @model_validator(mode="after")
    def _has_one_body(self) -> Compute:
        if (self.operation is None) == (self.code is None):
            raise ValueError("give exactly one of operation and code")
        if self.operation is not None and (self.lookback or self.lookahead or self.unit or self.frame):
            raise ValueError("lookback, lookahead, unit and frame belong to code; an operation knows its own")
        if self.operation is not None and (self.kind or self.units):
            raise ValueError("kind and units belong to code; an operation knows its own")
        if self.code is not None and self.options:
            raise ValueError("options belong to an operation; write constants into the code")
        return self


class EventTable(_Strict):
    """Rows given in the file itself: events, calibration points."""

    csv: Text
    """CSV text with a header; the first column is a time, or columns named onset/start and stop."""
    source: Text
    """Where the rows come from."""


class Trace(_Strict):
    """One step's data in a panel."""

    data: Reference
    """Step to draw."""
    component: str | None = None
    """Draw only this column of it."""
    color: str | None = None
    """CSS colour."""
    label: str | None = None
    """Label beside the panel."""
    width: Annotated[float, Field(gt=0, le=10)] | None = None
    """Line width in pixels."""
    draw: Literal["line", "points", "spectrogram"] | None = None
    """How to draw; by the data's kind where not given."""


class Axis(_Strict):
    """A panel's value axis, or a spectrogram's colour axis."""

    title: str | None = None
    """Title without unit; the unit is added from the data."""
    scale: Literal["linear", "log"] | None = None
    """By the data where not given."""
    range: tuple[float, float] | None = None
    """Lower and upper end; by the data where not given."""


class Panel(_Strict):
    """One row of a figure."""

    traces: Annotated[list[Trace], Field(min_length=1)]
    """What it shows."""
    x: Axis = Axis()
    """Horizontal axis of a panel of curves, points or a map; a panel over time shares the figure's time axis."""
    y: Axis = Axis()
    """Value axis (the bin axis for a spectrogram)."""
    z: Axis = Axis()
    """Colour axis of a spectrogram, of a map, or of points that a third value colours."""
    height: Annotated[float, Field(gt=0, le=10)] = 1.0
    """Height relative to the other panels."""

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A panel over time says nothing of `x`: the code versions of figures are made of this."""
        written: dict[str, Any] = write(self)
        if self.x == Axis():
            written.pop("x", None)
        return written


class Figure(_Strict):
    """Stacked panels over a shared time axis."""

    panels: Annotated[list[Panel], Field(min_length=1)]
    """From top to bottom."""
    events: Reference | None = None
    """A table step whose rows are marked in every panel."""
    title: str | None = None
    """Title; the pipeline's where not given."""


class EventFile(_Strict):
    """A list of events in a file beside the pipelines."""

    file: Annotated[str, Field(pattern=LIST_PATTERN, max_length=200)]
    """A file below the folder of pipelines, such as lists/icme.csv: CSV, JSON, VOTable, AMDA or HAPI lists, plain lines."""
    source: Text = ""
    """Where the events come from."""
    start: Column | None = None
    """The column that holds the time of an event; by the convention of the list where not given."""
    stop: Column | None = None
    """The column that holds its stop."""
    id: Column | None = None
    """The column that holds its id."""


class EventWindows(_Strict):
    """One partition for each event of a list, over a window around it."""

    events: Reference
    """The step that lists the events: a list of this pipeline, or `other_pipeline/step`, a list or events that it computes."""
    before: Duration = timedelta(0)
    """How long before an event its window starts."""
    after: Duration = timedelta(0)
    """How long after an event, or after its stop, its window stops."""
    fetch: Grain = Grain.DAILY
    """Length of the partitions in which the data are fetched, shared with other pipelines."""


class Step(_Strict):
    """One node of a pipeline: exactly one of fetch, compute, table, events and figure."""

    id: Name
    """Name other steps refer to."""
    intent: Text = ""
    """What the step is for, in words."""
    critical: bool = True
    """Whether its failure fails the run."""
    over: Literal["partition", "range"] | None = None
    """What a compute step is evaluated over: each partition (the default), or once over exactly the range that is asked for."""
    exclude: Reference | Annotated[list[Reference], Field(min_length=1)] | None = None
    """Steps that list events (`table`, `events`, or computed ones): samples inside their intervals become missing values."""
    fetch: Fetch | None = None
    compute: Compute | None = None
    table: EventTable | None = None
    events: EventFile | None = None
    figure: Figure | None = None
    expect: Expectation | None = None
    """What its results are expected to be; they are judged after each run."""

    @model_validator(mode="after")
    def _is_one_kind(self) -> Step:
        given = [kind for kind in ("fetch", "compute", "table", "events", "figure") if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of fetch, compute, table, events and figure, not {', '.join(given) or 'none'}")
        if self.over is not None and self.compute is None:
            raise ValueError("over belongs to a compute step; a figure is always drawn over the range that is asked for")
        if self.exclude is not None and self.fetch is None and self.compute is None:
            raise ValueError("exclude belongs to a fetch or compute step: a figure draws what is left of those")
        if self.expect is not None and self.fetch is None and self.compute is None:
            raise ValueError(f"expect belongs to a fetch or compute step, and this is a {self.kind}")
        return self

    @property
    def kind(self) -> Literal["fetch", "compute", "table", "figure"]:
        """What the step is; a list of events in a file is a table too."""
        return "fetch" if self.fetch else "compute" if self.compute else "figure" if self.figure else "table"

    @property
    def exclusions(self) -> list[tuple[str, str]]:
        """The lists whose intervals are excluded, as (path inside the step, reference)."""
        if isinstance(self.exclude, str):
            return [("exclude", self.exclude)]
        return [(f"exclude[{index}]", reference) for index, reference in enumerate(self.exclude or [])]

    @property
    def references(self) -> list[tuple[str, str]]:
        """Every reference to another step, as (path inside the step, reference)."""
        if self.compute:
            return [*((f"compute.inputs.{name}", each) for name, each in self.compute.inputs.items()), *self.exclusions]
        if self.figure:
            found = [
                (f"figure.panels[{row}].traces[{index}].data", trace.data)
                for row, panel in enumerate(self.figure.panels)
                for index, trace in enumerate(panel.traces)
            ]
            return [*found, ("figure.events", self.figure.events)] if self.figure.events else found
        return self.exclusions


class Approval(_Strict):
    """Who approved the pipeline, when, and the hash of what was approved."""

    by: str
    at: Moment
    sha: str


class Pipeline(_Strict):
    """One reviewed file: steps over partitions of time."""

    version: Literal[1]
    """Version of the format."""
    name: Name
    """The file's name without its suffix."""
    title: Text = ""
    """Title of the pipeline and, by default, of its figures."""
    description: Text = ""
    partitions: Grain | EventWindows = Grain.DAILY
    """Length of a partition, or one for each event of a list."""
    start: Moment | None = None
    """Where its data begin; the datasets' earliest where not given."""
    range: Annotated[Text, Field(min_length=1, max_length=200), BeforeValidator(_text_of_range)] | None = None
    """The range of a run for which none is given: a phrase such as last 7 days, or start/stop in ISO 8601."""
    schedule: str | None = None
    """When Dagster runs it by itself: cron string in UTC, daily, weekly, monthly, or on_change; off unless given."""
    lag: Duration | None = None
    """How long after a partition's stop its data are complete."""
    recheck: Annotated[int, Field(ge=0, le=3660)] | None = None
    """Over how many of the last days a schedule asks the archive again for late or revised data."""
    assumptions: list[Text] = []
    """What was assumed where the request left it open."""
    steps: Annotated[list[Step], Field(min_length=1)]
    approved: Approval | None = None
    """Written by the approval; covers everything above it."""

    @property
    def grain(self) -> Grain:
        """The length of the partitions in which its data are fetched: that of its own, unless these are events."""
        return self.partitions.fetch if isinstance(self.partitions, EventWindows) else self.partitions

    @property
    def foreign_list(self) -> str | None:
        """The step of another pipeline that lists the events of this one, as `pipeline/step`."""
        listed = self.partitions.events if isinstance(self.partitions, EventWindows) else ""
        return listed if "/" in listed and not listed.startswith(f"{self.name}/") else None

    @property
    def is_over_events(self) -> bool:
        """Whether its partitions are events."""
        return isinstance(self.partitions, EventWindows)

    def step(self, step_id: str) -> Step:
        """The step with this id; KeyError where there is none."""
        for step in self.steps:
            if step.id == step_id:
                return step
        raise KeyError(step_id)


def is_name(text: str) -> bool:
    """Whether the text can name a pipeline or step."""
    return re.fullmatch(NAME_PATTERN, text) is not None and len(text) <= 80
