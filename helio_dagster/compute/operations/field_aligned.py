"""What transform_frame demands for axes along and across a field (MFA), and what comes out."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.compute.frame_axes import GEOCENTRIC, HELIOCENTRIC
from helio_dagster.compute.operations.arithmetic import shared_frame
from helio_dagster.compute.operations.columns import cartesian, readable_duration
from helio_dagster.compute.operations.frame_checks import FIELD_ALIGNED, check_quantity, demand_position, frame_or_axes
from helio_dagster.compute.operations.frame_options import TransformFrameOptions
from helio_dagster.compute.operations.frame_units import unit_of
from helio_dagster.compute.operations.vectors import symbol_of
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, TableMeta
from helio_dagster.domain.unit_conversion import can_convert

_BY_POSITION = ("radial", "azimuthal")


def check_field_aligned(inputs: Mapping[str, TableMeta], options: TransformFrameOptions) -> None:
    """Demand what MFA needs, and refuse it for other frames; raises ComputeError."""
    if options.to != FIELD_ALIGNED:
        given = [name for name in ("average", "perpendicular") if getattr(options, name) is not None]
        given += ["the input field"] if "field" in inputs else []
        if given:
            hint = f"Leave out {given[0]}, or write to: MFA for axes along and across the field."
            raise ComputeError(f"transform_frame to {options.to} does not take {given[0]}", hint=hint)
        return
    meta, field = inputs["vector"], inputs.get("field")
    source = frame_or_axes(meta, options)
    check_quantity(meta, source, options)
    if options.average is None:
        hint = "Write average: PT10M, or over how long the field is to be averaged."
        raise ComputeError("transform_frame to MFA needs the option average", hint=hint)
    if field is None and not can_convert(unit_of(meta), "nT"):
        hint = "Give the magnetic field, in the same frame, as the input field."
        raise ComputeError(f"the vector is in {unit_of(meta) or 'no unit'}, so it is not the field that MFA follows", hint=hint)
    if field is not None and field.columns:
        shared_frame(meta, field, names=("the vector", "the field"))
    if "attitude" in inputs:
        raise ComputeError("transform_frame to MFA takes no attitude", hint="Leave out the input attitude.")
    which = options.perpendicular or "x"
    if which in _BY_POSITION and source not in (*GEOCENTRIC, *HELIOCENTRIC, "RTN"):
        hint = "Bring the vector to GSE, HCI or another such frame first, or write perpendicular: x."
        raise ComputeError(f"which direction is {which} is not known in {source}", hint=hint)
    what = f"which direction is {which} depends on where the spacecraft is"
    demand_position(
        inputs.get("position"),
        options,
        way=f"from {source} to MFA",
        what=what if which in _BY_POSITION and source != "RTN" else "",
    )


def field_aligned_meta(meta: TableMeta, options: TransformFrameOptions, name: str) -> TableMeta:
    """Two components across the field and one along it."""
    used = cartesian(meta, "transform_frame")
    is_radial = options.perpendicular in _BY_POSITION
    parts = ("radial", "azimuthal", "parallel") if is_radial else ("perpendicular_1", "perpendicular_2", "parallel")
    symbol = symbol_of(used) or meta.label or name
    columns = tuple(
        ColumnMeta(name=part, label=f"{symbol} {part.replace('_', ' ')}", unit=column.unit or meta.unit)
        for part, column in zip(parts, used, strict=True)
    )
    averaged = f", field averaged over {readable_duration(options.average)}" if options.average else ""
    label = f"{meta.label or name} along and across the field"
    return TableMeta(kind="vector", columns=columns, label=f"{label}{averaged}", unit=meta.unit, frame=FIELD_ALIGNED)
