"""Numbers that a geometry leaves open are missing, and the result says why; others say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply
from tests.unit.compute.operations.made_up_shock import shock_tables

AT_S = np.arange(0, 1200, 10.0)
TETRAHEDRON = ((0, 0, 0), (10, 0, 0), (0, 10, 0), (0, 0, 10))
PLANE = ((0, 0, 0), (10, 0, 0), (0, 10, 0), (10, 10, 0))
LINE = ((0, 0, 0), (10, 0, 0), (20, 0, 0), (30, 0, 0))
ONE_PLACE = ((0, 0, 0),) * 4


def said(table: Table) -> list[str]:
    """What a result says of itself."""
    return list(table.meta.attributes.get(WARNINGS, []))


def vector(make_table: TableMaker, *components: Any, unit: str = "nT") -> Table:
    """A vector in GSE at all times; numbers stand for what is constant."""
    columns = {name: np.broadcast_to(each, AT_S.shape).astype(float) for name, each in zip("xyz", components, strict=True)}
    return make_table(columns, at_s=AT_S, kind="vector", unit=unit, frame="GSE")


def four(make_table: TableMaker, places: tuple[tuple[float, ...], ...]) -> dict[str, Table]:
    """Fields and positions of four spacecraft."""
    found: dict[str, Table] = {}
    for number, place in enumerate(places, start=1):
        found[f"field{number}"] = vector(make_table, np.sin(AT_S / 300 + number), np.cos(AT_S / 200), 1.0 * number)
        found[f"position{number}"] = vector(make_table, *(50_000.0 + each for each in place), unit="km")
    return found


@pytest.mark.parametrize(
    ("places", "words"),
    [(TETRAHEDRON, ""), (PLANE, "planarity 1.000"), (LINE, "elongation 1.000"), (ONE_PLACE, "in one place")],
)
def test_spacecraft_that_are_no_tetrahedron_are_named(apply: Apply, make_table: TableMaker, places: Any, words: str) -> None:
    """The current is missing at all times; timing is refused with the same words."""
    inputs = four(make_table, places)
    current = apply("curlometer", inputs)
    assert np.isnan(current.columns["jx"]).all() == bool(words)
    assert [words in each for each in said(current)] == ([True] if words else [])
    places_alone = {name: table for name, table in inputs.items() if name.startswith("position")}
    if words:
        with pytest.raises(ComputeError, match=words):
            apply("four_spacecraft_timing", places_alone, times=[f"2023-01-02T00:10:0{second}Z" for second in range(4)])


def test_a_plane_for_a_while_says_nothing_of_the_rest(apply: Apply, make_table: TableMaker) -> None:
    """Results that are known at some times need no reason."""
    inputs = four(make_table, TETRAHEDRON)
    inputs["position4"] = vector(make_table, 50_000.0, 50_000.0, 50_000.0 + 10 * (AT_S > 600), unit="km")
    current = apply("curlometer", inputs)
    assert np.isnan(current.columns["jx"]).any()
    assert said(current) == []


@pytest.mark.parametrize(
    ("components", "is_open"),
    [((5, 1, 0), True), ((np.sin(AT_S / 300), 0, 0), True), ((np.sin(AT_S / 300), np.cos(AT_S / 100), 0), False)],
)
def test_a_field_that_varies_along_one_line_has_no_normal(
    apply: Apply, make_table: TableMaker, components: Any, is_open: bool
) -> None:
    """Rounding would choose one: it is missing, and the result says why. In a plane the normal is known."""
    found = apply("minimum_variance_frame", {"vector": vector(make_table, *components)})
    assert np.isnan(found.columns["normal_z"][0]) == is_open
    assert [each.startswith("the normal is open") for each in said(found)] == ([True] if is_open else [])
    if not is_open:
        assert abs(found.columns["normal_z"][0]) == pytest.approx(1)


@pytest.mark.parametrize(("method", "is_known"), [("magnetic", False), ("mixed_3", False), ("velocity", True)])
def test_a_parallel_shock_names_the_method_that_has_a_normal(
    apply: Apply, make_table: TableMaker, method: str, is_known: bool
) -> None:
    """With the field along the normal only the change of velocity tells it."""
    is_after = AT_S > 600
    inputs = {
        "field": vector(make_table, 5, 0, 0),
        "velocity": vector(make_table, np.where(is_after, -550, -400), 0, 0, unit="km/s"),
        "density": make_table({"n": np.where(is_after, 15.0, 5.0)}, at_s=AT_S, unit="cm^-3"),
    }
    found = apply("shock_parameters", inputs, method=method, time="2023-01-02T00:10:05Z")
    assert np.isfinite(found.columns["normal_x"][0]) == is_known
    assert ["method: velocity" in each for each in said(found)] == ([] if is_known else [True])
    times = make_table({"type": np.ones(1)}, at_s=np.array([605.0]), kind="events")
    of_events = apply("shock_parameters_of_events", {"events": times, **inputs}, method=method)
    assert [each.startswith("of a shock there is no normal") for each in said(of_events)] == ([] if is_known else [True])


def test_a_shock_and_a_sheet_with_all_their_numbers_say_nothing(apply: Apply, make_table: TableMaker) -> None:
    """Nothing is missing, so there is no reason to give."""
    tables, _, _ = shock_tables(make_table, 45, 3)
    assert said(apply("shock_parameters", tables, time="2023-01-02T00:10:00Z")) == []
    turning = vector(make_table, 10 * np.tanh((AT_S - 600) / 60), 10 / np.cosh((AT_S - 600) / 60), 2)
    flow = vector(make_table, 100 + 5 * np.tanh((AT_S - 600) / 60), 20, 30, unit="km/s")
    assert said(apply("dehoffmann_teller", {"velocity": flow, "field": turning})) == []
    one_line = vector(make_table, 5, 0, 0)
    [why] = said(apply("dehoffmann_teller", {"velocity": flow, "field": one_line}))
    assert "one line" in why


@pytest.mark.parametrize(("second", "is_across"), [((0, 10, 0), True), ((10, 10, 0), False)])
def test_spacecraft_side_by_side_tell_little_of_a_speed(
    apply: Apply, make_table: TableMaker, second: Any, is_across: bool
) -> None:
    """The separation along the normal, -X, is what the speed is made of."""
    inputs = {
        "position1": vector(make_table, 0, 0, 0, unit="km"),
        "position2": vector(make_table, *second, unit="km"),
    }
    times = ["2023-01-02T00:10:00Z", "2023-01-02T00:10:20Z"]
    found = apply("two_spacecraft_timing", inputs, times=times, normal=[-1, 0, 0])
    assert ["across the normal" in each for each in said(found)] == ([True] if is_across else [])
