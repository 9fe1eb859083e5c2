"""The side that fetches, runs and saves, as a conversation sees it. The command line hands it in; `launch` has the real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from helio_dagster.domain.inquiry import CheckResult, ForkProposal, FoundPipeline, Progress, Sample, StepTrial, keep_silent
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import Estimate, RunReport, StepReport
from helio_dagster.domain.time_range import TimeRange

StepDone = Callable[[str, StepReport], None]
"""Told of a step of a run whose partitions are all settled."""


class RunSide(Protocol):
    """What a conversation may ask of the home it speaks for. Only `save`, `run` and `keep_operation` change anything there."""

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """Fetch a short part of a range, beside the home; what fails is in the sample and not raised."""

    def check(self, file: PipelineFile) -> Findings:
        """What is wrong with a pipeline, by itself and among the saved ones."""

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """Make one partition of a draft's step beside the home; code is run twice more in other surroundings.

        Raises
        ------
        HelioError
            What the step, or one that it reads, failed of.
        """

    def estimate(self, file: PipelineFile, span: TimeRange) -> Estimate:
        """What a run of a draft would do."""

    def names(self) -> list[str]:
        """Names of the saved pipelines."""

    def load(self, name: str) -> PipelineFile:
        """A saved pipeline; InputError where there is none."""

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Saved pipelines that hold most of the words, best first."""

    def fork(self, file: PipelineFile, new: str, mission: str, *, instead_of: str | None = None) -> ForkProposal:
        """A pipeline for another mission; InputError where the mission does not measure what it fetches."""

    def save(self, file: PipelineFile) -> str:
        """Write a pipeline under its name, whole or not at all; gives the path. StorageError where that fails."""

    def remove(self, name: str) -> None:
        """Take back a pipeline that this conversation saved first."""

    def run(self, name: str, span: TimeRange, step_done: StepDone, progress: Progress = keep_silent) -> RunReport:
        """Bring a saved pipeline up to date over a range, as `helio run` does."""

    def judge(self, name: str, span: TimeRange) -> list[CheckResult]:
        """The checks of what stands there for a range, in words."""

    def keep_operation(
        self, file: PipelineFile, step: str, operation: str, summary: str, span: TimeRange, progress: Progress = keep_silent
    ) -> str:
        """Save a step's code as an operation with a sample as its example; gives id@version.

        Raises
        ------
        CodeRefused
            Its example or the check of determinism speaks against it.
        """
