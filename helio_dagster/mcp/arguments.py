"""The arguments of the tools. Each is checked here when it arrives: a client's schema check is not relied on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from helio_dagster.agent.model.submissions import DraftEdits, DraftPlan
from helio_dagster.domain.described import Described

Words = Annotated[str, Field(max_length=400)]
SessionId = Annotated[str, Field(max_length=40)]
PipelineName = Annotated[str, Field(max_length=80)]
StepId = Annotated[str, Field(max_length=80)]
Request = Annotated[str, Field(min_length=1, max_length=4000)]
Key = Annotated[str, Field(max_length=100)]
Seconds = Annotated[int, Field(ge=0, le=600)]
Archive = Literal["cdaweb", "demo"]
Kind = Literal["series", "vector", "spectrogram", "events", "curve", "map", "points", "facts"]


class Arguments(Described):
    """Arguments of a tool."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchCatalog(Arguments):
    """Find datasets by mission, instrument, quantity, frame, cadence; a mission alone lists its datasets."""

    words: Words
    mission: Words | None = None
    count: Annotated[int, Field(ge=1, le=8)] = 4
    archive: Archive | None = None
    """demo: synthetic, at once, no network."""


class LookAtDataset(Arguments):
    """A dataset's parameters with unit, frame and size, its first and last date, its cadence."""

    dataset: Words
    words: Words = ""
    """Only parameters with these words."""
    archive: Archive | None = None


class SearchOperations(Arguments):
    """Find operations by what they do, or by exact name with inputs, options and formula; no words: a list of all."""

    words: Words = ""
    kind: Kind | None = None
    """Of the input."""


class Propose(Arguments):
    """Propose a new pipeline. It is checked and shown to a person; nothing runs. Read helio://rules first."""

    request: Request
    """The person's own words, verbatim."""
    plan: DraftPlan
    session: SessionId | None = None
    """To answer a question about this request, or to replace its plan."""
    only_check: bool = False
    """Check it and keep nothing."""
    key: Key | None = None
    """The same key again gives the same proposal, not a second one."""


class Edit(Arguments):
    """Change the pipeline of a session; other steps stay as they are. It must be approved again."""

    session: SessionId
    request: Request
    """The person's own words, verbatim."""
    edits: DraftEdits
    key: Key | None = None
    """The same key again gives the same change, not a second one."""


class Run(Arguments):
    """Run a session's plan after a person approved it, continue after a stop, or run an approved saved pipeline."""

    session: SessionId | None = None
    pipeline: PipelineName | None = None
    """A saved one, with time."""
    time: Words | None = None
    """As 2003-10-29, 2003-10-28 2003-11-01, or last 7 days."""
    open: bool = False
    """Near real time: the last partition too, up to its newest record."""
    code: Annotated[str, Field(max_length=20)] | None = None
    """Only what the person read in `helio approve` and told you. Never guess it."""
    wait: Seconds = 40
    """Seconds; a longer run goes on by itself."""


class Status(Arguments):
    """How a session's run is going, or which partitions of a pipeline are made, stale, missing, failed."""

    session: SessionId | None = None
    pipeline: PipelineName | None = None
    time: Words | None = None
    wait: Seconds = 0
    """Seconds to wait for the end of a run."""


class Stop(Arguments):
    """Stop a session's run; what is finished is kept."""

    session: SessionId


class Result(Arguments):
    """Look at what was made: its facts and statistics, a table's first rows, a figure as an image."""

    pipeline: PipelineName | None = None
    session: SessionId | None = None
    """Its pipeline and time."""
    time: Words | None = None
    what: Literal["summary", "table", "figure"] = "summary"
    step: StepId | None = None


class Cite(Arguments):
    """What to cite for a pipeline's results: datasets, investigators, DOIs, formulas, software."""

    pipeline: PipelineName
    time: Words | None = None


class Sessions(Arguments):
    """List the conversations, latest first, and what each awaits; with words, saved pipelines that match them."""

    words: Words = ""
