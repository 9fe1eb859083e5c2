"""A HAPI parameter whose records have several axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import CorruptFile, InputError
from helio_dagster.domain.records import axis_widths, record_values
from tests.unit.archives.hapi.test_tables import SCALAR, TIMES, csv, header, read

PITCH: dict[str, Any] = {"name": "pitch", "units": "deg", "ranges": [[0, 60], [60, 120], [120, 180]]}
FLUX: dict[str, Any] = {**SCALAR, "name": "J", "size": [3, 1, 2], "units": "cm-2", "label": "Flux"}


def test_two_axes_stay_two() -> None:
    """Centers of ranges, whose widths are theirs; an axis of one bin does not count; one without numbers counts from 1."""
    parameter = {**FLUX, "bins": [PITCH, {"name": "one", "units": "", "centers": [1]}, {"name": "energy", "units": "eV"}]}
    table = read(header(parameter) + csv([[TIMES[0], 1, 2, 3, 4, 5, -1e31]]), "J")
    pitch, energy = table.meta.axes
    assert (table.meta.kind, table.meta.shape, table.meta.data_names, table.meta.label) == ("nd", (3, 2), ("J",), "Flux")
    np.testing.assert_array_equal(record_values(table), [[[1, 2], [3, 4], [5, np.nan]]])
    assert (pitch.values, pitch.widths, pitch.unit) == ((30.0, 90.0, 150.0), (60.0, 60.0, 60.0), "deg")
    assert energy.values == (1.0, 2.0)


def test_bins_that_vary_are_a_column() -> None:
    """They are asked for with the parameter, and must be in the answer."""
    parameter = {
        **FLUX,
        "bins": [PITCH, {"name": "one", "units": "", "centers": [1]}, {"name": "e", "units": "eV", "centers": "E"}],
    }
    energies = {**SCALAR, "name": "E", "size": [2], "units": "eV"}
    table = read(header(energies, parameter) + csv([[TIMES[0], 10, 100, *range(6)], [TIMES[1], 20, 200, *range(6)]]), "J")
    axis = table.meta.axes[1]
    assert (axis.name, axis.column, table.meta.bin_names) == ("E", "E", ("E",))
    np.testing.assert_array_equal(table.columns["E"], [[10, 100], [20, 200]])
    np.testing.assert_array_equal(axis_widths(table, axis), [[90, 90], [180, 180]])
    with pytest.raises(CorruptFile, match="the bins of J are not in the answer"):
        read(header(parameter) + csv([[TIMES[0], *range(6)]]), "J")


def test_records_larger_than_any_should_be_are_refused() -> None:
    """Before a value is read."""
    with pytest.raises(InputError, match="300 x 300 values a record, more than the 65536"):
        read(header({**FLUX, "size": [300, 300], "bins": [{"name": "a", "centers": list(range(300))}]}), "J")
