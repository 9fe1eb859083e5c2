"""Which axes of a distribution are the sky: azimuth and polar angle."""

from __future__ import annotations

from helio_dagster.compute.record_angles import angle_kind
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import TableMeta

_HINT = "Angles are known by the name or label of their axis: pitch, phi or azimuth, theta, colatitude or elevation."


def place_of_angle(meta: TableMeta, *kinds: str) -> int | None:
    """The place of the first axis that holds one of some kinds of angles."""
    return next((place for place, axis in enumerate(meta.axes) if angle_kind(axis) in kinds), None)


def sky_axes(meta: TableMeta) -> tuple[int, int]:
    """The places of azimuth and polar angle.

    Raises
    ------
    ComputeError
        One of them is missing.
    """
    azimuth, polar = place_of_angle(meta, "azimuth"), place_of_angle(meta, "colatitude", "elevation")
    if azimuth is None or polar is None:
        axes = ", ".join(f"{axis.name} in {axis.unit or 'no unit'}" for axis in meta.axes)
        has_pitch = place_of_angle(meta, "pitch angle") is not None
        lacking = (
            "lacks an azimuth and a polar angle" if has_pitch else "has neither pitch angles nor an azimuth and a polar angle"
        )
        problem = f"the distribution {lacking}: its axes are {axes}"
        raise ComputeError(problem, hint=_HINT)
    return azimuth, polar
