"""Onsets of made-up particle events in Poisson counts, and the dispersion of particles whose path and release are known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, Table
from helio_dagster.domain.time_range import TimeRange
from tests.unit.compute.conftest import TableMaker

START = datetime(2023, 1, 2, tzinfo=UTC)
HALF_DAY = TimeRange(START, START + timedelta(hours=12))
AT = np.arange(0, 12 * 3600, 60.0)
AU_S = 499.004784
MEV = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
Facts = dict[str, Any]


def _run(name: str, inputs: dict[str, Table], **options: Any) -> Table:
    operation = get_operation(name)
    return operation.apply(inputs, operation.read_options(options), HALF_DAY, "out")


def _counts(onset_s: float, background: float, seed: int, rise_s: float = 900.0, height: float = 30.0) -> Any:
    """Counts a minute that rise exponentially to some times the background."""
    rate = background * (1 + height * (onset_s < AT) * (1 - np.exp(-np.maximum(AT - onset_s, 0) / rise_s)))
    return np.random.default_rng(seed).poisson(rate).astype(float)


def _beta(mev: Any, rest_mev: float) -> Any:
    return np.sqrt(1 - (1 + np.asarray(mev) / rest_mev) ** -2)


def _channels(make_table: TableMaker, columns: Any, centers: Any = MEV) -> Table:
    named = {f"e{place}": values for place, values in enumerate(columns)}
    bins = BinAxis(label="Energy", unit="MeV", scale="log", centers=tuple(map(float, centers)))
    return make_table(named, kind="spectrogram", at_s=AT, unit="cm^-2 s^-1", bins=bins)


@pytest.mark.parametrize("background", [0.5, 5.0, 100.0])
def test_an_onset_is_found_soon_and_not_before(make_table: TableMaker, background: float) -> None:
    """Over twelve events: within ten minutes even at a count in two minutes, and the sooner the more counts."""
    late = []
    for seed in range(12):
        series = make_table({"j": _counts(25_000, background, seed)}, at_s=AT, unit="")
        found = _run("particle_onsets", {"flux": series}, background="PT4H").columns
        late.append((found["onset"][0] - np.datetime64("2023-01-02T06:56:40")) / np.timedelta64(1, "m"))
    assert np.median(late) < {0.5: 8, 5.0: 3, 100.0: 2}[background]
    assert min(late) > -5


def test_a_background_alone_has_no_onset(make_table: TableMaker) -> None:
    """In at most one of twenty half days of few counts."""
    alarms = 0
    for seed in range(20):
        series = make_table({"j": _counts(1e9, 2.0, 100 + seed)}, at_s=AT, unit="")
        alarms += int(np.isfinite(_run("particle_onsets", {"flux": series}, background="PT4H").columns["onset_uncertainty"][0]))
    assert alarms <= 1


def test_the_unit_does_not_matter(make_table: TableMaker) -> None:
    """A flux is counts times a number."""
    counts = _counts(25_000, 5.0, 3)
    found = [
        _run("particle_onsets", {"flux": make_table({"j": size * counts}, at_s=AT, unit="")}).columns["onset"][0]
        for size in (1.0, 1e-5, 1e4)
    ]
    assert found[0] == found[1] == found[2]


def test_what_is_not_known_is_no_number(make_table: TableMaker) -> None:
    """Nothing rises; a background of zeros, without scatter, of two samples; fills do not count."""
    for values in (np.full(720, 3.0), np.where(AT > 25_000, 9.0, 0.0)):
        assert np.isnat(_run("particle_onsets", {"flux": make_table({"j": values}, at_s=AT)}).columns["onset"][0])
    counts = _counts(25_000, 5.0, 3)
    assert np.isnat(
        _run("particle_onsets", {"flux": make_table({"j": counts}, at_s=AT)}, background="PT2M").columns["onset"][0]
    )
    gappy = counts.copy()
    gappy[::3] = np.nan
    found = _run("particle_onsets", {"flux": make_table({"j": gappy}, at_s=AT)}, consecutive=20).columns
    assert abs((found["onset"][0] - np.datetime64("2023-01-02T06:56:40")) / np.timedelta64(1, "m")) < 10
    with pytest.raises(ComputeError, match="needs one column, not 2"):
        _run("particle_onsets", {"flux": make_table({"a": counts, "b": counts}, at_s=AT)})


def test_channels_stand_in_order_of_their_energy(make_table: TableMaker) -> None:
    """Whatever that of the columns; one without an onset keeps its place."""
    columns = [_counts(20_000, 50.0, 1), _counts(1e9, 50.0, 2), _counts(30_000, 50.0, 3)]
    found = _run("particle_onsets", {"flux": _channels(make_table, columns, (9.0, 3.0, 1.0))}, background="PT4H")
    assert found.columns["energy"].tolist() == [1, 3, 9]
    assert np.isnan(found.columns["onset"]).tolist() == [False, True, False]
    assert found.columns["onset"][[0, 2]] == pytest.approx([30_000, 20_000], abs=300)


def test_onsets_are_events_of_the_same_moments(make_table: TableMaker) -> None:
    """In order of time, with the energy of each channel; a channel without an onset has none, and a quiet range none at all."""
    columns = [_counts(20_000, 50.0, 1), _counts(1e9, 50.0, 2), _counts(30_000, 50.0, 3)]
    flux = _channels(make_table, columns, (9.0, 3.0, 1.0))
    curve = _run("particle_onsets", {"flux": flux}, background="PT4H").columns
    events = _run("particle_onsets", {"flux": flux}, background="PT4H", result="events")
    assert events.meta.kind == "events"
    assert events.columns["energy"].tolist() == [9, 1]
    after_s = (events.time - np.datetime64("2023-01-02", "ns")) / np.timedelta64(1, "s")
    assert after_s.tolist() == [curve["onset"][2], curve["onset"][0]]
    assert events.columns["onset_uncertainty"].tolist() == [curve["onset_uncertainty"][2], curve["onset_uncertainty"][0]]
    one = make_table({"j": columns[0]}, at_s=AT, unit="")
    facts = _run("particle_onsets", {"flux": one}, background="PT4H").columns
    assert _run("particle_onsets", {"flux": one}, background="PT4H", result="events").time == facts["onset"]
    quiet = make_table({"j": columns[1]}, at_s=AT, unit="")
    assert len(_run("particle_onsets", {"flux": quiet}, background="PT4H", result="events")) == 0


def test_a_made_up_event_disperses_as_it_should(make_table: TableMaker) -> None:
    """Protons released at 04:30 that go 1.3 AU, in counts: length and release within the uncertainties, nearly."""
    onsets = 16_200 + 1.3 * AU_S / _beta(MEV, 938.272)
    columns = [_counts(each, 60.0, place, rise_s=600) for place, each in enumerate(onsets)]
    curve = _run("particle_onsets", {"flux": _channels(make_table, columns)}, background="PT4H")
    found = {key: values[0] for key, values in _run("velocity_dispersion", {"onsets": curve}, species="proton").columns.items()}
    assert found["channels"] == 6
    assert found["path_length"] == pytest.approx(1.3, abs=0.05)
    late = (found["release_time"] - np.datetime64("2023-01-02T04:30")) / np.timedelta64(1, "m")
    assert abs(late) < 3
    assert found["r"] > 0.999


@pytest.mark.parametrize(("species", "rest_mev"), [("electron", 0.51099895), ("proton", 938.27208943)])
def test_uncertainties_are_those_of_repeated_measurements(make_table: TableMaker, species: str, rest_mev: float) -> None:
    """Over 200 draws of onsets that scatter by a minute, in keV as in MeV; of electrons and protons."""
    slowness = 1 / _beta(MEV / 10, rest_mev)
    rows = []
    for seed in range(200):
        onset = 3600 + 1.1 * AU_S * slowness + 60 * np.random.default_rng(seed).normal(size=6)
        curve = make_table({"energy": 100 * MEV, "onset": onset}, kind="curve", at_s=np.zeros(6))
        roles = [each.model_copy(update={"role": "axis"}) if each.name == "energy" else each for each in curve.meta.columns]
        bins = BinAxis(label="Energy", unit="keV", scale="log")
        curve = Table(curve.time, curve.columns, curve.meta.model_copy(update={"columns": tuple(roles), "bins": bins}))
        found = _run("velocity_dispersion", {"onsets": curve}, species=species).columns
        late = (found["release_time"][0] - np.datetime64("2023-01-02T01:00")) / np.timedelta64(1, "s") / 60
        rows.append(
            [
                (found["path_length"][0] - 1.1) / found["path_length_uncertainty"][0],
                late / found["release_uncertainty"][0],
            ]
        )
    inside = (np.abs(rows) < 1.14).mean(axis=0)  # Student's t with 4 degrees of freedom: 68 % within 1.14
    assert (np.abs(inside - 0.68) < 0.1).all()


def test_no_dispersion_is_no_path(make_table: TableMaker) -> None:
    """Slow particles first, one channel, or an axis that is no energy."""
    columns = [_counts(20_000 + 3000 * place, 60.0, place) for place in range(6)]
    curve = _run("particle_onsets", {"flux": _channels(make_table, columns)}, background="PT4H")
    found = _run("velocity_dispersion", {"onsets": curve}, species="proton").columns
    assert np.isnan(found["path_length"][0])
    assert np.isnat(found["release_time"][0])
    one = _run("velocity_dispersion", {"onsets": curve}, species="proton", lowest=20).columns
    assert (one["channels"][0], np.isnan(one["path_length"][0])) == (1, True)
    other = curve.meta.bins.model_copy(update={"unit": "Hz"}) if curve.meta.bins else None
    wrong = Table(curve.time, curve.columns, curve.meta.model_copy(update={"bins": other}))
    with pytest.raises(ComputeError, match="the axis is not an energy"):
        _run("velocity_dispersion", {"onsets": wrong}, species="proton")
