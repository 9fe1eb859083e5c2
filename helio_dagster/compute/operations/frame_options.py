"""What transform_frame is asked for."""

from __future__ import annotations

from typing import Literal

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.contract import Options

Frame = Literal["GEI", "J2000", "GEO", "MAG", "GSE", "GSM", "SM", "HCI", "HAE", "HEE", "HEEQ", "Carrington", "RTN", "SC"]
Quantity = Literal["vector", "position", "velocity"]


class TransformFrameOptions(Options):
    """From where to where."""

    to: Frame | Literal["MFA"]
    """Frame of the result. SC: the axes of the spacecraft of which the input attitude is. MFA: along and across the averaged
    field."""
    source: Frame | None = None
    """Frame of the vector, where its data do not say; where they do, it must be the same."""
    quantity: Quantity | None = None
    """vector: the same arrow along other axes, which is what a field is, and the velocity that a spacecraft measures.
    position: also from the origin of the other frame, Earth's centre or the Sun's. velocity: as seen in the other frame, with
    the turning of its axes and the motion of its origin. By default what has a unit of length is a position, and all else a
    vector."""
    position_gap: Length | None = None
    """With the input position: greatest distance of its two samples around a time, an ISO 8601 duration such as PT1H.
    Between them it is taken along the straight line."""
    attitude_gap: Length | None = None
    """With the input attitude: greatest distance of its two samples around a time, an ISO 8601 duration such as PT1S, during
    which the spacecraft turns by less than half a turn. Between them it is taken to turn evenly about one axis."""
    average: Length | None = None
    """To MFA, which needs it: over how long the field is averaged, half before and half after, an ISO 8601 duration such as
    PT10M."""
    perpendicular: Literal["x", "y", "z", "radial", "azimuthal"] | None = None
    """To MFA: what the axes across the field follow. x (the default), y, z: the first is as near as can be to that axis of the
    vector's frame. radial: to the direction away from the frame's origin. azimuthal: the second is as near as can be to east,
    round the axis of the dipole, or of the Sun in heliocentric frames. These two need the input position, except in RTN."""
