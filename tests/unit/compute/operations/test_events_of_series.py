"""intervals_where, crossings, extrema and jumps: against plain loops over the whole range, and cut anywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count
from tests.unit.compute.conftest import DAY

Make = Callable[..., Table]
Rows = list[tuple[float, ...]]
_SETTINGS = settings(max_examples=example_count(150), deadline=None, derandomize=True, database=None)
ZERO = np.datetime64(DAY.start.replace(tzinfo=None), "ns")


def _table(samples: list[tuple[int, float]]) -> Table:
    """Samples as (s, value)."""
    time = ZERO + np.array([at for at, _ in samples], dtype="int64").astype("timedelta64[s]").astype("timedelta64[ns]")
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="v", unit="nT"),), unit="nT")
    return Table(time, {"v": np.array([value for _, value in samples], dtype=float)}, meta)


@st.composite
def _samples(draw: st.DrawFn) -> list[tuple[int, float]]:
    """Uneven samples of few different values, with fills and gaps."""
    steps = draw(st.lists(st.sampled_from([1, 2, 2, 2, 3, 7, 20]), min_size=12, max_size=40))
    values = draw(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, 3.5, np.nan]), min_size=len(steps), max_size=len(steps)))
    return list(zip(np.cumsum(steps).tolist(), values, strict=True))


def _rows(result: Table, *names: str) -> Rows:
    """Start, and stop where there is one, in s; then columns."""
    times = [result.time, *([result.columns["stop"]] if "stop" in result.columns else [])]
    seconds = [(each - ZERO) / np.timedelta64(1, "s") for each in times]
    return list(zip(*(each.tolist() for each in (*seconds, *(result.columns[name] for name in names))), strict=True))


def _seconds(length: int) -> str:
    return f"PT{length}S"


def _check_cuts(operation_id: str, options: dict[str, Any], table: Table, cuts: list[int]) -> None:
    """Pieces with their halo give the rows of the whole range, bit for bit: none lost, none twice."""
    operation = get_operation(operation_id)
    checked = operation.read_options(options)
    edges = [DAY.start - timedelta(days=1), *(DAY.start + timedelta(seconds=cut) for cut in sorted(set(cuts))), DAY.stop]
    whole = operation.apply({"series": table}, checked, TimeRange(edges[0], edges[-1]), "out")
    lookback, lookahead = operation.halo(checked)
    found = []
    for start, stop in pairwise(edges):
        piece = TimeRange(start, stop)
        found.append(operation.apply({"series": table.clip(piece.widened(lookback, lookahead))}, checked, piece, "out"))
    assert b"".join(each.time.tobytes() for each in found) == whole.time.tobytes()
    for name, values in whole.columns.items():
        assert b"".join(each.columns[name].tobytes() for each in found) == values.tobytes(), name


CUTS = st.tuples(st.integers(0, 9), st.sampled_from([1, 3, 10])).map(lambda drawn: list(range(drawn[0], 150, drawn[1])))
"""Partitions far shorter than the halos."""


def _intervals(samples: list[tuple[int, float]], meets: Any, gaps: int, merge: int | None, longest: int, at_least: int) -> Rows:
    """The oracle: walk over the samples, open and close intervals, then join, cut and sift them."""
    valid = [(at, value) for at, value in samples if not np.isnan(value)]
    runs: list[dict[str, Any]] = []
    before = None
    for at, value in valid:
        is_near = before is not None and at - before[0] <= gaps
        is_open = bool(runs) and runs[-1]["stop"] is None
        if is_open and (not is_near or not meets(value)):
            runs[-1]["stop"] = at if is_near else before[0]  # type: ignore[index]  # an open run has a sample before
            runs[-1]["open_stop"] = not is_near
        if meets(value) and not (is_open and is_near):
            runs.append({"start": at, "stop": None, "last": at, "open_start": not is_near})
        if meets(value):
            runs[-1]["last"] = at
        before = (at, value)
    if runs and runs[-1]["stop"] is None:
        runs[-1] |= {"stop": runs[-1]["last"], "open_stop": True}
    joined: list[dict[str, Any]] = []
    for run in runs:
        if joined and merge is not None and run["start"] - joined[-1]["stop"] <= merge:
            joined[-1] |= {name: run[name] for name in ("stop", "last", "open_stop")}
        else:
            joined.append(run)
    rows: Rows = []
    for run in joined:
        is_cut = run["stop"] - run["start"] > longest
        stop = run["start"] + longest if is_cut else run["stop"]
        inside = [value for at, value in valid if run["start"] <= at <= run["last"] and (not is_cut or at < stop)]
        if stop - run["start"] >= at_least:
            flags = float(run["open_start"]), float(run["open_stop"] and not is_cut), float(is_cut)
            rows.append((run["start"], stop, (stop - run["start"]) / 3600, max(inside), sum(inside) / len(inside), *flags))
    return rows


@_SETTINGS
@given(
    samples=_samples(),
    gaps=st.sampled_from([1, 2, 3, 10]),
    merge=st.sampled_from([None, 1, 2, 5, 30]),
    longest=st.sampled_from([1, 4, 12, 1000]),
    at_least=st.sampled_from([None, 1, 4]),
    cuts=CUTS,
)
def test_intervals_are_those_of_a_plain_loop_however_cut(
    samples: list[tuple[int, float]], gaps: int, merge: int | None, longest: int, at_least: int | None, cuts: list[int]
) -> None:
    """Also where they touch gaps, are merged over them, and are longer than `longest`."""
    given = {"above": 0.5, "gaps": _seconds(gaps), "longest": _seconds(longest)}
    given |= {"merge": _seconds(merge)} if merge is not None else {}
    given |= {"at_least": _seconds(min(at_least, longest))} if at_least is not None else {}
    table = _table(samples)
    operation = get_operation("intervals_where")
    window = TimeRange(DAY.start - timedelta(days=1), DAY.stop)
    found = operation.apply({"series": table}, operation.read_options(given), window, "out")
    shortest = 0 if at_least is None else min(at_least, longest)
    expected = _intervals(samples, lambda value: value > 0.5, gaps, merge, longest, shortest)
    names = ("duration", "extreme", "mean", "open_start", "open_stop", "is_cut")
    assert _rows(found, *names) == [pytest.approx(row) for row in expected]
    _check_cuts("intervals_where", given, table, cuts)


def test_extremes_are_those_that_the_condition_looks_for(make_table: Make, apply: Make) -> None:
    """The least below a limit, and between limits the one farthest from zero."""
    table = make_table({"bz": [0.0, -6.0, -7.0, -6.5, 0.0]})
    assert apply("intervals_where", {"series": table}, below=-5).columns["extreme"].tolist() == [-7]
    between = apply("intervals_where", {"series": table}, above=-6.8, below=-0.5).columns
    assert between["extreme"].tolist() == [-6, -6.5]


def test_an_interval_longer_than_a_partition_is_one_row(apply: Make, make_table: Make) -> None:
    """It begins once, at its start, and its stop is the whole length later, days behind the partition of its start."""
    table = make_table({"v": [0.0, *[1.0] * 70, 0.0]}, at_s=np.arange(72) * 3600.0)
    whole = apply("intervals_where", {"series": table}, above=0.5, longest="P5D")
    assert whole.columns["duration"].tolist() == [70]
    cut = apply("intervals_where", {"series": table}, above=0.5, longest="P2D").columns
    assert (cut["duration"].tolist(), cut["is_cut"].tolist()) == ([48], [1])
    for longest in ("P5D", "P2D"):
        _check_cuts(
            "intervals_where", {"above": 0.5, "longest": longest}, table.clip(TimeRange(DAY.start, DAY.stop)), [3600, 7200]
        )


@_SETTINGS
@given(
    samples=_samples(),
    value=st.sampled_from([-1.0, 0.0, 0.3]),
    gaps=st.sampled_from([1, 2, 3, 10]),
    direction=st.sampled_from(["both", "up", "down"]),
    cuts=CUTS,
)
def test_crossings_are_those_of_a_plain_loop_however_cut(
    samples: list[tuple[int, float]], value: float, gaps: int, direction: str, cuts: list[int]
) -> None:
    """Between neighbours that are near, on the line between them."""
    expected: Rows = []
    valid = [(at, each) for at, each in samples if not np.isnan(each)]
    for (before, low), (after, high) in pairwise(valid):
        sign = 1.0 if low < value <= high else -1.0 if high < value <= low else 0.0
        if sign and after - before <= gaps and direction in ("both", "up" if sign > 0 else "down"):
            expected.append((np.interp(value, sorted((low, high)), (before, after)[:: int(sign)]), sign, high - low))
    options = {"value": value, "gaps": _seconds(gaps), "direction": direction}
    table = _table(samples)
    operation = get_operation("crossings")
    found = operation.apply({"series": table}, operation.read_options(options), DAY, "out")
    assert _rows(found, "direction", "step") == [pytest.approx(row) for row in expected]
    _check_cuts("crossings", options, table, cuts)


def _peaks(samples: list[tuple[int, float]], reach: int, apart: int, prominence: float) -> Rows:
    """The oracle: go from each sample to both sides, as far as the next greater one."""
    found: Rows = []
    for place, (at, value) in enumerate(samples):
        bases = []
        for side in (samples[:place][::-1], samples[place + 1 :]):
            seen = []
            for moment, each in side:
                if abs(moment - at) > reach or each > value:
                    break
                seen.append(each)
            bases.append(min(seen, default=None))
        near = [(moment, each) for moment, each in samples if abs(moment - at) <= apart and moment != at]
        is_first = all(each < value or (each == value and moment > at) for moment, each in near)
        follows = place > 0 and samples[place - 1][1] < value and place + 1 < len(samples) and samples[place + 1][1] <= value
        if is_first and follows and None not in bases and value - max(bases) > prominence:  # type: ignore[type-var,operator]  # no None
            found.append((at, value, value - max(bases)))  # type: ignore[type-var,operator]  # no None
    return found


@_SETTINGS
@given(
    samples=_samples(),
    reach=st.sampled_from([2, 4, 9, 100]),
    apart=st.sampled_from([None, 1, 4, 30]),
    prominence=st.sampled_from([0.0, 1.0, 2.0]),
    cuts=CUTS,
)
@pytest.mark.slow
def test_extrema_are_those_of_a_plain_loop_however_cut(
    samples: list[tuple[int, float]], reach: int, apart: int | None, prominence: float, cuts: list[int]
) -> None:
    """Maxima, and minima as the maxima of the series upside down."""
    valid = [(at, each) for at, each in samples if not np.isnan(each)]
    options: dict[str, Any] = {"reach": _seconds(reach), "prominence": prominence, "which": "both"}
    options |= {} if apart is None else {"apart": _seconds(apart)}
    maxima = _peaks(valid, reach, apart or 0, prominence)
    minima = _peaks([(at, -each) for at, each in valid], reach, apart or 0, prominence)
    expected = sorted([(*row, 1.0) for row in maxima] + [(at, -each, out, -1.0) for at, each, out in minima])
    table = _table(samples)
    operation = get_operation("extrema")
    found = operation.apply({"series": table}, operation.read_options(options), DAY, "out")
    assert _rows(found, "value", "prominence", "which") == expected
    _check_cuts("extrema", options, table, cuts)


@_SETTINGS
@given(
    samples=_samples(),
    window=st.sampled_from([1, 3, 8]),
    apart=st.sampled_from([None, 2, 20]),
    min_samples=st.sampled_from([1, 2]),
    cuts=CUTS,
)
@pytest.mark.slow
def test_jumps_are_those_of_a_plain_loop_however_cut(
    samples: list[tuple[int, float]], window: int, apart: int | None, min_samples: int, cuts: list[int]
) -> None:
    """Eighths are exact in the mean of up to eight samples of these values, so that equal changes are equal in both."""
    valid = [(at, each) for at, each in samples if not np.isnan(each)]
    levels = []
    for at, _ in valid:
        before = [each for moment, each in valid if at - window <= moment < at]
        after = [each for moment, each in valid if at <= moment < at + window]
        enough = min(len(before), len(after)) >= min_samples
        levels.append((at, *((sum(each) / len(each) for each in (before, after)) if enough else (np.nan, np.nan))))
    reach = window if apart is None else apart
    expected: Rows = []
    for at, before, after in levels:
        size = abs(after - before)
        near = [(moment, abs(b - a)) for moment, a, b in levels if abs(moment - at) <= reach and moment != at]
        if size > 0.75 and all(not other > size and not (other == size and moment < at) for moment, other in near):
            expected.append((at, after - before, before, after))
    options: dict[str, Any] = {"change": 0.75, "window": _seconds(window), "min_samples": min_samples}
    options |= {} if apart is None else {"apart": _seconds(apart)}
    table = _table(samples)
    operation = get_operation("jumps")
    found = operation.apply({"series": table}, operation.read_options(options), DAY, "out")
    assert _rows(found, "change", "before", "after") == expected
    _check_cuts("jumps", options, table, cuts)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "above, below or both"),
        ({"above": 2.0, "below": 1.0}, "less than below"),
        ({"above": 2.0, "at_least": "P2D"}, "longer than longest"),
    ],
)
def test_conditions_that_cannot_be_are_refused(apply: Make, options: dict[str, Any], said: str) -> None:
    """With what to give."""
    with pytest.raises(InputError, match=said):
        apply("intervals_where", {}, **options)
