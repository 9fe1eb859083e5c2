"""Every registered operation: the cut does not show in its partitions, nor does it show that there are partitions at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helio_dagster.compute.operation import get_operation, operations
from helio_dagster.compute.operations.pairing import Formula
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange, format_duration
from tests.integration.invariance.conftest import MemoryArchive
from tests.tiers import TIER, example_count

FIRST = {Grain.HOURLY: "2023-12-31-20:00", Grain.DAILY: "2024-02-26", Grain.WEEKLY: "2020-12-14", Grain.MONTHLY: "2023-11-01"}
"""Seven partitions from here hold midnight and new year, the leap day, new year in week 53, February."""
LONGEST_TOLERANCE = timedelta(days=31)
COUNTING = {"geometric_factor": [2e-3], "accumulation_s": [0.1]}


def lengths(grain: Grain, longest: timedelta = timedelta(days=366)) -> st.SearchStrategy[str]:
    """Durations beside a grain: far shorter, of all sorts that do not divide it, equal, and longer than some partitions."""
    parts = st.sampled_from([0.0, 1 / 1440, 1 / 48, 5 / 24, 7 / 60, 0.5, 1.0, 25 / 24, 2.5, 3.0])
    odd = st.sampled_from([timedelta(0), timedelta(microseconds=3), timedelta(seconds=1)])
    both = st.tuples(parts, odd).map(lambda drawn: max(drawn[0] * grain.shortest + drawn[1], timedelta(microseconds=2)))
    return both.map(lambda length: format_duration(min(length, longest)))


def one(*kinds: str, name: str = "series") -> st.SearchStrategy[dict[str, str]]:
    """One input of any of these kinds."""
    return st.sampled_from(kinds).map(lambda kind: {name: kind})


def given(**inputs: str) -> st.SearchStrategy[dict[str, str]]:
    """Inputs by the archive's parameter."""
    return st.just(inputs)


def options(**choices: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Options, each drawn from a list or a strategy; None stands for one that is not given."""
    drawn = {name: each if isinstance(each, st.SearchStrategy) else st.sampled_from(each) for name, each in choices.items()}
    return st.fixed_dictionaries(drawn).map(lambda found: {name: value for name, value in found.items() if value is not None})


def cadences(grain: Grain, *counts: float) -> list[str]:
    """So many times the distance of the samples of even data."""
    return [format_duration(grain.shortest / 24 * count) for count in counts]


def hertz(grain: Grain, *shares: float) -> list[float]:
    """Frequencies, as shares of the sample rate of even data."""
    return [share / (grain.shortest / 24).total_seconds() for share in shares]


def matched(**inputs: str) -> Callable[[Grain], st.SearchStrategy[Case]]:
    """An operation whose inputs meet within a tolerance."""
    return lambda grain: st.tuples(given(**inputs), options(tolerance=lengths(grain, LONGEST_TOLERANCE)))


PLACES = {f"position{point}": place for point, place in enumerate(("place", "place2", "place3", "place4"), start=1)}


def four(name: str, *sources: str) -> dict[str, str]:
    """Two parameters, each at two of four places."""
    return {f"{name}{point}": sources[point % 2] for point in range(1, 5)} | PLACES


def tetrahedra(grain: Grain, *results: str) -> st.SearchStrategy[dict[str, Any]]:
    """Options of four points, of which random ones are seldom regular."""
    return options(
        result=results,
        max_gap=lengths(grain, LONGEST_TOLERANCE),
        position_gap=lengths(grain, LONGEST_TOLERANCE),
        most_elongation=[0.9, 0.999],
        most_planarity=[0.999],
    )


ANY = one("series", "vector", "spectrogram")
LINES = one("series", "vector")
Case = tuple[Mapping[str, str], Mapping[str, Any]]
CASES: dict[str, Callable[[Grain], st.SearchStrategy[Case]]] = {
    "magnitude": lambda _: st.tuples(one("vector", name="vector"), st.just({})),
    "component": lambda _: st.tuples(one("vector", "spectrogram", name="vector"), options(component=[0, 1])),
    "compose_vector": lambda _: st.tuples(given(first="series", second="series", third="series"), options(frame=[None, "GSE"])),
    "rolling_mean": lambda grain: st.tuples(ANY, options(window=lengths(grain), centered=[True, False], min_samples=[1, 2, 3])),
    "resample": lambda grain: st.tuples(
        ANY, options(cadence=lengths(grain), method=["mean", "median", "min", "max", "std", "sum", "count"])
    ),
    "difference": lambda grain: st.tuples(
        st.sampled_from([{"a": "series", "b": "other"}, {"a": "vector", "b": "vector2"}]),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE)),
    ),
    "ratio": lambda grain: st.tuples(
        st.sampled_from([{"a": "series", "b": "other"}, {"a": "vector", "b": "other"}, {"a": "vector", "b": "vector2"}]),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE)),
    ),
    "scale": lambda _: st.tuples(ANY, options(factor=[-1.0, 0.1, 0.0], offset=[0.0, 273.15])),
    "convert_unit": lambda _: st.tuples(given(series="speed"), options(unit=["m/s", "cm/s"])),
    "align": lambda grain: st.tuples(
        st.sampled_from([{"a": "series", "b": "other"}, {"a": "vector", "b": "series"}, {"a": "series", "b": "vector2"}]),
        options(max_gap=lengths(grain), method=["nearest", "previous", "linear"]),
    ),
    "rolling_statistic": lambda grain: st.tuples(
        ANY,
        options(
            window=lengths(grain),
            centered=[True, False],
            min_samples=[1, 3],
            statistic=["median", "std", "variance", "min", "max"],
        ),
    ),
    "rolling_correlation": lambda grain: st.tuples(
        given(a="series", b="other"),
        options(window=lengths(grain), tolerance=lengths(grain, LONGEST_TOLERANCE), min_samples=[3, 5]),
    ),
    "detrend": lambda grain: st.tuples(ANY, options(window=lengths(grain), method=["mean", "linear"], min_samples=[1, 3])),
    "derivative": lambda grain: st.tuples(LINES, options(max_gap=lengths(grain))),
    "butterworth": lambda grain: st.tuples(
        LINES,
        options(
            cadence=cadences(grain, 1, 0.5),
            above_hz=[None, *hertz(grain, 0.05, 0.2)],
            below_hz=hertz(grain, 0.3, 0.45),
            order=[1, 2, 4],
            zero_phase=[True, False],
            max_gap=[None, *cadences(grain, 8)],
        ),
    ),
    "spectrogram": lambda grain: st.tuples(
        given(series="series"),
        options(
            cadence=cadences(grain, 1, 0.5),
            window=cadences(grain, 8, 10, 40),
            step=[None, *cadences(grain, 1, 7, 30)],
            taper=["hann", "boxcar"],
            trend=["constant", "linear", "none"],
            max_gap=[None, *cadences(grain, 12)],
        ),
    ),
    "welch": lambda grain: st.tuples(
        given(series="series"),
        options(
            cadence=cadences(grain, 1, 0.5),
            bin=cadences(grain, 20, 24, 50),
            segment=cadences(grain, 8, 10),
            overlap=[0.0, 0.5],
            max_gap=[None, *cadences(grain, 12)],
        ),
    ),
    "wavelet_power": lambda grain: st.tuples(
        given(series="series"),
        options(
            cadence=cadences(grain, 1, 0.5),
            shortest=cadences(grain, 4),
            longest=cadences(grain, 4, 9, 17),
            per_octave=[1, 3],
            step=[None, *cadences(grain, 1, 5)],
            max_gap=[None, *cadences(grain, 12)],
        ),
    ),
    "slice": lambda _: st.tuples(
        given(distribution="distribution"),
        st.one_of(
            options(axis=["phi", "elevation", "e"], index=[0, 1]),
            options(axis=["e"], value=[1.0, 100.0]),
            options(axis=["e", "phi"], first=[1], stop=[2, 3]),
        ),
    ),
    "reduce": lambda _: st.tuples(
        given(distribution="distribution"),
        st.one_of(
            options(axis=["phi", "elevation", "e"], how=["mean", "sum", "integral", "max", "min"], skip_missing=[True, False]),
            options(axis=["elevation"], how=["mean", "integral"], weights=["solid_angle"]),
        ),
    ),
    "energy_spectrogram": lambda _: st.tuples(given(distribution="distribution"), options(weights=["equal", "solid_angle"])),
    "pitch_angle_spectrogram": lambda grain: st.tuples(
        given(distribution="distribution", field="vector"),
        options(
            bin=[None, 30.0],
            energies=[None, (0.001, 100.0)],
            directions=["look", "motion"],
            tolerance=lengths(grain, LONGEST_TOLERANCE),
        ),
    ),
    "convert_distribution": lambda _: st.tuples(
        given(distribution="psd"), options(to=["flux", "energy flux", "counts"], species=["proton"], **COUNTING)
    ),
    "moments": lambda grain: st.tuples(
        given(distribution="psd", potential="volts"),
        options(
            moment=["density", "velocity", "pressure", "temperature", "heat flux"],
            species=["electron", "proton"],
            directions=["look"],
            energies=[None, (0.001, 100.0)],
            skip_missing=[True, False],
            tolerance=lengths(grain, LONGEST_TOLERANCE),
        ),
    ),
    "angle_between": matched(a="vector", b="vector2"),
    "direction": lambda _: st.tuples(
        one("vector", name="vector"),
        options(angle=["latitude", "longitude", "clock", "cone"], full_circle=[True, False]),
    ),
    "transform_frame": lambda grain: st.one_of(
        st.tuples(
            one("vector", "imf", name="vector"), options(to=["GEI", "GEO", "MAG", "GSE", "GSM", "SM", "HEEQ", "Carrington"])
        ),
        st.tuples(given(vector="place"), options(to=["HCI", "GSM"])),
        st.tuples(given(vector="vector", position="place"), options(to=["RTN"], position_gap=lengths(grain))),
        st.tuples(
            st.sampled_from([{"vector": "vector"}, {"vector": "vector", "field": "vector2"}]),
            options(to=["MFA"], average=lengths(grain), perpendicular=["x", "z"]),
        ),
        st.tuples(
            given(vector="vector", position="place"),
            options(to=["MFA"], average=lengths(grain), perpendicular=["radial", "azimuthal"], position_gap=lengths(grain)),
        ),
        st.tuples(
            given(vector="velocity", position="place"), options(to=["GEO"], quantity=["velocity"], position_gap=lengths(grain))
        ),
    ),
    "rotate": lambda _: st.one_of(
        st.tuples(one("vector", name="vector"), options(axis=["x", "y", "z"], angle_deg=[12.5], frame=["LMN", "turned"])),
        st.tuples(given(vector="vector", axes="axes"), st.just({})),
    ),
    "igrf_field": lambda _: st.tuples(one("place", "gsm", name="position"), options(degree=[1, 5, 13])),
    "tsyganenko_field": lambda grain: st.tuples(
        given(position="gsm", pressure="pressure", dst="series", imf="imf"),
        options(model=["T96"], tolerance=cadences(grain, 1, 3), result=["total", "external"]),
    ),
    "foot_points": lambda grain: st.tuples(  # lines are slow to follow: few records have a Kp near enough
        given(position="gsm", kp="other"),
        options(
            tolerance=cadences(grain, 0.02), altitude_km=[2000], hemisphere=["north", "south"], result=["latitude", "position"]
        ),
    ),
    "dipole_coordinates": lambda _: st.tuples(
        one("place", "gsm", name="position"),
        options(result=["l_shell", "magnetic_latitude", "magnetic_local_time", "invariant_latitude"]),
    ),
    "dipole_tilt": lambda _: st.tuples(ANY, st.just({})),
    "minimum_variance": lambda grain: st.tuples(
        one("vector", name="vector"),
        options(bin=lengths(grain), result=["minimum", "intermediate", "maximum", "eigenvalues"], min_samples=[4, 8]),
    ),
    "dynamic_pressure": matched(density="density", speed="speed"),
    "alfven_speed": matched(field="vector", density="density"),
    "alfven_mach": matched(speed="velocity", field="series", density="density"),
    "sonic_mach": matched(speed="speed", temperature="temperature"),
    "magnetosonic_mach": matched(speed="speed", field="vector", density="density", temperature="temperature"),
    "kan_lee_electric_field": matched(speed="speed", field="imf"),
    "boynton_coupling": matched(speed="speed", field="imf", pressure="pressure"),
    "pressure_corrected_dst": matched(dst="series", pressure="pressure"),
    "dst_model": lambda _: st.tuples(
        st.sampled_from(
            [
                {"speed": "speed", "bz": "bz", "pressure": "pressure"},
                {"speed": "speed", "bz": "bz", "pressure": "pressure", "dst": "series"},
                {"speed": "velocity", "bz": "bz", "pressure": "pressure", "dst": "other"},
            ]
        ),
        options(
            model=["obrien_mcpherron", "burton"],
            memory=["PT1H", "PT5H", "P2D", "P5D"],
            max_gap=["PT1M", "PT2H", "P1D"],
            result=["dst", "dst_star"],
        ),
    ),
    "magnetopause_distance": lambda grain: st.tuples(
        st.sampled_from([{"pressure": "pressure", "bz": "bz"}, {"pressure": "pressure", "bz": "bz", "position": "place"}]),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE), angle_deg=[0.0, 75.0], extrapolate=[True, False]),
    ),
    "lin_magnetopause_distance": lambda grain: st.tuples(
        st.sampled_from(
            [{"pressure": "pressure", "field": "imf"}, {"pressure": "pressure", "field": "imf", "position": "gsm"}]
        ),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE), angle_deg=[0.0, 75.0], azimuth_deg=[90.0], tilt_deg=[None, 5.0]),
    ),
    "bow_shock_distance": lambda grain: st.tuples(
        st.sampled_from([{"pressure": "pressure"}, {"pressure": "pressure", "position": "place"}]),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE), angle_deg=[0.0, 75.0]),
    ),
    "bow_shock_standoff": lambda grain: st.tuples(
        given(pressure="pressure", bz="bz", mach="mach"),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE), extrapolate=[True, False]),
    ),
    "curlometer": lambda grain: st.tuples(
        st.just(four("field", "vector", "vector2")),
        tetrahedra(grain, "current_density", "divergence", "quality", "error", "mean_field", "barycentre", "shape"),
    ),
    "gradient": lambda grain: st.one_of(
        st.tuples(st.just(four("value", "vector", "vector2")), tetrahedra(grain, "gradient", "divergence", "curl")),
        st.tuples(st.just(four("value", "series", "other")), tetrahedra(grain, "gradient")),
    ),
    "total_pressure": lambda grain: st.tuples(
        st.sampled_from(
            [
                {"field": "vector", "density": "density", "temperature": "temperature"},
                {"field": "series", "density": "density", "temperature": "temperature", "electron_temperature": "temperature"},
                {"field": "vector", "density": "density", "temperature": "temperature", "speed": "velocity"},
            ]
        ),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE), result=["total", "magnetic", "thermal", "dynamic"]),
    ),
    "temperature_anisotropy": lambda grain: st.tuples(
        given(perpendicular="temperature", parallel="temperature", density="density", field="vector"),
        options(tolerance=lengths(grain, LONGEST_TOLERANCE), result=["ratio", "mirror", "oblique_firehose_threshold"]),
    ),
    "plasma_beta": matched(density="density", temperature="temperature", field="vector"),
    "gyrofrequency": lambda _: st.tuples(given(field="series"), options(species=["proton", "alpha"])),
    "gyroradius": matched(field="vector", temperature="temperature"),
    "parker_spiral_angle": lambda grain: st.one_of(
        st.tuples(given(speed="speed"), options(distance_au=[1.0, 5.2])),
        st.tuples(given(speed="speed", distance="far", latitude="north"), options(tolerance=lengths(grain, LONGEST_TOLERANCE))),
    ),
    "convection_electric_field": matched(velocity="velocity", field="vector"),
    "dawn_dusk_electric_field": matched(speed="speed", bz="bz"),
    "epsilon": matched(speed="speed", field="imf"),
    "intervals_where": lambda grain: st.tuples(
        given(series="series"),
        st.one_of(
            options(above=[0.0, 1.0], gaps=lengths(grain), merge=[None, *cadences(grain, 2, 8)], longest=lengths(grain)),
            options(below=[0.1], above=[None, -1.0], at_least=cadences(grain, 2), longest=cadences(grain, 3, 30)),
        ),
    ),
    "crossings": lambda grain: st.tuples(
        given(series="series"), options(value=[0.0, 1.0], direction=["both", "up", "down"], gaps=lengths(grain))
    ),
    "extrema": lambda grain: st.tuples(
        given(series="series"),
        options(
            which=["maxima", "minima", "both"],
            prominence=[0.0, 1.0],
            reach=lengths(grain),
            apart=[None, *cadences(grain, 2, 9)],
        ),
    ),
    "storm_phases": lambda grain: st.tuples(
        given(series="series"),
        options(
            below=[-0.5, -1.0],
            fall=[0.5, 1.5],
            quiet=[0.0],
            positive=[0.5],
            apart=cadences(grain, 2, 9),
            longest_initial=cadences(grain, 3, 20),
            longest_main=cadences(grain, 5, 30),
            longest_recovery=cadences(grain, 4, 40),
            quiet_up_to=[None, *cadences(grain, 3, 50)],
        ),
    ),
    "jumps": lambda grain: st.tuples(
        given(series="series"),
        options(change=[0.5, 100.0], window=lengths(grain), apart=[None, *cadences(grain, 2, 30)], min_samples=[1, 2]),
    ),
    "find_shocks": lambda grain: st.tuples(
        st.sampled_from([{"field": "vector"}, {"field": "imf"}]).map(
            lambda own: {**own, "velocity": "velocity", "density": "density"}
        ),
        options(
            field_ratio=[1.01],
            density_ratio=[1.01],
            speed_jump=[0.01],
            length=cadences(grain, 3, 20),
            clear_upstream=cadences(grain, 0.5, 2),
            clear_downstream=cadences(grain, 0.5, 3),
            apart=cadences(grain, 1, 9),
            min_samples=[2],
            kind=["both", "reverse"],
        ),
    ),
    "shock_parameters_of_events": lambda grain: st.tuples(
        given(events="events", field="vector", velocity="velocity", density="density"),
        options(clear=cadences(grain, 0.5, 2), longest=cadences(grain, 3, 20), windows=[1, 3], upstream=["auto", "before"]),
    ),
    **{
        each: lambda grain: st.tuples(given(a="events", b="events"), options(longest=[None, *cadences(grain, 3, 40)]))
        for each in ("union_of", "intersection_of", "difference_of", "nearest_event")
    },
    "facts_of_events": lambda grain: st.tuples(
        given(events="events", series="series"),
        options(longest=cadences(grain, 3, 40), statistics=[None, ["median", "integral", "samples"]]),
    ),
    "merge_events": lambda grain: st.tuples(
        given(events="events"), options(nearer=cadences(grain, 6, 14), longest=cadences(grain, 3, 40))
    ),
    "pad_events": lambda grain: st.tuples(
        given(events="events"), options(before=[None, *cadences(grain, 3, 30)], after=cadences(grain, 3, 30))
    ),
    "filter_events": lambda _: st.tuples(given(events="events"), options(column=["size"], above=[0.0, 1.0])),
    "source_longitude": matched(speed="velocity", position="place"),
    "shift_time": lambda grain: st.tuples(
        given(series="vector"), st.one_of(options(later=lengths(grain)), options(earlier=lengths(grain)))
    ),
    "propagate": lambda grain: st.tuples(
        st.sampled_from(
            [
                {"series": "vector", "velocity": "velocity", "position": "place"},
                {"series": "series", "velocity": "speed", "position": "place"},
            ]
        ),
        options(
            cadence=lengths(grain),
            tolerance=lengths(grain, LONGEST_TOLERANCE),
            longest=lengths(grain),
            to_re=[0.0, -5.0],
            normal=[None, (0.8, 0.6, 0.0)],
        ),
    ),
    "newell_coupling": matched(speed="speed", field="imf"),
    "median_filter": lambda grain: st.tuples(ANY, options(window=lengths(grain), min_samples=[1, 3])),
    "despike": lambda grain: st.tuples(
        ANY,
        options(
            window=lengths(grain), threshold=[0.5, 3.0], smallest=[0.0, 1.0], replace_by=["gap", "median"], min_samples=[3, 5]
        ),
    ),
    "scatter": matched(x="series", y="speed"),
    "superposed_epoch": lambda grain: st.tuples(
        given(series="series", events="events"),
        options(
            before=cadences(grain, 4, 30),
            after=cadences(grain, 2, 40),
            bin=cadences(grain, 0.5, 1, 2),
            statistic=["mean", "median"],
        ),
    ),
}
"""Operation to what it is tried with: its inputs, by the archive's parameter or the step in `STEPS`, and its options."""
AXES = {"operation": "minimum_variance_frame", "inputs": {"vector": "vector"}, "options": {"min_samples": 4}}
STEPS = {"axes": {"id": "axes", "compute": AXES}}
"""What an operation reads that is computed, too: by partition."""


def listed_events(windows: list[TimeRange], *, are_lasting: bool = False) -> dict[str, str]:
    """Events on edges of partitions, between, and where there are no data; moments, or longer than a partition."""
    places = [window.start + share * window.duration for window in windows for share in (0, 0.37, 0.9)]
    rows = [places[0] - timedelta(days=900), *places, places[-1] + timedelta(days=900)]
    if are_lasting:
        shares = [0.1 + 0.2 * (place % 8) for place in range(len(rows))]
        stops = [row + share * windows[0].duration for row, share in zip(rows, shares, strict=True)]
        lasting = [f"{row.isoformat()},{stop.isoformat()},1" for row, stop in zip(rows, stops, strict=True)]
        return {"csv": "\n".join(["onset,stop,size", *lasting]), "source": "made up"}
    return {"csv": "\n".join(["onset,size", *(f"{row.isoformat()},1" for row in rows)]), "source": "made up"}


def in_windows_with_files(
    times: NDArray[np.datetime64],
    operation: str,
    chosen: Mapping[str, Any],
    archive: MemoryArchive,
    windows: Sequence[TimeRange],
) -> NDArray[np.bool_]:
    """Which times lie in partitions for which every parameter has a file: elsewhere an event is in the list alone."""
    found = get_operation(operation)
    before, after = found.halo(found.read_options(chosen))
    are_in = np.zeros(len(times), dtype=bool)
    for window in windows:
        read = TimeRange(window.start - before, window.stop + after)
        if all(any(span.overlaps(read) for _, span, _ in files) for files in archive.files.values()):
            start, stop = window.bounds_ns()
            are_in |= (times >= start) & (times < stop)
    return are_in


def test_every_registered_operation_is_tried() -> None:
    """A new operation must be added to `CASES`, with options that give it halos of all lengths.

    Those of a whole window have no partitions; `tests/unit/compute/operations/test_whole_windows.py` has them.
    """
    assert set(CASES) == {operation.id for operation in operations() if not operation.is_of_window}


FORMULAS = {operation.id for operation in operations() if isinstance(operation, Formula)}
"""Of one record each, all made alike: tried less often."""
SLOW = {"foot_points"}
"""Half a minute for each set of drawn data: tried with one by day, with few at night."""
_SETTINGS = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")  # infinities and huge values are meant
@pytest.mark.parametrize("operation", sorted(set(CASES) - FORMULAS - SLOW))
@settings(_SETTINGS, max_examples=example_count(8))
@hypothesis.given(data=st.data())
def test_neither_the_cut_nor_the_partitions_show(
    operation: str, data: st.DataObject, make_lab: Callable, archive_of: Callable, cuts_of: Callable, stretches: tuple[str, ...]
) -> None:
    """Whatever the data: every cut gives the same files; put together, they are the operation on the continuous series."""
    hold_against_the_continuous_series(operation, data, make_lab, archive_of, cuts_of, stretches)


@pytest.mark.alike(5)
@pytest.mark.parametrize("operation", sorted(FORMULAS))
@settings(_SETTINGS, max_examples=example_count(3))
@hypothesis.given(data=st.data())
def test_neither_the_cut_nor_the_partitions_show_in_formulas(
    operation: str, data: st.DataObject, make_lab: Callable, archive_of: Callable, cuts_of: Callable, stretches: tuple[str, ...]
) -> None:
    """As above, inputs of several archive files meeting within a tolerance."""
    hold_against_the_continuous_series(operation, data, make_lab, archive_of, cuts_of, stretches)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@pytest.mark.parametrize("operation", sorted(SLOW))
@settings(_SETTINGS, max_examples=8 if TIER == "nightly" else 1)
@hypothesis.given(data=st.data())
def test_neither_the_cut_nor_the_partitions_show_in_slow_ones(
    operation: str, data: st.DataObject, make_lab: Callable, archive_of: Callable, cuts_of: Callable, stretches: tuple[str, ...]
) -> None:
    """As above."""
    hold_against_the_continuous_series(operation, data, make_lab, archive_of, cuts_of, stretches)


def hold_against_the_continuous_series(
    operation: str, data: st.DataObject, make_lab: Callable, archive_of: Callable, cuts_of: Callable, stretches: tuple[str, ...]
) -> None:
    """Draw data and options, materialize in all sorts of cuts, and compare bytes.

    Nine partitions of data, of which the last is not over. The pipeline begins with the second; the third to the seventh are
    asked for.
    """
    grain = data.draw(st.sampled_from(sorted(FIRST)), "grain")
    inputs, chosen = data.draw(CASES[operation](grain), "case")
    computed = {name: STEPS[each] for name, each in inputs.items() if each in STEPS}
    fetched = [each for each in dict.fromkeys(inputs.values()) if each != "events" and each not in STEPS]
    drawn = {each: data.draw(st.lists(st.sampled_from(stretches), min_size=9, max_size=9), each) for each in fetched}
    seed = data.draw(st.integers(0, 2**16), "seed")
    archive = archive_of(grain, FIRST[grain], drawn, seed)

    windows = [grain.window(FIRST[grain])]
    while len(windows) < 9:
        windows.append(grain.window(grain.key(windows[-1].stop)))
    keys = [grain.key(window.start) for window in windows[2:7]]
    fetches = [{"id": each, "fetch": {"archive": "memory", "dataset": "D", "parameter": each}} for each in fetched]
    are_lasting = operation == "facts_of_events"
    events = listed_events(windows, are_lasting=are_lasting) if "events" in inputs.values() else None
    tables = [{"id": "events", "table": events}] if events else []
    step = {"id": "step", "compute": {"operation": operation, "inputs": dict(inputs), "options": dict(chosen)}}
    pipeline = {
        "name": "p",
        "partitions": grain.value,
        "start": windows[1].start,
        "steps": [*fetches, *tables, *computed.values(), step],
    }
    names = ["p/step"]

    whole = make_lab(archive, windows[8].start, pipeline)
    assert {outcome.state for outcome in whole.run(names, keys).values()} == {"computed"}
    for name, cut in cuts_of(keys).all(seed).items():
        other = make_lab(archive, windows[8].start, pipeline)
        for block in cut:
            other.run(names, block)
        assert other.is_like(whole), name

    asked = TimeRange(windows[2].start, windows[6].stop)
    made = {name: whole.table(f"p/{each['id']}", keys) for name, each in computed.items()}
    read = {name: each for name, each in inputs.items() if name not in made}
    listed = EventTable.model_validate(events) if events else None
    expected = whole.continuous(operation, chosen, read, asked, listed, made)
    if events:
        kept = in_windows_with_files(expected.time, operation, chosen, archive, windows[2:7])
        expected = Table(expected.time[kept], {name: each[kept] for name, each in expected.columns.items()}, expected.meta)
    found = whole.table("p/step", keys)
    np.testing.assert_array_equal(found.time, expected.time)
    for name in expected.columns if len(expected) else ():
        assert found.columns[name].tobytes() == expected.columns[name].tobytes(), name
