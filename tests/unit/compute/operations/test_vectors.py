"""Magnitude and component."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import ColumnMeta, Table
from helio_dagster.domain.time_range import TimeRange
from tests.unit.compute.conftest import TableMaker


def _apply(operation_id: str, inputs: Any, window: TimeRange, **options: Any) -> Any:
    operation = get_operation(operation_id)
    return operation.apply(inputs, operation.read_options(options), window, "result")


def test_magnitude_is_the_euclidean_norm(vector: Table, day: TimeRange) -> None:
    """Values equal numpy's norm in float64; a fill in any component gives NaN."""
    result = _apply("magnitude", {"vector": vector}, day)
    stacked = np.stack([np.asarray(values, dtype=float) for values in vector.columns.values()])
    np.testing.assert_allclose(result.columns["result"], np.linalg.norm(stacked, axis=0), rtol=1e-15)
    assert result.columns["result"][0] == 13.0
    assert result.columns["result"].dtype == np.float64


def test_magnitude_is_a_series_in_the_unit_of_its_vector_without_a_frame(vector: Table, day: TimeRange) -> None:
    """The step names the column; unit and synthetic mark stay, the frame goes, the label is |B|."""
    meta = _apply("magnitude", {"vector": vector}, day).meta
    assert (meta.kind, meta.data_names, meta.unit, meta.frame) == ("series", ("result",), "nT", None)
    assert (meta.columns[0].unit, meta.label, meta.synthetic) == ("nT", "|B|", True)


def test_magnitude_of_a_vector_with_its_total_leaves_the_total_out(make_table: TableMaker, day: TimeRange) -> None:
    """Of bx, by, bz, bt (MMS) the first three count."""
    table = make_table({"bx": [3.0], "by": [4.0], "bz": [0.0], "bt": [5.1]}, kind="vector")
    assert _apply("magnitude", {"vector": table}, day).columns["result"][0] == 5.0


def test_magnitude_refuses_four_components_without_a_total(make_table: TableMaker, day: TimeRange) -> None:
    """A quaternion is not a vector in space."""
    table = make_table({f"q_{axis}": [1.0] for axis in "xyzw"}, kind="vector")
    with pytest.raises(ComputeError, match="three components, not 4"):
        _apply("magnitude", {"vector": table}, day)


def test_magnitude_refuses_components_of_different_units(vector: Table, day: TimeRange) -> None:
    """Radius, latitude and longitude have no Euclidean norm."""
    columns = (*vector.meta.columns[:2], ColumnMeta(name="bz", unit="deg"))
    table = Table(vector.time, vector.columns, vector.meta.model_copy(update={"columns": columns}))
    with pytest.raises(ComputeError, match="different units"):
        _apply("magnitude", {"vector": table}, day)


def test_magnitude_refuses_a_series(make_table: TableMaker, day: TimeRange) -> None:
    """Its input is a vector."""
    with pytest.raises(ComputeError, match="takes vector"):
        _apply("magnitude", {"vector": make_table({"v": [1.0]})}, day)


@pytest.mark.parametrize("wanted", ["by", "By GSE", "BY", "y", "Y", 1, "1"])
def test_component_is_found_by_name_label_axis_or_position(vector: Table, day: TimeRange, wanted: Any) -> None:
    """All these name the second component."""
    result = _apply("component", {"vector": vector}, day, component=wanted)
    np.testing.assert_array_equal(result.columns["result"], [4.0, 2.0, np.nan])


def test_component_keeps_unit_frame_and_label(vector: Table, day: TimeRange) -> None:
    """A component of a GSE vector is still tied to GSE."""
    meta = _apply("component", {"vector": vector}, day, component="z").meta
    assert (meta.kind, meta.unit, meta.frame, meta.label) == ("series", "nT", "GSE", "Bz GSE")


@pytest.mark.parametrize("wanted", ["r", "br", "bxx", 3, ""])
def test_component_that_is_not_there_is_an_error_that_lists_the_columns(vector: Table, day: TimeRange, wanted: Any) -> None:
    """Nothing is guessed."""
    with pytest.raises(InputError) as caught:
        _apply("component", {"vector": vector}, day, component=wanted)
    assert "bx, by, bz" in caught.value.hint


def test_a_vector_is_composed_of_three_series(make_table: TableMaker, day: TimeRange) -> None:
    """Names, labels, unit and frame of the components; taken apart again it gives them back."""
    parts = {name: make_table({f"b{axis}": [value, value + 1]}) for name, axis, value in _COMPONENTS}
    vector = _apply("compose_vector", parts, day, frame="GSE")
    assert (vector.meta.kind, vector.meta.data_names, vector.meta.unit, vector.meta.frame) == (
        "vector",
        ("bx", "by", "bz"),
        "nT",
        "GSE",
    )
    for name, axis, _ in _COMPONENTS:
        again = _apply("component", {"vector": vector}, day, component=axis)
        np.testing.assert_array_equal(again.columns["result"], parts[name].columns[f"b{axis}"])
    assert _apply("magnitude", {"vector": vector}, day).columns["result"][0] == 13.0


_COMPONENTS = (("first", "x", 3.0), ("second", "y", 4.0), ("third", "z", 12.0))


def test_components_in_two_units_are_no_vector(make_table: TableMaker, day: TimeRange) -> None:
    """Nanotesla beside kilometres per second."""
    parts = {name: make_table({f"b{axis}": [value]}) for name, axis, value in _COMPONENTS}
    parts["second"] = make_table({"v": [1.0]}, unit="km/s")
    with pytest.raises(ComputeError, match="one unit, not nT, km/s, nT"):
        _apply("compose_vector", parts, day)


@pytest.mark.parametrize(("first", "others"), [("GSE", "GSM"), ("GSM", "GSE")])
def test_x_is_the_same_in_gse_and_gsm(make_table: TableMaker, day: TimeRange, first: str, others: str) -> None:
    """OMNI stores BX_GSE, BY_GSM and BZ_GSM: the vector is in GSM."""
    frames = {"first": first, "second": others, "third": others}
    parts = {name: make_table({f"b{axis}": [value]}, frame=frames[name]) for name, axis, value in _COMPONENTS}
    assert _apply("compose_vector", parts, day).meta.frame == others
    parts["third"] = make_table({"bz": [12.0]}, frame=first)
    with pytest.raises(ComputeError, match="one frame"):
        _apply("compose_vector", parts, day)


def test_components_in_two_frames_are_no_vector(make_table: TableMaker, day: TimeRange) -> None:
    """By in GSM beside Bx in GSE; and what is known to be in another frame than is said."""
    parts = {name: make_table({f"b{axis}": [value]}, frame="GSE") for name, axis, value in _COMPONENTS}
    with pytest.raises(ComputeError, match="one frame, not RTN and GSE"):
        _apply("compose_vector", parts, day, frame="RTN")
    parts["second"] = make_table({"by": [4.0]}, frame="GSM")
    with pytest.raises(ComputeError, match="one frame, not GSE and GSM"):
        _apply("compose_vector", parts, day)


def test_a_component_without_a_record_leaves_a_gap(make_table: TableMaker, day: TimeRange) -> None:
    """At the times of the first: what the others lack is not made up."""
    parts = {name: make_table({f"b{axis}": [value, value]}) for name, axis, value in _COMPONENTS}
    third = parts["third"]
    parts["third"] = Table(third.time[:1], {"bz": third.columns["bz"][:1]}, third.meta)
    vector = _apply("compose_vector", parts, day)
    np.testing.assert_array_equal(vector.columns["bz"], [12.0, np.nan])
