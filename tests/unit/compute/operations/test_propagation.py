"""propagate against planes that a steady or gusty wind carries, by arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
X_KM, R_E_KM = 1_500_000.0, 6371.2


def _inputs(
    make_table: TableMaker, at: Any, speed: Any, *, flow: Any = None, place: Any = (X_KM, 0.0, 0.0)
) -> dict[str, Table]:
    wide = {name: np.full(len(at), each) for name, each in zip("xyz", place, strict=True)}
    series = make_table({"v": at.astype(float)}, at_s=at)  # each sample says when it was measured
    velocity = make_table({"s": np.full(len(at), speed)}, at_s=at, unit="km/s")
    if flow is not None:
        columns = {name: np.full(len(at), each) for name, each in zip(("vx", "vy", "vz"), flow, strict=True)}
        velocity = make_table(columns, at_s=at, unit="km/s", kind="vector", frame="GSE")
    position = make_table(wide, at_s=at, unit="km", kind="vector", frame="GSE")
    return {"series": series, "velocity": velocity, "position": position}


def _delays_s(found: Table) -> Any:
    """How long after its measurement a sample arrived, to one bin."""
    arrived = (found.time - np.datetime64("2023-01-02", "ns")) / np.timedelta64(1, "s")
    return arrived - found.columns["out"]


def test_a_steady_wind_takes_distance_over_speed(make_table: TableMaker, apply: Make) -> None:
    """By the speed alone, and by a flow along -X."""
    at = np.arange(0, 7200, 60)
    for inputs in (_inputs(make_table, at, 500.0), _inputs(make_table, at, 0.0, flow=(-500.0, 0.0, 0.0))):
        found = apply("propagate", inputs, cadence="PT1S")
        np.testing.assert_allclose(_delays_s(found), (X_KM - 14 * R_E_KM) / 500, atol=1.0)
        assert len(found) == len(at)


def test_a_tilted_plane_arrives_with_its_own_delay(make_table: TableMaker, apply: Make) -> None:
    """Planes tilted by 45 deg reach the nose later at a spacecraft beside the line, by its distance from it over the speed."""
    at, beside = np.arange(0, 7200, 60), 200_000.0
    inputs = _inputs(make_table, at, 500.0, place=(X_KM, beside, 0.0))
    found = apply("propagate", inputs, cadence="PT1S", normal=(1.0, 1.0, 0.0))
    np.testing.assert_allclose(_delays_s(found), (X_KM - 14 * R_E_KM + beside) / 500, atol=1.0)
    flat = apply("propagate", inputs, cadence="PT1S")
    np.testing.assert_allclose(_delays_s(flat), (X_KM - 14 * R_E_KM) / 500, atol=1.0)


def test_samples_that_arrive_together_are_averaged(make_table: TableMaker, apply: Make) -> None:
    """Fast wind that overtakes slow: times stay in order, and a bin has the mean of all."""
    at = np.arange(0, 3600, 60)
    inputs = _inputs(make_table, at, np.where(at < 1800, 400.0, 700.0))
    found = apply("propagate", inputs, cadence="PT10M")
    assert (np.diff(found.time) > np.timedelta64(0)).all()
    arrival = at + (X_KM - 14 * R_E_KM) / np.where(at < 1800, 400.0, 700.0)
    for time, value in zip(found.time, found.columns["out"], strict=True):
        start = (time - np.datetime64("2023-01-02", "ns")) / np.timedelta64(1, "s")
        assert value == pytest.approx(at[(arrival >= start) & (arrival < start + 600)].mean())


def test_what_does_not_arrive_is_left_out(make_table: TableMaker, apply: Make) -> None:
    """Downstream of the point, slower than the longest delay allows, along the plane, or without a flow."""
    at = np.arange(0, 3600, 60)
    gone = [
        _inputs(make_table, at, 500.0, place=(-X_KM, 0.0, 0.0)),
        _inputs(make_table, at, 100.0),
        _inputs(make_table, at, 0.0),
        _inputs(make_table, at, np.nan),
        _inputs(make_table, at, 0.0, flow=(-20.0, 500.0, 0.0)),
    ]
    for inputs in gone:
        assert len(apply("propagate", inputs)) == 0


def test_what_cannot_be_is_refused(make_table: TableMaker, apply: Make) -> None:
    """A normal without length, a flow in another frame than the position."""
    at = np.arange(0, 600, 60)
    with pytest.raises(InputError, match="normal has no length"):
        apply("propagate", _inputs(make_table, at, 500.0), normal=(0, 0, 0))
    inputs = _inputs(make_table, at, 0.0, flow=(-500.0, 0.0, 0.0))
    turned = make_table(dict(inputs["position"].columns), at_s=at, unit="km", kind="vector", frame="GSM")
    with pytest.raises(ComputeError, match="velocity is in the frame GSE, position in GSM"):
        apply("propagate", {**inputs, "position": turned})
