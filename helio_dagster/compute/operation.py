"""The list of registered operations and how to get one by its id. What each does stands in `compute.operations`."""

from __future__ import annotations

from typing import Any

from helio_dagster.compute.operations.alignment import Align
from helio_dagster.compute.operations.arithmetic import Difference, Ratio, Scale
from helio_dagster.compute.operations.averages import Resample, RollingMean
from helio_dagster.compute.operations.composing import ComposeVector
from helio_dagster.compute.operations.contract import UNKNOWN_META, Operation, Options
from helio_dagster.compute.operations.conversion import ConvertUnit
from helio_dagster.compute.operations.correlation import RollingCorrelation
from helio_dagster.compute.operations.directions import AngleBetween, Direction
from helio_dagster.compute.operations.filters import Butterworth
from helio_dagster.compute.operations.frames import TransformFrame
from helio_dagster.compute.operations.gyration import Gyrofrequency, Gyroradius
from helio_dagster.compute.operations.minimum_variance import MinimumVariance
from helio_dagster.compute.operations.plasma import (
    AlfvenMach,
    AlfvenSpeed,
    DynamicPressure,
    PlasmaBeta,
    SonicMach,
)
from helio_dagster.compute.operations.rotations import Rotate
from helio_dagster.compute.operations.solar_wind import (
    ConvectionElectricField,
    DawnDuskElectricField,
    Epsilon,
    ParkerSpiralAngle,
)
from helio_dagster.compute.operations.spectra import Spectrogram, Welch
from helio_dagster.compute.operations.statistics import RollingStatistic
from helio_dagster.compute.operations.superposed_epoch import SuperposedEpoch
from helio_dagster.compute.operations.trends import Derivative, Detrend
from helio_dagster.compute.operations.vectors import Component, Magnitude
from helio_dagster.compute.operations.wavelets import WaveletPower
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

__all__ = ["UNKNOWN_META", "Operation", "Options", "get_operation", "operations"]

_REGISTERED: tuple[Operation[Any], ...] = (
    Magnitude(),
    Component(),
    RollingMean(),
    Resample(),
    Difference(),
    Ratio(),
    Scale(),
    ComposeVector(),
    ConvertUnit(),
    Align(),
    RollingStatistic(),
    RollingCorrelation(),
    Detrend(),
    Derivative(),
    Butterworth(),
    Spectrogram(),
    Welch(),
    WaveletPower(),
    AngleBetween(),
    Direction(),
    TransformFrame(),
    Rotate(),
    MinimumVariance(),
    DynamicPressure(),
    AlfvenSpeed(),
    AlfvenMach(),
    SonicMach(),
    PlasmaBeta(),
    Gyrofrequency(),
    Gyroradius(),
    ParkerSpiralAngle(),
    ConvectionElectricField(),
    DawnDuskElectricField(),
    Epsilon(),
    SuperposedEpoch(),
)


def operations() -> tuple[Operation[Any], ...]:
    """All registered operations."""
    return _REGISTERED


def get_operation(operation_id: str) -> Operation[Any]:
    """The operation with this id.

    Raises
    ------
    InputError
        There is none; the hint offers the nearest.
    """
    for operation in _REGISTERED:
        if operation.id == operation_id:
            return operation
    known = [operation.id for operation in _REGISTERED]
    raise InputError(f"there is no operation {operation_id!r}", hint=remedy(operation_id, known, what="operations"))
