"""The schemas of what a model may submit; `acceptance` checks the contents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.domain.pipeline import Axis, Name, Reference, Trace
from helio_dagster.domain.pipeline_edit import EditStep, RemoveStep

TimeWords = Annotated[str, Field(max_length=200)] | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Candidate(_Strict):
    """A dataset's parameter."""

    archive: Annotated[str, Field(max_length=120)]
    dataset: Annotated[str, Field(max_length=120)]
    parameter: Annotated[str, Field(max_length=120)]


class FetchStep(_Strict):
    """Measurements of one quantity."""

    kind: Literal["fetch"]
    id: Name
    intent: str
    """The physical quantity, mission and frame."""
    candidates: Annotated[list[Candidate], Field(min_length=1, max_length=4)]
    """Datasets that hold this same quantity, best first; a sample decides."""


class OperationStep(_Strict):
    """An operation of the library."""

    kind: Literal["operation"]
    id: Name
    intent: str
    operation: Annotated[str, Field(max_length=85)]
    inputs: Annotated[dict[str, Reference], Field(min_length=1)]
    """Input name of the operation to step id."""
    options: dict[str, Any] = {}


class CodeStep(_Strict):
    """Python code, where no operation fits."""

    kind: Literal["code"]
    id: Name
    intent: str
    inputs: Annotated[dict[str, Reference], Field(min_length=1)]
    """Name in the code to step id."""
    code: Annotated[str, Field(max_length=20_000)]
    """Body of a function over the inputs; it returns a Series or DataFrame."""
    unit: str | None = None
    frame: str | None = None
    lookback: str | None = None
    """How far before its partition it reads, as PT10M."""
    lookahead: str | None = None


class TableStep(_Strict):
    """Rows that the person gives."""

    kind: Literal["table"]
    id: Name
    intent: str
    csv: str
    """Header, then rows; first column a time, or columns start and stop."""
    source: str


class DraftPanel(_Strict):
    """One row of a figure."""

    traces: Annotated[list[Trace], Field(min_length=1)]
    y: Axis | None = None
    """Value axis; the bin axis of a spectrogram."""
    z: Axis | None = None
    """Colour axis of a spectrogram."""
    height: float | None = None
    """Relative to the other panels."""


class FigureStep(_Strict):
    """Panels over a common time axis."""

    kind: Literal["figure"]
    id: Name
    intent: str
    panels: Annotated[list[DraftPanel], Field(min_length=1)]
    events: Reference | None = None
    """A table step whose rows are marked."""


DraftStep = Annotated[FetchStep | OperationStep | CodeStep | TableStep | FigureStep, Field(discriminator="kind")]


class DraftPlan(_Strict):
    """A new pipeline."""

    title: Annotated[str, Field(min_length=3, max_length=120)]
    """What it shows, without the time."""
    description: Annotated[str, Field(max_length=600)] = ""
    time_words: TimeWords = None
    """The person's words for the time range, verbatim; null if they named none."""
    assumptions: Annotated[list[str], Field(max_length=12)] = []
    """What you decided that the person left open, a sentence each."""
    steps: Annotated[list[DraftStep], Field(min_length=1, max_length=40)]


class AddDraftStep(_Strict):
    """Add a step."""

    kind: Literal["add_step"]
    step: DraftStep
    before: Name | None = None
    """Id of the step it stands before; at the end where not given."""


class ChangePipeline(_Strict):
    """Change a value of the pipeline that stands outside its steps."""

    kind: Literal["edit_pipeline"]
    key: Literal["title", "description", "assumptions", "start", "schedule", "lag"]
    value: str | list[str] | None
    """Null removes it."""


DraftEdit = Annotated[EditStep | AddDraftStep | RemoveStep | ChangePipeline, Field(discriminator="kind")]


class DraftEdits(_Strict):
    """Changes of the pipeline on the table."""

    edits: Annotated[list[DraftEdit], Field(min_length=1, max_length=40)]
    time_words: TimeWords = None
    """The person's words for another time range, verbatim; null if they named none."""
    notes: Annotated[list[str], Field(max_length=8)] = []
    """What the person should know of them."""


class DraftQuestion(_Strict):
    """A question for the person."""

    text: Annotated[str, Field(min_length=3, max_length=600)]
    choices: Annotated[list[str], Field(max_length=5)] = []
    """Each a whole request that answers it, as the person would write it."""


class DraftReplay(_Strict):
    """The same over another range."""

    name: Annotated[str, Field(max_length=80)] | None
    """A saved pipeline; null for the one on the table."""
    time_words: Annotated[str, Field(max_length=200)]
    """The person's words for the time range, verbatim."""


class DraftFork(_Strict):
    """The same for another mission."""

    mission: Annotated[str, Field(max_length=80)]
    instead_of: Annotated[str, Field(max_length=80)] | None = None
    """The mission to replace where the pipeline fetches from several."""
    name: Annotated[str, Field(max_length=80)] | None
    """A saved pipeline; null for the one on the table."""
    time_words: TimeWords = None
    """The person's words for the time range, verbatim; null if they named none."""


class DraftInformation(_Strict):
    """An answer that makes no data."""

    text: Annotated[str, Field(min_length=3, max_length=4000)]
    sources: Annotated[list[str], Field(min_length=1, max_length=12)]
    """Ids of the operations, datasets, missions or functions that it is taken from."""


class DraftUndo(_Strict):
    """The last change taken back."""

    what: str
    """What is taken back, in a few words."""


class DraftKeep(_Strict):
    """Code that becomes an operation."""

    step: Name
    """A step with code of the pipeline on the table."""
    operation: Name
    """Id for the new operation."""
    summary: Annotated[str, Field(max_length=300)]


class DraftRefusal(_Strict):
    """Why it cannot be planned."""

    reasons: Annotated[list[str], Field(min_length=1, max_length=5)]
    """Why, and what can be asked instead."""


class PlanAnew(_Strict):
    """Why it is nothing about the pipeline on the table."""

    reason: Annotated[str, Field(max_length=300)]


class HandOver(_Strict):
    """Why it is for the planner."""

    reason: Annotated[str, Field(max_length=300)]
