"""The list of operations, and what all of them promise."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import UNKNOWN_META, get_operation, operations
from helio_dagster.compute.operations.examples import example_failures
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from tests.every import every

WIDE = TimeRange(EARLIEST, LATEST)


def _each() -> dict[str, tuple[Any]]:
    return {operation.id: (operation,) for operation in operations()}


def _examples() -> dict[str, tuple[Any, Any]]:
    return {
        f"{operation.id}-{place}": (operation, example)
        for operation in operations()
        for place, example in enumerate(operation.examples)
    }


def _given(operation: Any) -> Any:
    """Inputs and checked options of the operation's first example."""
    example = operation.examples[0]
    return {name: table.table() for name, table in example.inputs.items()}, operation.read_options(example.options)


def _is_of_events(operation: Any) -> bool:
    return all(demanded.kinds == ("events",) for demanded in operation.inputs.values())


def test_the_registered_operations() -> None:
    """Their ids are part of the file format; no two are the same, and none may go."""
    found = [operation.id for operation in operations()]
    assert len(set(found)) == len(found)
    assert found[:7] == ["magnitude", "component", "rolling_mean", "resample", "difference", "ratio", "scale"]
    assert [operation.version for operation in operations()[:7]] == [1, 1, 1, 2, 1, 1, 1]


def test_a_misspelt_id_gets_the_nearest() -> None:
    """By name."""
    with pytest.raises(InputError, match="magnitud") as caught:
        get_operation("magnitud")
    assert "magnitude" in caught.value.hint


@pytest.mark.slow
def test_the_list_is_had_without_scipy() -> None:
    """Commands that only look at pipelines must start fast."""
    code = "import sys, helio_dagster.compute.operation; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@every(_each)
def test_each_says_what_it_does_and_when_to_use_it(operation: Any) -> None:
    """It is what help and schema print."""
    for text in (operation.summary, operation.when, operation.reference, operation.output, operation.origin):
        assert text
    assert operation.version >= 1
    assert operation.examples
    for demanded in operation.inputs.values():
        assert demanded.kinds
        assert demanded.meaning
    for name in operation.options.model_fields:
        assert operation.options.meaning(name)


@every(_examples)
def test_examples_come_out_as_they_say(operation: Any, example: Any) -> None:
    """Values, unit and times."""
    assert example_failures(operation, example) == []
    assert example.source


def test_an_example_that_does_not_come_out_is_told() -> None:
    """With what came out instead: a wrong value, unit, column or time each."""
    operation = get_operation("magnitude")
    example = operation.examples[0]
    for change, said in (
        ({"expected": {"result": (13.1, None)}}, "result is"),
        ({"expected": {"result": (13, 1)}}, "result is"),
        ({"expected": {"other": (13, 1)}}, "no column 'other'"),
        ({"unit": "km"}, "the unit is 'nT'"),
        ({"seconds": (0, 61)}, "the times are"),
    ):
        assert said in " ".join(example_failures(operation, example.model_copy(update=change))), change


@every(_each)
def test_a_window_without_files_stays_without_columns(operation: Any) -> None:
    """No data is a true answer: the result is empty, not an error, and the synthetic mark stays."""
    _, options = _given(operation)
    unknown = Table.empty(UNKNOWN_META.model_copy(update={"synthetic": True}))
    result = operation.apply(dict.fromkeys(operation.inputs, unknown), options, WIDE, "s")
    assert (result.status, result.meta.columns, result.meta.synthetic) == ("empty", (), True)


@every(_each)
def test_a_window_without_records_gives_the_typed_result(operation: Any) -> None:
    """Columns, unit and frame are those that data would have."""
    inputs, options = _given(operation)
    empty = {name: Table.empty(table.meta, dict.fromkeys(table.columns, "float32")) for name, table in inputs.items()}
    result, filled = (operation.apply(tables, options, WIDE, "s") for tables in (empty, inputs))
    assert (len(result), result.meta) == (0, filled.meta)
    assert {values.dtype for values in result.columns.values()} == {values.dtype for values in filled.columns.values()}
    times = {np.dtype("datetime64[ns]")} if filled.meta.kind in ("facts", "events") else set()
    names = {"count", *(column.name for column in filled.meta.columns if column.role == "count")}
    counts = {values.dtype for name, values in filled.columns.items() if name in names}
    assert counts - {np.dtype("float64")} <= {np.dtype("int64")}
    assert {values.dtype for values in filled.columns.values()} - times - counts <= {np.dtype("float64")}


def _columns_of(meta: TableMeta, names: Collection[str]) -> tuple[ColumnMeta, ...]:
    return tuple(column for column in meta.columns if column.name in names)


@every(_each)
def test_other_inputs_than_the_first_may_be_missing_or_empty(operation: Any) -> None:
    """Where a partition of one has no files or no records, the result is empty or holds no valid value."""
    inputs, options = _given(operation)
    first = next(iter(inputs))
    if _is_of_events(operation):  # a list without events says that there are none
        return
    for other in [name for name in inputs if name != first]:
        is_of_numbers = operation.is_of_window or "events" in operation.inputs[first].kinds
        if is_of_numbers and operation.inputs[other].is_optional:  # only some of its numbers need it
            continue
        for absent in (Table.empty(UNKNOWN_META), Table.empty(inputs[other].meta)):
            result = operation.apply({**inputs, other: absent}, options, WIDE, "s")
            if result.meta.kind == "events" and len(result):  # the list's own columns stay
                own = {name: result.columns[name] for name in result.columns if name not in inputs[first].columns}
                result = Table(result.time, own, result.meta.model_copy(update={"columns": _columns_of(result.meta, own)}))
            assert result.status in ("empty", "all_fill"), (other, absent.meta.columns)


@every(_each)
def test_fills_alone_give_fills_alone(operation: Any) -> None:
    """A NaN never counts: where every value is one, no value of the result is valid."""
    if _is_of_events(operation):  # what counts of them are their times
        return
    inputs, options = _given(operation)
    filled = {
        name: Table(table.time, {key: np.full(values.shape, np.nan) for key, values in table.columns.items()}, table.meta)
        for name, table in inputs.items()
    }
    assert operation.apply(filled, options, WIDE, "s").status in ("empty", "all_fill")


@every(_each)
def test_metadata_are_known_before_anything_runs(operation: Any) -> None:
    """`result_meta` says what `apply` gives."""
    inputs, options = _given(operation)
    expected = operation.result_meta({name: table.meta for name, table in inputs.items()}, options, "s")
    assert operation.apply(inputs, options, WIDE, "s").meta == expected
    assert expected.columns


@every(_each)
def test_misnamed_inputs_are_refused(operation: Any) -> None:
    """A missing one and one too many, each with the names there are."""
    inputs, options = _given(operation)
    with pytest.raises(InputError, match="needs the input"):
        operation.result_meta({}, options)
    metas = {name: table.meta for name, table in inputs.items()}
    with pytest.raises(InputError, match="no input 'other'"):
        operation.result_meta({**metas, "other": metas[next(iter(metas))]}, options)


@every(_each)
def test_inputs_of_another_kind_unit_or_frame_are_refused(operation: Any) -> None:
    """Before anything runs, with what to do."""
    example = max(operation.examples, key=lambda each: len(each.inputs))
    metas = {name: table.table().meta for name, table in example.inputs.items()}
    options = operation.read_options(example.options)
    for name, demanded in operation.inputs.items():
        if name not in metas:  # it may be left out, and no example has it
            column = ColumnMeta(name=name, unit=demanded.unit or "")
            metas[name] = TableMeta(kind=demanded.kinds[0], columns=(column,), unit=column.unit)
        wrong: list[dict[str, Any]] = []
        if "events" not in demanded.kinds:
            wrong.append({"kind": "events"})
        if demanded.unit is not None:
            for unit in ("furlong", "") if demanded.unit else ("furlong",):
                columns = tuple(column.model_copy(update={"unit": unit}) for column in metas[name].columns)
                wrong.append({"unit": unit, "columns": columns})
        if demanded.frames:
            wrong.append({"frame": "RTN"})
        for change in wrong:
            with pytest.raises(ComputeError) as caught:
                operation.result_meta({**metas, name: metas[name].model_copy(update=change)}, options)
            assert caught.value.hint


@every(_each)
def test_inputs_are_left_as_they_were(operation: Any) -> None:
    """Arrays are shared between steps; nobody writes into them."""
    inputs, options = _given(operation)
    for table in inputs.values():
        for values in (table.time, *table.columns.values()):
            values.setflags(write=False)
    operation.apply(inputs, options, WIDE, "s")
