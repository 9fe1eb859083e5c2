"""Operations of a whole window: one result at its start, made of what lies inside it and of nothing else."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import operations
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

OF_A_WINDOW = [pytest.param(operation, id=operation.id) for operation in operations() if operation.is_of_window]


def _outcome(operation: Any, inputs: dict[str, Table], window: TimeRange) -> Any:
    options = operation.read_options(operation.examples[0].options)
    try:
        result = operation.apply(inputs, options, window, "s")
    except ComputeError as error:
        return error.problem
    return result.time.tobytes(), {name: values.tobytes() for name, values in result.columns.items()}


@pytest.mark.parametrize("operation", OF_A_WINDOW)
def test_what_lies_outside_the_window_does_not_count(operation: Any) -> None:
    """Given more than the window, an operation gives the same bytes; and its halo asks for nothing more."""
    example = operation.examples[0]
    inputs = {name: table.table() for name, table in example.inputs.items()}
    start = next(iter(example.inputs.values())).start.replace(tzinfo=UTC)
    last = max(table.time[-1] for table in inputs.values()) - np.datetime64(start.replace(tzinfo=None), "ns")
    for share in (0.3, 0.6, 0.9):
        length = timedelta(microseconds=int(last / np.timedelta64(1, "us") * share) + 1)
        window = TimeRange(start, start + length)
        clipped = {name: table.clip(window) for name, table in inputs.items()}
        assert _outcome(operation, inputs, window) == _outcome(operation, clipped, window)
    assert operation.halo(operation.read_options(example.options)) == (timedelta(0), timedelta(0))


@pytest.mark.parametrize("operation", OF_A_WINDOW)
def test_results_stand_at_the_start_of_the_window(operation: Any) -> None:
    """All rows of curves and facts; facts say where the window stops. Points keep the times of their samples."""
    example = operation.examples[0]
    inputs = {name: table.table() for name, table in example.inputs.items()}
    start = next(iter(example.inputs.values())).start.replace(tzinfo=UTC)
    window = TimeRange(start, start + timedelta(days=2))
    result = operation.apply(inputs, operation.read_options(example.options), window, "s")
    assert len(result)
    if result.meta.kind != "points":
        assert set(result.time) == {window.bounds_ns()[0]}
    if result.meta.kind == "facts":
        assert result.columns["stop"].tolist() == [window.bounds_ns()[1].astype("datetime64[ns]").astype(int)]
    if result.meta.kind == "curve":
        axis = result.columns[result.meta.axis_name]
        assert (np.diff(axis) > 0).all()
        assert result.meta.bins is not None
