"""Operations that look around: cut anywhere, each piece with its halo gives the bytes of the continuous series.

Here data are dense, so that several blocks and windows lie between two cuts; `tests/integration/invariance` has the partitions,
the files and the longer halos.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.compute.operation import Operation, get_operation
from helio_dagster.compute.operations.contract import Options
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count

COUNT = 6000
Cases = dict[str, tuple[str, dict[str, Any]]]
CASES: Cases = {
    "median": ("rolling_statistic", {"window": "PT5M", "statistic": "median"}),
    "std": ("rolling_statistic", {"window": "PT7M", "statistic": "std"}),
    "trailing variance": ("rolling_statistic", {"window": "PT5M", "statistic": "variance", "centered": False}),
    "max": ("rolling_statistic", {"window": "PT5M", "statistic": "max"}),
    "despike": ("despike", {"window": "PT2M"}),
    "median filter": ("median_filter", {"window": "PT2M"}),
    "line": ("detrend", {"window": "PT8M", "method": "linear"}),
    "derivative": ("derivative", {"max_gap": "PT6S"}),
    "low pass": ("butterworth", {"cadence": "PT1S", "below_hz": 0.1}),
    "band pass": ("butterworth", {"cadence": "PT1S", "above_hz": 0.02, "below_hz": 0.2, "order": 2}),
    "causal": ("butterworth", {"cadence": "PT1S", "below_hz": 0.05, "zero_phase": False}),
    "spectrogram": ("spectrogram", {"cadence": "PT1S", "window": "PT64S", "step": "PT10S"}),
    "welch": ("welch", {"cadence": "PT1S", "bin": "PT7M", "segment": "PT64S"}),
    "wavelets": ("wavelet_power", {"cadence": "PT1S", "shortest": "PT4S", "longest": "PT40S", "per_octave": 2, "step": "PT3S"}),
}
FINE: Cases = {
    "resample": ("resample", {"cadence": "PT0.0078125S"}),
    "trailing mean": ("rolling_mean", {"window": "PT0.0234375S", "centered": False}),
    "low pass": ("butterworth", {"cadence": "PT0.0078125S", "below_hz": 20}),
    "spectrogram": ("spectrogram", {"cadence": "PT0.0078125S", "window": "PT0.546875S", "step": "PT0.0390625S"}),
    "welch": ("welch", {"cadence": "PT0.0078125S", "bin": "PT3.0078125S", "segment": "PT0.5S"}),
    "wavelets": ("wavelet_power", {"cadence": "PT0.0078125S", "shortest": "PT0.0625S", "longest": "PT0.25S", "per_octave": 1}),
}


def _series(seed: int) -> Table:
    """A chirp and noise at about one sample a second: jitter, fills, gaps of all lengths, a spike."""
    draw = np.random.default_rng(seed)
    at_s = np.arange(COUNT) + draw.uniform(-0.3, 0.3, COUNT)
    keep = np.ones(COUNT, dtype=bool)
    for start in draw.integers(0, COUNT, 6):
        keep[start : start + int(10 ** draw.uniform(0, 2.7))] = False
    values = np.sin(2 * np.pi * at_s * (0.02 + at_s / COUNT * 0.2)) * 5 + draw.normal(1e4, 1, COUNT)
    values[draw.integers(0, COUNT, 100)] = np.nan
    values[draw.integers(0, COUNT)] = 1e9
    zero = np.datetime64("2024-02-29T23:00", "ns")
    time = zero + np.round(at_s[keep] * 1e9).astype("timedelta64[ns]")
    return Table(time, {"v": values[keep]}, TableMeta(kind="series", columns=(ColumnMeta(name="v", unit="nT"),), unit="nT"))


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=example_count(8), deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.integers(1, COUNT - 1), min_size=1, max_size=5, unique=True))
def test_pieces_are_the_whole(case: str, seed: int, cuts: list[int]) -> None:
    """Also where a cut stands on a second, as samples do."""
    operation_id, given_options = CASES[case]
    operation, table = get_operation(operation_id), _series(seed)
    options = operation.read_options(given_options)
    zero = datetime.fromisoformat("2024-02-29T23:00+00:00")
    edges = [zero - timedelta(days=9), *(zero + timedelta(seconds=cut) for cut in sorted(cuts)), zero + timedelta(days=9)]
    _check_pieces(operation, options, table, edges)


@pytest.mark.parametrize("case", FINE)
def test_pieces_at_128_samples_a_second_are_the_whole(case: str) -> None:
    """A cadence of 7,812,500 ns, which is no whole number of microseconds, cut between samples and on one."""
    operation_id, given_options = FINE[case]
    operation = get_operation(operation_id)
    zero = datetime.fromisoformat("2024-02-29T23:59:50+00:00")
    at_ns = np.arange(3000) * 7_812_500
    values = np.sin(at_ns * 1e-9 * 40) + np.random.default_rng(7).normal(0, 0.1, len(at_ns))
    time = np.datetime64("2024-02-29T23:59:50", "ns") + at_ns.astype("timedelta64[ns]")
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="v", unit="nT"),), unit="nT")
    edges = [
        zero - timedelta(days=1),
        *(zero + timedelta(seconds=cut) for cut in (3.0078, 10, 15.000001)),
        zero + timedelta(days=1),
    ]
    options = operation.read_options(given_options)
    _check_pieces(operation, options, Table(time, {"v": values}, meta), edges)
    if case == "resample":
        found = operation.apply({"series": Table(time, {"v": values}, meta)}, options, TimeRange(edges[0], edges[-1]), "out")
        assert (found.time == time).all()
        assert (found.columns["out"] == values).all()
        assert "0.0078125 s" in found.meta.label


def _check_pieces(operation: Operation, options: Options, table: Table, edges: list[datetime]) -> None:
    lookback, lookahead = operation.halo(options)
    whole = operation.apply({"series": table}, options, TimeRange(edges[0], edges[-1]), "out")
    assert whole.status == "data"
    for start, stop in pairwise(edges):
        piece = TimeRange(start, stop)
        found = operation.apply({"series": table.clip(piece.widened(lookback, lookahead))}, options, piece, "out")
        expected = whole.clip(piece)
        assert found.meta == expected.meta
        assert found.time.tobytes() == expected.time.tobytes()
        for name, values in expected.columns.items():
            assert found.columns[name].tobytes() == values.tobytes(), name
