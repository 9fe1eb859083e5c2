"""Positions in Earth radii count as kilometres wherever an operation needs kilometres; other radii are not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
RADIUS_KM = 6371.2
AT = [0.0, 60.0, 120.0]


def _place(make_table: TableMaker, unit: str, corner: Any = (5.0, 2.0, 1.0), frame: str = "GSE") -> Table:
    """The same places in R_E or km."""
    size = RADIUS_KM if unit == "km" else 1.0
    rows = size * (np.asarray(corner)[:, None] + 0.001 * np.arange(3.0))
    return make_table(dict(zip("xyz", rows, strict=True)), kind="vector", unit=unit, frame=frame, at_s=AT)


def _cases(make_table: TableMaker, unit: str) -> dict[str, tuple[dict[str, Table], dict[str, Any]]]:
    three = {"v": [400.0, 410.0, 420.0]}
    parts = {"bx": [1.0, 2.0, 3.0], "by": [0.0, 2.0, 1.0], "bz": [-5.0, 2.0, 3.0]}
    field = make_table(parts, kind="vector", frame="GSE", at_s=AT)
    speed, corners = make_table(three, unit="km/s", at_s=AT), 0.02 * np.vstack([np.zeros(3), np.eye(3)])
    four = {f"position{place}": _place(make_table, unit, corner) for place, corner in enumerate(corners, start=1)}
    return {
        "propagate": ({"series": field, "velocity": speed, "position": _place(make_table, unit, (230.0, 9.0, 1.0))}, {}),
        "curlometer": ({**{f"field{place}": field for place in range(1, 5)}, **four}, {"result": "error"}),
        "igrf_field": ({"position": _place(make_table, unit, frame="GEO")}, {}),
        "two_spacecraft_timing": (
            {"position1": four["position1"], "position2": four["position2"]},
            {"times": ["2023-01-02T00:00:10Z", "2023-01-02T00:00:20Z"]},
        ),
        "transform_frame": (
            {"vector": field, "position": _place(make_table, unit, (60.0, 9.0, 1.0))},
            {"to": "RTN", "position_gap": "PT1M"},
        ),
    }


@pytest.mark.parametrize("name", ["propagate", "curlometer", "igrf_field", "two_spacecraft_timing", "transform_frame"])
def test_radii_give_what_kilometres_give(make_table: TableMaker, apply: Make, name: str) -> None:
    """With 6371.2 km to an R_E."""
    (inputs, options), (in_km, _) = _cases(make_table, "R_E")[name], _cases(make_table, "km")[name]
    found, expected = apply(name, inputs, **options), apply(name, in_km, **options)
    assert found.time.tolist() == expected.time.tolist()
    for column in expected.meta.data_names:
        np.testing.assert_allclose(found.columns[column], expected.columns[column], rtol=1e-9, atol=1e-9)


def test_a_position_comes_back_in_its_own_unit(make_table: TableMaker, apply: Make) -> None:
    """Around the Sun in R_E as it is in km, and back around the Earth."""
    near = _place(make_table, "R_E")
    far = apply("transform_frame", {"vector": near}, to="HEE")
    in_km = apply("transform_frame", {"vector": _place(make_table, "km")}, to="HEE")
    back = apply("transform_frame", {"vector": far}, to="GSE")
    assert (far.meta.unit, back.meta.unit) == ("R_E", "R_E")
    for name in "xyz":
        np.testing.assert_allclose(far.columns[name] * RADIUS_KM, in_km.columns[name], rtol=1e-9)
        np.testing.assert_allclose(back.columns[name], near.columns[name], atol=1e-7)


@pytest.mark.parametrize("unit", ["R_S", "R_J"])
def test_other_radii_are_refused(make_table: TableMaker, apply: Make, unit: str) -> None:
    """R_S may be the Sun's or Saturn's."""
    with pytest.raises(ComputeError, match=f"{unit} does not convert to km") as caught:
        apply("igrf_field", {"position": _place(make_table, unit, frame="GEO")})
    assert "scale" in caught.value.hint
