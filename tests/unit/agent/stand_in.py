"""A run side for tests of planners: samples and saved pipelines as told, everything else is not there to be asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from helio_dagster.agent.run_side import StepDone
from helio_dagster.domain.errors import InputError
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
from helio_dagster.domain.report import Estimate, FactReport, RunReport
from helio_dagster.domain.time_range import TimeRange

State = Literal["data", "empty", "all_fill", "failed", "unreachable"]


@dataclass
class StandInSide:
    """What a home says.

    Parameters
    ----------
    samples
        Dataset, or `dataset/parameter`, to state and coverage; what is not named has data.
    saved
        Name to title of the saved pipelines.
    asked
        The datasets that samples were taken of, in order.
    """

    samples: Mapping[str, tuple[State, float | None]] = field(default_factory=dict)
    saved: Mapping[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """What is told of the dataset."""
        self.asked.append(fetch.dataset)
        told = self.samples.get(f"{fetch.dataset}/{fetch.parameter}") or self.samples.get(fetch.dataset) or ("data", 0.99)
        state, coverage = told
        return Sample(fetch, span, state, 10 if state == "data" else 0, coverage, problem="no route" * (state == "unreachable"))

    def names(self) -> list[str]:
        """The names told."""
        return sorted(self.saved)

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Those that hold any of the words in name or title, those with the most first."""
        wanted = re.findall(r"[a-z0-9|]+", words.casefold())
        found = []
        for name, title in self.saved.items():
            held = [word for word in wanted if word in f"{name} {title}".casefold()]
            missed = tuple(word for word in wanted if word not in held)
            if held:
                found.append(FoundPipeline(name, title, len(held), tuple(held), missed))
        return sorted(found, key=lambda each: -each.score)

    def load(self, name: str) -> PipelineFile:
        """Nothing is there to load."""
        raise InputError(f"there is no pipeline {name!r}")

    def check(self, file: PipelineFile) -> Findings:
        """Not to be asked."""
        raise NotImplementedError

    def events(self, file: PipelineFile) -> EventPartitions | None:
        """Not to be asked."""
        raise NotImplementedError

    def suggest_checks(self, pipeline: Pipeline) -> dict[str, Expectation]:
        """Not to be asked."""
        raise NotImplementedError

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """Not to be asked."""
        raise NotImplementedError

    def estimate(self, file: PipelineFile, span: TimeRange) -> Estimate:
        """Not to be asked."""
        raise NotImplementedError

    def fork(self, file: PipelineFile, new: str, mission: str, *, instead_of: str | None = None) -> ForkProposal:
        """Not to be asked."""
        raise NotImplementedError

    def save(self, file: PipelineFile, by: str = "") -> str:
        """Not to be asked."""
        raise NotImplementedError

    def remove(self, name: str, by: str = "") -> str:
        """Not to be asked."""
        raise NotImplementedError

    def run(self, name: str, span: TimeRange, step_done: StepDone, progress: Progress = keep_silent) -> RunReport:
        """Not to be asked."""
        raise NotImplementedError

    def judge(self, name: str, span: TimeRange) -> list[CheckResult]:
        """Not to be asked."""
        raise NotImplementedError

    def measure(self, file: PipelineFile, step: str, span: TimeRange, moment: datetime | None = None) -> StepStatistics:
        """Not to be asked."""
        raise NotImplementedError

    def facts(self, file: PipelineFile, span: TimeRange) -> list[FactReport]:
        """Not to be asked."""
        raise NotImplementedError

    def cite(self, file: PipelineFile, span: TimeRange | None) -> list[str]:
        """Not to be asked."""
        raise NotImplementedError

    def keep_operation(
        self, file: PipelineFile, step: str, operation: str, summary: str, span: TimeRange, progress: Progress = keep_silent
    ) -> str:
        """Not to be asked."""
        raise NotImplementedError
