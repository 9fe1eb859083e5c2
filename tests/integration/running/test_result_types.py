"""Generated assets have dagster-pandas types: kind and columns, as far as known before a run."""

from __future__ import annotations

import dagster as dg
import pandas as pd
import pytest

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.outcomes import Quality
from helio_dagster.assets.recording import NO_VALUE
from helio_dagster.assets.result_metas import result_metas, type_fault
from helio_dagster.assets.result_types import result_type
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.catalog_entry import Form
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from tests.integration.running.conftest import Site

KINDS = """
version: 1
name: kinds
partitions: daily
steps:
  - {id: b, fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}
  - {id: mag, compute: {operation: magnitude, inputs: {vector: b}}}
  - {id: storms, table: {csv: "onset,name\\n2003-10-29,x", source: me}}
  - {id: high, compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 10}}}
  - {id: numbers, compute: {operation: facts_of, inputs: {series: mag}}}
  - {id: spectrum, over: range, compute: {operation: power_spectrum, inputs: {series: mag}}}
  - {id: cells, compute: {operation: histogram_2d, inputs: {x: mag, y: mag}}}
  - {id: own, compute: {inputs: {mag: mag}, code: "return mag", unit: nT}}
  - {id: picture, figure: {panels: [{traces: [{data: mag}]}]}}
"""


@pytest.fixture
def graph(site: Site) -> AssetGraph:
    """A pipeline with a step of each kind."""
    site.save(KINDS)
    return Home(site.settings).open("kinds").graph


def test_each_asset_shows_the_type_of_its_results(site: Site, graph: AssetGraph) -> None:
    """Kind in the name, columns with units in the description and the schema; nothing is `Any` but a figure."""
    repository = library_definitions(site.settings).get_repository_def()
    shown: dict[str, tuple[str, str]] = {}
    for key, definition in repository.assets_defs_by_key.items():
        if key.path[0] == "kinds" or key.path[:2] == ["demo", "AC_H0_MFI"]:
            output = definition.op.output_defs[0] if isinstance(definition.node_def, dg.OpDefinition) else None
            if output is not None and key.path[-1] != "files":
                shown[key.path[-1]] = (output.dagster_type.display_name, output.dagster_type.description or "")
    kinds = {name: kind.split("_")[0] for name, (kind, _) in shown.items()}
    assert kinds == {
        "BGSEc": "Vector",
        "mag": "Series",
        "storms": "Events",
        "high": "Events",
        "numbers": "Facts",
        "spectrum": "Curve",
        "cells": "Map",
        "own": "Samples",
        "picture": "Any",
    }
    assert shown["mag"][1].startswith("Series of kinds/mag: time (UTC), mag (nT).")
    assert "mean (nT)" in shown["numbers"][1]
    metadata = repository.assets_defs_by_key[dg.AssetKey(["kinds", "mag"])].metadata_by_key[dg.AssetKey(["kinds", "mag"])]
    assert metadata["page"].value == "/pipelines/kinds", "a path of the address that serves both"
    schema = metadata["dagster/column_schema"].value
    assert [(column.name, column.description) for column in schema.columns] == [("time", "UTC"), ("mag", "nT")]


def test_the_type_is_applied_to_what_is_stored(graph: AssetGraph) -> None:
    """A curve is not a series; a vector where a series was catalogued is: only files say how many columns there are."""
    node, meta = graph["kinds/mag"], result_metas(graph)["kinds/mag"]
    assert type_fault(node, meta, Quality(("mag",), True, 1.0, Form("vector", 3, "nT", None))) == ""
    assert "a result of kind curve" in type_fault(node, meta, Quality(("mag",), True, 1.0, Form("curve", 1, "nT", None)))


def test_the_type_takes_a_data_frame_of_its_kind(graph: AssetGraph) -> None:
    """As Dagster checks a value; a body that stored its tables itself has none."""
    found = result_type(graph["kinds/numbers"], result_metas(graph)["kinds/numbers"])
    assert found is not None
    names = [column.name for column in result_metas(graph)["kinds/numbers"].columns]
    frame = pd.DataFrame({name: [1.0] for name in names}, index=pd.DatetimeIndex(["2003-10-29"], tz="UTC"))
    frame.attrs["kind"] = "facts"
    other = frame.copy()
    other.attrs["kind"] = "curve"
    values = (frame, other, frame.drop(columns=names[0]), NO_VALUE, None)
    assert [dg.check_dagster_type(found, value).success for value in values] == [True, False, False, True, False]


def test_a_run_passes_its_types(site: Site, span: TimeRange) -> None:
    """What the run stores is of the types that its assets show."""
    report = site.run(span)
    assert report.status == "success"
