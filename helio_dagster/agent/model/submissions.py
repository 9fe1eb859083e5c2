"""The schemas of what a model may submit; `acceptance` checks the contents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from helio_dagster.agent.model.submission_fields import (
    Changes,
    EventsAround,
    Inputs,
    OptionalDrawing,
    OptionalEnds,
    OptionalName,
    OptionalNumber,
    OptionalOver,
    OptionalScale,
    OptionalStep,
    OptionalText,
    OptionalWidth,
    Options,
    StatedResult,
    TimeWords,
    Units,
)
from helio_dagster.domain.described import Described
from helio_dagster.domain.pipeline_fields import Name, Reference


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Candidate(_Strict):
    """A dataset's parameter."""

    archive: Annotated[str, Field(max_length=120)]
    dataset: Annotated[str, Field(max_length=120)]
    parameter: Annotated[str, Field(max_length=120)]


class FetchStep(_Strict):
    """One measured quantity."""

    kind: Literal["fetch"]
    id: Name
    intent: str
    candidates: Annotated[list[Candidate], Field(min_length=1, max_length=4)]
    """Datasets that hold this quantity, best first."""
    exclude: OptionalStep = None
    """A step of events: samples inside become gaps."""


class OperationStep(_Strict):
    """An operation of the library."""

    kind: Literal["operation"]
    id: Name
    intent: str
    operation: Annotated[str, Field(max_length=85)]
    inputs: Inputs
    options: Options = {}
    over: OptionalOver = None


class CodeStep(_Strict):
    """Python code, where no operation fits."""

    kind: Literal["code"]
    id: Name
    intent: str
    inputs: Inputs
    code: Annotated[str, Field(max_length=20_000)]
    """Function body."""
    unit: OptionalText = None
    frame: OptionalText = None
    lookback: OptionalText = None
    """How far before its partition it reads, as PT10M."""
    lookahead: OptionalText = None
    over: OptionalOver = None
    result: StatedResult = None
    """curve, points, facts, events; auto: values over time. Several: lag: facts, r: curve."""
    units: Units = {}

    @model_validator(mode="after")
    def _has_units_of_its_results(self) -> CodeStep:
        if not isinstance(self.result, dict):
            return self
        if (self.unit or self.frame) and None not in self.result.values():
            raise ValueError("unit and frame are those of results over time, and there is none; write units")
        for place in self.units:
            if place.partition(".")[0] not in self.result:
                raise ValueError(f"units of several results are named by result or result.column, and {place!r:.80} is neither")
        return self


class TableStep(_Strict):
    """Rows from the person."""

    kind: Literal["table"]
    id: Name
    intent: str
    csv: str
    """Header, then rows. First column: a time; or columns start and stop."""
    source: str
    """Who gave the rows."""


class DraftTrace(_Strict):
    """One step's data in a panel."""

    data: Reference
    """Step to draw."""
    component: OptionalText = None
    """Draw only this column."""
    color: OptionalText = None
    label: OptionalText = None
    width: OptionalWidth = None
    draw: OptionalDrawing = None


class DraftAxis(_Strict):
    """An axis; it gets its unit from the data."""

    title: OptionalText = None
    scale: OptionalScale = None
    range: OptionalEnds = None


class DraftPanel(_Strict):
    """One row of a figure."""

    traces: Annotated[list[DraftTrace], Field(min_length=1)]
    x: DraftAxis | None = None
    """Of curves and points only."""
    y: DraftAxis | None = None
    """Value axis; bin axis of a spectrogram."""
    z: DraftAxis | None = None
    """Colour axis of a spectrogram."""
    height: OptionalNumber = None
    """Relative to others."""
    each: EventsAround = None
    """Events, before, after: storms P1D P3D."""


class FigureStep(_Strict):
    """Panels, top to bottom; those over time share its axis."""

    kind: Literal["figure"]
    id: Name
    intent: str
    panels: Annotated[list[DraftPanel], Field(min_length=1)]
    events: OptionalStep = None
    """A step of events: marked in all panels over time."""


DraftStep = Annotated[FetchStep | OperationStep | CodeStep | TableStep | FigureStep, Field(discriminator="kind")]


class DraftWindows(_Strict):
    """One partition for each event of a table step."""

    events: Name
    before: OptionalText = None
    """As P1D."""
    after: OptionalText = None


class DraftPlan(_Strict):
    """A new pipeline."""

    title: Annotated[str, Field(min_length=3, max_length=120)]
    """What it shows, without the time."""
    description: Annotated[str, Field(max_length=600)] = ""
    time_words: TimeWords = None
    """Verbatim; empty if none was named."""
    assumptions: Annotated[list[str], Field(max_length=12)] = []
    """What you decided because the person left it open, one sentence each."""
    windows: DraftWindows | None = None
    steps: Annotated[list[DraftStep], Field(min_length=1, max_length=40)]


class EditDraftStep(_Strict):
    """Change values of one step."""

    kind: Literal["edit_step"]
    step: Name
    changes: Changes = {}
    remove: Annotated[list[str], Field(max_length=40)] = []
    """Paths in the step to remove."""


class AddDraftStep(_Strict):
    """Add a step."""

    kind: Literal["add_step"]
    step: DraftStep
    before: OptionalName = None
    """Id of the step after it; empty: it comes last."""


class RemoveDraftStep(_Strict):
    """Remove a step that no other step reads."""

    kind: Literal["remove_step"]
    step: Name


class ChangePipeline(_Strict):
    """Change a value outside the steps."""

    kind: Literal["edit_pipeline"]
    key: Literal["title", "description", "assumptions", "start", "schedule", "lag"]
    value: str | list[str] | None = None
    """Leave it out to remove it."""


DraftEdit = Annotated[EditDraftStep | AddDraftStep | RemoveDraftStep | ChangePipeline, Field(discriminator="kind")]


class DraftEdits(_Strict):
    """Changes to the current pipeline."""

    edits: Annotated[list[DraftEdit], Field(min_length=1, max_length=40)]
    time_words: TimeWords = None
    """For another time range, verbatim; else empty."""
    notes: Annotated[list[str], Field(max_length=8)] = []
    """What the person should know about them."""


class DraftQuestion(_Strict):
    """A question for the person."""

    text: Annotated[str, Field(min_length=3, max_length=600)]
    choices: Annotated[list[str], Field(max_length=5)] = []
    """Answers, each written as the person's complete new request."""


class DraftReplay(_Strict):
    """The same for another time range."""

    name: OptionalName = None
    """A saved pipeline; empty: the current one."""
    time_words: Annotated[str, Field(max_length=200)]
    """The person's own words for the time range, verbatim."""


class DraftFork(_Strict):
    """The same for another mission."""

    mission: Annotated[str, Field(max_length=80)]
    instead_of: OptionalName = None
    """The mission to replace, if the pipeline uses several."""
    name: OptionalName = None
    """A saved pipeline; empty: the current one."""
    time_words: TimeWords = None
    """Verbatim; empty if none was named."""


class DraftInformation(_Strict):
    """An answer in words."""

    text: Annotated[str, Field(min_length=3, max_length=4000)]
    sources: Annotated[list[str], Field(min_length=1, max_length=12)]
    """Ids of the operations, datasets, missions or functions it comes from."""


class DraftUndo(_Strict):
    """Take back the last changes."""

    what: str
    """The changes, in a few words."""
    count: Annotated[int, Field(ge=1, le=99)] = 1
    """How many."""


class DraftKeep(_Strict):
    """A step's code as an operation."""

    step: Name
    """A code step of the current pipeline."""
    operation: Name
    """Id for the new operation."""
    summary: Annotated[str, Field(max_length=300)]


class DraftRefusal(_Strict):
    """Why it cannot be planned."""

    reasons: Annotated[list[str], Field(min_length=1, max_length=5)]
    """Why, and what the person can ask instead."""


class PlanAnew(_Strict):
    """Why a new pipeline is needed."""

    reason: Annotated[str, Field(max_length=300)]


class HandOver(_Strict):
    """Why the planner is needed."""

    reason: Annotated[str, Field(max_length=300)]
