"""Runs cut into pieces: nothing is left out, nothing is in two pieces, and what is made of the whole range is not cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.assets.graph_building import build_graph
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.dispatching.pieces import Piece, cut, in_turn
from helio_dagster.launch.running.request import RunRequest

FETCH = {"id": "b", "fetch": {"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}}
MAGNITUDE = {"id": "mag", "compute": {"operation": "magnitude", "inputs": {"vector": "b"}}}
WHOLE = {"id": "whole", "over": "range", "compute": {"inputs": {"x": "mag"}, "unit": "nT", "code": "return x - x.mean()"}}
AFTER = {"id": "after", "over": "range", "compute": {"inputs": {"x": "whole"}, "unit": "nT", "code": "return x"}}
FIGURE = {"id": "view", "figure": {"panels": [{"traces": [{"data": "mag"}]}]}}
PARTED = ("demo/AC_H0_MFI/BGSEc", "p/mag")


def request(days: int, *steps: object) -> RunRequest:
    """A request for so many days of a pipeline."""
    pipeline = Pipeline.model_validate({"version": 1, "name": "p", "start": "2023-01-01", "steps": steps})
    start = datetime(2023, 1, 1, tzinfo=UTC)
    return RunRequest(build_graph([pipeline], lambda *_: None), pipeline, TimeRange(start, start + timedelta(days=days)))


def test_a_short_run_is_one_piece() -> None:
    """With its figure."""
    asked = request(4, FETCH, MAGNITUDE, FIGURE)
    found = cut(asked, asked.keys, 4)
    assert found.pieces == [Piece((*PARTED, "p/view"), tuple(asked.keys))]
    assert found.whole is None


def test_pieces_are_of_about_the_same_length() -> None:
    """Ten days in pieces of at most four: no piece of one or two days is left over."""
    asked = request(10, FETCH, MAGNITUDE)
    assert [len(piece.keys) for piece in cut(asked, asked.keys, 4).pieces] == [3, 3, 4]


@given(st.integers(1, 400), st.integers(1, 120))
def test_the_pieces_are_the_whole(days: int, most: int) -> None:
    """In order, each partition once, none too long; as few as can be."""
    asked = request(days, FETCH, MAGNITUDE)
    found = cut(asked, asked.keys, most)
    assert [key for piece in found.pieces for key in piece.keys] == list(asked.keys)
    assert all(1 <= len(piece.keys) <= most for piece in found.pieces)
    assert len(found.pieces) == -(-days // most)


def test_each_piece_begins_with_another_archive() -> None:
    """One run then waits for one archive while the next waits for another; what is computed comes after what is fetched."""
    second = {"id": "c", "fetch": {"archive": "cdaweb", "dataset": "WI_H0_MFI", "parameter": "BGSE"}}
    third = {"id": "d", "fetch": {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}}
    asked = request(4, MAGNITUDE, FETCH, second, third)
    demo, other, names = "demo/AC_H0_MFI/BGSEc", ["cdaweb/AC_H0_MFI/BGSEc", "cdaweb/WI_H0_MFI/BGSE"], tuple(asked.targets)
    assert [in_turn(names, asked.graph, number) for number in range(3)] == [
        [*other, demo, "p/mag"],
        [demo, *other, "p/mag"],
        [*other, demo, "p/mag"],
    ]
    assert in_turn(["p/mag"], asked.graph, 5) == ["p/mag"]


@pytest.mark.parametrize("steps", [[FIGURE], [WHOLE], [WHOLE, AFTER, FIGURE]], ids=["figure", "range", "both"])
def test_what_is_made_of_the_whole_range_is_last(steps: list[object]) -> None:
    """Over all partitions, in one run, with what reads it."""
    asked = request(10, FETCH, MAGNITUDE, *steps)
    found = cut(asked, asked.keys, 4)
    assert {piece.names for piece in found.pieces} == {PARTED}
    assert found.whole is not None
    assert set(found.whole.names) == {f"p/{step['id']}" for step in steps}  # type: ignore[index]
    assert list(found.whole.keys) == list(asked.keys)
