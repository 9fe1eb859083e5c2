"""Coupling functions against each other and the operations they are made of."""

from __future__ import annotations

import importlib
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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of spacepy, about leap seconds that it has not fetched
@pytest.mark.parametrize(("correction", "model"), [("obrien_mcpherron", "OBrien"), ("burton", "Burton")])
def test_the_correction_is_that_of_spacepy(correction: str, model: str, make_table: TableMaker, apply: Make) -> None:
    """Its getDststar has the constants of both papers."""
    empiricals = importlib.import_module("spacepy.empiricals")
    draw = np.random.default_rng(9)
    dst, pressure = draw.normal(-40, 60, 50), draw.uniform(0.3, 40, 50)
    inputs = {"dst": make_table({"d": dst}, unit="nT"), "pressure": make_table({"p": pressure}, unit="nPa")}
    found = apply("pressure_corrected_dst", inputs, correction=correction).columns["out"]
    np.testing.assert_allclose(found, empiricals.getDststar({"Pdyn": pressure, "Dst": dst}, model=model), rtol=1e-12)


def test_the_published_forms_of_the_functions(make_table: TableMaker, apply: Make) -> None:
    """Newell 2007, Boynton 2011 and Kan and Lee 1979 as their abstracts and texts write them, for one oblique field."""
    v, p, by, bz = 520.0, 3.1, -6.0, -4.0
    inputs = {
        "speed": make_table({"v": [v]}, unit="km/s"),
        "field": make_table({"bx": [9.0], "by": [by], "bz": [bz]}, kind="vector", unit="nT", frame="GSM"),
    }
    half, across = np.arccos(bz / np.hypot(by, bz)) / 2, np.hypot(by, bz)
    pressure = {"pressure": make_table({"p": [p]}, unit="nPa")}
    for name, given, expected in (
        ("newell_coupling", inputs, v ** (4 / 3) * across ** (2 / 3) * np.sin(half) ** (8 / 3)),
        ("boynton_coupling", inputs | pressure, p**0.5 * v ** (4 / 3) * across * np.sin(half) ** 6),
        ("kan_lee_electric_field", inputs, v * across * np.sin(half) ** 2 * 1e-3),
    ):
        assert apply(name, given).columns["out"][0] == pytest.approx(expected, rel=1e-12)
