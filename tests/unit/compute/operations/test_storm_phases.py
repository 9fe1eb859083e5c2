"""Storm phases against made-up storms whose phases are known, and those that a published scheme finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
HOUR = 3600.0
WALACH_AND_GROCOTT = {
    2: [(3280, 4080), (14_251, 14_838), (26_319, 27_298)],
    3: [(4080, 9829), (14_838, 20_813), (27_298, 33_618)],
}
"""Code of the phase to start and stop in minutes."""


def _storm(depth: float, *, positive: float = 20.0, recovery_h: float = 20.0, count: int = 200) -> Any:
    """Hourly: quiet, at 50 h a commencement for 5 h, a main phase of 10 h, an exponential recovery."""
    at = np.arange(count, dtype=float)
    values = np.full(count, -5.0)
    values[(at >= 50) & (at < 55)] = positive
    falling = (at >= 55) & (at <= 65)
    values[falling] = depth * (at[falling] - 55) / 10
    values[at > 65] = depth * np.exp(-(at[at > 65] - 65) / recovery_h)
    return values


def _phases(apply: Make, make_table: TableMaker, values: Any, **options: Any) -> list[tuple[float, float, float]]:
    """Start and stop in h, and the phase, of each event."""
    table = make_table({"dst": values}, at_s=np.arange(len(values)) * HOUR)
    found = apply("storm_phases", {"series": table}, **options)
    start = np.datetime64("2023-01-02", "ns")
    hours = [((each - start) / np.timedelta64(1, "h")).astype(float) for each in (found.time, found.columns["stop"])]
    return list(zip(*(each.tolist() for each in (*hours, found.columns["phase"])), strict=True))


def test_the_phases_of_a_storm(make_table: TableMaker, apply: Make) -> None:
    """The main phase begins at the last sample that is not below -15 nT, the recovery is over at the first."""
    back = 65 + np.ceil(20 * np.log(200 / 15))
    assert _phases(apply, make_table, _storm(-200)) == [(50, 55, 1), (55, 65, 2), (65, back, 3)]
    assert _phases(apply, make_table, _storm(-200, positive=5)) == [(55, 65, 2), (65, back, 3)]
    with_quiet = _phases(apply, make_table, _storm(-200), quiet_up_to="P2D")
    assert with_quiet[-1] == (back, back + 48, 0)


@pytest.mark.parametrize(
    ("depth", "storm_class"), [(-35.0, 1), (-50.0, 2), (-99.0, 2), (-100.0, 3), (-250.0, 4), (-350.0, 5), (-589.0, 5)]
)
def test_classes_are_those_of_loewe_and_proelss(make_table: TableMaker, apply: Make, depth: float, storm_class: float) -> None:
    """-589 nT is the storm of March 1989."""
    table = make_table({"dst": _storm(depth)}, at_s=np.arange(200) * HOUR)
    found = apply("storm_phases", {"series": table}, below=-30).columns
    assert set(found["storm_class"]) == {storm_class}
    assert set(found["minimum"]) == {depth}


def test_a_storm_in_the_recovery_of_another(make_table: TableMaker, apply: Make) -> None:
    """Its main phase begins at the greatest value since the minimum before, which cuts the recovery; a dip is no storm."""
    values = _storm(-200, recovery_h=40)
    dipped = values.copy()
    dipped[105] -= 20
    assert [each[2] for each in _phases(apply, make_table, dipped)] == [1, 2, 3]
    values[100:111] = np.linspace(values[100], -300, 11)
    values[110:] = -300 * np.exp(-np.arange(90) / 30)
    found = _phases(apply, make_table, values)
    assert found[:4] == [(50, 55, 1), (55, 65, 2), (65, 100, 3), (100, 110, 2)]
    assert [each[2] for each in found] == [1, 2, 3, 2, 3]


@pytest.mark.parametrize("are_before", [True, False])
def test_no_minimum_at_the_edge_of_a_long_gap(make_table: TableMaker, apply: Make, *, are_before: bool) -> None:
    """Whatever lies beyond the gap: what was in it is not known. In a gap of less than a day there is a minimum."""
    values = _storm(-200)
    at = np.arange(len(values))
    for hours, phases in ((20, {1.0, 2.0, 3.0}), (25, set())):
        lost = (at < 65) & (at >= 65 - hours) if are_before else (at > 65) & (at <= 65 + hours)
        with_gap = np.where(lost, np.nan, values)
        found = {each[2] for each in _phases(apply, make_table, with_gap)}
        assert found == (phases - {1.0} if are_before else phases)


def test_two_minima_within_a_day_are_one_storm(make_table: TableMaker, apply: Make) -> None:
    """The deeper of them counts; with a shorter apart both do."""
    values = _storm(-200)
    values[75] = -250
    found = _phases(apply, make_table, values)
    assert [stop for _, stop, phase in found if phase == 2] == [75]
    nearer = _phases(apply, make_table, values, apart="PT6H")
    assert [stop for _, stop, phase in nearer if phase == 2] == [65, 75]


def test_what_is_not_known_is_marked_or_left_out(make_table: TableMaker, apply: Make) -> None:
    """A recovery that the data or its greatest length cut; a minimum at an edge of the data; gaps; quiet data."""
    cut = make_table({"dst": _storm(-200)[:80]}, at_s=np.arange(80) * HOUR)
    found = apply("storm_phases", {"series": cut}).columns
    assert found["is_cut"].tolist() == [0, 0, 1]
    short = _phases(apply, make_table, _storm(-200), longest_recovery="PT10H")
    assert short[-1:] == [(65.0, 75.0, 3.0)]
    assert not _phases(apply, make_table, _storm(-200)[:66])
    assert not _phases(apply, make_table, np.full(200, -5.0))
    gappy = _storm(-200)
    gappy[58:62] = np.nan
    gaps = apply("storm_phases", {"series": make_table({"dst": gappy}, at_s=np.arange(200) * HOUR)}).columns["longest_gap"]
    assert gaps.tolist() == [1, 5, 1]


def test_levels_must_go_together(make_table: TableMaker, apply: Make) -> None:
    """And the index is a field."""
    with pytest.raises(InputError, match="below must be less than quiet"):
        _phases(apply, make_table, _storm(-200), below=-10)
    with pytest.raises(ComputeError, match="km/s does not convert to nT"):
        apply("storm_phases", {"series": make_table({"v": [1.0, 2.0]}, unit="km/s")})


def test_phases_are_those_of_walach_and_grocott(apply: Make) -> None:
    """To the sample, for main phase, minimum and recovery of three made-up storms of minutes.

    Numbers of storm-lists 1.0.3, the scheme of Walach and Grocott (2019), doi:10.1029/2019JA026816, after its authors' code:
    storms below -80 nT, their main phase from -15 nT, their recovery to -15 nT. It takes the sample after a crossing, or
    before. Initial phases begin otherwise there and are not compared.
    """
    minutes = np.arange(36_000.0)
    index = -4 + 3 * np.sin(minutes / 97)
    storms = ((3000, 35, 420, 150, 2400), (14_000, 20, 300, 320, 1900), (26_000, 28, 600, 110, 3000))
    for start, rise, fall, depth, decay in storms:
        after, falling = minutes - start, np.maximum(minutes - start - 240, 0)
        index += np.where((after > 0) & (after < 240), rise * np.exp(-np.abs(after - 90) / 120), 0)
        index -= depth * (1 - np.exp(-falling / fall)) * np.exp(-np.maximum(falling - 2 * fall, 0) / decay)
    first = np.datetime64("2023-01-02", "ns")
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="symh", unit="nT"),), unit="nT")
    table = Table(first + (minutes * 60e9).astype("timedelta64[ns]"), {"symh": np.rint(index)}, meta)
    found = apply("storm_phases", {"series": table}, below=-80, quiet=-15)
    for phase, expected in WALACH_AND_GROCOTT.items():
        rows = found.columns["phase"] == phase
        edges = [((each[rows] - first) / np.timedelta64(1, "m")) for each in (found.time, found.columns["stop"])]
        np.testing.assert_allclose(np.stack(edges, axis=1), expected, atol=1)
        assert found.columns["minimum"][rows].tolist() == [-137, -280, -99]
