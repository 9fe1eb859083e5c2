"""Candidates are judged by samples, in the catalog's order, and what speaks against one is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

import pytest

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.candidates import Chosen, choose_candidate
from helio_dagster.agent.events import Event
from helio_dagster.agent.run_side import StepDone
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.inquiry import CheckResult, ForkProposal, FoundPipeline, Sample, StepTrial
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import Estimate, RunReport
from helio_dagster.domain.time_range import TimeRange

SPAN = TimeRange(datetime(2024, 5, 10, tzinfo=UTC), datetime(2024, 5, 13, tzinfo=UTC))
State = Literal["data", "empty", "all_fill", "failed", "unreachable"]


def fetch(dataset: str) -> Fetch:
    """A fetch of one dataset's only parameter."""
    return Fetch(archive="cdaweb", dataset=dataset, parameter="B")


FIRST, SECOND, THIRD = fetch("FIRST"), fetch("SECOND"), fetch("THIRD")


@dataclass
class Samples:
    """A run side that knows only samples: dataset to its state and coverage."""

    known: dict[str, tuple[State, float | None]]
    asked: list[str] = field(default_factory=list)

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """What is known of the dataset."""
        self.asked.append(fetch.dataset)
        state, coverage = self.known[fetch.dataset]
        return Sample(fetch, span, state, 10 if state == "data" else 0, coverage, problem="no route" * (state == "unreachable"))

    def check(self, file: PipelineFile) -> Findings:
        """Not asked for here."""
        raise NotImplementedError

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """Not asked for here."""
        raise NotImplementedError

    def estimate(self, file: PipelineFile, span: TimeRange) -> Estimate:
        """Not asked for here."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """No pipeline is saved."""
        return []

    def load(self, name: str) -> PipelineFile:
        """No pipeline is saved."""
        raise InputError(f"there is no pipeline {name!r}")

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Not asked for here."""
        raise NotImplementedError

    def fork(self, file: PipelineFile, new: str, mission: str) -> ForkProposal:
        """Not asked for here."""
        raise NotImplementedError

    def save(self, file: PipelineFile) -> str:
        """Not asked for here."""
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Not asked for here."""
        raise NotImplementedError

    def run(self, name: str, span: TimeRange, step_done: StepDone) -> RunReport:
        """Not asked for here."""
        raise NotImplementedError

    def judge(self, name: str, span: TimeRange) -> list[CheckResult]:
        """Not asked for here."""
        raise NotImplementedError

    def keep_operation(self, file: PipelineFile, step: str, operation: str, summary: str, span: TimeRange) -> str:
        """Not asked for here."""
        raise NotImplementedError


def chosen(side: Samples, *, events: list[Event] | None = None) -> Chosen:
    """What is chosen of the three candidates."""
    heard: list[Event] = [] if events is None else events
    return choose_candidate([FIRST, SECOND, THIRD], SPAN, side, heard.append)


def test_the_first_with_data_is_taken_and_the_rest_not_asked_for() -> None:
    """The catalog's order counts where the samples allow it; nothing is downloaded needlessly."""
    side = Samples({"FIRST": ("data", 0.99)})
    assert chosen(side).fetch == FIRST
    assert side.asked == ["FIRST"]


@pytest.mark.parametrize(
    ("state", "words"), [("all_fill", "only fill"), ("empty", "no records"), ("failed", "cannot be fetched")]
)
def test_one_without_data_is_passed_over_and_that_is_said(state: State, words: str) -> None:
    """A person learns why the dataset they may know is not the one used."""
    found = chosen(Samples({"FIRST": (state, 0.0), "SECOND": ("data", 0.9)}))
    assert found.fetch == SECOND
    assert "SECOND B has 10 records" in found.reason
    assert len(found.passed_over) == 1
    assert "FIRST" in found.passed_over[0]
    assert words in found.passed_over[0]


def test_a_fuller_one_is_taken_before_a_thin_one() -> None:
    """A dataset that covers little of the range is kept only where nothing else covers more."""
    found = chosen(Samples({"FIRST": ("data", 0.1), "SECOND": ("data", 0.8)}))
    assert found.fetch == SECOND
    assert "10%" in found.passed_over[0]


def test_of_thin_ones_the_fullest_is_taken() -> None:
    """Little is better than nothing."""
    found = chosen(Samples({"FIRST": ("data", 0.1), "SECOND": ("data", 0.3), "THIRD": ("empty", None)}))
    assert found.fetch == SECOND


def test_an_archive_that_gives_no_answer_leaves_the_catalogs_order() -> None:
    """Planning goes on without a network, and says that nothing was looked at."""
    found = chosen(Samples({"FIRST": ("unreachable", None)}))
    assert found.fetch == FIRST
    assert "could not be asked" in found.reason
    assert "no route" in found.reason


def test_what_was_seen_counts_when_the_archive_goes_away() -> None:
    """A candidate that is known to be all fill is not taken because the next could not be asked for."""
    side = Samples({"FIRST": ("all_fill", 0.0), "SECOND": ("unreachable", None)})
    assert chosen(side).fetch == SECOND
    assert chosen(Samples({"FIRST": ("data", 0.1), "SECOND": ("unreachable", None)})).fetch == FIRST


def test_none_with_data_is_a_question() -> None:
    """Nothing is planned that is known to stay empty."""
    with pytest.raises(OpenQuestion, match="FIRST B is passed over"):
        chosen(Samples({"FIRST": ("empty", None), "SECOND": ("all_fill", 0.0), "THIRD": ("failed", None)}))


@pytest.mark.parametrize(("span", "side"), [(None, Samples({})), (SPAN, None)])
def test_without_range_or_side_nothing_is_sampled(span: TimeRange | None, side: Samples | None) -> None:
    """The first is taken, and nothing is claimed about samples."""
    found = choose_candidate([FIRST, SECOND], span, side, lambda _event: None)
    assert found == Chosen(FIRST, "")


def test_each_candidate_looked_at_is_told_with_its_facts() -> None:
    """Programs that listen see every candidate once, and which is taken."""
    events: list[Event] = []
    chosen(Samples({"FIRST": ("all_fill", 0.0), "SECOND": ("data", 0.2), "THIRD": ("data", 0.9)}), events=events)
    told = [(event.stage, event.facts["dataset"], event.facts["state"], event.facts["is_chosen"]) for event in events]
    assert sorted(told) == [
        ("candidate", "FIRST", "all_fill", False),
        ("candidate", "SECOND", "data", False),
        ("candidate", "THIRD", "data", True),
    ]
    assert set(events[0].facts) == {"archive", "dataset", "parameter", "state", "coverage", "is_chosen"}
