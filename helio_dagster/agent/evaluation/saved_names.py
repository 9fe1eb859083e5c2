"""A home that only has saved pipelines by name and title: nothing can be sampled, run or saved in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

from helio_dagster.agent.planner import Knowledge
from helio_dagster.agent.run_side import StepDone
from helio_dagster.assets.library import check_files
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


@dataclass(frozen=True)
class SavedNames:
    """The run side of an evaluation; `saved` is name to title. What needs data or a real home is an InputError."""

    saved: Mapping[str, str]
    knowledge: Knowledge

    def names(self) -> list[str]:
        """The names, sorted."""
        return sorted(self.saved)

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Those with any of the words in name or title, those with the most first."""
        wanted, found = re.findall(r"[a-z0-9|]+", words.casefold()), []
        for name, title in self.saved.items():
            held = tuple(word for word in wanted if word in f"{name} {title}".casefold())
            if held:
                found.append(FoundPipeline(name, title, len(held), held, tuple(word for word in wanted if word not in held)))
        return sorted(found, key=lambda each: -each.score)

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """No archive is asked."""
        return Sample(fetch, span, "unreachable", problem="an evaluation asks no archive")

    def check(self, file: PipelineFile) -> Findings:
        """Faults of a pipeline on its own."""
        return check_files({file.pipeline.name: file}, self.knowledge.catalog, self.knowledge.operations.get)

    def load(self, _name: str) -> PipelineFile:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def suggest_checks(self, _pipeline: Pipeline) -> dict[str, Expectation]:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def try_step(self, _file: PipelineFile, _step: str, _span: TimeRange) -> StepTrial:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def estimate(self, _file: PipelineFile, _span: TimeRange) -> Estimate:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def events(self, _file: PipelineFile) -> EventPartitions | None:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def fork(
        self,
        _file: PipelineFile,
        _new: str,
        _mission: str,
        *,
        instead_of: str | None = None,  # noqa: ARG002 - a name of the Protocol
    ) -> ForkProposal:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def save(self, _file: PipelineFile, by: str = "") -> str:  # noqa: ARG002
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def remove(self, _name: str, by: str = "") -> str:  # noqa: ARG002
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def run(self, _name: str, _span: TimeRange, _step_done: StepDone, _progress: Progress = keep_silent) -> RunReport:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def judge(self, _name: str, _span: TimeRange) -> list[CheckResult]:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def measure(self, _file: PipelineFile, _step: str, _span: TimeRange, _moment: datetime | None = None) -> StepStatistics:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def facts(self, _file: PipelineFile, _span: TimeRange) -> list[FactReport]:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def cite(self, _file: PipelineFile, _span: TimeRange | None) -> list[str]:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()

    def keep_operation(
        self,
        _file: PipelineFile,
        _step: str,
        _operation: str,
        _summary: str,
        _span: TimeRange,
        _progress: Progress = keep_silent,
    ) -> str:
        """Raise InputError: an evaluation runs and saves nothing."""
        _refuse()


def _refuse() -> NoReturn:
    raise InputError("an evaluation runs and saves nothing", hint="Use helio chat.")
