"""What transform_frame takes a vector for, from which frame, and whether it can be brought to the other one."""

from __future__ import annotations

from helio_dagster.compute.frame_axes import GEOCENTRIC, HELIOCENTRIC
from helio_dagster.compute.operations.frame_options import Quantity, TransformFrameOptions
from helio_dagster.compute.operations.frame_units import is_length, length_km, speed_km_s, unit_of
from helio_dagster.domain.bodies import body_of_axes
from helio_dagster.domain.ephemeris import ATTITUDE_FRAME, AXES_OF_SPACECRAFT
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import TableMeta

SPACECRAFT = "SC"
"""The frame of the spacecraft whose attitude is given, by whatever name its data have for it."""
FIELD_ALIGNED = "MFA"
"""The axes along and across the averaged field."""
_KNOWN = (*GEOCENTRIC, *HELIOCENTRIC, "RTN")
_FETCH = "fetch: {archive: spice, target: PSP, parameter: attitude, cadence: PT1S}"


def quantity_of(meta: TableMeta, options: TransformFrameOptions) -> Quantity:
    """What the options say it is; else a position where its unit is a length, or a vector."""
    if options.quantity is not None:
        return options.quantity
    return "position" if is_length(unit_of(meta)) else "vector"


def check_quantity(meta: TableMeta, source: str, options: TransformFrameOptions) -> None:
    """Refuse a position or velocity in RTN, and a unit that does not belong to it; raises ComputeError."""
    quantity, unit = quantity_of(meta, options), unit_of(meta)
    moving = next((frame for frame in ("RTN", SPACECRAFT, FIELD_ALIGNED) if frame in (source, options.to)), None)
    if quantity != "vector" and moving is not None and source != options.to:
        hint = f"{moving} moves with the spacecraft. To turn only the arrow along the axes, write quantity: vector."
        raise ComputeError(f"transform_frame does not bring a {quantity} from {source} to {options.to}", hint=hint)
    if quantity == "position":
        length_km(unit, needed=origins_differ(source, options.to))
    if quantity == "velocity":
        speed_km_s(unit)


def check_position(position: TableMeta | None, source: str, options: TransformFrameOptions, quantity: Quantity) -> None:
    """Demand the position where it is needed, with its frame and how far its samples may lie apart; raises ComputeError."""
    is_needed = (source != options.to) and ("RTN" in (source, options.to) or quantity == "velocity")
    is_vector = quantity == "vector"
    what = "RTN depends on where the spacecraft is" if is_vector else "what a turning frame adds depends on the place"
    demand_position(position, options, way=f"from {source} to {options.to}", what=what if is_needed else "")


def demand_position(position: TableMeta | None, options: TransformFrameOptions, *, way: str, what: str) -> None:
    """Demand a position where `what` says why, and refuse one where it is empty; `way` says from where to where."""
    if not what:
        if position is not None:
            raise ComputeError(f"transform_frame takes no position {way}", hint="Leave out the input position.")
        return
    if position is None:
        hint = (
            f"{what}: give its position as the input position (km, in GSE, HCI or another frame) and the option position_gap."
        )
        raise ComputeError(f"transform_frame needs a position {way}", hint=hint)
    if options.position_gap is None:
        hint = "Write position_gap: PT1H, or how far apart the samples of the position may be."
        raise ComputeError("transform_frame with a position needs the option position_gap", hint=hint)
    if position.columns and position.frame not in (*GEOCENTRIC, *HELIOCENTRIC):
        known = f"is in {position.frame}" if position.frame else "does not say its frame"
        hint = f"Give a position in one of {', '.join((*GEOCENTRIC, *HELIOCENTRIC))}."
        raise ComputeError(f"the position {known}", hint=hint)


def check_attitude(attitude: TableMeta | None, source: str, options: TransformFrameOptions) -> None:
    """Demand the attitude where it is needed, and how far its samples may lie apart; raises ComputeError."""
    if source == options.to or SPACECRAFT not in (source, options.to):
        if attitude is not None:
            problem = f"transform_frame takes no attitude from {source} to {options.to}"
            raise ComputeError(problem, hint="Leave out the input attitude.")
        return
    if attitude is None:
        hint = f"Give how the spacecraft is turned as the input attitude ({_FETCH}), and the option attitude_gap."
        raise ComputeError(f"transform_frame needs an attitude from {source} to {options.to}", hint=hint)
    if options.attitude_gap is None:
        hint = "Write attitude_gap: PT1S, or how far apart the samples of the attitude may be."
        raise ComputeError("transform_frame with an attitude needs the option attitude_gap", hint=hint)
    if attitude.columns and (not axes_of(attitude) or attitude.frame != ATTITUDE_FRAME):
        problem = "the input attitude does not say how a spacecraft is turned"
        raise ComputeError(problem, hint=f"Fetch it: {_FETCH}.")


def frame_or_axes(meta: TableMeta, options: TransformFrameOptions, attitude: TableMeta | None = None) -> str:
    """The frame that the vector is in; to MFA also any other axes, `its own axes` where they have no name."""
    if options.to == FIELD_ALIGNED and meta.frame not in _KNOWN:
        return meta.frame or options.source or "its own axes"
    return source_frame(meta, options, attitude)


def axes_of(attitude: TableMeta | None) -> str:
    """SPICE's name of the axes that an attitude turns into; empty where there is none."""
    return str(attitude.attributes.get(AXES_OF_SPACECRAFT, "")) if attitude is not None else ""


def source_frame(meta: TableMeta, options: TransformFrameOptions, attitude: TableMeta | None = None) -> str:
    """The frame that the vector is in; `SC` for the axes of the spacecraft whose attitude is given, by any of their names.

    Raises
    ------
    ComputeError
        It is unknown, is said twice and differently, or is none of those that are known here.
    """
    known, said = _without_own_name(meta.frame, axes_of(attitude)), options.source
    if known is not None and said is not None and known != said:
        raise ComputeError(f"the vector is in {known}, not in {said}", hint="Leave out the option source.")
    frame = known or said
    if frame is None:
        hint = f"Say which it is with the option source: {', '.join(_KNOWN)}."
        raise ComputeError("the vector's frame is not known", hint=hint)
    if axes_of(attitude) and frame not in (*_KNOWN, SPACECRAFT):
        body = body_of_axes(axes_of(attitude))
        names = f" Data of this one call its axes {' or '.join(body.axes_also)}." if body is not None else ""
        hint = f"Give the attitude of the spacecraft that measured it.{names}"
        raise ComputeError(f"the vector is in {frame}, and the attitude is that of {axes_of(attitude)}", hint=hint)
    if frame in (FIELD_ALIGNED, "LMN"):
        hint = "These axes are not kept: bring the vector to the other frame before it is turned along them."
        raise ComputeError(f"transform_frame cannot rotate from {frame} to {options.to}", hint=hint)
    if frame not in (*_KNOWN, SPACECRAFT):
        hint = (
            f"Fetch the vector in one of {', '.join(_KNOWN)}; {frame} depends on a planet, or on how the spacecraft is turned, "
            f"for which there is the input attitude ({_FETCH}). A rotation that you know can be given to the operation rotate."
        )
        raise ComputeError(f"transform_frame cannot rotate from {frame} to {options.to}", hint=hint)
    return frame


def _without_own_name(frame: str | None, axes: str) -> str | None:
    """A frame, `SC` where it is a name of the axes that the attitude is of."""
    body = body_of_axes(axes) if axes else None
    is_own = frame is not None and (frame == axes or (body is not None and frame in body.axes_also))
    return SPACECRAFT if is_own else frame


def origins_differ(source: str, target: str) -> bool:
    """Whether one frame has its origin at Earth and the other at the Sun."""
    return (source in HELIOCENTRIC) != (target in HELIOCENTRIC)
