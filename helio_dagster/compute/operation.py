"""The list of registered operations and how to get one by its id."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, cast

from helio_dagster.compute.operations.contract import UNKNOWN_META, Operation, Options
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

__all__ = ["OPERATION_IDS", "UNKNOWN_META", "Operation", "Options", "get_operation", "operations"]

_REGISTERED = {
    "magnitude": ("vectors", "Magnitude"),
    "component": ("vectors", "Component"),
    "rolling_mean": ("averages", "RollingMean"),
    "resample": ("averages", "Resample"),
    "difference": ("arithmetic", "Difference"),
    "ratio": ("arithmetic", "Ratio"),
    "scale": ("arithmetic", "Scale"),
    "compose_vector": ("composing", "ComposeVector"),
    "convert_unit": ("conversion", "ConvertUnit"),
    "align": ("alignment", "Align"),
    "rolling_statistic": ("statistics", "RollingStatistic"),
    "rolling_correlation": ("correlation", "RollingCorrelation"),
    "detrend": ("trends", "Detrend"),
    "derivative": ("trends", "Derivative"),
    "butterworth": ("filters", "Butterworth"),
    "spectrogram": ("spectra", "Spectrogram"),
    "welch": ("spectra", "Welch"),
    "wavelet_power": ("wavelets", "WaveletPower"),
    "angle_between": ("directions", "AngleBetween"),
    "direction": ("directions", "Direction"),
    "transform_frame": ("frames", "TransformFrame"),
    "rotate": ("rotations", "Rotate"),
    "minimum_variance": ("minimum_variance", "MinimumVariance"),
    "dynamic_pressure": ("plasma", "DynamicPressure"),
    "alfven_speed": ("plasma", "AlfvenSpeed"),
    "alfven_mach": ("plasma", "AlfvenMach"),
    "sonic_mach": ("plasma", "SonicMach"),
    "plasma_beta": ("plasma", "PlasmaBeta"),
    "gyrofrequency": ("gyration", "Gyrofrequency"),
    "gyroradius": ("gyration", "Gyroradius"),
    "parker_spiral_angle": ("solar_wind", "ParkerSpiralAngle"),
    "convection_electric_field": ("solar_wind", "ConvectionElectricField"),
    "dawn_dusk_electric_field": ("solar_wind", "DawnDuskElectricField"),
    "epsilon": ("solar_wind", "Epsilon"),
    "newell_coupling": ("solar_wind", "NewellCoupling"),
    "median_filter": ("spikes", "MedianFilter"),
    "despike": ("spikes", "Despike"),
    "superposed_epoch": ("superposed_epoch", "SuperposedEpoch"),
    "power_spectrum": ("power_spectrum", "PowerSpectrum"),
    "spectral_slope": ("line_fits", "SpectralSlope"),
    "cross_correlation": ("cross_correlation", "CrossCorrelation"),
    "peak_of": ("peaks", "PeakOf"),
    "histogram": ("histograms", "Histogram"),
    "histogram_2d": ("histogram_2d", "Histogram2d"),
    "intervals_where": ("intervals", "IntervalsWhere"),
    "crossings": ("crossings", "Crossings"),
    "extrema": ("extrema", "Extrema"),
    "jumps": ("jumps", "Jumps"),
    "facts_of": ("window_facts", "FactsOf"),
    "epoch_statistics": ("epoch_statistics", "EpochStatistics"),
    "union_of": ("event_sets", "UnionOf"),
    "intersection_of": ("event_sets", "IntersectionOf"),
    "difference_of": ("event_sets", "DifferenceOf"),
    "merge_events": ("event_sets", "MergeEvents"),
    "pad_events": ("event_lists", "PadEvents"),
    "filter_events": ("event_lists", "FilterEvents"),
    "nearest_event": ("event_lists", "NearestEvent"),
    "minimum_variance_frame": ("variance_frame", "MinimumVarianceFrame"),
    "hodogram": ("variance_frame", "Hodogram"),
    "scatter": ("scatter", "Scatter"),
    "fit_line": ("line_fits", "FitLine"),
}
"""Id to the module of `compute.operations` and the class: each is imported when it is first used, for start-up's sake."""
OPERATION_IDS = tuple(_REGISTERED)


@cache
def operations() -> tuple[Operation[Any], ...]:
    """All registered operations."""
    return tuple(_load(operation_id) for operation_id in OPERATION_IDS)


def get_operation(operation_id: str) -> Operation[Any]:
    """The operation with this id.

    Raises
    ------
    InputError
        There is none; the hint offers the nearest.
    """
    if operation_id not in _REGISTERED:
        raise InputError(
            f"there is no operation {operation_id!r}", hint=remedy(operation_id, list(OPERATION_IDS), what="operations")
        )
    return _load(operation_id)


@cache
def _load(operation_id: str) -> Operation[Any]:
    module, name = _REGISTERED[operation_id]
    return cast(Operation[Any], getattr(import_module(f"helio_dagster.compute.operations.{module}"), name)())
