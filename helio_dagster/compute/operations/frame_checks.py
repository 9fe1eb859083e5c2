"""What transform_frame takes a vector for, and whether it can be brought to the other frame."""

from __future__ import annotations

from helio_dagster.compute.frame_axes import GEOCENTRIC, HELIOCENTRIC
from helio_dagster.compute.operations.frame_options import Quantity, TransformFrameOptions
from helio_dagster.compute.operations.frame_units import is_length, length_km, speed_km_s, unit_of
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import TableMeta

_KNOWN = (*GEOCENTRIC, *HELIOCENTRIC, "RTN")


def quantity_of(meta: TableMeta, options: TransformFrameOptions) -> Quantity:
    """What the options say it is; else a position where its unit is a length, or a vector."""
    if options.quantity is not None:
        return options.quantity
    return "position" if is_length(unit_of(meta)) else "vector"


def check_quantity(meta: TableMeta, source: str, options: TransformFrameOptions) -> None:
    """Refuse a position or velocity in RTN, and a unit that does not belong to it; raises ComputeError."""
    quantity, unit = quantity_of(meta, options), unit_of(meta)
    if quantity != "vector" and "RTN" in (source, options.to) and source != options.to:
        hint = "RTN moves with the spacecraft. To turn only the arrow along the axes, write quantity: vector."
        raise ComputeError(f"transform_frame does not bring a {quantity} from {source} to {options.to}", hint=hint)
    if quantity == "position":
        length_km(unit, needed=origins_differ(source, options.to))
    if quantity == "velocity":
        speed_km_s(unit)


def check_position(position: TableMeta | None, source: str, options: TransformFrameOptions, quantity: Quantity) -> None:
    """Demand the position where it is needed, with its frame and how far its samples may lie apart; raises ComputeError."""
    is_needed = (source != options.to) and ("RTN" in (source, options.to) or quantity == "velocity")
    if not is_needed:
        if position is not None:
            problem = f"transform_frame takes no position from {source} to {options.to}"
            raise ComputeError(problem, hint="Leave out the input position.")
        return
    if position is None:
        what = (
            "RTN depends on where the spacecraft is"
            if quantity == "vector"
            else "what a turning frame adds depends on the place"
        )
        hint = (
            f"{what}: give its position as the input position (km, in GSE, HCI or another frame) and the option position_gap."
        )
        raise ComputeError(f"transform_frame needs a position from {source} to {options.to}", hint=hint)
    if options.position_gap is None:
        hint = "Write position_gap: PT1H, or how far apart the samples of the position may be."
        raise ComputeError("transform_frame with a position needs the option position_gap", hint=hint)
    if position.columns and position.frame not in (*GEOCENTRIC, *HELIOCENTRIC):
        known = f"is in {position.frame}" if position.frame else "does not say its frame"
        hint = f"Give a position in one of {', '.join((*GEOCENTRIC, *HELIOCENTRIC))}."
        raise ComputeError(f"the position {known}", hint=hint)


def source_frame(meta: TableMeta, options: TransformFrameOptions) -> str:
    """The frame that the vector is in.

    Raises
    ------
    ComputeError
        It is unknown, is said twice and differently, or is none of those that are known here.
    """
    known, said = meta.frame, options.source
    if known is not None and said is not None and known != said:
        raise ComputeError(f"the vector is in {known}, not in {said}", hint="Leave out the option source.")
    frame = known or said
    if frame is None:
        hint = f"Say which it is with the option source: {', '.join(_KNOWN)}."
        raise ComputeError("the vector's frame is not known", hint=hint)
    if frame not in _KNOWN:
        hint = (
            f"Fetch the vector in one of {', '.join(_KNOWN)}; {frame} depends on a planet, or on how the spacecraft is turned. "
            "A rotation that you know can be given to the operation rotate."
        )
        raise ComputeError(f"transform_frame cannot rotate from {frame} to {options.to}", hint=hint)
    return frame


def origins_differ(source: str, target: str) -> bool:
    """Whether one frame has its origin at Earth and the other at the Sun."""
    return (source in HELIOCENTRIC) != (target in HELIOCENTRIC)
