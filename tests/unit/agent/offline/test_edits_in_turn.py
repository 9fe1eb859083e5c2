"""Two changes in one sentence, and where things are put."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Edits, Replay
from tests.unit.agent.offline.asking import edited, refine

_THREE = "OMNI speed, density and Bz for 5-7 Apr 2010"


def _panels(pipeline: object) -> list[tuple[str, str | None]]:
    figure = next(each.figure for each in pipeline.steps if each.figure)  # type: ignore[attr-defined]
    return [(panel.traces[0].data, panel.traces[0].color) for panel in figure.panels]


@pytest.mark.parametrize(
    "request_text", ["colour Bz red and put it on top", "move Bz to the top and make it red", "put Bz on top, in red"]
)
def test_what_is_put_on_top_is_what_is_named(request_text: str) -> None:
    """The speed, which was on top, was coloured instead."""
    assert _panels(edited(_THREE, request_text)) == [("b_z_gsm", "red"), ("speed", None), ("density", None)]


def test_what_is_put_somewhere_is_not_removed_with_the_rest() -> None:
    """`put density above |B|` is a change of its own."""
    pipeline = edited("Wind |B|, speed and density 2012-07-15", "remove speed, put density above |B|")
    assert [data for data, _ in _panels(pipeline)] == ["density", "b_mag"]


def test_a_change_and_another_time_come_together() -> None:
    """Averages, and a part of the day."""
    answer = refine("Wind |B|, speed and density 2012-07-15", "hourly averages please, and zoom to 6-18 UT")
    assert isinstance(answer, Edits), answer
    assert answer.span is not None
    assert (answer.span.start.hour, answer.span.stop.hour) == (6, 18)


@pytest.mark.parametrize(
    ("request_text", "start", "stop"),
    [
        ("next two days", (2012, 7, 16), (2012, 7, 18)),
        ("previous two days", (2012, 7, 13), (2012, 7, 15)),
        ("next day", (2012, 7, 16), (2012, 7, 17)),
        ("make it 2 days longer at the start", (2012, 7, 13), (2012, 7, 16)),
        ("make it 2 days longer at the end", (2012, 7, 15), (2012, 7, 18)),
    ],
)
def test_other_ranges(request_text: str, start: tuple[int, int, int], stop: tuple[int, int, int]) -> None:
    """`next two days` are two days, not the day after tomorrow."""
    answer = refine("Wind |B| 2012-07-15", request_text)
    assert isinstance(answer, Replay), answer
    assert answer.span.start == datetime(*start, tzinfo=UTC)
    assert answer.span.stop == datetime(*stop, tzinfo=UTC)


def test_averages_are_made_where_nothing_is_averaged_yet() -> None:
    """`5 minute averages` was asked about, as if another length were meant."""
    pipeline = edited("ACE Bz GSM 2003-10-29", "5 minute averages")
    assert any(each.compute and each.compute.operation == "resample" for each in pipeline.steps)


@pytest.mark.parametrize(
    ("given", "axes"), [("THD fgm gse 2008-03-01 1-3 UT", "xyz"), ("PSP magnetic field vector RTN on 2020-01-04", "rtn")]
)
def test_the_components_of_one_vector_get_panels(given: str, axes: str) -> None:
    """They are in one panel, and it said that each line has its own."""
    pipeline = edited(given, "give me the components in separate panels")
    parts = [each.compute.options["component"] for each in pipeline.steps if each.compute]
    assert parts == list(axes)
    assert len(_panels(pipeline)) == 3


@pytest.mark.parametrize(
    "request_text", ["add Bz in GSM and smooth it over 10 min", "add Bz in GSM but it should be smoothed over 10 minutes"]
)
def test_it_is_what_was_added(request_text: str) -> None:
    """The speed and the density were smoothed as well."""
    pipeline = edited("OMNI speed and density for 5-7 Apr 2010", request_text)
    assert [data for data, _ in _panels(pipeline)] == ["speed", "density", "b_z_gsm_mean"]
