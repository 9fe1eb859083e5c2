"""Code that returns a curve, a map, points, facts or events, run confined."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.reading import find_asset, read_table
from tests.integration.running.conftest import MakeSite, Site

PIPELINE = """
version: 1
name: basic
start: 2023-01-01
steps:
  - id: b
    fetch: {{archive: cdaweb, dataset: TS_H0_MFI, parameter: F}}
  - id: made
    {over}
    compute:
      inputs: {{b: b}}
      kind: {kind}
      units: {units}
      code: |
        {code}
"""


def make(
    make_site: MakeSite, span: TimeRange, kind: str, code: str, units: str = "{}", over: str = "over: range"
) -> Table | str:
    """What a step makes of the mission's scalar, or why it failed."""
    site: Site = make_site("home", PIPELINE.format(kind=kind, code=code.replace("\n", "\n        "), units=units, over=over))
    report = site.run(span)
    if report.failures:
        return f"{report.failures[0].error} {report.failures[0].hint}"
    pipeline, graph = site.open()
    return read_table(site.workbench().store, find_asset(graph, "made", pipeline), span)


def scalar(make_site: MakeSite, span: TimeRange) -> Table:
    """The fetched values themselves."""
    site = make_site("plain", PIPELINE.format(kind="facts", code="return {'n': len(b)}", units="{}", over="over: range"))
    site.run(span)
    pipeline, graph = site.open()
    return read_table(site.workbench().store, find_asset(graph, "b", pipeline), span)


def test_a_mapping_is_facts(make_site: MakeSite, span: TimeRange) -> None:
    """One row over the range, with units and uncertainties, equal to what numpy finds."""
    values = scalar(make_site, span).columns["F"]
    code = 'return {"mean": b["F"].mean(), "mean_uncertainty": b["F"].sem(), "n": len(b)}'
    table = make(make_site, span, "facts", code, "{mean: nT}")
    assert isinstance(table, Table)
    assert [(column.name, column.role, column.unit) for column in table.meta.columns] == [
        ("stop", "stop", ""),
        ("mean", "data", "nT"),
        ("mean_uncertainty", "uncertainty", "nT"),
        ("n", "data", ""),
    ]
    assert table.columns["mean"][0] == pytest.approx(np.mean(values), rel=1e-12)
    assert table.columns["n"][0] == len(values)


def test_facts_over_partitions_are_one_row_a_day(make_site: MakeSite, span: TimeRange) -> None:
    """Without `over: range`, each day has its own."""
    table = make(make_site, span, "facts", 'return {"n": len(b)}', over="intent: count")
    assert isinstance(table, Table)
    assert table.columns["n"].tolist() == [48, 48, 48]


def test_a_frame_is_a_curve(make_site: MakeSite, span: TimeRange) -> None:
    """Its first column is the axis."""
    values = scalar(make_site, span).columns["F"]
    code = 'n, e = np.histogram(b["F"], bins=5)\nreturn pd.DataFrame({"b": e[:-1], "n": n, "n_lower": n - 1})'
    table = make(make_site, span, "curve", code, "{b: nT}")
    assert isinstance(table, Table)
    counts, edges = np.histogram(values, bins=5)
    assert table.meta.axis_name == "b"
    assert table.meta.companions("n") == {"lower": "n_lower"}
    assert np.array_equal(table.columns["n"], counts)
    assert np.allclose(table.columns["b"], edges[:-1])


def test_a_frame_of_two_axes_is_a_map(make_site: MakeSite, span: TimeRange) -> None:
    """One row for each pair, with the edges of bins where the code gives them, and how many samples a value is made of."""
    code = (
        'hour = b.index.hour // 12\ncell = pd.MultiIndex.from_product([[0, 1], [10.0, 20.0]], names=["half", "f"])\n'
        "found = b.groupby([hour, np.where(b['F'] < b['F'].median(), 10.0, 20.0)])['F'].agg(['mean', 'size']).reindex(cell)\n"
        "found = found.reset_index().assign(count=found['size'].fillna(0).to_numpy()).drop(columns='size')\n"
        "found.insert(1, 'half_lower', found['half'] - 0.5)\n"
        "found.insert(2, 'half_upper', found['half'] + 0.5)\n"
        "return found"
    )
    table = make(make_site, span, "map", code, "{mean: nT, half: d}")
    assert isinstance(table, Table), table
    assert (table.meta.axis_names, table.meta.data_names) == (("half", "f"), ("mean",))
    assert table.meta.companions("half") == {"lower": "half_lower", "upper": "half_upper"}
    assert [column.unit for column in table.meta.columns] == ["d", "d", "d", "", "nT", ""]
    assert table.columns["half"].tolist() == [0, 0, 1, 1]


def test_times_with_stops_are_events(make_site: MakeSite, span: TimeRange) -> None:
    """To the microsecond."""
    stops = 'pd.DataFrame({"stop": x.index + pd.Timedelta("30min"), "f": x["F"]}, index=x.index)'
    code = f'x = b[b["F"] > b["F"].quantile(0.9)]\nreturn {stops}'
    table = make(make_site, span, "events", code)
    assert isinstance(table, Table)
    assert len(table) == 15
    assert (table.columns["stop"] - table.time == np.timedelta64(30, "m")).all()


@pytest.mark.alike(4)
@pytest.mark.parametrize(
    ("kind", "code", "problem"),
    [
        ("facts", "return b", "facts are one row of numbers"),
        ("facts", "return 5", "not a table"),
        ("facts", 'return {"a": "text"}', "not numbers"),
        ("curve", 'return pd.DataFrame({"x": [2, 1], "y": [1, 2]})', "does not increase"),
        ("curve", 'return pd.DataFrame({"x": [1, 2]})', "at least one column of values"),
        ("map", 'return pd.DataFrame({"x": [1, 2], "y": [1, 2], "z": [1, 2]})', "not all pairs of x and y, in order"),
        ("map", 'return pd.DataFrame({"x": [1], "x_lower": [2], "x_upper": [3], "y": [1], "z": [1]})', "edges of x"),
        ("points", "return b", "two or three columns"),
        ("events", 'return pd.DataFrame({"stop": b.index[:1]}, index=b.index[:1])', "stops before it starts"),
        ("facts", 'return {"a": float("inf")}', "infinite"),
        ("facts", 'return {"a": 1.5, "samples": float("nan")}', "is a count"),
    ],
)
def test_what_is_not_of_the_kind_is_said(make_site: MakeSite, span: TimeRange, kind: str, code: str, problem: str) -> None:
    """And what to return."""
    found = make(make_site, span, kind, code)
    assert isinstance(found, str)
    assert problem in found
