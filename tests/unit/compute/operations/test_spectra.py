"""spectrogram, welch, wavelet_power and butterworth against scipy on even series without cuts, and against analytic cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

from helio_dagster.compute.morlet import WaveletDesign, power_at
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

TAPERS = {"hann": "hann", "hamming": "hamming", "boxcar": "boxcar"}


def _noise(
    make_table: TableMaker, count: Any = 4000, cadence_s: Any = 2.0, seed: int = 4, late_s: Any = 0.0, **changes: Any
) -> Any:
    """Correlated noise on an even grid that begins `late_s` after midnight."""
    values = np.cumsum(np.random.default_rng(seed).normal(size=count)) * 0.3 + 20
    return make_table({"v": values}, at_s=late_s + np.arange(count) * cadence_s, **changes), values


def _rows(table: Table) -> Any:
    return np.column_stack(list(table.columns.values()))


@pytest.mark.parametrize("taper", TAPERS)
@pytest.mark.parametrize(("trend", "detrend"), [("constant", "constant"), ("linear", "linear"), ("none", False)])
@pytest.mark.parametrize("late_s", [0.0, 0.7, 1.0, 1.7])
def test_spectrograms_are_those_of_scipy(
    make_table: TableMaker, apply: Apply, taper: Any, trend: str, detrend: Any, late_s: float
) -> None:
    """Midnight is a multiple of the step; a window holds the same samples wherever the clock of the data stands."""
    table, values = _noise(make_table, late_s=late_s)
    options = {"cadence": "PT2S", "window": "PT256S", "step": "PT64S", "taper": taper, "trend": trend}
    found = apply("spectrogram", {"series": table}, **options)
    frequencies, _, density = signal.spectrogram(
        values, fs=0.5, window=TAPERS[taper], nperseg=128, noverlap=96, detrend=detrend, scaling="density"
    )
    whole = np.isfinite(_rows(found)).all(axis=1)
    np.testing.assert_allclose(found.meta.bins.centers, frequencies[1:], rtol=1e-12)
    np.testing.assert_allclose(_rows(found)[whole], density[1:].T, rtol=1e-7, atol=1e-12)
    assert whole.sum() == density.shape[1]
    seconds = (found.time[whole] - found.time[whole][0]) / np.timedelta64(64, "s")
    assert seconds.tolist() == list(range(whole.sum()))


def test_a_window_stands_at_its_middle(make_table: TableMaker, apply: Apply) -> None:
    """A burst of waves at 1000 s is in the window of 1000 s, not before or after it."""
    at_s = np.arange(2000.0)
    values = np.where(np.abs(at_s - 1000) < 20, np.sin(2 * np.pi * at_s / 5), 0.0)
    found = apply("spectrogram", {"series": make_table({"v": values}, at_s=at_s)}, cadence="PT1S", window="PT40S", step="PT20S")
    power = np.nansum(_rows(found), axis=1)
    assert found.time[np.argmax(power)] == np.datetime64("2023-01-02T00:16:40")


@pytest.mark.parametrize("overlap", [0.0, 0.5, 0.75])
def test_welch_is_that_of_scipy(make_table: TableMaker, apply: Apply, overlap: float) -> None:
    """Bin by bin."""
    table, values = _noise(make_table, count=3600)
    found = apply("welch", {"series": table}, cadence="PT2S", bin="PT1H", segment="PT256S", overlap=overlap)
    assert len(found) == 2
    for row, part in zip(_rows(found), np.split(values, 2), strict=True):
        _, density = signal.welch(part, fs=0.5, nperseg=128, noverlap=int(128 * overlap))
        np.testing.assert_allclose(row, density[1:], rtol=1e-9)


def test_the_power_of_noise_is_its_variance(make_table: TableMaker, apply: Apply) -> None:
    """Parseval: the density over all frequencies adds up to the variance."""
    values = np.random.default_rng(2).normal(0, 3, 3600)
    table = make_table({"v": values}, at_s=np.arange(3600) * 1.0)
    found = apply("welch", {"series": table}, cadence="PT1S", bin="PT1H", segment="PT1H", taper="boxcar")
    np.testing.assert_allclose(_rows(found)[0].sum() / 3600, values.var(), rtol=1e-9)


def test_spectra_know_their_units(make_table: TableMaker, apply: Apply) -> None:
    """The square of the unit per Hz; frequencies in Hz, ascending, up to half the sample rate."""
    table, _ = _noise(make_table, unit="km/s", frame="GSE")
    found = apply("spectrogram", {"series": table}, cadence="PT2S", window="PT20S").meta
    assert (found.unit, found.kind, found.bins.unit, found.frame) == ("km^2 Hz^-1 s^-2", "spectrogram", "Hz", "GSE")
    assert found.bins.centers == pytest.approx((0.05, 0.1, 0.15, 0.2, 0.25))
    assert {column.unit for column in found.columns} == {found.unit}


def test_short_gaps_are_bridged_and_long_ones_are_not(make_table: TableMaker, apply: Apply) -> None:
    """One fill of a slow wave changes next to nothing; a window with a long gap is NaN; one without data has no record."""
    at_s = np.arange(0, 3600.0)
    values = np.sin(2 * np.pi * at_s / 60)
    values[200] = np.nan
    keep = (at_s < 1800) | (at_s >= 2100)
    full = make_table({"v": np.sin(2 * np.pi * at_s / 60)}, at_s=at_s)
    holed = make_table({"v": values[keep]}, at_s=at_s[keep])
    options = {"cadence": "PT1S", "window": "PT120S", "step": "PT60S"}
    expected, found = (apply("spectrogram", {"series": table}, **options) for table in (full, holed))
    whole = np.isfinite(_rows(found)[:, 0])
    lost = found.time[~whole]
    assert lost.min() <= np.datetime64("2023-01-02T00:00:00")
    assert np.datetime64("2023-01-02T00:30") in lost
    assert np.datetime64("2023-01-02T00:35") in lost
    assert np.datetime64("2023-01-02T00:32") not in found.time
    same = np.isin(expected.time, found.time[whole])
    peak = _rows(expected)[same].max()
    np.testing.assert_allclose(_rows(found)[whole], _rows(expected)[same], atol=2e-3 * peak)


def test_samples_that_share_a_slot_are_averaged(make_table: TableMaker, apply: Apply) -> None:
    """Twice as many samples as the cadence says: their means in pairs."""
    values = np.random.default_rng(0).normal(size=3600)
    at_s = np.arange(3600.0)
    fine = make_table(
        {"v": np.repeat(values, 2) + np.tile([1.0, -1.0], 3600)}, at_s=np.column_stack([at_s, at_s + 0.25]).ravel()
    )
    coarse = make_table({"v": values}, at_s=at_s)
    first, second = (apply("welch", {"series": table}, cadence="PT1S", bin="PT1H", segment="PT60S") for table in (fine, coarse))
    np.testing.assert_allclose(_rows(first), _rows(second), rtol=1e-12)


@pytest.mark.parametrize("period_s", [20.0, 47.0, 100.0])
def test_wavelet_power_of_a_sine_is_analytic(make_table: TableMaker, apply: Apply, period_s: float) -> None:
    """A^2 sqrt(pi) s exp(-(2 pi s / P - 6)^2) at every scale s (Torrence and Compo 1998, table 1), within the truncation."""
    at_s = np.arange(6000.0)
    table = make_table({"v": 3 * np.sin(2 * np.pi * at_s / period_s) + 50}, at_s=at_s + 0.3)
    options = {"cadence": "PT1S", "shortest": "PT10S", "longest": "PT2M40S", "per_octave": 4, "step": "PT5M"}
    found = apply("wavelet_power", {"series": table}, **options)
    scales = np.array(found.meta.bins.centers) * (6 + np.sqrt(38)) / (4 * np.pi)
    expected = 9 * np.sqrt(np.pi) * scales * np.exp(-((2 * np.pi * scales / period_s - 6) ** 2))
    middle = _rows(found)[len(found) // 2]
    np.testing.assert_allclose(middle, expected, atol=1e-4 * expected.max())


def test_wavelet_power_of_white_noise_is_its_spectral_density(make_table: TableMaker, apply: Apply) -> None:
    """2 sigma^2 dt at every period, on average."""
    values = np.random.default_rng(11).normal(0, 2, 40_000)
    table = make_table({"v": values}, at_s=np.arange(40_000) * 0.5)
    options = {"cadence": "PT0.5S", "shortest": "PT4S", "longest": "PT32S", "per_octave": 2, "step": "PT2S"}
    found = np.nanmean(_rows(apply("wavelet_power", {"series": table}, **options)), axis=0)
    np.testing.assert_allclose(found, 2 * 4 * 0.5, rtol=0.15)


def test_wavelet_blocks_agree_with_one_transform_of_all(make_table: TableMaker) -> None:
    """The whole series at once, by the sum that defines the transform (eq. 2), against blocks with what lies around them."""
    count = 3000
    values = np.cumsum(np.random.default_rng(6).normal(size=count))
    at = np.arange(count) * 10**9
    design = WaveletDesign((16.0, 40.0), 10 * 10**9, 10**9, 3 * 10**9)
    wanted = np.arange(1000, 2000, 10) * 10**9
    found = power_at(wanted, at, values, design)
    for place, period in enumerate(design.periods_s):
        scale = period * (6 + np.sqrt(38)) / (4 * np.pi)
        reach = np.arange(-8 * int(scale), 8 * int(scale) + 1)
        wavelet = np.pi**-0.25 * np.exp(-6j * reach / scale - 0.5 * (reach / scale) ** 2) / np.sqrt(scale)
        wave = np.array([(values[t + reach] * wavelet).sum() for t in wanted // 10**9])
        np.testing.assert_allclose(found[:, place], 2 * np.abs(wave) ** 2, rtol=2e-3, atol=1e-3 * found[:, place].max())


def test_a_gap_hides_the_cone_around_it(make_table: TableMaker, apply: Apply) -> None:
    """sqrt(2) s to either side, so longer periods lose more; beyond it, and for a bridged gap, there are values."""
    at_s = np.arange(4000.0)
    keep = (at_s < 1990) | (at_s > 2010)
    table = make_table({"v": np.sin(at_s[keep] / 3)}, at_s=at_s[keep])
    options = {"cadence": "PT1S", "shortest": "PT10S", "longest": "PT40S", "per_octave": 2, "step": "PT1S"}
    found = apply("wavelet_power", {"series": table}, **options)
    seconds = (found.time - np.datetime64("2023-01-02")) / np.timedelta64(1, "s")
    inside = (seconds > 1000) & (seconds < 3000)
    for period, values in zip(found.meta.bins.centers, found.columns.values(), strict=True):
        cone = np.sqrt(2) * period * (6 + np.sqrt(38)) / (4 * np.pi)
        lost = seconds[inside][np.isnan(values[inside])]
        assert lost.min() == pytest.approx(1990 - cone, abs=1.01)
        assert lost.max() == pytest.approx(2010 + cone, abs=1.01)
    bridged = apply("wavelet_power", {"series": table}, **options, max_gap="PT30S")
    assert np.isfinite(bridged.columns["p1"][inside[: len(bridged)]]).mean() > 0.97


FILTERS = (
    {"below_hz": 0.01},
    {"below_hz": 0.1, "order": 2},
    {"above_hz": 0.005},
    {"above_hz": 0.004, "below_hz": 0.02},
    {"above_hz": 0.05, "below_hz": 0.2, "order": 3},
    {"below_hz": 0.05, "order": 8},
    {"above_hz": 0.05, "order": 1},
)


def _sections(above_hz: float | None = None, below_hz: float | None = None, order: int = 4) -> Any:
    if above_hz and below_hz:
        return signal.butter(order, [above_hz, below_hz], "bandpass", fs=0.5, output="sos")
    if above_hz:
        return signal.butter(order, above_hz, "highpass", fs=0.5, output="sos")
    return signal.butter(order, below_hz or 0.0, "lowpass", fs=0.5, output="sos")


@pytest.mark.parametrize("options", FILTERS, ids=str)
@pytest.mark.parametrize("zero_phase", [True, False], ids=["zero phase", "causal"])
def test_filters_are_those_of_scipy_on_the_whole_series(
    make_table: TableMaker, apply: Apply, options: Any, zero_phase: bool
) -> None:
    """Blocks do not show: a part in 10^7 of the largest value over many blocks, from end to end."""
    table, values = _noise(make_table, count=12_000, late_s=0.3)
    found = apply("butterworth", {"series": table}, cadence="PT2S", zero_phase=zero_phase, **options).columns["out"]
    sections = _sections(**options)
    if zero_phase:
        expected = signal.sosfiltfilt(sections, values)
    else:
        expected = signal.sosfilt(sections, values, zi=signal.sosfilt_zi(sections) * values[0])[0]
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(values).max())


def test_a_filter_begins_anew_after_a_gap(make_table: TableMaker, apply: Apply) -> None:
    """Each stretch is filtered as if it were alone; one too short for a filter of zero phase is NaN."""
    _, values = _noise(make_table, count=3000)
    keep = np.r_[0:1000, 1200:1210, 1500:3000]
    holed = make_table({"v": values[keep]}, at_s=keep * 2.0)
    found = apply("butterworth", {"series": holed}, cadence="PT2S", below_hz=0.02).columns["out"]
    sections = _sections(below_hz=0.02)
    scale = 1e-7 * np.abs(values).max()
    np.testing.assert_allclose(found[:1000], signal.sosfiltfilt(sections, values[:1000]), atol=scale)
    assert np.isnan(found[1000:1010]).all()
    np.testing.assert_allclose(found[1010:], signal.sosfiltfilt(sections, values[1500:]), atol=scale)


def test_fills_are_bridged_and_stay_fills(make_table: TableMaker, apply: Apply) -> None:
    """A straight line through the fill is what the filter sees; an infinity is a fill."""
    _, values = _noise(make_table, count=2000)
    values = values.copy()
    bridged = values.copy()
    bridged[700:702] = np.interp([700, 701], [699, 702], values[[699, 702]])
    values[700:702] = np.nan, np.inf
    found = apply(
        "butterworth", {"series": make_table({"v": values}, at_s=np.arange(2000) * 2.0)}, cadence="PT2S", below_hz=0.02
    )
    expected = signal.sosfiltfilt(_sections(below_hz=0.02), bridged)
    expected[700:702] = np.nan
    np.testing.assert_allclose(found.columns["out"], expected, atol=1e-7 * 60)


def test_a_causal_filter_knows_nothing_of_what_follows(make_table: TableMaker, apply: Apply) -> None:
    """Whatever comes later, the values before are the same bytes; its halo lies all before."""
    table, values = _noise(make_table, count=3000)
    changed = values.copy()
    changed[1700:] = np.nan
    options = {"cadence": "PT2S", "below_hz": 0.02, "zero_phase": False}
    first = apply("butterworth", {"series": table}, **options)
    second = apply("butterworth", {"series": make_table({"v": changed}, at_s=np.arange(3000) * 2.0)}, **options)
    assert first.columns["out"][:1700].tobytes() == second.columns["out"][:1700].tobytes()
    operation = get_operation("butterworth")
    assert operation.halo(operation.read_options(options))[1].total_seconds() == 0


@pytest.mark.parametrize(
    ("operation_id", "options", "said"),
    [
        ("butterworth", {"cadence": "PT1S"}, "above_hz, below_hz or both"),
        ("butterworth", {"cadence": "PT1S", "below_hz": 0.5}, "not below 0.5 Hz"),
        ("butterworth", {"cadence": "PT1S", "above_hz": 0.2, "below_hz": 0.1}, "less than below_hz"),
        ("butterworth", {"cadence": "PT1S", "below_hz": 1e-7}, "too slow"),
        ("butterworth", {"cadence": "PT1S", "below_hz": 0.1, "max_gap": "PT0.5S"}, "max_gap"),
        ("butterworth", {"cadence": "PT1S", "below_hz": -1}, "below_hz"),
        ("spectrogram", {"cadence": "PT1S", "window": "PT9S"}, "even number"),
        ("spectrogram", {"cadence": "PT1S", "window": "PT4S"}, "even number"),
        ("spectrogram", {"cadence": "PT1S", "window": "P1D"}, "even number"),
        ("spectrogram", {"cadence": "PT1S", "window": "PT10S", "step": "PT0.1S"}, "step"),
        ("welch", {"cadence": "PT1S", "bin": "PT10S", "segment": "PT20S"}, "longer than bin"),
        ("welch", {"cadence": "PT1S", "bin": "P30D", "segment": "PT10S"}, "more than 100000 segments"),
        ("welch", {"cadence": "PT1S", "bin": "PT1H", "segment": "PT10S", "overlap": 1}, "overlap"),
        ("wavelet_power", {"cadence": "PT1S", "shortest": "PT2S", "longest": "PT10S"}, "four|4 cadences"),
        ("wavelet_power", {"cadence": "PT1S", "shortest": "PT20S", "longest": "PT10S"}, "shorter than shortest"),
        ("wavelet_power", {"cadence": "PT1S", "shortest": "PT20S", "longest": "P30D"}, "too long"),
        (
            "wavelet_power",
            {"cadence": "PT2S", "shortest": "PT20S", "longest": "PT1H", "step": "PT3S"},
            "whole number of cadences",
        ),
    ],
)
def test_options_that_cannot_be_are_refused(apply: Apply, operation_id: str, options: dict[str, Any], said: str) -> None:
    """Before any data are looked at, with what to do."""
    with pytest.raises(InputError, match=said) as caught:
        apply(operation_id, {}, **options)
    assert caught.value.hint
