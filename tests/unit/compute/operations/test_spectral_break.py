"""Breaks of made-up spectra, against packages for segmented regression, and where one power law does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.broken_lines import broken_line
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]


def _curve(frequency: Any, **columns: Any) -> Table:
    named = (
        ColumnMeta(name="frequency", unit="Hz", role="axis"),
        *(ColumnMeta(name=name, label=name, unit="nT^2 Hz^-1") for name in columns),
    )
    meta = TableMeta(kind="curve", columns=named, bins=BinAxis(label="Frequency", unit="Hz", scale="log"))
    time = np.full(len(frequency), np.datetime64("2023-01-02", "ns"))
    return Table(time, {"frequency": np.asarray(frequency), **columns}, meta)


def _spectrum(frequency: Any, at: float, below: float, above: float) -> Any:
    return 5.0 * np.where(frequency < at, (frequency / at) ** below, (frequency / at) ** above)


def _facts(apply: Make, curve: Table, **options: Any) -> dict[str, Any]:
    return {name: values[0] for name, values in apply("spectral_break", {"curve": curve}, **options).columns.items()}


def test_a_line_is_broken_as_by_other_packages() -> None:
    """piecewise-regression 1.5.0 and pwlf 2.7.0 for the same 41 noisy points: both slopes, the break, and their errors."""
    rng = np.random.default_rng(11)
    x = np.linspace(-2, 2, 41)
    y = 1.0 - 1.6 * np.minimum(x - 0.37, 0) - 2.9 * np.maximum(x - 0.37, 0) + 0.08 * rng.normal(size=41)
    line = broken_line(x, y)
    assert line is not None
    assert (line.break_x, line.break_x_uncertainty) == pytest.approx((0.32429525, 0.03371220), abs=1e-7)
    assert (line.slope_below, line.slope_below_uncertainty) == pytest.approx((-1.62593243, 0.01865241), abs=1e-7)
    assert (line.slope_above, line.slope_above_uncertainty) == pytest.approx((-2.82492429, 0.03131510), abs=1e-7)


@pytest.mark.parametrize(("at", "below", "above"), [(0.4, -5 / 3, -2.8), (0.02, -1.0, -5 / 3), (1.0, -2.0, -0.5)])
def test_a_spectrum_bends_where_it_was_made_to(apply: Make, at: float, below: float, above: float) -> None:
    """Over evenly spaced frequencies, most of which are above the break."""
    frequency = np.arange(1, 4001) * 0.001
    found = _facts(apply, _curve(frequency, psd=_spectrum(frequency, at, below, above)))
    assert found["break"] == pytest.approx(at, rel=0.02)
    assert (found["slope_below"], found["slope_above"]) == pytest.approx((below, above), abs=0.02)
    assert found["value_at_break"] == pytest.approx(5, rel=0.05)
    assert found["chance"] < 1e-6


@pytest.mark.slow
def test_uncertainties_are_those_of_repeated_measurements(apply: Make) -> None:
    """Over spectra that differ in their scatter alone."""
    frequency = np.geomspace(0.01, 10, 60)
    rows = []
    for seed in range(60):
        scatter = 10 ** (0.1 * np.random.default_rng(seed).normal(size=60))
        found = _facts(apply, _curve(frequency, psd=_spectrum(frequency, 0.4, -5 / 3, -2.8) * scatter), bins_per_decade=100)
        rows.append(
            [
                (found[name] - true) / found[f"{name}_uncertainty"]
                for name, true in (("break", 0.4), ("slope_below", -5 / 3), ("slope_above", -2.8))
            ]
        )
    assert (np.abs(np.sqrt(np.mean(np.square(rows), axis=0)) - 1) < 0.3).all()


def test_one_power_law_has_no_break(apply: Make) -> None:
    """Noise about it seems to break at one in a hundred; an exact one, a flat one and few points never."""
    frequency, found = np.geomspace(0.01, 10, 60), []
    for seed in range(60):
        scatter = 10 ** (0.1 * np.random.default_rng(seed).normal(size=60))
        found.append(_facts(apply, _curve(frequency, psd=frequency ** (-5 / 3) * scatter), bins_per_decade=100)["break"])
    assert np.isnan(found).sum() >= 55
    for values in (np.ones(60), frequency**-2.0):
        assert np.isnan(_facts(apply, _curve(frequency, psd=values))["break"])
    few = _facts(apply, _curve(frequency[:7], psd=_spectrum(frequency[:7], 0.02, -1, -3)))
    assert np.isnan([few["break"], few["chance"]]).all()
    assert few["points"] == 7


def test_a_band_and_a_column_are_taken(apply: Make) -> None:
    """By default the sum of all; what is outside the band, and what is not above zero, does not count."""
    frequency = np.geomspace(0.001, 100, 200)
    one, other = _spectrum(frequency, 0.5, -1.5, -3.0), _spectrum(frequency, 5.0, -1.0, -2.0)
    one[frequency > 10], one[::7] = 1e9, -1.0
    curve = _curve(frequency, x=other, y=one)
    found = _facts(apply, curve, column="y", lowest=0.01, highest=10)
    assert (found["break"], found["slope_above"]) == pytest.approx((0.5, -3.0), rel=0.03)
    assert 0.01 <= found["x_from"] < found["x_to"] <= 10
    assert _facts(apply, curve, column="x")["break"] == pytest.approx(5, rel=0.03)
    both = _facts(apply, _curve(frequency, x=other, y=2 * other))
    assert (both["break"], both["value_at_break"]) == pytest.approx((5, 15), rel=0.03)
    with pytest.raises(ComputeError, match="no column 'z'"):
        _facts(apply, curve, column="z")


def test_it_takes_a_power_spectrum(make_table: TableMaker, apply: Make) -> None:
    """Of noise whose spectrum is 1 / f^2 below 0.02 Hz and 1 / f^4 above, as one more pole makes it."""
    count, corner = 2**15, 0.02
    spectrum = np.fft.rfft(np.random.default_rng(2).normal(size=count))
    frequency = np.fft.rfftfreq(count)
    with np.errstate(divide="ignore"):
        spectrum *= np.where(frequency > 0, 1 / (frequency * (1 + 1j * frequency / corner)), 0)
    series = make_table({"v": np.fft.irfft(spectrum)}, at_s=np.arange(count) * 1.0)
    curve = apply("power_spectrum", {"series": series}, segment="PT2048S")
    found = _facts(apply, curve, lowest=0.002, highest=0.2)
    assert found["break"] == pytest.approx(corner, rel=0.4)
    assert (found["slope_below"], found["slope_above"]) == pytest.approx((-2, -4), abs=0.4)
