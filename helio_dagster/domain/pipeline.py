"""The pipeline: the model of one reviewed YAML file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from helio_dagster.domain.described import Described
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.fetch import Fetch as Fetch
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline_fields import (
    LIST_PATTERN,
    OPERATION_PATTERN,
    Column,
    Duration,
    Moment,
    Name,
    Reference,
    Text,
    text_of_range,
)
from helio_dagster.domain.project_asset import ProjectAsset as ProjectAsset
from helio_dagster.domain.report_html import html_of_pipeline


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


ResultKind = Literal["curve", "map", "points", "facts", "events"]
"""What code says of its result, unless that is a series, a vector or a spectrogram over time."""


class Result(_Strict):
    """One of several named results of code."""

    kind: ResultKind | None = None
    """What it is, unless it is a series, a vector or a spectrogram over time."""
    unit: str | None = None
    """Its unit."""
    units: dict[Name, str] = {}
    """Units of its single columns."""
    frame: str | None = None
    """Its coordinate frame."""

    @property
    def has_samples(self) -> bool:
        """Whether its rows are samples in time."""
        return self.kind in (None, "points")


class Compute(_Strict):
    """A registered operation, or a Python function body, over named inputs."""

    operation: Annotated[str, Field(pattern=OPERATION_PATTERN, max_length=85)] | None = None
    """Id of a shipped operation, or id@version of a saved one."""
    inputs: Annotated[dict[Name, Reference | ProjectAsset], Field(min_length=1)]
    """Input name to step id, to `other_pipeline/step`, or to an asset of the Dagster project around: {asset: its/key}."""
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
    kind: ResultKind | None = None
    """What the result of `code` is, unless it is a series, a vector or a spectrogram over time."""
    units: dict[Name, str] = {}
    """Units of single columns of the result of `code`."""
    results: Annotated[dict[Name, Result], Field(min_length=1, max_length=8)] | None = None
    """Name to each of several results of `code`, which others refer to as if it were a step; instead of one result."""

    @property
    def step_inputs(self) -> dict[str, str]:
        """Input name to reference, of those that are steps."""
        return {name: each for name, each in self.inputs.items() if isinstance(each, str)}

    @property
    def project_inputs(self) -> dict[str, ProjectAsset]:
        """Input name to asset of the Dagster project around, of those that are one."""
        return {name: each for name, each in self.inputs.items() if isinstance(each, ProjectAsset)}

    @model_validator(mode="after")
    def _has_one_body(self) -> Compute:
        if (self.operation is None) == (self.code is None):
            raise ValueError("give exactly one of operation and code")
        if self.operation is not None and (self.lookback or self.lookahead or self.unit or self.frame):
            raise ValueError("lookback, lookahead, unit and frame belong to code; an operation knows its own")
        if self.operation is not None and (self.kind or self.units or self.results):
            raise ValueError("kind, units and results belong to code; an operation knows its own")
        if self.results and (self.unit or self.frame or self.kind or self.units):
            raise ValueError("unit, frame, kind and units belong to each of the results; write them there")
        if self.code is not None and self.options:
            raise ValueError("options belong to an operation; write constants into the code")
        return self


class EventTable(_Strict):
    """Rows given in the file itself: events, calibration points."""

    csv: Text
    """CSV text with a header; the first column is a time, or columns named onset/start and stop."""
    source: Text
    """Where the rows come from."""


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
    over: Literal["partition", "event", "range"] | None = None
    """What a compute step is evaluated over: each partition (the default; `event` says so where the partitions are events), or
    once over exactly the range that is asked for."""
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
        self._check_results()
        return self

    def _check_results(self) -> None:
        """Whether what the step says beside its named results is of one of them."""
        results = self.compute.results if self.compute is not None else None
        if results is None:
            return
        facts = [name for name, result in results.items() if result.kind == "facts"]
        if self.expect is not None and (not self.expect.is_of_facts or len(facts) != 1):
            whose = f"{len(facts)} results of kind facts" if facts else "no result of kind facts"
            raise ValueError(f"of several results, only the facts of a single one can be expected; here is {whose}")
        if self.exclude is not None and not any(result.has_samples for result in results.values()):
            raise ValueError("none of the results has samples to exclude. Write exclude on the steps that the code reads")

    @property
    def kind(self) -> Literal["fetch", "compute", "table", "figure"]:
        """What the step is; a list of events in a file is a table too."""
        return "fetch" if self.fetch else "compute" if self.compute else "figure" if self.figure else "table"

    @property
    def named_results(self) -> list[Step]:
        """The named results of its code, each as a step; none if it has one result."""
        results = self.compute.results if self.compute is not None else None
        return [NamedResult.of(self, name, result) for name, result in (results or {}).items()]

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
            return [*((f"compute.inputs.{name}", each) for name, each in self.compute.step_inputs.items()), *self.exclusions]
        if self.figure:
            found = [*self.figure.traced, *self.figure.listed]
            found += [(f"figure.below[{row}].data", each.data) for row, each in enumerate(self.figure.below)]
            return [*found, ("figure.events", self.figure.events)] if self.figure.events else found
        return self.exclusions


class NamedResult(Step):
    """A named result of another step's code, as others see it: a step that only takes its part of what the code returned."""

    made_by: Name
    """The step with the code."""

    @classmethod
    def of(cls, step: Step, name: str, result: Result) -> NamedResult:
        """The result of a step; exclusions hold for samples, and expectations for facts."""
        stated = {key: getattr(result, key) for key in Result.model_fields}
        part = Compute.model_construct(inputs={"code": step.id}, **stated)
        return cls.model_construct(  # no file can say this: neither an operation nor code
            id=name,
            made_by=step.id,
            intent=step.intent,
            critical=step.critical,
            over=step.over,
            exclude=step.exclude if result.has_samples else None,
            expect=step.expect if result.kind == "facts" else None,
            compute=part,
        )


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
    range: Annotated[Text, Field(min_length=1, max_length=200), BeforeValidator(text_of_range)] | None = None
    """The range of a run for which none is given: a phrase such as last 7 days, or start/stop in ISO 8601."""
    schedule: str | None = None
    """When Dagster runs it by itself: cron string in UTC, daily, weekly, monthly, or on_change; off unless given."""
    open: Annotated[bool, Field(exclude_if=lambda is_open: not is_open)] = False
    """Whether the last partition is made before it is over, and again as it grows."""
    lag: Duration | None = None
    """How long after a partition's stop its data are complete."""
    recheck: Annotated[int, Field(ge=0, le=3660)] | None = None
    """Over how many of the last days a schedule asks the archive again for late or revised data."""
    assumptions: list[Text] = []
    """What was assumed where the request left it open."""
    steps: Annotated[list[Step], Field(min_length=1)]
    approved: Approval | None = None
    """Written by the approval; covers everything above it."""

    def _repr_html_(self) -> str:
        return html_of_pipeline(self)

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

    @property
    def lists_its_events(self) -> bool:
        """Whether its partitions are events of a list, not those that a step of its own detects."""
        given = self.partitions
        return isinstance(given, EventWindows) and not any(step.id == given.events and step.compute for step in self.steps)

    @property
    def nodes(self) -> Iterator[Step]:
        """What can be referred to, in order: each step and, after it, the named results of its code.

        Exclusions and expectations of such a step are those of its results.
        """
        for step in self.steps:
            if results := step.named_results:
                yield step.model_copy(update={"exclude": None, "expect": None})
                yield from results
            else:
                yield step

    def step(self, step_id: str) -> Step:
        """The step with this id, or the named result of a step's code; KeyError where there is none."""
        for step in chain(self.steps, self.nodes):
            if step.id == step_id:
                return step
        raise KeyError(step_id)
