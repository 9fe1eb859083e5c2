"""What tests of operations share: an operation applied to tables, and plasmapy, which must not look for the network."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange

Apply = Callable[..., Table]


def _apply(operation_id: str, inputs: dict[str, Table], /, **options: Any) -> Table:
    operation = get_operation(operation_id)
    return operation.apply(inputs, operation.read_options(options), TimeRange(EARLIEST, LATEST), "out")


@pytest.fixture(scope="session")
def apply() -> Apply:
    """Applies an operation, by its id, to named tables; the result's column is called `out`."""
    return _apply


@pytest.fixture(scope="session")
def formulary() -> Iterator[ModuleType]:
    """The formulas of plasmapy, which asks a web service when it is imported: here a closed port on the loopback answers."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTPS_PROXY", "https_proxy"):
            patch.setenv(name, "http://127.0.0.1:9")
        for name in ("NO_PROXY", "no_proxy"):
            patch.delenv(name, raising=False)
        yield importlib.import_module("plasmapy.formulary")


@pytest.fixture(scope="session")
def windowed() -> Callable[..., dict[str, Any]]:
    """Applies an operation of a whole window to the first two minutes of 2023-01-02; its facts by name."""
    start = datetime(2023, 1, 2, tzinfo=UTC)

    def facts(operation_id: str, inputs: dict[str, Table], /, **options: Any) -> dict[str, Any]:
        operation = get_operation(operation_id)
        window = TimeRange(start, start + timedelta(minutes=2))
        found = operation.apply(inputs, operation.read_options(options), window, "out")
        return {name: values[0] for name, values in found.columns.items()}

    return facts
