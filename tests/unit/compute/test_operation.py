"""The list of operations, and what all of them promise."""

from __future__ import annotations

import pytest

from helio_dagster.compute.operation import UNKNOWN_META, get_operation, operations
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table

NEEDED = {
    "component": {"component": "x"},
    "rolling_mean": {"window": "PT10M"},
    "resample": {"cadence": "PT1M"},
}


def _each():
    return [pytest.param(operation, id=operation.id) for operation in operations()]


def test_the_registered_operations():
    """Their ids are part of the file format."""
    found = [operation.id for operation in operations()]
    assert found == ["magnitude", "component", "rolling_mean", "resample", "difference", "ratio", "scale"]


def test_a_misspelt_id_gets_the_nearest():
    """By name."""
    with pytest.raises(InputError, match="magnitud") as caught:
        get_operation("magnitud")
    assert "magnitude" in caught.value.hint


@pytest.mark.parametrize("operation", _each())
def test_each_has_summary_reference_and_described_options(operation):
    """They are what help and schema print."""
    assert operation.summary
    assert operation.reference
    assert operation.version >= 1
    for field in operation.options.model_fields.values():
        assert field.description


@pytest.mark.parametrize("operation", _each())
def test_a_window_without_files_stays_without_columns(operation, day):
    """No data is a true answer: the result is empty, not an error, and the synthetic mark stays."""
    options = operation.read_options(NEEDED.get(operation.id, {}))
    unknown = Table.empty(UNKNOWN_META.model_copy(update={"synthetic": True}))
    result = operation.apply(dict.fromkeys(operation.inputs, unknown), options, day, "s")
    assert (result.status, result.meta.columns, result.meta.synthetic) == ("empty", (), True)


@pytest.mark.parametrize("operation", _each())
def test_a_window_without_records_gives_the_typed_result(operation, vector, day):
    """Columns, unit and frame are those that data would have."""
    options = operation.read_options(NEEDED.get(operation.id, {}))
    inputs = dict.fromkeys(operation.inputs, vector)
    empty = dict.fromkeys(operation.inputs, Table.empty(vector.meta, dict.fromkeys(vector.columns, "float32")))
    result, filled = (operation.apply(tables, options, day, "s") for tables in (empty, inputs))
    assert (len(result), result.meta) == (0, filled.meta)
    assert {values.dtype for values in result.columns.values()} == {values.dtype for values in filled.columns.values()}


@pytest.mark.parametrize("operation", _each())
def test_metadata_are_known_before_anything_runs(operation, vector, day):
    """`result_meta` says what `apply` gives."""
    options = operation.read_options(NEEDED.get(operation.id, {}))
    inputs = dict.fromkeys(operation.inputs, vector)
    expected = operation.result_meta({name: table.meta for name, table in inputs.items()}, options, "s")
    assert operation.apply(inputs, options, day, "s").meta == expected


@pytest.mark.parametrize("operation", _each())
def test_misnamed_inputs_are_refused(operation, vector):
    """A missing one and one too many, each with the names there are."""
    options = operation.read_options(NEEDED.get(operation.id, {}))
    with pytest.raises(InputError, match="needs the input"):
        operation.result_meta({}, options)
    metas = dict.fromkeys(operation.inputs, vector.meta)
    with pytest.raises(InputError, match="no input 'other'"):
        operation.result_meta({**metas, "other": vector.meta}, options)


@pytest.mark.parametrize("operation", _each())
def test_inputs_are_left_as_they_were(operation, vector, day):
    """Arrays are shared between steps; nobody writes into them."""
    before = {name: values.copy() for name, values in vector.columns.items()}
    options = operation.read_options(NEEDED.get(operation.id, {}))
    operation.apply(dict.fromkeys(operation.inputs, vector), options, day, "s")
    assert all(before[name].tobytes() == vector.columns[name].tobytes() for name in before)
