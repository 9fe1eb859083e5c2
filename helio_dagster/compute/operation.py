"""The list of registered operations and how to get one by its id."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, cast

from helio_dagster.compute.operations.contract import UNKNOWN_META, Operation, Options
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

__all__ = ["OPERATION_IDS", "UNKNOWN_META", "Operation", "Options", "get_operation", "operations", "plain_function"]

_REGISTERED = {
    "magnitude": ("vectors", "Magnitude", "vectors"),
    "component": ("vectors", "Component", "vectors"),
    "rolling_mean": ("averages", "RollingMean", "averages"),
    "resample": ("averages", "Resample", "averages"),
    "difference": ("arithmetic", "Difference", "arithmetic"),
    "ratio": ("arithmetic", "Ratio", "arithmetic"),
    "scale": ("arithmetic", "Scale", "arithmetic"),
    "compose_vector": ("composing", "ComposeVector", "vectors"),
    "convert_unit": ("conversion", "ConvertUnit", "arithmetic"),
    "align": ("alignment", "Align", "arithmetic"),
    "rolling_statistic": ("statistics", "RollingStatistic", "averages"),
    "rolling_correlation": ("correlation", "RollingCorrelation", "arithmetic"),
    "detrend": ("trends", "Detrend", "averages"),
    "derivative": ("trends", "Derivative", "arithmetic"),
    "butterworth": ("filters", "Butterworth", "spectra"),
    "spectrogram": ("spectra", "Spectrogram", "spectra"),
    "welch": ("spectra", "Welch", "spectra"),
    "wavelet_power": ("wavelets", "WaveletPower", "spectra"),
    "slice": ("slicing", "Slice", "records"),
    "reduce": ("reducing", "Reduce", "records"),
    "energy_spectrogram": ("energy_spectra", "EnergySpectrogram", "records"),
    "pitch_angle_spectrogram": ("pitch_angles", "PitchAngleSpectrogram", "records"),
    "convert_distribution": ("distribution_units", "ConvertDistribution", "distributions"),
    "moments": ("moments", "Moments", "distributions"),
    "angle_between": ("directions", "AngleBetween", "vectors"),
    "direction": ("directions", "Direction", "vectors"),
    "transform_frame": ("frames", "TransformFrame", "frames"),
    "rotate": ("rotations", "Rotate", "vectors"),
    "igrf_field": ("geomagnetic", "IgrfField", "geomagnetic"),
    "tsyganenko_field": ("tsyganenko", "TsyganenkoField", "magnetosphere"),
    "foot_points": ("tsyganenko", "FootPoints", "magnetosphere"),
    "dipole_coordinates": ("geomagnetic", "DipoleCoordinates", "geomagnetic"),
    "dipole_tilt": ("dipole_tilt", "DipoleTilt", "frames"),
    "minimum_variance": ("minimum_variance", "MinimumVariance", "averages"),
    "dynamic_pressure": ("plasma", "DynamicPressure", "plasma"),
    "alfven_speed": ("plasma", "AlfvenSpeed", "plasma"),
    "alfven_mach": ("plasma", "AlfvenMach", "plasma"),
    "sonic_mach": ("plasma", "SonicMach", "plasma"),
    "magnetosonic_mach": ("plasma", "MagnetosonicMach", "plasma"),
    "plasma_beta": ("plasma", "PlasmaBeta", "plasma"),
    "temperature_anisotropy": ("anisotropy", "TemperatureAnisotropy", "plasma"),
    "total_pressure": ("total_pressure", "TotalPressure", "plasma"),
    "gyrofrequency": ("gyration", "Gyrofrequency", "plasma"),
    "gyroradius": ("gyration", "Gyroradius", "plasma"),
    "parker_spiral_angle": ("solar_wind", "ParkerSpiralAngle", "plasma"),
    "source_longitude": ("back_mapping", "SourceLongitude", "frames"),
    "propagate": ("propagation", "Propagate", "propagation"),
    "shift_time": ("time_shift", "ShiftTime", "propagation"),
    "convection_electric_field": ("solar_wind", "ConvectionElectricField", "plasma"),
    "dawn_dusk_electric_field": ("solar_wind", "DawnDuskElectricField", "plasma"),
    "epsilon": ("solar_wind", "Epsilon", "plasma"),
    "newell_coupling": ("solar_wind", "NewellCoupling", "plasma"),
    "kan_lee_electric_field": ("coupling", "KanLeeElectricField", "coupling"),
    "boynton_coupling": ("coupling", "BoyntonCoupling", "coupling"),
    "pressure_corrected_dst": ("coupling", "PressureCorrectedDst", "coupling"),
    "dst_model": ("dst_model", "DstModel", "ring_current"),
    "magnetopause_distance": ("boundaries", "MagnetopauseDistance", "boundaries"),
    "lin_magnetopause_distance": ("lin_magnetopause", "LinMagnetopauseDistance", "boundaries"),
    "bow_shock_distance": ("boundaries", "BowShockDistance", "boundaries"),
    "bow_shock_standoff": ("boundaries", "BowShockStandoff", "boundaries"),
    "curlometer": ("curlometer", "Curlometer", "four_points"),
    "gradient": ("gradient", "Gradient", "four_points"),
    "four_spacecraft_timing": ("spacecraft_timing", "FourSpacecraftTiming", "spacecraft_timing"),
    "two_spacecraft_timing": ("spacecraft_timing", "TwoSpacecraftTiming", "spacecraft_timing"),
    "median_filter": ("spikes", "MedianFilter", "averages"),
    "despike": ("spikes", "Despike", "averages"),
    "superposed_epoch": ("superposed_epoch", "SuperposedEpoch", "epochs"),
    "power_spectrum": ("power_spectrum", "PowerSpectrum", "spectra"),
    "spectral_slope": ("line_fits", "SpectralSlope", "curves"),
    "spectral_break": ("spectral_break", "SpectralBreak", "curves"),
    "cross_correlation": ("cross_correlation", "CrossCorrelation", "curves"),
    "coherence": ("coherence", "Coherence", "turbulence"),
    "wave_polarization": ("wave_polarization", "WavePolarization", "turbulence"),
    "structure_function": ("structure_functions", "StructureFunction", "turbulence"),
    "peak_of": ("peaks", "PeakOf", "curves"),
    "particle_onsets": ("particle_onsets", "ParticleOnsets", "particles"),
    "velocity_dispersion": ("velocity_dispersion", "VelocityDispersion", "particles"),
    "histogram": ("histograms", "Histogram", "curves"),
    "histogram_2d": ("histogram_2d", "Histogram2d", "epochs"),
    "intervals_where": ("intervals", "IntervalsWhere", "events"),
    "crossings": ("crossings", "Crossings", "events"),
    "extrema": ("extrema", "Extrema", "events"),
    "jumps": ("jumps", "Jumps", "events"),
    "find_shocks": ("find_shocks", "FindShocks", "shock_events"),
    "storm_phases": ("storm_phases", "StormPhases", "ring_current"),
    "facts_of": ("window_facts", "FactsOf", "curves"),
    "epoch_statistics": ("epoch_statistics", "EpochStatistics", "epochs"),
    "union_of": ("event_sets", "UnionOf", "events"),
    "intersection_of": ("event_sets", "IntersectionOf", "events"),
    "difference_of": ("event_sets", "DifferenceOf", "events"),
    "merge_events": ("event_sets", "MergeEvents", "events"),
    "pad_events": ("event_lists", "PadEvents", "events"),
    "filter_events": ("event_lists", "FilterEvents", "events"),
    "nearest_event": ("event_lists", "NearestEvent", "events"),
    "facts_of_events": ("event_facts", "FactsOfEvents", "events"),
    "minimum_variance_frame": ("variance_frame", "MinimumVarianceFrame", "curves"),
    "dehoffmann_teller": ("hoffmann_teller", "DeHoffmannTeller", "hoffmann_teller"),
    "walen": ("hoffmann_teller", "Walen", "hoffmann_teller"),
    "maximum_variance_electric": ("electric_variance", "MaximumVarianceElectric", "hoffmann_teller"),
    "pressure_balance": ("pressure_balance", "PressureBalance", "pressure_balance"),
    "shock_parameters": ("shocks", "ShockParameters", "shocks"),
    "shock_parameters_of_events": ("shocks_of_events", "ShockParametersOfEvents", "shock_events"),
    "rankine_hugoniot": ("shock_fit", "RankineHugoniot", "shock_fit"),
    "hodogram": ("variance_frame", "Hodogram", "curves"),
    "scatter": ("scatter", "Scatter", "arithmetic"),
    "fit_line": ("line_fits", "FitLine", "curves"),
}
"""Id to the module of `compute.operations`, the class, and the module of `compute.plain` that has a function of the same id, or
nothing: each is imported when it is first used, for start-up's sake."""
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


def plain_function(operation_id: str) -> Callable[..., Any] | None:
    """An operation written plainly (`compute.plain`); None where it is not, or is not a shipped one."""
    module = _REGISTERED.get(operation_id, ("", "", ""))[2]
    found = getattr(import_module(f"helio_dagster.compute.plain.{module}"), operation_id) if module else None
    return cast("Callable[..., Any] | None", found)


@cache
def _load(operation_id: str) -> Operation[Any]:
    module, name, _ = _REGISTERED[operation_id]
    return cast(Operation[Any], getattr(import_module(f"helio_dagster.compute.operations.{module}"), name)())
