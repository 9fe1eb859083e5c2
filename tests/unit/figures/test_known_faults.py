"""What a figure refuses is known before a run, where pipeline and catalog tell enough."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.assets.library import check_files
from helio_dagster.domain.errors import FigureError, PipelineError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.yaml.document import parse_path
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from tests.tiers import example_count

STEPS = """\
version: 1
name: one
steps:
  - {id: b, fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}
  - {id: mag, compute: {operation: magnitude, inputs: {vector: b}}}
  - {id: psd, compute: {operation: welch, inputs: {series: mag}, options: {cadence: PT16S, bin: PT4H, segment: PT128M}}}
"""


def check(figure: str, more: str = "") -> Findings:
    """What a check says of a figure over a field vector, its magnitude and a spectrum."""
    text = f"{STEPS}{more}  - {{id: plot, figure: {figure}}}\n"
    return check_files({"one": parse_pipeline(text, file="one.yaml")})


def test_three_units_in_a_panel_are_known_before_a_run() -> None:
    """Two have an axis each, a third has none."""
    omni = "  - {{id: {0}, fetch: {{archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: {1}}}}}\n"
    more = omni.format("speed", "V") + omni.format("density", "N")
    panels = "{panels: [{traces: [{data: mag}, {data: speed}]}, {traces: [{data: mag}, {data: speed}, {data: density}]}]}"
    (found,) = check(panels, more).problems
    assert "3 units: nT, km/s," in found.problem
    assert found.path == "steps[5].figure.panels[1].traces"


@pytest.mark.parametrize(
    ("panel", "path", "problem"),
    [
        ("{traces: [{data: b, component: '0'}]}", "traces[0].component", "has no component '0'"),
        ("{traces: [{data: b, component: Bq}]}", "traces[0].component", "has no component 'Bq'"),
        ("{traces: [{data: mag, color: reddish}]}", "traces[0].color", "'reddish' is not a colour"),
        ("{traces: [{data: mag, color: 'rgb(1,2)'}]}", "traces[0].color", "'rgb(1,2)' is not a colour"),
        ("{traces: [{data: mag, draw: spectrogram}]}", "traces[0].draw", "mag is not a spectrogram"),
        ("{traces: [{data: psd}, {data: psd}]}", "traces[1]", "a panel holds one spectrogram"),
        ("{traces: [{data: psd, draw: line}]}", "traces[0].draw", "columns, too many for lines"),
        ("{traces: [{data: psd}], z: {range: [0, 1]}}", "z.range", "a logarithmic axis cannot begin at 0"),
        ("{traces: [{data: psd}], y: {range: [0, 0.01]}}", "y.range", "a logarithmic axis cannot begin at 0"),
        ("{traces: [{data: psd, component: f001}], y: {range: [-1, 5]}}", "y.range", "a logarithmic axis cannot begin at -1"),
        ("{traces: [{data: mag}], y: {range: [0, 5], scale: log}}", "y.range", "a logarithmic axis cannot begin at 0"),
        ("{traces: [{data: mag}], y: {range: [5, 0]}}", "y.range", "the range from 5 to 0 holds nothing"),
    ],
)
def test_a_check_finds_what_drawing_would_refuse(panel: str, path: str, problem: str) -> None:
    """At its path, as a problem that forbids running."""
    found = [each for each in check(f"{{panels: [{panel}]}}").problems if each.path == f"steps[3].figure.panels[0].{path}"]
    assert len(found) == 1
    assert problem in found[0].problem
    assert found[0].hint


def test_what_can_be_drawn_passes() -> None:
    """Components by name, label or letter, colours of all kinds, ranges that fit their axes."""
    panels = (
        "[{traces: [{data: b, component: x, color: 'rgb(1, 2, 3)'}, {data: b, component: Bz GSE, color: '#abc'}]},"
        " {traces: [{data: psd}], z: {range: [0.1, 9]}}, {traces: [{data: mag, color: firebrick}], y: {range: [-5, 5]}}]"
    )
    assert check(f"{{panels: {panels}}}") == Findings()


@pytest.mark.parametrize(
    ("panel", "path", "problem"),
    [
        ({"traces": [{"data": "series"}, {"data": "lags"}]}, "traces[1].data", "series is over time, and lags is a curve"),
        ({"traces": [{"data": "pairs"}, {"data": "lags"}]}, "traces[1].data", "pairs is points, one value over another"),
        ({"traces": [{"data": "series"}, {"data": "fit"}]}, "traces[1].data", "fit holds facts, and series is over time"),
        ({"traces": [{"data": "axisless"}]}, "traces[0].data", "axisless is a curve without an axis"),
        ({"traces": [{"data": "lags", "draw": "spectrogram"}]}, "traces[0].draw", "lags is not a spectrogram"),
        ({"traces": [{"data": "lags", "component": "q"}]}, "traces[0].component", "has no component 'q'"),
        ({"traces": [{"data": "single"}]}, "traces[0].data", "has 1 columns of values"),
        ({"traces": [{"data": "pairs"}, {"data": "fit", "component": "q"}]}, "traces[1].component", "fit has no fact 'q'"),
        ({"traces": [{"data": "spectrum"}], "x": {"range": [0, 1]}}, "x.range", "a logarithmic axis cannot begin at 0"),
        ({"traces": [{"data": "spectrum"}], "y": {"range": [-1, 1]}}, "y.range", "a logarithmic axis cannot begin at -1"),
        ({"traces": [{"data": "series"}], "x": {"title": "t"}}, "x", "shares the figure's time axis"),
        ({"traces": [{"data": "fit"}], "x": {"title": "t"}}, "x", "a table of facts has no axes"),
        (
            {"traces": [{"data": "spectrum"}], "x": {"scale": "linear"}, "marks": [{"slope": "-5/3"}]},
            "marks[0].slope",
            "x is linear, y logarithmic",
        ),
        (
            {"traces": [{"data": "pairs"}], "y": {"scale": "log"}, "marks": [{"slope": 1}]},
            "marks[0].slope",
            "x is linear, y logarithmic",
        ),
    ],
)
def test_what_the_kinds_of_results_do_not_allow_is_found(panel: dict[str, object], path: str, problem: str) -> None:
    """By the metadata of curves, points, facts and events, at its path and with a remedy."""
    figure = Figure.model_validate({"panels": [panel]})
    (fault,) = find_figure_faults(figure, {name: table.meta for name, table in TABLES.items()})
    assert fault.path == parse_path(f"figure.panels[0].{path}")
    assert problem in fault.problem
    assert fault.hint
    assert fault.is_of_numbers


@pytest.mark.parametrize(
    "panel",
    [
        {"traces": [{"data": "spectrum"}], "marks": [{"slope": "-5/3"}]},
        {"traces": [{"data": "pairs"}], "marks": [{"slope": 1}]},
        {"traces": [{"data": "spectrum"}, {"data": "fit"}], "x": {"scale": "log"}, "marks": [{"slope": -2}]},
    ],
)
def test_a_slope_on_two_axes_of_one_kind_passes(panel: dict[str, object]) -> None:
    """The check says nothing, and it is drawn."""
    figure = Figure.model_validate({"panels": [panel]})
    assert not list(find_figure_faults(figure, {name: table.meta for name, table in TABLES.items()}))
    draw(figure, TABLES, SPAN, title="t")


def test_steps_of_which_nothing_is_known_are_no_fault() -> None:
    """Code may return any kind: drawing will tell."""
    unknown = TableMeta(kind="series", columns=())
    figure = Figure.model_validate(
        {
            "panels": [{"traces": [{"data": "code"}], "x": {"title": "lag"}}, {"traces": [{"data": "code"}, {"data": "lags"}]}],
            "events": "code",
        }
    )
    assert not list(find_figure_faults(figure, {"code": unknown, "lags": TABLES["lags"].meta}))


def test_events_may_be_computed_and_must_be_events() -> None:
    """A compute step is a source of events; a spectrogram is none, and a fetch is refused as before."""
    found = check("{panels: [{traces: [{data: mag}]}], events: psd}").problems
    assert [each.path for each in found] == ["steps[3].figure.events"]
    assert found[0].problem == "psd is a spectrogram, and its rows are not events"
    fetched = check("{panels: [{traces: [{data: mag}]}], events: b}").problems
    assert [each.path for each in fetched] == ["steps[3].figure.events"]


def test_heights_and_names_of_the_wrong_kind_are_refused_as_they_are_read() -> None:
    """A height is above zero; a component is a text, not a place."""
    wrong = ("height: 0", "height: -1", "y: {range: [.nan, 5]}", "y: {range: [1]}")
    for panel in (*(f"{{traces: [{{data: b}}], {each}}}" for each in wrong), "{traces: [{data: b, component: 0}]}"):
        with pytest.raises(PipelineError, match=r"panels\[0\]\.(height|y\.range|traces\[0\]\.component)"):
            check(f"{{panels: [{panel}]}}")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [("onset,stop\\n2003-10-29,2003-10-28", "the stop is not after the time"), ("onset,stop\\n2003-10-29,x", "is not a time")],
)
def test_events_that_cannot_be_marked_are_found(rows: str, problem: str) -> None:
    """In the table that holds them."""
    events = f'  - {{id: storms, table: {{csv: "{rows}", source: me}}}}\n'
    found = check("{panels: [{traces: [{data: mag}]}], events: storms}", events).problems
    assert [each.path for each in found] == ["steps[3].table.csv"]
    assert problem in found[0].problem


def _own(kind: str, names: str, **more: object) -> Table:
    """A table of another kind; a name may be followed by its role."""
    columns = [name.partition(":") for name in names.split()]
    described = [{"name": name, "unit": "nT", "role": role or "data"} for name, _, role in columns]
    values = {name: np.arange(1.0, 4.0) + place for place, (name, _, _) in enumerate(columns)}
    time = np.datetime64("2024-01-01T03", "ns") + np.arange(3) * np.timedelta64(1, "h")
    if "stop" in values:
        values["stop"] = time + np.timedelta64(10, "m")
    return Table(time, values, TableMeta.model_validate({"kind": kind, "columns": described, "unit": "nT", **more}))


def _tables() -> dict[str, Table]:
    time = np.datetime64("2024-01-01", "ns") + np.arange(20) * np.timedelta64(1, "h")
    wave = np.abs(np.sin(np.arange(20.0))) + 0.1
    bins = BinAxis(label="Energy", unit="eV", scale="log", centers=(10.0, 100.0, 1000.0))

    def table(kind: str, names: str, **more: object) -> Table:
        columns = tuple(ColumnMeta(name=name, label=name.upper(), unit="nT") for name in names.split())
        meta = TableMeta.model_validate({"kind": kind, "columns": columns, "unit": "nT", "label": kind, **more})
        return Table(time, {column.name: wave for column in columns}, meta)

    return {
        "series": table("series", "v"),
        "growing": table("series", "flux", scale="log"),
        "vector": table("vector", "bx by bz"),
        "image": table("spectrogram", "e0 e1 e2", bins=bins, scale="log"),
        "spectrum": _own("curve", "freq:axis p low:lower count", scale="log", bins=BinAxis(unit="Hz", scale="log")),
        "lags": _own("curve", "lag:axis r"),
        "axisless": _own("curve", "p q"),
        "pairs": _own("points", "bx by"),
        "triples": _own("points", "u v w", scale="log"),
        "single": _own("points", "u"),
        "fit": _own("facts", "slope intercept r stop:stop"),
        "storms": _own("events", "depth stop:stop"),
        "wide": table("spectrogram", " ".join(f"f{place}" for place in range(40)), bins=BinAxis(centers=tuple(range(1, 41)))),
    }


TABLES = _tables()
SPAN = TimeRange(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC))
traces = st.fixed_dictionaries(
    {"data": st.sampled_from(sorted(TABLES))},
    optional={
        "component": st.sampled_from(["bx", "BX", "x", "0", "1", "", "e1", "v", "total", "p", "slope", "depth"]),
        "color": st.sampled_from(["red", "reddish", "#12", "#1234ab", "rgb(1, 2, 3)", "var(--x)", ""]),
        "draw": st.sampled_from(["line", "points", "spectrogram"]),
    },
)
axes = st.fixed_dictionaries(
    {},
    optional={
        "scale": st.sampled_from(["linear", "log"]),
        "range": st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.1, 10.0), (1e-300, 1e300)]),
    },
)
panels = st.fixed_dictionaries(
    {"traces": st.lists(traces, min_size=1, max_size=3), "x": st.one_of(st.just({}), axes), "y": axes, "z": axes}
)


@settings(max_examples=example_count(120), deadline=None, derandomize=True)
@given(st.lists(panels, min_size=1, max_size=2), st.sampled_from([None, None, "storms", "fit", "pairs", "series"]))
def test_what_is_found_is_what_drawing_refuses(given_panels: list[dict[str, object]], events: str | None) -> None:
    """Problems where drawing fails, none where it does not; ranges that their scale forbids are found by `domain` as well."""
    figure = Figure.model_validate({"panels": given_panels, "events": events})
    axes_given = [axis for panel in figure.panels for axis in (panel.x, panel.y, panel.z)]
    axis_faults = [axis for axis in axes_given if axis.fault]
    faults = list(find_figure_faults(figure, {name: table.meta for name, table in TABLES.items()}))
    try:
        draw(figure, TABLES, SPAN, title="t")
    except FigureError:
        assert faults or axis_faults
    else:
        assert not [fault for fault in faults if not fault.is_note]
        assert not axis_faults
