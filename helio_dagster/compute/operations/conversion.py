"""Values brought to another unit of the same quantity."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic import field_validator

from helio_dagster.compute.operations.columns import floats, like_meta
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.unit_conversion import conversion_factor, convert_values
from helio_dagster.domain.units import normalize_unit


class ConvertUnitOptions(Options):
    """The unit of the result."""

    unit: str
    """Unit of the result, as `m/s`, `m^-3`, `eV`, `nPa`; it must measure the same as the input's."""

    @field_validator("unit")
    @classmethod
    def _is_printed_one_way(cls, unit: str) -> str:
        if not unit.strip():
            raise ValueError("a unit is needed")
        return normalize_unit(unit)


class ConvertUnit(ShippedOperation[ConvertUnitOptions]):
    """The same values in another unit."""

    id = "convert_unit"
    version = 1
    summary = "The same values in another unit: km/s in m/s, cm^-3 in m^-3, K in eV."
    when = "Use it to get another unit of a quantity whose unit is known. If the unit is unknown or wrong, state it with scale."
    reference = (
        "y = factor * x, by the defining constants of the SI (BIPM, The International System of Units, 9th edition, 2019); "
        "temperatures and energies meet as E = k_B T."
    )
    inputs = {"series": Input(("series", "vector", "spectrogram"), "what is converted, column by column")}
    output = "The input's kind, frame and times, in the unit asked for; NaN stays NaN."
    options = ConvertUnitOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="km/s", columns={"v": (400, None, 812.5)})},
            options={"unit": "m/s"},
            expected={"result": (400000, None, 812500)},
            unit="m/s",
            source="1 km = 1000 m",
        ),
        Example(
            inputs={"series": ExampleTable(unit="eV", columns={"v": (1, 10)})},
            options={"unit": "K"},
            expected={"result": (11604.518121550082, 116045.18121550082)},
            unit="K",
            source="e / k_B = 11604.518 12 K per eV (CODATA 2018)",
        ),
    )

    def halo(self, options: ConvertUnitOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def plain_options(self, inputs: Mapping[str, TableMeta], options: ConvertUnitOptions) -> dict[str, Any]:
        """The unit, and the factor that leads to it; ComputeError where columns need different ones."""
        meta = inputs["series"]
        units = [column.unit or meta.unit for column in meta.columns if column.role == "data"]
        factors = {conversion_factor(unit, options.unit) for unit in units}
        if len(factors) != 1:
            raise ComputeError(f"{self.id}: the columns need different factors", hint="Convert one column at a time.")
        return {"factor": float(factors.pop()), "unit": options.unit}

    def _meta(self, inputs: Mapping[str, TableMeta], options: ConvertUnitOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        for column in meta.columns:
            if column.role == "data":
                _check(column, meta, options.unit)
        return like_meta(meta, name, label=meta.label or name, unit=options.unit)

    def _compute(self, inputs: Mapping[str, Table], options: ConvertUnitOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        columns = {}
        for new, old in zip(meta.columns, table.meta.without_extent.columns, strict=True):
            if old.role == "bin":
                columns[new.name] = table.columns[old.name]
                continue
            factor = conversion_factor(old.unit or table.meta.unit, options.unit)
            columns[new.name] = convert_values(floats(table, old.name), factor)
        return Table(table.time, columns, meta)


def _check(column: ColumnMeta, meta: TableMeta, unit: str) -> None:
    """Refuse a unit that measures something else."""
    try:
        conversion_factor(column.unit or meta.unit, unit)
    except ComputeError as error:
        hint = f"Ask for a unit of the same quantity. {error.hint}"
        raise ComputeError(f"{column.name}: {error.problem}", hint=hint) from None
