"""power_spectrum, spectral_slope, cross_correlation, peak_of and histogram against scipy, numpy and cases that are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.signal
import scipy.stats
from scipy.ndimage import gaussian_filter1d

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.stated_facts import facts_in
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.launch.exporting.csv_file import write_csv

Make = Callable[..., Table]


def _curve(axis: Any, **columns: Any) -> Table:
    named = (ColumnMeta(name="x", unit="min", role="axis"), *(ColumnMeta(name=name) for name in columns))
    meta = TableMeta(kind="curve", columns=named, bins=BinAxis(label="Lag", unit="min"))
    time = np.full(len(axis), np.datetime64("2023-01-02", "ns"))
    return Table(
        time, {"x": np.asarray(axis, float), **{name: np.asarray(each, float) for name, each in columns.items()}}, meta
    )


@pytest.mark.parametrize("taper", ["hann", "hamming", "boxcar"])
@pytest.mark.parametrize(("trend", "detrend"), [("constant", "constant"), ("linear", "linear"), ("none", False)])
def test_the_spectrum_is_that_of_scipy(make_table: Make, apply: Make, taper: str, trend: str, detrend: Any) -> None:
    """Averaged over segments, each component by itself."""
    values = np.random.default_rng(2).normal(size=(2, 1000)).cumsum(axis=1) + 40
    table = make_table({"bx": values[0], "by": values[1]}, kind="vector", at_s=np.arange(1000) * 0.25)
    found = apply("power_spectrum", {"series": table}, segment="PT16S", taper=taper, trend=trend)
    for name, column in zip(("bx", "by"), values, strict=True):
        at_hz, density = scipy.signal.welch(column, 4.0, taper, 64, detrend=detrend)
        np.testing.assert_allclose(found.columns["frequency"], at_hz[1:], rtol=1e-12)
        np.testing.assert_allclose(found.columns[name], density[1:], rtol=1e-9)
    assert {column.unit for column in found.meta.columns} == {"Hz", "nT^2 Hz^-1"}


@pytest.mark.parametrize(("samples", "parts", "segment"), [(4000, 8, 500), (4000, 20, 200), (300, 8, 64), (50, 8, 50)])
def test_without_a_segment_its_length_follows_from_the_samples(
    make_table: Make, apply: Make, samples: int, parts: int, segment: int
) -> None:
    """A part of the window, at least 64 samples, at most all: Welch's spectrum of scipy with that length."""
    values = np.random.default_rng(3).normal(size=samples)
    found = apply("power_spectrum", {"series": make_table({"v": values}, at_s=np.arange(samples) * 16.0)}, parts=parts)
    at_hz, density = scipy.signal.welch(values, 1 / 16, "hann", segment)
    np.testing.assert_allclose(found.columns["frequency"], at_hz[1:])
    np.testing.assert_allclose(found.columns["v"], density[1:], rtol=1e-9)


def test_between_gaps_a_segment_is_found(make_table: Make, apply: Make) -> None:
    """Wherever the gaps are: as long as a stretch is long enough, something of the window is known."""
    draw = np.random.default_rng(14)
    values = draw.normal(size=600)
    for _ in range(30):
        gappy = values.copy()
        for first in draw.integers(0, 590, 12):
            gappy[first : first + 8] = np.nan
        found = apply("power_spectrum", {"series": make_table({"v": gappy})}).columns
        assert np.isfinite(found["v"]).all()
        assert len(found["v"]) >= 4


def test_one_part_is_the_periodogram_of_the_window(make_table: Make, apply: Make) -> None:
    """Of an even number of samples, the cadence being that of the data."""
    values = np.random.default_rng(3).normal(size=501)
    found = apply("power_spectrum", {"series": make_table({"v": values}, at_s=np.arange(501) * 16.0)}, parts=1)
    at_hz, density = scipy.signal.periodogram(values[:500], 1 / 16, "hann")
    np.testing.assert_allclose(found.columns["frequency"], at_hz[1:])
    np.testing.assert_allclose(found.columns["v"], density[1:], rtol=1e-9)


def test_segments_with_a_gap_are_left_out(make_table: Make, apply: Make) -> None:
    """What remains is the mean over the whole ones; with a gap in each, nothing is known."""
    values = np.random.default_rng(4).normal(size=256)
    values[70:90] = np.nan
    given = {"series": make_table({"v": values}, at_s=np.arange(256.0))}
    found = apply("power_spectrum", given, segment="PT64S", overlap=0)
    whole = [scipy.signal.welch(values[first : first + 64], 1.0, "hann", 64)[1][1:] for first in (0, 128, 192)]
    np.testing.assert_allclose(found.columns["v"], np.mean(whole, axis=0), rtol=1e-9)
    assert np.isnan(apply("power_spectrum", given, segment="PT256S").columns["v"]).all()


def test_the_stated_uncertainty_is_the_scatter_of_spectra_of_noise(make_table: Make, apply: Make) -> None:
    """Two hundred windows of white noise: one standard deviation, segments overlapping by half."""
    draw = np.random.default_rng(5)
    found = [
        apply("power_spectrum", {"series": make_table({"v": draw.normal(size=512)}, at_s=np.arange(512.0))}, segment="PT64S")
        for _ in range(200)
    ]
    densities = np.array([each.columns["v"] for each in found])[:, 2:-2]
    stated = np.array([each.columns["v_uncertainty"] for each in found])[:, 2:-2]
    assert np.std(densities, axis=0).mean() == pytest.approx(stated.mean(), rel=0.1)


def test_a_window_with_too_few_samples_says_so(make_table: Make, apply: Make) -> None:
    """With how many there are."""
    with pytest.raises(ComputeError, match="holds 5 samples") as caught:
        apply("power_spectrum", {"series": make_table({"v": np.arange(5.0)})})
    assert caught.value.hint


def _red_noise(draw: np.random.Generator, samples: int, exponent: float) -> Any:
    """A window of Gaussian noise with a spectrum of f^exponent that goes on below the window's lowest frequency."""
    frequency = np.fft.rfftfreq(8 * samples)[1:]
    phases = draw.normal(size=(2, len(frequency)))
    noise = np.fft.irfft(np.append(0, (phases[0] + 1j * phases[1]) * frequency ** (exponent / 2)))
    first = draw.integers(0, len(noise) - samples)
    return noise[first : first + samples]


def test_the_slope_of_red_noise_is_found_within_its_uncertainty(make_table: Make, apply: Make) -> None:
    """Of f^(-5/3), with no option given: on average, and with the scatter that is stated, in 80 half days of 16-second data."""
    draw, samples = np.random.default_rng(6), 2700
    found, stated = [], []
    for _ in range(80):
        series = make_table({"v": _red_noise(draw, samples, -5 / 3)}, at_s=np.arange(samples) * 16.0)
        facts = apply("spectral_slope", {"curve": apply("power_spectrum", {"series": series})}).columns
        found.append(facts["slope"][0])
        stated.append(facts["slope_uncertainty"][0])
    misses = (np.array(found) + 5 / 3) / stated
    assert abs(np.mean(found) + 5 / 3) < 0.04
    assert np.std(found) == pytest.approx(np.sqrt(np.mean(np.square(stated))), rel=0.35)
    assert np.mean(np.abs(misses) < 3) > 0.9


def test_each_decade_of_a_slope_counts_alike(apply: Make) -> None:
    """A spectrum that is flat in the upper half of its last decade, where most of its points are: the fit follows the rest."""
    axis = np.arange(1.0, 1001.0)
    curve = _curve(axis, psd=np.maximum(axis**-2, 600.0**-2))
    assert apply("spectral_slope", {"curve": curve}).columns["slope"][0] == pytest.approx(-2, abs=0.08)
    assert apply("spectral_slope", {"curve": curve}, bins_per_decade=0).columns["slope"][0] > -1.85


@pytest.mark.parametrize(("bins", "width"), [(5, 0.2), (20, 0.05)])
def test_a_line_through_means_is_that_of_the_normal_equations(apply: Make, bins: int, width: float) -> None:
    """Bins by numpy and pandas, the line by numpy, the uncertainties by the matrices of HC3 (MacKinnon and White 1985)."""
    draw = np.random.default_rng(15)
    axis = np.arange(1.0, 1001.0)
    values = 3 * axis**-1.7 * 10 ** draw.normal(0, 0.1, len(axis))
    facts = apply("spectral_slope", {"curve": _curve(axis, psd=values)}, bins_per_decade=bins).columns
    logs = pd.DataFrame({"x": np.log10(axis), "y": np.log10(values)})
    edges = np.arange(0, 3 - width / 2, width)  # the last bin is closed
    means = logs.groupby(np.digitize(logs.x, edges)).mean()
    design = np.column_stack([np.ones(len(means)), means.x])
    inverse = np.linalg.inv(design.T @ design)
    line = inverse @ design.T @ means.y
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    weighted = design * ((means.y - design @ line) / (1 - leverage)).to_numpy()[:, None]
    spread = np.sqrt(np.diag(inverse @ weighted.T @ weighted @ inverse))
    expected = (line[1], spread[1], line[0], spread[0], np.corrcoef(means.x, means.y)[0, 1], len(means), 1, 1000)
    np.testing.assert_allclose([facts[name][0] for name in facts if name != "stop"], expected, rtol=1e-7)


def test_a_narrow_band_has_a_slope_with_an_uncertainty(apply: Make) -> None:
    """A tenth of a decade: the bins get narrower, so that there are ten."""
    axis = np.linspace(100, 126, 300)
    values = axis**-1.5 * 10 ** np.random.default_rng(16).normal(0, 0.01, len(axis))
    facts = apply("spectral_slope", {"curve": _curve(axis, psd=values)}).columns
    assert facts["points"][0] == 10
    assert abs(facts["slope"][0] + 1.5) < 4 * facts["slope_uncertainty"][0] < 0.4


def test_slope_and_uncertainties_are_those_of_scipy(apply: Make) -> None:
    """Over the band, of points above zero alone, all alike."""
    draw = np.random.default_rng(7)
    axis = np.arange(1.0, 60.0)
    values = 3 * axis**-1.7 * 10 ** draw.normal(0, 0.1, len(axis))
    values[[10, 20]] = 0.0, np.nan
    facts = apply("spectral_slope", {"curve": _curve(axis, psd=values)}, lowest=5, highest=50, bins_per_decade=0).columns
    is_taken = (axis >= 5) & (axis <= 50) & (values > 0)
    line = scipy.stats.linregress(np.log10(axis[is_taken]), np.log10(values[is_taken]))
    expected = (line.slope, line.stderr, line.intercept, line.intercept_stderr, line.rvalue, is_taken.sum(), 5, 50)
    found = [facts[name][0] for name in facts if name != "stop"]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_several_columns_have_facts_by_their_names(apply: Make) -> None:
    """As of the components of a vector."""
    facts = apply("spectral_slope", {"curve": _curve([1, 10], bx=[1, 10], by=[1, 0.1])}).columns
    assert (facts["bx_slope"][0], facts["by_slope"][0]) == pytest.approx((1, -1))


def test_a_shifted_copy_correlates_at_its_shift(make_table: Make, apply: Make) -> None:
    """On a time base of its own, with noise and fills: the lag is found to a part of a slot."""
    draw = np.random.default_rng(8)
    times = np.arange(2000) * 60.0

    def signal(at_s: Any) -> Any:
        phases = np.random.default_rng(1).uniform(0, 2 * np.pi, 40)
        return sum(np.sin(at_s * place / 5000 + phase) for place, phase in enumerate(phases, start=1))

    for _ in range(5):
        later = times + 20.0
        values = signal(later - 7.3 * 60) * 2 + draw.normal(0, 0.5, 2000) + 10
        values[::17] = np.nan
        given = {"a": make_table({"a": signal(times)}, at_s=times), "b": make_table({"b": values}, at_s=later)}
        curve = apply("cross_correlation", given, longest_lag="PT30M")
        facts = apply("peak_of", {"curve": curve}).columns
        assert abs(facts["lag"][0] - 7.3) < 0.6  # slots of a minute that do not begin together
        assert facts["correlation"][0] > 0.99


def test_counts_are_whole_numbers_all_the_way(make_table: Make, apply: Make, tmp_path: Path) -> None:
    """In the table, in CSV, and as a fact; a histogram's too, and what is empty has the same dtypes."""
    values = np.random.default_rng(8).normal(size=2000).cumsum()
    given = {"a": make_table({"a": values}), "b": make_table({"b": values})}
    curve = apply("cross_correlation", given, longest_lag="PT5M", cadence="PT1M")
    assert (curve.meta.role_name("count"), str(curve.columns["pairs"].dtype)) == ("pairs", "int64")
    assert curve.meta.data_names == ("correlation",)
    counts = apply("histogram", {"series": given["a"]}, bins=3)
    for table, name in ((curve, "pairs"), (counts, "count")):
        write_csv(tmp_path / "out.csv", [table])
        written = pd.read_csv(tmp_path / "out.csv", dtype=str)[name]
        assert written.tolist() == [str(int(each)) for each in table.columns[name]]
    (pairs,) = [fact for fact in facts_in(apply("peak_of", {"curve": curve})) if fact.name == "pairs"]
    assert (pairs.value, pairs.quantity, type(pairs.value)) == (2000, "2,000", int)
    empty = apply("histogram", {"series": make_table({"v": [np.nan]})}, bins=3)
    assert empty.columns["count"].dtype == counts.columns["count"].dtype


def test_correlations_are_those_of_numpy(make_table: Make, apply: Make) -> None:
    """Lag by lag, over the pairs that are valid."""
    a, b = np.random.default_rng(9).normal(size=(2, 80)).cumsum(axis=1)
    a[::7], b[::5] = np.nan, np.nan
    curve = apply(
        "cross_correlation", {"a": make_table({"a": a}), "b": make_table({"b": b})}, longest_lag="PT20M", cadence="PT1M"
    )
    for lag, correlation, pairs in zip(*(curve.columns[name] for name in ("lag", "correlation", "pairs")), strict=True):
        places = [(i, i + round(lag)) for i in range(80) if 0 <= i + round(lag) < 80]
        both = np.array([(a[i], b[j]) for i, j in places if np.isfinite(a[i]) and np.isfinite(b[j])])
        assert len(both) == pairs
        assert correlation == pytest.approx(np.corrcoef(both.T)[0, 1], abs=1e-10)


@pytest.mark.parametrize(("size", "correlated_s"), [(0.3, 0), (0.6, 0), (0.6, 120), (0.3, 60)])
def test_the_uncertainty_of_a_lag_is_the_scatter_of_lags(make_table: Make, apply: Make, size: float, correlated_s: int) -> None:
    """Over 120 courses with noise of their own on both series, errors over stated uncertainties are of size 1.

    Also where the noise is correlated over minutes: without regard to that the stated ones are a third of the scatter.
    """
    draw, errors = np.random.default_rng(10), []

    def course(width: float) -> Any:
        found = draw.normal(size=900) if not width else gaussian_filter1d(draw.normal(size=900), width)
        return found / np.std(found)

    for _ in range(120):
        shared = course(5)
        a, b = (shared[100 - lag : 700 - lag] + size * course(correlated_s / 60)[:600] for lag in (0, 7))
        given = {"a": make_table({"a": a}), "b": make_table({"b": b})}
        facts = apply("peak_of", {"curve": apply("cross_correlation", given, longest_lag="PT40M")}).columns
        errors.append((facts["lag"][0] - 7) / facts["lag_uncertainty"][0])
    assert np.isfinite(errors).all()
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(1, abs=0.25)


def test_too_many_lags_are_refused(make_table: Make, apply: Make) -> None:
    """Before memory and time are spent on them."""
    given = {"a": make_table({"a": np.arange(9.0)}), "b": make_table({"b": np.arange(9.0)})}
    with pytest.raises(InputError, match="more than 20000") as caught:
        apply("cross_correlation", given, longest_lag="P30D", cadence="PT1S")
    assert caught.value.hint
    with pytest.raises(ComputeError, match="too many"):
        apply("cross_correlation", given, longest_lag="P366D")


def test_the_peak_of_a_parabola_is_its_vertex(apply: Make) -> None:
    """Exact, also between uneven points and for the least value; an uncertainty is carried through."""
    x = np.array([0.0, 1.0, 2.5, 3.0, 4.5])
    for largest, sign in (("value", 1), ("negative", -1), ("absolute", -1)):
        facts = apply("peak_of", {"curve": _curve(x, y=sign * (9 - (x - 2.2) ** 2))}, largest=largest).columns
        assert facts["x"][0] == pytest.approx(2.2)
        assert np.isnan(facts["x_uncertainty"][0])


def test_uncertainties_of_a_curve_are_those_of_many_draws(apply: Make) -> None:
    """A thousand curves scattered by their own uncertainty."""
    draw = np.random.default_rng(11)
    x, y, spread = np.array([0.0, 1.0, 3.0]), np.array([1.0, 4.0, 2.0]), np.array([0.05, 0.08, 0.1])
    curve = _curve(x, y=y, y_uncertainty=spread)
    columns = (*curve.meta.columns[:2], ColumnMeta(name="y_uncertainty", role="uncertainty"))
    curve = Table(curve.time, curve.columns, curve.meta.model_copy(update={"columns": columns}))
    stated = apply("peak_of", {"curve": curve}).columns
    drawn = [apply("peak_of", {"curve": _curve(x, y=draw.normal(y, spread))}).columns["x"][0] for _ in range(1000)]
    assert stated["x_uncertainty"][0] == pytest.approx(np.std(drawn), rel=0.1)
    assert stated["y_uncertainty"][0] == 0.08


def test_a_peak_at_the_edge_has_no_uncertainty(apply: Make) -> None:
    """There may be a larger one beyond."""
    facts = apply("peak_of", {"curve": _curve([1, 2, 3], y=[5, 4, 3])}).columns
    assert (facts["x"][0], facts["y"][0]) == (1, 5)
    assert np.isnan(facts["x_uncertainty"][0])


def test_another_column_is_taken_by_its_name(apply: Make) -> None:
    """One that is not there is refused with the nearest."""
    curve = _curve([1, 2, 3], bx=[1, 2, 1], by=[4, 3, 9])
    assert apply("peak_of", {"curve": curve}, column="by").columns["by"][0] == 9
    with pytest.raises(ComputeError, match="bz") as caught:
        apply("peak_of", {"curve": curve}, column="bz")
    assert "by" in caught.value.hint


@pytest.mark.parametrize("options", [{"bins": 13}, {"edges": (-30.0, -3.0, 0.0, 0.5, 40.0)}])
def test_counts_and_densities_are_those_of_numpy(make_table: Make, apply: Make, options: dict[str, Any]) -> None:
    """NaN and infinity are not counted."""
    values = np.append(np.random.default_rng(12).normal(0, 5, 500), [np.nan, np.inf, -np.inf])
    given = {"series": make_table({"v": values})}
    bins: Any = options.get("bins", options.get("edges"))
    count, edges = np.histogram(values[np.isfinite(values)], bins)
    found = apply("histogram", given, **options).columns
    np.testing.assert_array_equal(found["count"], count)
    np.testing.assert_allclose(found["value"], (edges[1:] + edges[:-1]) / 2, atol=1e-12)
    density = apply("histogram", given, result="density", **options).columns["density"]
    assert np.sum(density * np.diff(edges)) == pytest.approx(1)


def test_edges_of_bins_of_a_width_are_its_multiples(make_table: Make, apply: Make) -> None:
    """So that histograms of different windows can be laid over each other."""
    found = apply("histogram", {"series": make_table({"v": [-0.3, 0.1, 1.9]})}, width=0.5).columns
    np.testing.assert_allclose(found["value"], [-0.25, 0.25, 0.75, 1.25, 1.75])
    with pytest.raises(ComputeError, match="more than 10000 bins"):
        apply("histogram", {"series": make_table({"v": [0.0, 1e9]})}, width=0.5)


@pytest.mark.parametrize(
    ("operation_id", "options", "said"),
    [
        ("histogram", {"bins": 3, "width": 1.0}, "exclude each other"),
        ("histogram", {"edges": (1.0, 0.0)}, "ascend"),
        ("spectral_slope", {"lowest": 2.0, "highest": 1.0}, "less than highest"),
        ("power_spectrum", {"segment": "PT4S", "cadence": "PT1S"}, "at least 8"),
    ],
)
def test_options_that_cannot_be_are_refused(apply: Make, operation_id: str, options: dict[str, Any], said: str) -> None:
    """With one message."""
    with pytest.raises(InputError, match=said):
        apply(operation_id, {}, **options)


def test_one_part_is_the_longest_stretch_without_a_gap(make_table: Make, apply: Make) -> None:
    """A gap of an hour in a day: the spectrum is that of the longer part, cut out by hand."""
    values = np.random.default_rng(3).normal(size=1440)
    gappy = values.copy()
    gappy[400:460] = np.nan
    found = apply("power_spectrum", {"series": make_table({"v": gappy})}, parts=1).columns
    later = make_table({"v": values[460:]}, at_s=np.arange(460, 1440) * 60.0)
    alone = apply("power_spectrum", {"series": later}, parts=1).columns
    assert np.isfinite(found["v"]).all()
    np.testing.assert_array_equal(found["v"], alone["v"])


def test_what_does_not_vary_has_no_correlation(make_table: Make, apply: Make) -> None:
    """Neither over the whole nor over the pairs of a lag: NaN, not what rounding makes of it."""
    varying, constant = np.random.default_rng(13).normal(size=40) + 1e6, np.full(40, 1e6)
    constant[35:] = varying[35:]
    given = {"a": make_table({"a": varying}), "b": make_table({"b": constant})}
    curve = apply("cross_correlation", given, longest_lag="PT20M", cadence="PT1M").columns
    is_constant = curve["lag"] <= -5
    assert np.isnan(curve["correlation"][is_constant]).all()
    assert np.isfinite(curve["correlation"][~is_constant]).all()
    given["b"] = make_table({"b": np.full(40, 0.1)})
    assert np.isnan(apply("cross_correlation", given, longest_lag="PT20M").columns["correlation"]).all()
