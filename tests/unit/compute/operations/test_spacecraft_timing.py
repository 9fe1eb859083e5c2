"""Timings against boundaries whose normal and speed are known, and their uncertainties against repeated measurements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
Facts = Callable[..., dict[str, Any]]
REGULAR = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float) * 100
NORMAL = np.array([-0.6, 0.48, 0.64])
RANGE_S = 120.0
MOVING = np.array([1.5, -2.0, 3.0])


def _places(make_table: TableMaker, corners: Any, moving: Any = MOVING, frame: str = "GSE") -> dict[str, Table]:
    """Positions at the ends of the range, of spacecraft that move together; at 60 s they are at the corners."""
    ends = np.array([0.0, RANGE_S])
    return {
        f"position{place}": make_table(
            dict(zip("xyz", (corner + np.outer(ends - 60, moving)).T, strict=True)),
            kind="vector",
            unit="km",
            frame=frame,
            at_s=ends,
        )
        for place, corner in enumerate(np.asarray(corners, dtype=float), start=1)
    }


def _passages(corners: Any, speed: float, moving: Any = MOVING) -> Any:
    """When a plane that is in the origin at 60 s passes each spacecraft."""
    return 60 + corners @ NORMAL / (speed - moving @ NORMAL)


def _stamps(times: Any) -> list[str]:
    start = np.datetime64("2023-01-02T00:00:00", "ns")
    return [f"{start + np.timedelta64(round(each * 1e9), 'ns')}Z" for each in times]


def _fields(make_table: TableMaker, times: Any, noise: float = 0.0, seed: int = 0) -> dict[str, Table]:
    """A field that turns within some seconds, sampled by each spacecraft at times of its own."""
    draw = np.random.default_rng(seed)
    found = {}
    for place, passes in enumerate(times, start=1):
        at = np.arange(0.03 * place, RANGE_S, 0.125)
        turn = np.tanh((at - passes) / 3)
        parts = np.stack([2 + turn, 5 * turn, 4 * np.sqrt(1 - turn**2)]) + noise * draw.normal(size=(3, len(at)))
        found[f"crossing{place}"] = make_table(
            dict(zip(("bx", "by", "bz"), parts, strict=True)), kind="vector", at_s=at, frame="GSE"
        )
    return found


def _facts(apply: Make, name: str, inputs: dict[str, Table], **options: Any) -> Any:
    whole = apply(name, inputs, **options)
    return {key: values[0] for key, values in whole.columns.items()}


def _normal(found: Any) -> Any:
    return np.array([found[f"normal_{axis}"] for axis in "xyz"])


@pytest.mark.parametrize("seed", range(4))
def test_a_plane_is_found_exactly(make_table: TableMaker, apply: Make, seed: int) -> None:
    """From times to the microsecond, in the frame of the positions, whatever the tetrahedron and though it moves itself."""
    corners = REGULAR + np.random.default_rng(seed).normal(scale=25, size=(4, 3))
    times = _passages(corners, 40.0)
    found = _facts(apply, "four_spacecraft_timing", _places(make_table, corners), times=_stamps(times))
    np.testing.assert_allclose(_normal(found), NORMAL, atol=1e-6)
    assert found["speed"] == pytest.approx(40, rel=1e-6)
    slowness = np.linalg.solve(corners[1:] - corners[0], times[1:] - times[0])
    assert found["speed"] - MOVING @ NORMAL == pytest.approx(1 / np.linalg.norm(slowness), rel=1e-6)
    assert np.isnan(found["speed_uncertainty"])


def test_lags_of_vectors_are_found_between_samples(make_table: TableMaker, apply: Make, windowed: Facts) -> None:
    """All components together; samples of the four do not coincide."""
    times = _passages(REGULAR, 40.0)
    inputs = {**_places(make_table, REGULAR), **_fields(make_table, times)}
    found = windowed("four_spacecraft_timing", inputs)
    np.testing.assert_allclose([found[f"delay{place}"] for place in (2, 3, 4)], times[1:] - times[0], atol=8e-3)
    np.testing.assert_allclose(_normal(found), NORMAL, atol=2e-3)
    assert found["speed"] == pytest.approx(40, rel=4e-3)
    assert found["correlation"] > 0.999
    assert found["lag_misfit"] < 1e-2


@pytest.mark.slow
def test_uncertainties_are_those_of_repeated_measurements(make_table: TableMaker, windowed: Facts) -> None:
    """Over fields that differ in their noise alone, errors over uncertainties are of size 1."""
    times, apart, delays, angles = _passages(REGULAR, 40.0), [], [], []
    for seed in range(12):
        inputs = {**_places(make_table, REGULAR), **_fields(make_table, times, noise=0.5, seed=seed)}
        found = windowed("four_spacecraft_timing", inputs)
        apart.append((found["speed"] - 40) / found["speed_uncertainty"])
        angles.append(np.degrees(np.arccos(min(_normal(found) @ NORMAL, 1))) / found["normal_uncertainty"])
        late = [found[f"delay{place}"] for place in (2, 3, 4)] - (times[1:] - times[0])
        delays += list(late / found["time_uncertainty"] / np.sqrt(2))
    for each in (apart, angles, delays):
        assert 0.5 < np.sqrt(np.mean(np.square(each))) < 1.5


def test_the_uncertainty_of_times_carries_over(make_table: TableMaker, apply: Make) -> None:
    """The scatter of normals and speeds of 300 draws of times is what the first order says."""
    draw, corners = np.random.default_rng(5), REGULAR * [1, 1.4, 0.7]
    times, places = _passages(corners, 40.0), _places(make_table, corners)
    speeds, angles = [], []
    for _ in range(300):
        drawn = _stamps(times + 0.1 * draw.normal(size=4))
        found = _facts(apply, "four_spacecraft_timing", places, times=drawn, time_uncertainty="PT0.1S")
        speeds.append(found["speed"])
        angles.append(np.degrees(np.arccos(min(_normal(found) @ NORMAL, 1))))
    assert found["speed_uncertainty"] == pytest.approx(np.std(speeds), rel=0.15)
    assert found["normal_uncertainty"] == pytest.approx(np.sqrt(np.mean(np.square(angles))), rel=0.15)


def test_a_flat_tetrahedron_is_refused(make_table: TableMaker, apply: Make) -> None:
    """With its quality, and what else there is; the limit can be raised."""
    flat = REGULAR * [1, 1, 0.02]
    places = _places(make_table, flat)
    times = _stamps(_passages(flat, 40.0))
    with pytest.raises(ComputeError, match=r"nearly in a plane or on a line: planarity 0\.978") as caught:
        apply("four_spacecraft_timing", places, times=times)
    assert "two_spacecraft_timing" in caught.value.hint
    found = _facts(apply, "four_spacecraft_timing", places, times=times, most_planarity=0.99)
    assert found["planarity"] == pytest.approx(0.978, abs=1e-3)
    np.testing.assert_allclose(_normal(found), NORMAL, atol=1e-5)


def test_what_is_not_known_is_no_number(make_table: TableMaker, apply: Make, windowed: Facts) -> None:
    """No delays, delays within their uncertainty, an event that is missing, positions too far away, series that are unlike."""
    places, times = _places(make_table, REGULAR), _passages(REGULAR, 40.0)
    same = _facts(apply, "four_spacecraft_timing", places, times=_stamps([60] * 4))
    unsure = _facts(apply, "four_spacecraft_timing", places, times=_stamps(times), time_uncertainty="PT20S")
    far = _facts(apply, "four_spacecraft_timing", places, times=_stamps(times), position_gap="PT10S")
    noise = windowed("four_spacecraft_timing", {**places, **_fields(make_table, times, noise=50)})
    for found in (same, unsure, far, noise):
        assert np.isnan([*_normal(found), found["speed"]]).all()
    assert unsure["planarity"] < 0.1


def test_events_are_one_for_each_spacecraft(make_table: TableMaker, windowed: Facts) -> None:
    """Outside the range they do not count; two inside it are refused."""
    corners = REGULAR[:2]
    places = _places(make_table, corners, moving=np.zeros(3))
    lists = {f"crossing{place}": make_table({"size": [1.0]}, kind="events", at_s=[58.0 + place]) for place in (1, 2)}
    found = windowed("two_spacecraft_timing", {**places, **lists}, normal=[0, 1, 0])
    assert (found["speed"], found["delay2"]) == (pytest.approx(-200), pytest.approx(1))
    late = {**lists, "crossing2": make_table({"size": [1.0]}, kind="events", at_s=[500.0])}
    assert np.isnan(windowed("two_spacecraft_timing", {**places, **late}, normal=[0, 1, 0])["speed"])
    twice = {**lists, "crossing2": make_table({"size": [1.0, 2.0]}, kind="events", at_s=[50.0, 60.0])}
    with pytest.raises(ComputeError, match="crossing2 has 2 events in the range") as caught:
        windowed("two_spacecraft_timing", {**places, **twice}, normal=[0, 1, 0])
    assert "filter_events" in caught.value.hint


def test_the_radial_normal_is_that_of_the_frame(make_table: TableMaker, apply: Make) -> None:
    """Around the Sun the direction to the first spacecraft; in other frames it must be given."""
    corners, times = np.array([[3e7, 4e7, 0], [3.3e7, 4.4e7, 1e6]]), _stamps([1, 101])
    found = _facts(apply, "two_spacecraft_timing", _places(make_table, corners, np.zeros(3), "HCI"), times=times)
    np.testing.assert_allclose(_normal(found), [0.6, 0.8, 0])
    assert found["speed"] == pytest.approx(5e4)
    with pytest.raises(ComputeError, match="the radial direction is not known in the frame SM"):
        apply("two_spacecraft_timing", _places(make_table, corners, frame="SM"), times=times)
    with pytest.raises(ComputeError, match="normal has no length"):
        apply("two_spacecraft_timing", _places(make_table, corners), times=times, normal=[0, 0, 0])


def test_what_does_not_go_together_is_refused(make_table: TableMaker, apply: Make) -> None:
    """Missing crossings, two kinds, two frames, a range too short for its lags; each with what to do."""
    places = _places(make_table, REGULAR)
    fields = _fields(make_table, _passages(REGULAR, 40.0))
    with pytest.raises(ComputeError, match="has 0 of 4 crossings") as caught:
        apply("four_spacecraft_timing", places)
    assert "the option times" in caught.value.hint
    moment = make_table({"size": [1.0]}, kind="events", at_s=[60.0])
    with pytest.raises(ComputeError, match="of one kind, not events and vector"):
        apply("four_spacecraft_timing", {**places, **fields, "crossing2": moment})
    other = _places(make_table, REGULAR, frame="GSM")
    with pytest.raises(ComputeError, match="position1 is in the frame GSE, position3 in GSM"):
        apply("four_spacecraft_timing", {**places, "position3": other["position3"], **fields})
    with pytest.raises(ComputeError, match="lags up to"):
        apply("four_spacecraft_timing", {**places, **fields}, cadence="P1D", longest_lag="PT1S")
    with pytest.raises(InputError, match="times"):
        apply("four_spacecraft_timing", places, times=["2023-01-02"])
