"""A home on paper for tests of the conversation: pipelines in memory, runs that are told what to give. No data are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Event
from helio_dagster.agent.planner import Situation
from helio_dagster.agent.run_side import StepDone
from helio_dagster.agent.session import Awaiting, Session, parse_session
from helio_dagster.assets.library import check_files, graph_of
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.inquiry import (
    CheckResult,
    ColumnStatistics,
    ForkProposal,
    FoundPipeline,
    Progress,
    Sample,
    StepStatistics,
    StepTrial,
    keep_silent,
)
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.domain.report import Estimate, FactReport, Failure, RunReport, StepReport
from helio_dagster.domain.time_range import TimeRange, format_time

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


@dataclass
class PaperHome:
    """Fulfils `RunSide`; what was asked of it stands in its attributes.

    `failing` are the errors that the next runs meet, one each, as (step, error); `full` is raised by the next save; `fragile`
    raises when its step is tried.
    """

    files: dict[str, PipelineFile] = field(default_factory=dict)
    changed_by: list[str] = field(default_factory=list)
    runs: list[tuple[str, TimeRange]] = field(default_factory=list)
    failing: list[tuple[str, str]] = field(default_factory=list)
    full: HelioError | None = None
    fragile: dict[str, HelioError] = field(default_factory=dict)
    operations: list[str] = field(default_factory=list)
    estimates: int = 0
    on_run: Callable[[], None] | None = None
    measured: dict[str, tuple[ColumnStatistics, ...]] = field(default_factory=dict)
    computed: list[FactReport] = field(default_factory=list)
    suggested: dict[str, Expectation] = field(default_factory=dict)

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """Always data."""
        return Sample(fetch, span, "data", 10, 1.0)

    def check(self, file: PipelineFile) -> Findings:
        """The real check."""
        found = check_files({**self.files, file.pipeline.name: file})
        mine = [problem for problem in found.problems if problem.file == file.file]
        return Findings(mine, [note for note in found.notes if note.file == file.file])

    def suggest_checks(self, pipeline: Pipeline) -> dict[str, Expectation]:
        """Those that were put in."""
        return {name: expect for name, expect in self.suggested.items() if name in [step.id for step in pipeline.steps]}

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """A trial that went well, or the error for the step."""
        if step in self.fragile:
            raise self.fragile[step]
        return StepTrial(step, format_time(span.start), 10, "10 records", is_twice_the_same=True)

    def estimate(self, file: PipelineFile, span: TimeRange) -> Estimate:
        """One partition a step and day, a megabyte each."""
        self.estimates += 1
        count = len(file.pipeline.steps) * len(file.pipeline.partitions.keys(span))
        return Estimate(partitions=count, files=1, at_hand=0, download_bytes=10**6, disk_bytes=None, free_bytes=10**12)

    def events(self, file: PipelineFile) -> EventPartitions | None:
        """Those of a list in the plan itself."""
        return graph_of({file.pipeline.name: file}).events[file.pipeline.name] if file.pipeline.lists_its_events else None

    def names(self) -> list[str]:
        """Names there are."""
        return sorted(self.files)

    def load(self, name: str) -> PipelineFile:
        """The file of a name."""
        if name not in self.files:
            raise InputError(f"there is no pipeline {name!r}")
        return self.files[name]

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Those whose name holds the first word."""
        first = words.split()[0].lower()
        return [FoundPipeline(name, file.pipeline.title, 1.0) for name, file in self.files.items() if first in name]

    def fork(self, file: PipelineFile, new: str, mission: str, *, instead_of: str | None = None) -> ForkProposal:
        """The same file under another name."""
        renamed = file.without_approval().renamed(new, file=f"{new}.yaml")
        return ForkProposal(renamed, changes=(f"b_gse: to {mission}",), losses=("the cadence is another",))

    def save(self, file: PipelineFile, by: str = "") -> str:
        """Keep the file."""
        if self.full is not None:
            full, self.full = self.full, None
            raise full
        name = file.pipeline.name
        self.files[name] = parse_pipeline(file.text, file=f"{name}.yaml")
        self.changed_by.append(by)
        return f"pipelines/{name}.yaml"

    def remove(self, name: str, by: str = "") -> str:
        """Forget it."""
        del self.files[name]
        self.changed_by.append(by)
        return ""

    def run(self, name: str, span: TimeRange, step_done: StepDone, progress: Progress = keep_silent) -> RunReport:
        """A run that computes all, or fails at the step it is told to."""
        self.runs.append((name, span))
        if self.on_run is not None:
            self.on_run()
        pipeline = self.load(name).pipeline
        keys = pipeline.partitions.keys(span)
        failing = self.failing.pop(0) if self.failing else None
        steps = {}
        for step in pipeline.steps:
            is_failing = failing is not None and failing[0] == step.id
            counts = StepReport(
                asset=f"{name}/{step.id}", computed=0 if is_failing else len(keys), failed=len(keys) * is_failing
            )
            steps[step.id] = counts
            step_done(step.id, counts)
        failures = [Failure(step=failing[0], partition=key, error=failing[1], hint="Do it.") for key in keys] if failing else []
        return RunReport(
            pipeline=name,
            start=format_time(span.start),
            stop=format_time(span.stop),
            status="partial" if failing else "success",
            run_id="r",
            seconds=1.0,
            partitions=keys,
            steps=steps,
            failures=failures,
            figures=[],
            facts=self.computed,
        )

    def judge(self, name: str, span: TimeRange) -> list[CheckResult]:
        """One check that passed."""
        return [CheckResult("b_gse", "coverage", True, "b_gse: 99 % of the range has data")]

    def measure(self, file: PipelineFile, step: str, span: TimeRange, moment: datetime | None = None) -> StepStatistics:
        """What the test says of the step, if a run has made it."""
        if not any(name == file.pipeline.name and ran.overlaps(span) for name, ran in self.runs):
            return StepStatistics(step, f"{file.pipeline.name}/{step}", span, {"missing": 1})
        columns = self.measured.get(step, (ColumnStatistics(step, "nT", 0, 0),))
        kind = "series" if len(columns) == 1 else "vector"
        return StepStatistics(step, f"{file.pipeline.name}/{step}", span, {"data": 1}, kind, columns=tuple(columns))

    def facts(self, file: PipelineFile, span: TimeRange) -> list[FactReport]:
        """Those that the test gives, if a run has made them."""
        return self.computed if (file.pipeline.name, span) in self.runs else []

    def cite(self, file: PipelineFile, span: TimeRange | None) -> list[str]:
        """A line that says what was asked for."""
        return [f"What to cite for {file.pipeline.name}, {span or 'all'}"]

    def keep_operation(
        self, file: PipelineFile, step: str, operation: str, summary: str, span: TimeRange, progress: Progress = keep_silent
    ) -> str:
        """Remember the name."""
        self.operations.append(operation)
        return f"{operation}@1"


@dataclass
class ListPlanner:
    """Fulfils `Planner` with given answers, one after the other; keeps what it was told."""

    answers: list[Answer | BaseException]
    told: list[Situation] = field(default_factory=list)
    name: str = "list"

    def answer(self, situation: Situation) -> Answer:
        """The next answer, or raise the next error, or what Ctrl-C does."""
        self.told.append(situation)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


@dataclass
class Talk:
    """A conversation, its home and planner, the session as it was kept last, and all events that a listener heard."""

    conversation: Conversation
    home: PaperHome
    planner: ListPlanner
    kept: list[str] = field(default_factory=list)
    heard: list[Event] = field(default_factory=list)

    def say(self, text: str) -> list[Event]:
        """Say something."""
        return self.conversation.say(text)

    def texts(self, text: str, stage: str) -> list[str]:
        """Say something; the texts of the events of a stage."""
        return [event.text for event in self.say(text) if event.stage == stage]

    @property
    def session(self) -> Session:
        """The session as a new process would read it."""
        return parse_session(self.kept[-1], where="kept")

    def awaiting(self) -> Awaiting:
        """What the person must say next; a method, as its answer changes from one thing said to the next."""
        return self.session.awaiting
