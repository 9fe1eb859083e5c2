"""The synthetic wind: repeatable, and a likeness of the real one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.demo.noise import smooth_noise
from helio_dagster.archives.demo.storms import NAMED_STORMS, storms_near
from helio_dagster.archives.demo.wind import arrival_delay_s, solar_wind


def _seconds(day: str, days: float, cadence_s: float) -> np.ndarray:
    start = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    return np.arange(start, start + days * 86400.0, cadence_s)


@pytest.mark.parametrize("day", ["2003-10-29", "2003-11-02", "1990-01-01", "2087-06-30"])
def test_a_value_does_not_depend_on_the_range_asked_for(day: str) -> None:
    """Halves and single records have the bytes of the whole, in storms, after them and far from them."""
    seconds = _seconds(day, 2, 300.0)
    whole = solar_wind(seconds, observer=0, cadence_s=16.0)
    for piece in (slice(0, 288), slice(288, None), slice(100, 101)):
        part = solar_wind(seconds[piece], observer=0, cadence_s=16.0)
        assert part.field_nt.tobytes() == whole.field_nt[piece].tobytes()
        assert part.velocity_km_s.tobytes() == whole.velocity_km_s[piece].tobytes()
        assert part.density_cm3.tobytes() == whole.density_cm3[piece].tobytes()
        assert part.temperature_k.tobytes() == whole.temperature_k[piece].tobytes()


def test_a_year_of_wind_looks_like_the_wind_at_one_au() -> None:
    """Medians and extremes lie where long-term statistics of OMNI have them."""
    wind = solar_wind(_seconds("2009-01-01", 365, 1800.0), observer=0, cadence_s=1800.0)
    assert 350 < np.median(wind.speed_km_s) < 460
    assert 4 < np.median(wind.magnitude_nt) < 7
    assert 3 < np.median(wind.density_cm3) < 8
    assert 3e4 < np.median(wind.temperature_k) < 1.5e5
    assert 250 < wind.speed_km_s.min() < 330
    assert 600 < wind.speed_km_s.max() < 1100
    assert wind.density_cm3.min() > 0.3


def test_fast_wind_is_thin_and_hot() -> None:
    """Density falls and temperature rises with speed."""
    wind = solar_wind(_seconds("2009-01-01", 365, 3600.0), observer=0, cadence_s=3600.0)
    assert np.corrcoef(wind.speed_km_s, np.log(wind.density_cm3))[0, 1] < -0.4
    assert np.corrcoef(wind.speed_km_s, np.log(wind.temperature_k))[0, 1] > 0.5


def test_the_field_lies_along_a_spiral_in_two_sectors() -> None:
    """Bx and By are against each other; both polarities take their share."""
    wind = solar_wind(_seconds("2009-01-01", 365, 3600.0), observer=0, cadence_s=3600.0)
    assert np.corrcoef(wind.field_nt[:, 0], wind.field_nt[:, 1])[0, 1] < -0.4
    assert 0.25 < (wind.field_nt[:, 0] > 0).mean() < 0.75


def test_the_halloween_storm_is_there() -> None:
    """At 06 UT on 2003-10-29 the speed jumps above 1,000 km/s, and Bz goes far south."""
    wind = solar_wind(_seconds("2003-10-29", 1, 60.0), observer=0, cadence_s=60.0)
    assert wind.speed_km_s[:350].max() < 500
    assert wind.speed_km_s[360:420].min() > 1000
    assert wind.field_nt[:, 2].min() < -30


def test_some_storms_come_every_year_and_more_at_solar_maximum() -> None:
    """Counted over a minimum and a maximum of three years each."""

    def count(year: Any) -> Any:
        start, stop = (datetime(at, 1, 1, tzinfo=UTC).timestamp() for at in (year, year + 3))
        return len(list(storms_near(start, stop)))

    assert 3 <= count(2007) < count(2012) <= 30


def test_named_storms_stand_alone() -> None:
    """No made-up storm comes within days of one."""
    for named in NAMED_STORMS:
        near = [storm for storm in storms_near(named.onset_s - 1, named.onset_s + 1) if storm not in NAMED_STORMS]
        assert not near


def test_two_spacecraft_meet_the_same_storm_some_minutes_apart() -> None:
    """Wind's shock comes 2 to 60 minutes after ACE's."""
    seconds = _seconds("2003-10-29", 0.5, 60.0)
    delay_s = arrival_delay_s(seconds, observer=1, mean_min=24.0, spread_min=14.0)
    late = solar_wind(seconds - delay_s, observer=1, cadence_s=60.0)
    early = solar_wind(seconds, observer=0, cadence_s=60.0)
    minutes = [int(np.argmax(wind.speed_km_s > 900)) for wind in (early, late)]
    assert 2 <= minutes[1] - minutes[0] <= 60


def test_noise_of_large_scales_is_shared_and_of_small_scales_is_not() -> None:
    """Without delay two observers agree on the mean field, not on the fluctuation."""
    seconds = _seconds("2009-02-03", 2, 60.0)
    first, second = (solar_wind(seconds, observer=number, cadence_s=60.0).field_nt[:, 1] for number in (0, 1))
    assert np.corrcoef(first, second)[0, 1] > 0.8
    assert abs(np.corrcoef(np.diff(first), np.diff(second))[0, 1]) < 0.6


def test_no_times_give_no_values() -> None:
    """An empty range is not an error."""
    assert len(smooth_noise(1, np.zeros(0), 10.0)) == 0
    assert solar_wind(np.zeros(0), observer=0, cadence_s=60.0).field_nt.shape == (0, 3)
