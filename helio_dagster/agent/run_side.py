"""The interface through which a conversation fetches, runs and saves. `launch` implements it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.inquiry import (
    CheckResult,
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
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import Estimate, FactReport, RunReport, StepReport
from helio_dagster.domain.time_range import TimeRange

StepDone = Callable[[str, StepReport], None]
"""Called for each step of a run when all its partitions are settled."""


class RunSide(Protocol):
    """What a conversation may ask of its home. Only `save`, `remove`, `run` and `keep_operation` change anything there."""

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """Fetch a short part of a range without changing the home; a failure is reported in the sample, not raised."""

    def check(self, file: PipelineFile) -> Findings:
        """Faults of a pipeline, on its own and with the saved ones."""

    def suggest_checks(self, pipeline: Pipeline) -> dict[str, Expectation]:
        """Step to what its data are usually expected to be."""

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """Make one partition of a draft's step in a temporary home; code is run twice more in different environments.

        Raises
        ------
        HelioError
            Why the step, or one that it reads, failed.
        """

    def estimate(self, file: PipelineFile, span: TimeRange) -> Estimate:
        """What a run of a draft would do."""

    def events(self, file: PipelineFile) -> EventPartitions | None:
        """The events of a draft's list; None if it has none, or detects them itself."""

    def names(self) -> list[str]:
        """Names of the saved pipelines."""

    def load(self, name: str) -> PipelineFile:
        """A saved pipeline; InputError if there is none."""

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Saved pipelines that match most of the words, best first."""

    def fork(self, file: PipelineFile, new: str, mission: str, *, instead_of: str | None = None) -> ForkProposal:
        """A pipeline for another mission; InputError if the mission does not measure what it fetches."""

    def save(self, file: PipelineFile, by: str = "") -> str:
        """Write a pipeline under its name, completely or not at all; return where, and what became of its commit by a person.

        Raises
        ------
        StorageError
            It cannot be written.
        """

    def remove(self, name: str, by: str = "") -> str:
        """Delete a pipeline that this conversation saved first; return what became of its commit by a person, if it has one."""

    def run(self, name: str, span: TimeRange, step_done: StepDone, progress: Progress = keep_silent) -> RunReport:
        """Bring a saved pipeline up to date over a range, as `helio run` does."""

    def judge(self, name: str, span: TimeRange) -> list[CheckResult]:
        """The checks of stored data over a range, as text."""

    def measure(self, file: PipelineFile, step: str, span: TimeRange, moment: datetime | None = None) -> StepStatistics:
        """Statistics of what is stored of a step over a range, and its value nearest to a moment; nothing is made for it.

        Raises
        ------
        InputError
            The pipeline has no such step, or it is a figure or a table of the file.
        """

    def facts(self, file: PipelineFile, span: TimeRange) -> list[FactReport]:
        """The numbers of a pipeline over exactly a range, as far as they are stored and up to date."""

    def cite(self, file: PipelineFile, span: TimeRange | None) -> list[str]:
        """What to cite for a pipeline's results, line by line; with a range, by the files that were used in it."""

    def keep_operation(
        self, file: PipelineFile, step: str, operation: str, summary: str, span: TimeRange, progress: Progress = keep_silent
    ) -> str:
        """Save a step's code as an operation with a sample as its example; return id@version.

        Raises
        ------
        CodeRefused
            Its example fails, or its code is not deterministic.
        """
