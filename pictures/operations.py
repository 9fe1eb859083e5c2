"""One picture for each shipped operation: its inputs above, its result below, on the demo archive's storm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import plotly.graph_objects as go

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.demo.archive import DemoArchive
from helio_dagster.compute.operation import get_operation
from helio_dagster.compute.operations.examples import ExampleTable
from helio_dagster.domain.figure import Figure, Panel, Trace
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.printing.picture import picture
from pictures.current_sheet import WORDS, sheet_table
from pictures.distributions import distribution
from pictures.made_up_orbit import ORBIT_WORDS, orbit_table

WIDTH_PX = 700
_PANEL_HEIGHT = 0.7

STORM = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
SHOCK = TimeRange(datetime(2003, 10, 29, 5, tzinfo=UTC), datetime(2003, 10, 29, 8, tzinfo=UTC))
SHEET = TimeRange(datetime(2003, 10, 29, 6, tzinfo=UTC), datetime(2003, 10, 29, 6, 5, tzinfo=UTC))
DAYS = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 11, 2, tzinfo=UTC))
ORBITS = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 29, 20, tzinfo=UTC))
WEEKS = TimeRange(datetime(2003, 10, 20, tzinfo=UTC), datetime(2003, 11, 25, tzinfo=UTC))

SOURCES = {
    "b": ("AC_H0_MFI", "BGSEc"),
    "b_gsm": ("AC_H0_MFI", "BGSM"),
    "b_mag": ("AC_H0_MFI", "Magnitude"),
    "wind_b": ("WI_H0_MFI", "BGSE"),
    "wind_mag": ("WI_H0_MFI", "BF1"),
    "density": ("AC_H0_SWE", "Np"),
    "place": ("AC_H0_MFI", "SC_pos_GSE"),
    "speed": ("AC_H0_SWE", "Vp"),
    "temperature": ("AC_H0_SWE", "Tpr"),
    "velocity": ("AC_H0_SWE", "V_GSE"),
    "flux": ("WI_PLSP_3DP", "FLUX"),
    "dst": ("OMNI2_H0_MRG1HR", "DST"),
}
"""Input to the demo archive's dataset and parameter."""
MADE = {
    "pressure": ("dynamic_pressure", {"density": "density", "speed": "speed"}),
    "mach": ("magnetosonic_mach", {"speed": "speed", "field": "b_mag", "density": "density", "temperature": "temperature"}),
}
"""Input that an operation makes of others."""

_EVENTS = ExampleTable(
    kind="events",
    columns={"size": (1, 2, 3)},
    seconds=(0.0, 5 * 86_400.0 + 6 * 3600, 27 * 86_400.0),
    start=datetime(2003, 10, 24, 12),
)

_AT_FOUR = (("value", "field"), ("position", "position"))


@dataclass(frozen=True)
class Case:
    """What an operation is shown with.

    `inputs` maps its inputs to `SOURCES` or `MADE`, to `source.component`, to `sheet.` and a table of `current_sheet`, or to
    `orbit`. With `is_overlaid` the result is drawn over the first.
    """

    inputs: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    span: TimeRange = STORM
    is_overlaid: bool = False
    draws: Literal["line", "points"] | None = None


CASES: Mapping[str, Case] = {
    "magnitude": Case({"vector": "b"}),
    "component": Case({"vector": "b"}, {"component": "z"}),
    "rolling_mean": Case({"series": "b_mag"}, {"window": "PT30M"}, is_overlaid=True),
    "resample": Case({"series": "b_mag"}, {"cadence": "PT10M"}, SHOCK, is_overlaid=True, draws="points"),
    "difference": Case({"a": "b_mag", "b": "wind_mag"}, {"tolerance": "PT1M"}),
    "ratio": Case({"a": "b_mag", "b": "wind_mag"}, {"tolerance": "PT1M"}),
    "scale": Case({"series": "b_mag"}, {"factor": -1.0}),
    "compose_vector": Case({"first": "b.0", "second": "b.1", "third": "b.2"}, {"frame": "GSE"}),
    "convert_unit": Case({"series": "temperature"}, {"unit": "eV"}),
    "align": Case({"a": "b_mag", "b": "density"}, {"method": "linear", "max_gap": "PT5M"}, SHOCK),
    "rolling_statistic": Case({"series": "b_mag"}, {"window": "PT30M", "statistic": "std"}),
    "rolling_correlation": Case({"a": "b_mag", "b": "wind_mag"}, {"window": "PT2H", "tolerance": "PT1M"}),
    "detrend": Case({"series": "b_mag"}, {"window": "PT2H"}),
    "derivative": Case({"series": "b_mag"}, {"max_gap": "PT1M"}),
    "butterworth": Case({"series": "b_mag"}, {"cadence": "PT16S", "below_hz": 0.0005}, is_overlaid=True),
    "spectrogram": Case({"series": "b_mag"}, {"window": "PT64M", "step": "PT16M", "cadence": "PT16S"}),
    "welch": Case({"series": "b_mag"}, {"bin": "PT2H", "segment": "PT32M", "cadence": "PT16S"}),
    "wavelet_power": Case({"series": "b_mag"}, {"cadence": "PT16S", "shortest": "PT2M", "longest": "PT1H", "step": "PT4M"}),
    "slice": Case({"distribution": "by_elevation"}, {"axis": "elevation", "value": 15}),
    "reduce": Case({"distribution": "by_elevation"}, {"axis": "energy", "how": "integral"}),
    "energy_spectrogram": Case({"distribution": "distribution"}),
    "pitch_angle_spectrogram": Case(
        {"distribution": "distribution", "field": "b"}, {"energies": [100, 400], "directions": "look"}
    ),
    "moments": Case({"distribution": "distribution"}, {"species": "electron", "moment": "temperature"}),
    "angle_between": Case({"a": "b", "b": "wind_b"}, {"tolerance": "PT1M"}),
    "direction": Case({"vector": "b_gsm"}, {"angle": "clock"}),
    "transform_frame": Case({"vector": "b"}, {"to": "GSM"}),
    "rotate": Case({"vector": "b"}, {"axis": "z", "angle_deg": 45, "frame": "turned"}),
    "igrf_field": Case({"position": "orbit"}, span=ORBITS),
    "tsyganenko_field": Case({"position": "orbit"}, {"fixed_kp": 3, "result": "external"}, span=ORBITS),
    "foot_points": Case({"position": "orbit"}, {"fixed_kp": 3}, span=ORBITS),
    "dipole_coordinates": Case({"position": "orbit"}, span=ORBITS),
    "dipole_tilt": Case({"series": "b_mag"}),
    "minimum_variance": Case({"vector": "b"}, {"bin": "PT30M"}),
    "dynamic_pressure": Case({"density": "density", "speed": "speed"}),
    "alfven_speed": Case({"field": "b_mag", "density": "density"}),
    "alfven_mach": Case({"speed": "speed", "field": "b_mag", "density": "density"}),
    "sonic_mach": Case({"speed": "speed", "temperature": "temperature"}),
    "magnetosonic_mach": Case({"speed": "speed", "field": "b_mag", "density": "density", "temperature": "temperature"}),
    "plasma_beta": Case({"density": "density", "temperature": "temperature", "field": "b_mag"}),
    "temperature_anisotropy": Case(
        {"perpendicular": "temperature", "parallel": "temperature", "density": "density", "field": "b_mag"},
        {"result": "mirror_threshold"},
    ),
    "total_pressure": Case({"field": "b_mag", "density": "density", "temperature": "temperature"}),
    "gyrofrequency": Case({"field": "b_mag"}),
    "gyroradius": Case({"field": "b_mag", "temperature": "temperature"}),
    "parker_spiral_angle": Case({"speed": "speed"}, {"distance_au": 0.99}),
    "source_longitude": Case({"speed": "speed", "position": "place"}),
    "propagate": Case({"series": "b_mag", "velocity": "speed", "position": "place"}),
    "shift_time": Case({"series": "b_mag"}, {"later": "PT1H"}, is_overlaid=True),
    "convection_electric_field": Case({"velocity": "velocity", "field": "b"}),
    "dawn_dusk_electric_field": Case({"speed": "speed", "bz": "b_gsm.2"}),
    "epsilon": Case({"speed": "speed", "field": "b_gsm"}),
    "newell_coupling": Case({"speed": "speed", "field": "b_gsm"}),
    "kan_lee_electric_field": Case({"speed": "speed", "field": "b_gsm"}),
    "boynton_coupling": Case({"speed": "speed", "field": "b_gsm", "pressure": "pressure"}),
    "pressure_corrected_dst": Case({"dst": "dst", "pressure": "pressure"}),
    "dst_model": Case({"speed": "speed", "bz": "b_gsm.2", "pressure": "pressure"}, {"memory": "P2D"}, DAYS),
    "magnetopause_distance": Case({"pressure": "pressure", "bz": "b_gsm.2"}, {"extrapolate": True}),
    "lin_magnetopause_distance": Case({"pressure": "pressure", "field": "b_gsm"}),
    "bow_shock_distance": Case({"pressure": "pressure"}),
    "bow_shock_standoff": Case({"pressure": "pressure", "bz": "b_gsm.2", "mach": "mach"}, {"extrapolate": True}),
    "curlometer": Case({f"{name}{n}": f"sheet.{name}{n}" for name in ("field", "position") for n in range(1, 5)}, span=SHEET),
    "gradient": Case(
        {f"{name}{n}": f"sheet.{source}{n}" for name, source in _AT_FOUR for n in range(1, 5)}, {"result": "curl"}, SHEET
    ),
    "median_filter": Case({"series": "b_mag"}, {"window": "PT30M"}, is_overlaid=True),
    "despike": Case({"series": "b_mag"}, {"window": "PT10M"}, is_overlaid=True),
    "superposed_epoch": Case({"series": "dst", "events": "events"}, {"before": "P1D", "after": "P3D", "bin": "PT3H"}, WEEKS),
}
"""Operation to what it is shown with; a test holds the keys to the registry."""


class Storm:
    """The demo archive's tables, each fetched once."""

    def __init__(self, archive: DemoArchive) -> None:
        self._archive = archive
        self._kept: dict[tuple[str, TimeRange], Table] = {}

    def table(self, name: str, span: TimeRange) -> Table:
        """An input over a time range; `source.component` is that column alone."""
        if name == "events":
            return _EVENTS.table()
        if name in ("distribution", "by_elevation"):
            return distribution(span, has_azimuths=name == "distribution")
        if name in MADE:
            operation_id, inputs = MADE[name]
            operation = get_operation(operation_id)
            given = {key: self.table(each, span) for key, each in inputs.items()}
            return operation.apply(given, operation.read_options({}), span, name)
        source, _, column = name.partition(".")
        if source == "sheet":
            return sheet_table(column, span)
        if source == "orbit":
            return orbit_table(span)
        if (source, span) not in self._kept:
            (fetched,) = self._archive.fetch(*SOURCES[source], [span])
            if fetched.table is None:
                raise fetched.error or AssertionError(source)
            self._kept[source, span] = fetched.table
        table = self._kept[source, span]
        if not column:
            return table
        component = get_operation("component")
        return component.apply({"vector": table}, component.read_options({"component": int(column)}), span, "component")


def draw_case(operation_id: str, case: Case, storm: Storm) -> go.Figure:
    """The picture of one operation as a plotly figure, `WIDTH_PX` wide."""
    operation = get_operation(operation_id)
    options = operation.read_options(case.options)
    lookback, lookahead = operation.halo(options)
    around = TimeRange(case.span.start - lookback, case.span.stop + lookahead)
    inputs = {name: storm.table(source, around) for name, source in case.inputs.items()}
    tables = {**inputs, operation_id: operation.apply(inputs, options, case.span, operation_id)}
    shown = [name for name in _drawn(case) if inputs[name].meta.kind not in ("events", "nd")]
    if case.is_overlaid:
        first = Trace(data=shown[0], color="silver", label="input")
        result = Trace(data=operation_id, draw=case.draws, color="firebrick", width=2.0, label="result")
        rows = [[first, result]]
    else:
        rows = [[Trace(data=name)] for name in (*shown, operation_id)]
    figure = Figure(panels=[Panel(traces=traces, height=_PANEL_HEIGHT) for traces in rows])
    drawn = draw(figure, tables, case.span, title=operation_id, events=inputs.get("events"))
    return drawn.update_layout(width=WIDTH_PX)


def _drawn(case: Case) -> list[str]:
    """Inputs that have a row of their own: where the four spacecraft are is said in words."""
    return [name for name, source in case.inputs.items() if not source.startswith("sheet.position")]


def caption(operation_id: str) -> str:
    """What a picture shows, in one sentence."""
    case = CASES[operation_id]
    inputs = ", ".join(f"`{name}`" for name in _drawn(case))
    options = ", ".join(f"`{name}: {value}`" for name, value in case.options.items())
    shown = f"{inputs} in grey, the result in red" if case.is_overlaid else f"{inputs} above, the result at the bottom"
    made_of = "Synthetic storm of the demo archive."
    for start, words in (("sheet.", WORDS), ("orbit", ORBIT_WORDS)):
        made_of = words if any(source.startswith(start) for source in case.inputs.values()) else made_of
    return f"{shown}{'; ' + options if options else ''}. {made_of}"


def draw_pictures() -> Iterator[tuple[str, bytes]]:
    """Operation and PNG of each case, in order; makes its data up in a temporary folder."""
    with (
        TemporaryDirectory() as cache,
        CdfReader(workers=1) as reader,
        DemoArchive(Path(cache), reader) as archive,
    ):
        storm = Storm(archive)
        for operation_id, case in CASES.items():
            yield operation_id, picture(draw_case(operation_id, case, storm), "png")
