"""Operations written plainly (`compute.plain`) give the operations' own numbers: an independent opinion on both."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.operation import OPERATION_IDS, Operation, get_operation, operations, plain_function
from helio_dagster.compute.plain.arguments import named, taken
from helio_dagster.compute.plain_form import plain_attributes, plain_call
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

START = datetime(2024, 1, 1, tzinfo=UTC)
DAY = TimeRange(START, START + timedelta(days=1))
WEAK = {"field_ratio": 1.0001, "density_ratio": 1.0001, "speed_jump": 0.01, "length": "PT20M", "apart": "PT10M"}
"""Limits for shocks that noise fulfils, too."""
PLAIN = [pytest.param(each, id=each.id) for each in operations() if plain_function(each.id)]


def frame_of(table: Table) -> pd.DataFrame:
    """A table as a script has it."""
    frame = table_to_dataframe(table)
    frame.attrs.clear()
    frame.attrs.update(plain_attributes(table.meta))
    return frame


def plainly(
    operation: Operation[Any], inputs: Mapping[str, Table], given: Mapping[str, Any], window: TimeRange
) -> pd.DataFrame:
    """What the plain function gives for the same tables."""
    call = plain_call(operation, given, {name: table.meta for name, table in inputs.items()})
    frames = {}
    for name, how in call.inputs.items():
        frame = frame_of(inputs[name])
        if how.columns or how.factor != 1:
            frame = taken(frame, list(how.columns) or None, how.factor)
        frames[name] = frame
    edges = {"start": pd.Timestamp(window.start), "stop": pd.Timestamp(window.stop)} if call.is_of_window else {}
    function = plain_function(operation.id)
    assert function is not None
    result: pd.DataFrame = function(**frames, **edges, **call.options)
    return result


def assert_alike(operation: Operation[Any], inputs: Mapping[str, Table], given: Mapping[str, Any], window: TimeRange) -> int:
    """Both give the same times and, to rounding, the same numbers; how many rows."""
    own = operation.apply(inputs, operation.read_options(given), window, "result")
    found = named(plainly(operation, inputs, given, window), list(own.columns))
    if own.meta.kind != "facts":
        start, stop = (pd.Timestamp(edge, tz="UTC") for edge in window.bounds_ns())
        found = found[(found.index >= start) & (found.index < stop)]
    wanted = table_to_dataframe(own)
    assert found.index.tolist() == wanted.index.tolist()
    for name in wanted.columns:
        one, other = found[name].to_numpy(), wanted[name].to_numpy()
        if own.columns[name].ndim > 1:
            one, other = np.stack(list(one)), np.stack(list(other))
        if other.dtype.kind in "MO":
            assert one.astype(other.dtype).tolist() == other.tolist(), name
            continue
        allowed = 1e-9 * float(np.nanmax(np.abs(other.astype(float)), initial=0.0))
        np.testing.assert_allclose(one.astype(float), other.astype(float), rtol=1e-9, atol=allowed, err_msg=name)
    return len(wanted)


@pytest.mark.parametrize("operation", PLAIN)
def test_examples_hold(operation: Operation[Any]) -> None:
    """The plain form is right about each of the operation's own examples."""
    for example in operation.examples:
        inputs = {name: table.table() for name, table in example.inputs.items()}
        start = next(iter(example.inputs.values())).start.replace(tzinfo=UTC)
        begin, stop = example.window or (-86400.0, 10 * 86400.0)
        window = TimeRange(start + timedelta(seconds=begin), start + timedelta(seconds=stop))
        assert_alike(operation, inputs, example.options, window)


def test_every_shipped_operation_has_a_plain_form() -> None:
    """What is saved by a person has none."""
    assert [each for each in OPERATION_IDS if plain_function(each) is None] == []
    assert plain_function("mine@1") is None


@pytest.mark.parametrize("operation", PLAIN)
def test_arguments_are_the_operations_own(operation: Operation[Any]) -> None:
    """Inputs in their order, then the window of those that need one, then options by name."""
    function = plain_function(operation.id)
    assert function is not None
    parameters = list(inspect.signature(function).parameters.values())
    places = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    names = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert places == list(operation.inputs)
    assert names >= ({"start", "stop"} if operation.is_of_window else set())
    assert set(operation.options.model_fields) <= names | {"source"}


def _table(kind: Kind, unit: str, columns: Mapping[str, Any], at_s: Any, **more: Any) -> Table:
    time = np.datetime64(START.replace(tzinfo=None), "ns") + np.rint(np.asarray(at_s) * 1e9).astype("timedelta64[ns]")
    roles = more.pop("roles", {})
    metas = tuple(
        ColumnMeta(name=name, label=name, unit="" if name in roles else unit, role=roles.get(name, "data")) for name in columns
    )
    return Table(
        time,
        {name: np.asarray(values) for name, values in columns.items()},
        TableMeta(kind=kind, columns=metas, unit=unit, **more),
    )


def _events(rng: np.random.Generator) -> Table:
    at = np.sort(rng.choice(86000, 30, replace=False)).astype(float)
    time = np.datetime64(START.replace(tzinfo=None), "ns")
    stop = time + np.rint((at + rng.uniform(60, 5000, 30)) * 1e9).astype("timedelta64[ns]")
    return _table("events", "nT", {"stop": stop, "size": rng.normal(size=30)}, at, roles={"stop": "stop"})


def _distribution(rng: np.random.Generator, at: Any) -> Table:
    """Over azimuths and energies that vary by record, and elevations, with fills and bins without a place."""
    values = rng.lognormal(size=(len(at), 6, 4, 5))
    values[rng.random(values.shape) < 0.1] = np.nan
    values[3] = np.nan
    phi = 60 * np.arange(6) + rng.uniform(0, 20, (len(at), 1))
    energy = 10 * 3 ** (np.arange(5) + 0.5 * (np.arange(len(at)) % 2)[:, None])
    energy[::9, 4] = np.nan
    axes = (
        RecordAxis(name="phi", unit="deg", size=6, column="phi"),
        RecordAxis(name="theta", label="Elevation", unit="deg", size=4, values=(-70.0, -20.0, 25.0, 65.0)),
        RecordAxis(name="energy", unit="eV", scale="log", size=5, column="energy", width_column="width"),
    )
    columns = {"f": values, "phi": phi, "energy": energy, "width": energy / 3}
    return _table("nd", "s^3 m^-6", columns, at, axes=axes, roles={"phi": "bin", "energy": "bin", "width": "width"})


def _pitch_angles(rng: np.random.Generator, at: Any) -> Table:
    """Over pitch angles and energies that are the same for all records, one of them without a place."""
    values = rng.lognormal(size=(len(at), 7, 5))
    values[rng.random(values.shape) < 0.1] = np.nan
    axes = (
        RecordAxis(name="pitch", unit="deg", size=7, values=(9.0, 27.0, 54.0, 90.0, 126.0, 153.0, 171.0)),
        RecordAxis(name="energy", unit="eV", scale="log", size=5, values=(10.0, 30.0, np.nan, 300.0, 900.0)),
    )
    return _table("nd", "cm^-2 s^-1 sr^-1 keV^-1", {"j": values}, at, axes=axes)


def tables() -> dict[str, Table]:
    """A day of uneven samples with gaps, fills and a storm, of everything that operations take."""
    rng = np.random.default_rng(7)
    at = np.sort(np.concatenate([np.arange(0, 30000, 32.0), np.arange(36000, 86400, 32.0)])) + 0.25
    at = np.sort(at + rng.uniform(-3, 3, len(at)))
    slow = np.arange(0, 86400, 300.0) + 7

    def noise(count: int, level: float, spread: float) -> Any:
        values = level + spread * np.cumsum(rng.normal(size=count)) / 10 + spread * rng.normal(size=count)
        values[rng.choice(count, count // 20, replace=False)] = np.nan
        return values

    def drift(count: int) -> Any:
        return np.cumsum(rng.normal(size=count))

    def many(names: str, level: float, spread: float) -> dict[str, Any]:
        return {name: noise(len(at), level, spread) for name in names}

    even = np.arange(0, 86400, 16.0)
    wave = np.sin(2 * np.pi * even / 400) * 3 + rng.normal(size=len(even))
    wave[2000:2100] = np.nan
    return {
        "series": _table("series", "nT", {"v": noise(len(at), 3, 2)}, at),
        "other": _table("series", "nT", {"w": noise(len(slow), 3, 2)}, slow, extent=Extent(before_ns=0, after_ns=300 * 10**9)),
        "even": _table("series", "nT", {"e": wave}, even),
        "later": _table("series", "nT", {"e": wave}, even + 40),
        "vector": _table("vector", "nT", many("xyz", 1, 4), at, frame="GSE"),
        "vector2": _table("vector", "nT", many("xyz", -1, 3), at + 11, frame="GSE"),
        "place": _table("vector", "km", many("xyz", 1.4e6, 1e4), at - 40, frame="GSE"),
        **{
            f"place{point}": _table(
                "vector",
                "km",
                {axis: 1e4 + 90 * at_corner + drift(len(slow)) for axis, at_corner in zip("xyz", corner, strict=True)},
                slow,
            )
            for point, corner in enumerate(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), start=1)
        },
        "gsm": _table("vector", "km", many("xyz", 1e4, 1e5), at, frame="GSM"),
        "near": _table("vector", "km", many("xyz", 6e3, 3e3), at, frame="GEO"),
        "far": _table("vector", "km", {name: noise(len(slow[::8]), -1e4, 2e4) for name in "xyz"}, slow[::8], frame="GSM"),
        "kp": _table("series", "", {"kp": np.abs(noise(len(slow), 30, 12))}, slow),
        "dst": _table("series", "nT", {"dst": noise(len(slow), -30, 20)}, slow),
        "imf": _table("vector", "T", {name: values * 1e-9 for name, values in many("xyz", -1, 3).items()}, at, frame="GSM"),
        "density": _table("series", "cm^-3", {"n": np.abs(noise(len(slow), 6, 1))}, slow),
        "flux": _table("series", "cm^-2 s^-1 sr^-1", {"j": np.abs(noise(len(slow), 40, 20))}, slow),
        "speed": _table("series", "m/s", {"u": 1e3 * np.abs(noise(len(slow), 400, 20))}, slow),
        "velocity": _table("vector", "km/s", many("xyz", -100, 40), at, frame="GSE"),
        "temperature": _table("series", "eV", {"t": np.abs(noise(len(slow), 10, 1))}, slow),
        "away": _table("series", "AU", {"r": np.abs(noise(len(at), 0.3, 0.02))}, at + 9),
        "north": _table("series", "deg", {"lat": noise(len(slow), 5, 1)}, slow - 3),
        "channels": _table(
            "spectrogram",
            "cm^-2 s^-1",
            {f"e{place}": np.abs(noise(len(slow), 9, 1)) + 40 * (slow > 40000 + 3000 / (place + 1)) for place in range(4)},
            slow,
            bins=BinAxis(label="Energy", unit="MeV", scale="log", centers=(10.0, 1.0, 40.0, 3.0)),
        ),
        "electric": _table(
            "vector", "V/m", {name: values * 1e-3 for name, values in many("xyz", 1, 2).items()}, at, frame="GSE"
        ),
        "bz": _table("series", "nT", {"bz": noise(len(at), 0, 4)}, at, frame="GSM"),
        "pressure": _table("series", "nPa", {"p": np.abs(noise(len(slow), 4, 2))}, slow),
        "mach": _table("series", "", {"m": np.abs(noise(len(slow), 3, 2))}, slow),
        "events": _events(rng),
        "list": _events(rng),
        "distribution": _distribution(rng, slow[::8]),
        "volts": _table("series", "V", {"p": noise(len(slow), 8, 3)}, slow),
        "pitch angles": _pitch_angles(rng, slow[::8]),
    }


def four(name: str, *sources: str) -> dict[str, str]:
    """Two tables, each at two of four places."""
    return {f"{name}{point}": sources[point % 2] for point in range(1, 5)}


PLACES = {f"position{point}": f"place{point}" for point in range(1, 5)}
TIMES = [f"2024-01-01T05:00:0{second}Z" for second in range(4)]
PHASES = {"apart": "PT1H", "longest_initial": "PT20M", "longest_main": "PT1H", "longest_recovery": "PT3H"}
GAPS = {"max_gap": "PT10M", "position_gap": "PT12M"}
MATCH = {"tolerance": "PT3M"}
COUNTING = {"geometric_factor": 2e-3, "accumulation_s": 0.1}
MOVING = {"directions": "look"}
PITCH = {"skip_missing": True, "given_unit": "cm^-2 s^-1 sr^-1 keV^-1"}
SPECTRAL = {"cadence": "PT16S", "taper": "hann", "trend": "linear"}
CASES: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("magnitude", {"vector": "vector"}, {}),
    ("component", {"vector": "vector"}, {"component": "y"}),
    ("compose_vector", {"first": "series", "second": "series", "third": "bz"}, {}),
    ("rolling_mean", {"series": "vector"}, {"window": "PT10M"}),
    ("rolling_mean", {"series": "series"}, {"window": "PT7M", "centered": False, "min_samples": 3}),
    *[
        ("resample", {"series": "vector"}, {"cadence": "PT7M", "method": each})
        for each in ("mean", "median", "min", "max", "std", "sum", "count")
    ],
    ("difference", {"a": "series", "b": "other"}, MATCH),
    ("difference", {"a": "vector", "b": "vector2"}, {"tolerance": "PT10S"}),
    ("ratio", {"a": "other", "b": "series"}, MATCH),
    ("ratio", {"a": "vector", "b": "series"}, MATCH),
    ("scale", {"series": "vector"}, {"factor": 0.1, "offset": 273.15}),
    ("convert_unit", {"series": "speed"}, {"unit": "km/s"}),
    *[
        ("align", {"a": "series", "b": "other"}, {"max_gap": "PT6M", "method": each})
        for each in ("nearest", "previous", "linear")
    ],
    ("align", {"a": "other", "b": "vector"}, {"max_gap": "PT50S", "method": "linear"}),
    *[
        ("rolling_statistic", {"series": "series"}, {"window": "PT9M", "statistic": each})
        for each in ("median", "std", "variance", "min", "max")
    ],
    ("rolling_statistic", {"series": "series"}, {"window": "PT9M", "statistic": "std", "centered": False}),
    ("rolling_correlation", {"a": "series", "b": "other"}, {"window": "PT30M", **MATCH}),
    ("detrend", {"series": "series"}, {"window": "PT20M"}),
    ("detrend", {"series": "vector"}, {"window": "PT20M", "method": "linear", "min_samples": 4}),
    ("derivative", {"series": "vector"}, {"max_gap": "PT1M"}),
    ("butterworth", {"series": "even"}, {"cadence": "PT16S", "below_hz": 0.01}),
    ("butterworth", {"series": "even"}, {"cadence": "PT16S", "above_hz": 0.001, "below_hz": 0.02, "zero_phase": False}),
    ("spectrogram", {"series": "even"}, {**SPECTRAL, "window": "PT1024S"}),
    ("spectrogram", {"series": "series"}, {**SPECTRAL, "cadence": "PT32S", "window": "PT2048S", "step": "PT5M"}),
    ("welch", {"series": "even"}, {**SPECTRAL, "bin": "PT1H", "segment": "PT1024S"}),
    ("wavelet_power", {"series": "even"}, {"cadence": "PT16S", "shortest": "PT64S", "longest": "PT30M", "step": "PT320S"}),
    ("power_spectrum", {"series": "even"}, {"segment": "PT2048S"}),
    ("power_spectrum", {"series": "vector"}, {"taper": "boxcar", "max_gap": "PT5M"}),
    ("power_spectrum", {"series": "vector"}, {"parts": 1, "max_gap": "PT5M"}),
    ("angle_between", {"a": "vector", "b": "vector2"}, MATCH),
    ("angle_between", {"a": "vector", "b": "vector2"}, {**MATCH, "plane": "xy"}),
    *[
        ("direction", {"vector": "vector"}, {"angle": each, "full_circle": True})
        for each in ("latitude", "longitude", "clock", "cone")
    ],
    *[("transform_frame", {"vector": "vector"}, {"to": each}) for each in ("SM", "HEEQ", "Carrington")],
    ("transform_frame", {"vector": "vector", "position": "place"}, {"to": "RTN", "position_gap": "PT1H"}),
    ("transform_frame", {"vector": "place"}, {"to": "HCI"}),
    ("transform_frame", {"vector": "vector"}, {"to": "MFA", "average": "PT10M"}),
    ("transform_frame", {"vector": "velocity", "field": "vector2"}, {"to": "MFA", "average": "PT1H", "perpendicular": "z"}),
    *(
        (
            "transform_frame",
            {"vector": "vector", "position": "place"},
            {"to": "MFA", "average": "PT10M", "perpendicular": each, "position_gap": "PT1H"},
        )
        for each in ("radial", "azimuthal")
    ),
    (
        "transform_frame",
        {"vector": "velocity", "position": "place"},
        {"to": "GEO", "quantity": "velocity", "position_gap": "PT1H"},
    ),
    ("igrf_field", {"position": "near"}, {}),
    ("igrf_field", {"position": "gsm"}, {"degree": 3}),
    ("tsyganenko_field", {"position": "far", "kp": "kp"}, {"kp_factor": 10}),
    ("tsyganenko_field", {"position": "far", "pressure": "pressure", "dst": "dst", "imf": "imf"}, {"model": "T96"}),
    ("tsyganenko_field", {"position": "far"}, {"fixed_kp": 3, "result": "external"}),
    *(
        ("foot_points", {"position": "far"}, {"fixed_kp": 2, "result": result, "hemisphere": hemisphere})
        for result, hemisphere in (("latitude", "north"), ("longitude", "south"), ("position", "north"))
    ),
    *[
        ("dipole_coordinates", {"position": "near"}, {"result": each})
        for each in ("l_shell", "magnetic_latitude", "magnetic_local_time", "invariant_latitude")
    ],
    ("dipole_tilt", {"series": "vector"}, {}),
    ("rotate", {"vector": "vector"}, {"axis": "y", "angle_deg": 33.0, "frame": "turned"}),
    *[
        ("minimum_variance", {"vector": "vector"}, {"bin": "PT1H", "result": each})
        for each in ("minimum", "intermediate", "maximum", "eigenvalues")
    ],
    ("minimum_variance_frame", {"vector": "vector"}, {}),
    ("minimum_variance_frame", {"vector": "vector"}, {"min_samples": 5000}),
    ("dehoffmann_teller", {"velocity": "velocity", "field": "vector2", "density": "density"}, {**MATCH, "helium": 0.03}),
    ("dehoffmann_teller", {"velocity": "velocity", "field": "vector"}, {"min_samples": 5000}),
    ("maximum_variance_electric", {"electric": "electric", "field": "vector2"}, {**MATCH, "is_moving": False}),
    ("maximum_variance_electric", {"electric": "electric", "field": "vector2"}, MATCH),
    ("walen", {"velocity": "velocity", "field": "vector2", "density": "density"}, {**MATCH, "component": "y"}),
    (
        "shock_parameters",
        {"field": "vector", "velocity": "velocity", "density": "density", "temperature": "temperature"},
        {"clear": "PT10M", "longest": "PT4H", "helium": 0.04},
    ),
    (
        "shock_parameters",
        {"field": "vector", "velocity": "velocity", "density": "density"},
        {"time": "2024-01-01T05:00:00Z", "longest": "PT2H", "method": "mixed_1", "upstream": "after", "windows": 3},
    ),
    (
        "rankine_hugoniot",
        {"field": "vector", "velocity": "velocity", "density": "density", "temperature": "temperature"},
        {"clear": "PT10M", "length": "PT4H", "helium": 0.04},
    ),
    (
        "rankine_hugoniot",
        {
            "field": "vector",
            "velocity": "velocity",
            "density": "density",
            "temperature": "temperature",
            "electron_temperature": "temperature",
        },
        {"time": "2024-01-01T05:00:00Z", "length": "PT2H", "upstream": "after"},
    ),
    ("hodogram", {"vector": "vector"}, {"plane": "LMN"}),
    ("dynamic_pressure", {"density": "density", "speed": "speed"}, MATCH),
    ("alfven_speed", {"field": "vector", "density": "density"}, MATCH),
    ("alfven_mach", {"speed": "velocity", "field": "series", "density": "density"}, MATCH),
    ("sonic_mach", {"speed": "speed", "temperature": "temperature"}, MATCH),
    (
        "magnetosonic_mach",
        {"speed": "velocity", "field": "vector", "density": "density", "temperature": "temperature"},
        {**MATCH, "helium": 0.05},
    ),
    ("kan_lee_electric_field", {"speed": "speed", "field": "imf"}, MATCH),
    ("boynton_coupling", {"speed": "speed", "field": "imf", "pressure": "pressure"}, MATCH),
    ("pressure_corrected_dst", {"dst": "bz", "pressure": "pressure"}, {**MATCH, "correction": "burton"}),
    ("dst_model", {"speed": "speed", "bz": "bz", "pressure": "pressure"}, {"memory": "PT6H"}),
    ("dst_model", {"speed": "velocity", "bz": "bz", "pressure": "pressure"}, {"memory": "PT5H", "model": "burton"}),
    (
        "dst_model",
        {"speed": "speed", "bz": "bz", "pressure": "pressure", "dst": "series"},
        {"memory": "P1D", "max_gap": "PT1M", "result": "dst_star"},
    ),
    ("magnetopause_distance", {"pressure": "pressure", "bz": "bz"}, {**MATCH, "angle_deg": 70.0}),
    ("magnetopause_distance", {"pressure": "pressure", "bz": "bz", "position": "place"}, {**MATCH, "extrapolate": True}),
    ("lin_magnetopause_distance", {"pressure": "pressure", "field": "imf"}, {**MATCH, "angle_deg": 70.0, "azimuth_deg": 65.0}),
    ("lin_magnetopause_distance", {"pressure": "pressure", "field": "imf", "position": "gsm"}, {**MATCH, "tilt_deg": -20.0}),
    ("bow_shock_distance", {"pressure": "pressure", "position": "place"}, MATCH),
    ("bow_shock_distance", {"pressure": "pressure"}, {"angle_deg": 120.0}),
    ("bow_shock_standoff", {"pressure": "pressure", "bz": "bz", "mach": "mach"}, MATCH),
    ("total_pressure", {"field": "vector", "density": "density", "temperature": "temperature"}, {**MATCH, "helium": 0.1}),
    *[
        (
            "total_pressure",
            {"field": "series", "density": "density", "temperature": "temperature", "speed": "velocity"},
            {**MATCH, "electron_temperature_k": 1e5, "result": each},
        )
        for each in ("total", "magnetic", "thermal", "dynamic")
    ],
    (
        "pressure_balance",
        {"field": "vector", "density": "density", "temperature": "temperature", "electron_temperature": "temperature"},
        MATCH,
    ),
    *[
        (
            "temperature_anisotropy",
            {"perpendicular": "temperature", "parallel": "temperature", "density": "density", "field": "vector"},
            {**MATCH, "result": each},
        )
        for each in ("ratio", "parallel_beta", "mirror", "firehose", "mirror_threshold", "parallel_firehose_threshold")
    ],
    ("pressure_balance", {"field": "vector", "density": "density", "temperature": "temperature", "speed": "speed"}, MATCH),
    ("pressure_balance", {"field": "vector", "density": "density", "temperature": "temperature"}, {"min_samples": 5000}),
    ("plasma_beta", {"density": "density", "temperature": "temperature", "field": "vector"}, MATCH),
    ("gyrofrequency", {"field": "vector"}, {"species": "alpha"}),
    ("gyroradius", {"field": "vector", "temperature": "temperature"}, MATCH),
    ("parker_spiral_angle", {"speed": "speed"}, {"distance_au": 5.2, "latitude_deg": 10.0}),
    ("parker_spiral_angle", {"speed": "speed", "distance": "away", "latitude": "north"}, MATCH),
    ("convection_electric_field", {"velocity": "velocity", "field": "vector"}, MATCH),
    ("dawn_dusk_electric_field", {"speed": "speed", "bz": "bz"}, {**MATCH, "southward_only": True}),
    ("epsilon", {"speed": "speed", "field": "imf"}, MATCH),
    ("source_longitude", {"speed": "velocity", "position": "place"}, MATCH | {"source_radius_rs": 2.5}),
    (
        "propagate",
        {"series": "vector", "velocity": "velocity", "position": "place"},
        {**MATCH, "to_re": -5.0, "longest": "PT3H"},
    ),
    ("propagate", {"series": "series", "velocity": "speed", "position": "place"}, {**MATCH, "to_re": 0.0, "cadence": "PT7M"}),
    ("shift_time", {"series": "vector"}, {"later": "PT7M30S"}),
    ("shift_time", {"series": "series"}, {"earlier": "PT40S"}),
    ("newell_coupling", {"speed": "speed", "field": "imf"}, MATCH),
    *[
        ("curlometer", {**four("field", "vector", "vector2"), **PLACES}, {**GAPS, "result": each})
        for each in ("current_density", "divergence", "quality", "error", "mean_field", "barycentre", "shape")
    ],
    *[
        ("gradient", {**four("value", "vector", "vector2"), **PLACES}, {**GAPS, "result": each})
        for each in ("gradient", "divergence", "curl")
    ],
    ("gradient", {**four("value", "series", "other"), **PLACES}, GAPS | {"most_planarity": 0.1}),
    (
        "four_spacecraft_timing",
        {**PLACES, **{f"crossing{place}": each for place, each in enumerate(("even", "later", "even", "later"), start=1)}},
        {"position_gap": "PT12M", "least_correlation": 0.0, "longest_lag": "PT10M"},
    ),
    ("four_spacecraft_timing", PLACES, {"position_gap": "PT12M", "times": TIMES, "time_uncertainty": "PT0.5S"}),
    (
        "two_spacecraft_timing",
        {"position1": "place1", "position2": "place2", "crossing1": "vector", "crossing2": "vector2"},
        {"normal": (0.8, 0.6, 0.0), "position_gap": "PT12M", "least_correlation": 0.0},
    ),
    ("median_filter", {"series": "vector"}, {"window": "PT5M"}),
    ("despike", {"series": "vector"}, {"window": "PT10M", "threshold": 2.0}),
    ("despike", {"series": "series"}, {"window": "PT10M", "threshold": 2.0, "replace_by": "median"}),
    ("cross_correlation", {"a": "series", "b": "other"}, {"longest_lag": "PT2H"}),
    ("coherence", {"a": "series", "b": "other"}, {"cadence": "PT10M"}),
    ("wave_polarization", {"field": "vector", "background": "vector2"}, {"segments": 40}),
    ("wave_polarization", {"field": "vector"}, {"segments": 10, "cadence": "PT2M"}),
    ("particle_onsets", {"flux": "channels"}, {"background": "PT9H", "consecutive": 5}),
    ("particle_onsets", {"flux": "speed"}, {"consecutive": 2, "shift": 0.5, "threshold": 1.0}),
    ("particle_onsets", {"flux": "channels"}, {"background": "PT9H", "consecutive": 5, "result": "events"}),
    ("particle_onsets", {"flux": "speed"}, {"consecutive": 2, "shift": 0.5, "threshold": 1.0, "result": "events"}),
    ("structure_function", {"series": "vector"}, {}),
    ("structure_function", {"series": "series"}, {"order": 3, "longest_lag": "PT1H", "cadence": "PT2M"}),
    ("histogram", {"series": "series"}, {"bins": 17}),
    ("histogram", {"series": "series"}, {"width": 0.7, "result": "density"}),
    ("superposed_epoch", {"series": "series", "events": "events"}, {"before": "PT1H", "after": "PT2H", "bin": "PT10M"}),
    (
        "superposed_epoch",
        {"series": "even", "events": "list"},
        {"before": "PT1H", "after": "PT2H", "bin": "PT6M", "statistic": "median"},
    ),
    ("histogram_2d", {"x": "series", "y": "other"}, {"x_bins": 7, "y_edges": (0.0, 2.0, 4.0, 9.0), "result": "share", **MATCH}),
    ("histogram_2d", {"x": "density", "y": "speed"}, {"x_scale": "log", "result": "density", "y_bins": 9}),
    ("facts_of", {"series": "series"}, {"above": 4.0, "below": 2.0}),
    ("facts_of", {"series": "series"}, {"above": 4.0, "statistics": ["share", "mean"]}),
    ("facts_of", {"series": "other"}, {"statistics": ["mean", "std", "integral", "coverage", "samples"]}),
    ("intervals_where", {"series": "series"}, {"above": 4.0, "merge": "PT5M", "at_least": "PT2M"}),
    ("intervals_where", {"series": "other"}, {"below": 3.0, "above": 1.0, "longest": "PT1H", "gaps": "PT10M"}),
    ("crossings", {"series": "series"}, {"value": 3.0, "gaps": "PT2M"}),
    ("extrema", {"series": "series"}, {"which": "both", "prominence": 4.0, "apart": "PT20M"}),
    ("jumps", {"series": "series"}, {"change": 2.0, "window": "PT10M"}),
    ("find_shocks", {"field": "vector", "velocity": "velocity", "density": "density"}, WEAK),
    (
        "find_shocks",
        {"field": "vector2", "velocity": "speed", "density": "density", "temperature": "temperature"},
        {**WEAK, "kind": "reverse", "temperature_ratio": 0.9, "apart": "PT5M"},
    ),
    (
        "shock_parameters_of_events",
        {"events": "events", "field": "vector", "velocity": "velocity", "density": "density", "temperature": "temperature"},
        {"longest": "PT1H", "windows": 2},
    ),
    ("storm_phases", {"series": "bz"}, {"below": -9.0, "fall": 8.0, "quiet": -3.0, "positive": 2.0, **PHASES}),
    ("storm_phases", {"series": "bz"}, {"below": -5.0, "fall": 4.0, "quiet": 0.0, **PHASES, "quiet_up_to": "PT2H"}),
    ("scatter", {"x": "series", "y": "other"}, MATCH),
    *[
        (each, {"a": "events", "b": "list"}, {"longest": "PT1H"})
        for each in ("union_of", "intersection_of", "difference_of", "nearest_event")
    ],
    ("facts_of", {"series": "flux"}, {"statistics": ["mean", "integral"]}),
    ("facts_of_events", {"events": "events", "series": "series"}, {"longest": "PT1H", "gaps": "PT5M"}),
    ("facts_of_events", {"events": "events", "series": "flux"}, {"longest": "PT1H", "statistics": ["integral"]}),
    (
        "facts_of_events",
        {"events": "events", "series": "other"},
        {"statistics": ["median", "std", "integral", "coverage", "samples", "maximum"]},
    ),
    ("merge_events", {"events": "events"}, {"nearer": "PT10M"}),
    ("pad_events", {"events": "events"}, {"before": "PT10M", "after": "PT1H"}),
    *[
        ("slice", {"distribution": each}, options)
        for each in ("distribution", "pitch angles")
        for options in (
            {"axis": "energy", "value": 100.0},
            {"axis": 0, "index": 2},
            {"axis": "energy", "first": 1, "stop": 4},
            {"axis": 0, "first": 3, "stop": 4},
        )
    ],
    *[
        ("reduce", {"distribution": each}, {"axis": axis, "how": how, "skip_missing": how == "integral"})
        for each in ("distribution", "pitch angles")
        for axis in ("energy", 0)
        for how in ("mean", "sum", "integral", "max", "min")
    ],
    ("reduce", {"distribution": "distribution"}, {"axis": "elevation", "weights": "solid_angle"}),
    ("reduce", {"distribution": "pitch angles"}, {"axis": "pitch", "how": "integral", "weights": "solid_angle"}),
    *[
        ("energy_spectrogram", {"distribution": each}, {"weights": weights})
        for each in ("distribution", "pitch angles")
        for weights in ("equal", "solid_angle")
    ],
    ("pitch_angle_spectrogram", {"distribution": "pitch angles"}, {"energies": (20.0, 400.0)}),
    *[
        ("pitch_angle_spectrogram", {"distribution": "distribution", "field": "vector"}, {**MATCH, "directions": each, **more})
        for each, more in (("look", {"bin": 20.0}), ("motion", {"energies": (30.0, 500.0)}))
    ],
    *[
        ("convert_distribution", {"distribution": "distribution"}, {"to": to, "species": "electron", **COUNTING})
        for to in ("flux", "energy flux", "counts", "phase space density")
    ],
    *[
        ("moments", {"distribution": "distribution", "potential": "volts"}, {**MATCH, "moment": moment, **MOVING, **more})
        for moment in ("density", "velocity", "pressure", "temperature", "heat flux")
        for more in ({"species": "electron", "skip_missing": True}, {"species": "alpha", "energies": (15.0, 2000.0)})
    ],
    ("moments", {"distribution": "distribution"}, {"species": "O+", "skip_missing": True}),
    *[
        ("moments", {"distribution": "pitch angles"}, {"species": "proton", **MOVING, "moment": moment, **PITCH})
        for moment in ("velocity", "pressure", "heat flux")
    ],
    ("filter_events", {"events": "events"}, {"at_least": "PT20M", "column": "size", "below": 1.0}),
]


@pytest.mark.parametrize(("name", "given", "options"), CASES, ids=[f"{place}-{case[0]}" for place, case in enumerate(CASES)])
def test_a_day_of_uneven_samples(name: str, given: dict[str, str], options: dict[str, Any]) -> None:
    """With gaps, fills, other units and records that reach differently far."""
    known = tables()
    rows = assert_alike(get_operation(name), {key: known[each] for key, each in given.items()}, options, DAY)
    assert rows > 0


@pytest.mark.parametrize(
    ("name", "source", "given", "options"),
    [
        ("peak_of", "cross_correlation", {"a": "series", "b": "bz"}, {"longest_lag": "PT1H"}),
        ("peak_of", "power_spectrum", {"series": "even"}, {"segment": "PT2048S"}),
        ("spectral_slope", "power_spectrum", {"series": "even"}, {"segment": "PT2048S"}),
        ("spectral_break", "power_spectrum", {"series": "vector"}, {"segment": "PT8192S"}),
        ("velocity_dispersion", "particle_onsets", {"flux": "channels"}, {"background": "PT9H", "consecutive": 5}),
        (
            "epoch_statistics",
            "superposed_epoch",
            {"series": "even", "events": "list"},
            {"before": "PT1H", "after": "PT2H", "bin": "PT6M"},
        ),
        ("fit_line", "scatter", {"x": "series", "y": "other"}, MATCH),
    ],
)
def test_of_a_result(name: str, source: str, given: dict[str, str], options: dict[str, Any]) -> None:
    """Of curves and points that another operation has made."""
    known, maker, operation = tables(), get_operation(source), get_operation(name)
    made = maker.apply({key: known[each] for key, each in given.items()}, maker.read_options(options), DAY, "made")
    methods = ["least_squares", "orthogonal"] if name == "fit_line" else [None]
    for method in methods:
        given_options = {"method": method} if method else {"species": "proton"} if name == "velocity_dispersion" else {}
        assert_alike(operation, {next(iter(operation.inputs)): made}, given_options, DAY)


def test_every_plain_form_is_tried() -> None:
    """On a day of uneven samples, or on a result."""
    tried = {case[0] for case in CASES} | {
        "peak_of",
        "spectral_slope",
        "spectral_break",
        "velocity_dispersion",
        "epoch_statistics",
        "fit_line",
    }
    assert tried == {each for each in OPERATION_IDS if plain_function(each)}
