"""Candidates are judged by samples, in the catalog's order, and what speaks against one is said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.candidates import Chosen, choose_candidate
from helio_dagster.agent.events import Event
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.stand_in import StandInSide, State

SPAN = TimeRange(datetime(2024, 5, 10, tzinfo=UTC), datetime(2024, 5, 13, tzinfo=UTC))


def fetch(dataset: str) -> Fetch:
    """A fetch of one dataset's only parameter."""
    return Fetch(archive="cdaweb", dataset=dataset, parameter="B")


FIRST, SECOND, THIRD = fetch("FIRST"), fetch("SECOND"), fetch("THIRD")


def chosen(side: StandInSide, *, events: list[Event] | None = None) -> Chosen:
    """What is chosen of the three candidates."""
    heard: list[Event] = [] if events is None else events
    return choose_candidate([FIRST, SECOND, THIRD], SPAN, side, heard.append)


def test_the_first_with_data_is_taken_and_the_rest_not_asked_for() -> None:
    """The catalog's order counts where the samples allow it; nothing is downloaded needlessly."""
    side = StandInSide({"FIRST": ("data", 0.99)})
    assert chosen(side).fetch == FIRST
    assert side.asked == ["FIRST"]


@pytest.mark.parametrize(
    ("state", "words"), [("all_fill", "only fill"), ("empty", "no records"), ("failed", "cannot be fetched")]
)
def test_one_without_data_is_passed_over_and_that_is_said(state: State, words: str) -> None:
    """A person learns why the dataset they may know is not the one used."""
    found = chosen(StandInSide({"FIRST": (state, 0.0), "SECOND": ("data", 0.9)}))
    assert found.fetch == SECOND
    assert "SECOND B has 10 records" in found.reason
    assert len(found.passed_over) == 1
    assert "FIRST" in found.passed_over[0]
    assert words in found.passed_over[0]


def test_a_fuller_one_is_taken_before_a_thin_one() -> None:
    """A dataset that covers little of the range is kept only where nothing else covers more."""
    found = chosen(StandInSide({"FIRST": ("data", 0.1), "SECOND": ("data", 0.8)}))
    assert found.fetch == SECOND
    assert "10%" in found.passed_over[0]


def test_of_thin_ones_the_fullest_is_taken() -> None:
    """Little is better than nothing."""
    found = chosen(StandInSide({"FIRST": ("data", 0.1), "SECOND": ("data", 0.3), "THIRD": ("empty", None)}))
    assert found.fetch == SECOND


def test_an_archive_that_gives_no_answer_leaves_the_catalogs_order() -> None:
    """Planning goes on without a network, and says that nothing was looked at."""
    found = chosen(StandInSide({"FIRST": ("unreachable", None)}))
    assert found.fetch == FIRST
    assert "could not be reached" in found.reason
    assert "no route" in found.reason


def test_what_was_seen_counts_when_the_archive_goes_away() -> None:
    """A candidate that is known to be all fill is not taken because the next could not be asked for."""
    side = StandInSide({"FIRST": ("all_fill", 0.0), "SECOND": ("unreachable", None)})
    assert chosen(side).fetch == SECOND
    assert chosen(StandInSide({"FIRST": ("data", 0.1), "SECOND": ("unreachable", None)})).fetch == FIRST


def test_none_with_data_is_a_question() -> None:
    """Nothing is planned that is known to stay empty."""
    with pytest.raises(OpenQuestion, match="FIRST B is passed over"):
        chosen(StandInSide({"FIRST": ("empty", None), "SECOND": ("all_fill", 0.0), "THIRD": ("failed", None)}))


@pytest.mark.parametrize(("span", "side"), [(None, StandInSide({})), (SPAN, None)])
def test_without_range_or_side_nothing_is_sampled(span: TimeRange | None, side: StandInSide | None) -> None:
    """The first is taken, and nothing is claimed about samples."""
    found = choose_candidate([FIRST, SECOND], span, side, lambda _event: None)
    assert found == Chosen(FIRST, "")


def test_each_candidate_looked_at_is_told_with_its_facts() -> None:
    """Programs that listen see every candidate once, and which is taken."""
    events: list[Event] = []
    chosen(StandInSide({"FIRST": ("all_fill", 0.0), "SECOND": ("data", 0.2), "THIRD": ("data", 0.9)}), events=events)
    told = [(event.stage, event.facts["dataset"], event.facts["state"], event.facts["is_chosen"]) for event in events]
    assert sorted(told) == [
        ("candidate", "FIRST", "all_fill", False),
        ("candidate", "SECOND", "data", False),
        ("candidate", "THIRD", "data", True),
    ]
    assert set(events[0].facts) == {"archive", "dataset", "parameter", "state", "coverage", "is_chosen"}
