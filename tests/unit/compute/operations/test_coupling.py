"""Coupling functions against each other and the operations they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]


@pytest.fixture(scope="module")
def wind(make_table: TableMaker) -> Any:
    """Eighty minutes of solar wind."""
    draw = np.random.default_rng(6)
    b = dict(zip(("bx", "by", "bz"), draw.normal(scale=8, size=(3, 80)), strict=True))
    return {
        "speed": make_table({"v": draw.uniform(300, 900, 80)}, unit="km/s"),
        "field": make_table(b, kind="vector", unit="nT", frame="GSM"),
        "pressure": make_table({"p": draw.uniform(0.5, 20, 80)}, unit="nPa"),
    }


def test_the_merging_field_is_the_mean_of_size_and_southward_part(wind: Any, make_table: TableMaker, apply: Make) -> None:
    """sin^2(theta / 2) = (1 - cos theta) / 2: half of V B_T and half of the dawn-dusk electric field."""
    found = apply("kan_lee_electric_field", {name: wind[name] for name in ("speed", "field")}).columns["out"]
    bz = make_table({"bz": wind["field"].columns["bz"]}, unit="nT", frame="GSM")
    dusk = apply("dawn_dusk_electric_field", {"speed": wind["speed"], "bz": bz}).columns["out"]
    across = np.hypot(wind["field"].columns["by"], wind["field"].columns["bz"])
    np.testing.assert_allclose(found, (wind["speed"].columns["v"] * across * 1e-3 + dusk) / 2, rtol=1e-9)


def test_boynton_and_newell_depend_on_the_same_angle(wind: Any, apply: Make) -> None:
    """Where they are known, their quotient gives sin^(10/3) of half the clock angle."""
    boynton = apply("boynton_coupling", wind).columns["out"]
    newell = apply("newell_coupling", {name: wind[name] for name in ("speed", "field")}).columns["out"]
    clock = np.radians(apply("direction", {"vector": wind["field"]}, angle="clock").columns["out"])
    by, bz = wind["field"].columns["by"], wind["field"].columns["bz"]
    quotient = boynton / newell / np.sqrt(wind["pressure"].columns["p"]) / np.cbrt(np.hypot(by, bz))
    np.testing.assert_allclose(quotient, np.abs(np.sin(clock / 2)) ** (10 / 3), rtol=1e-9)


def test_the_correction_vanishes_at_its_usual_pressure(make_table: TableMaker, apply: Make) -> None:
    """Where b sqrt(P) = c, 2.3 nPa and 1.6 nPa, Dst* is Dst."""
    dst = make_table({"dst": [-80.0]}, unit="nT")
    for correction, b, c in (("obrien_mcpherron", 7.26, 11.0), ("burton", 15.8, 20.0)):
        pressure = make_table({"p": [(c / b) ** 2]}, unit="nPa")
        found = apply("pressure_corrected_dst", {"dst": dst, "pressure": pressure}, correction=correction).columns["out"]
        assert found[0] == pytest.approx(-80, rel=1e-12)
