"""What Dagster loads: keys, groups, dependencies, partitions, code versions of pipelines; and that it loads at all."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from helio_dagster.definitions import library_definitions
from helio_dagster.storage.settings import Settings

WHOLE = """
version: 1
name: whole
title: Field and storms
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    intent: Strength of the field
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: P2D}}
  - id: storms
    table: {csv: "onset,name\\n2003-10-29T06:11Z,Halloween", source: "Gopalswamy 2005"}
  - id: overview
    critical: false
    figure:
      panels:
        - traces: [{data: b}]
        - traces: [{data: mag}, {data: mean}]
      events: storms
"""
HOURLY = """
version: 1
name: fast
partitions: hourly
start: 2010-05-05
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: apart
    compute: {operation: component, inputs: {vector: b}, options: {component: 1}}
"""
SHARING = """
version: 1
name: sharing
start: 2001-01-01
steps:
  - id: field
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: field}}
  - id: apart
    compute: {operation: difference, inputs: {a: mag, b: whole/mean}}
"""


@pytest.fixture
def definitions(tmp_path: Path) -> dg.Definitions:
    """Three pipelines: all kinds of steps, another grain, one that shares a fetch and reads another's step."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    settings.pipelines.mkdir()
    for name, text in (("whole", WHOLE), ("fast", HOURLY), ("sharing", SHARING)):
        (settings.pipelines / f"{name}.yaml").write_text(text)
    return library_definitions(settings)


def test_dagster_finds_nothing_to_complain_about(definitions: dg.Definitions) -> None:
    """All assets, checks, jobs and resources resolve."""
    dg.Definitions.validate_loadable(definitions)


def test_the_graph_is_the_design_s(definitions: dg.Definitions) -> None:
    """Keys, groups, kinds and inputs: fetches by archive and shared, the rest by pipeline; another grain has its own fetch.

    Each fetch is made from its dataset's files, which are observed.
    """
    graph = definitions.resolve_asset_graph()
    found = {
        node.key.to_user_string(): (
            node.group_name,
            *node.kinds,
            sorted(key.to_user_string() for key in node.parent_keys),
        )
        for node in graph.asset_nodes
    }
    assert found == {
        "demo/AC_H0_MFI/files": ("demo", []),
        "demo/AC_H0_MFI/files/hourly": ("demo", []),
        "demo/AC_H0_MFI/BGSEc": ("demo", "cdf", ["demo/AC_H0_MFI/files"]),
        "demo/AC_H0_MFI/BGSEc/hourly": ("demo", "cdf", ["demo/AC_H0_MFI/files/hourly"]),
        "whole/mag": ("whole", "pandas", ["demo/AC_H0_MFI/BGSEc"]),
        "whole/mean": ("whole", "pandas", ["whole/mag"]),
        "whole/storms": ("whole", "table", []),
        "whole/overview": ("whole", "plotly", ["demo/AC_H0_MFI/BGSEc", "whole/mag", "whole/mean", "whole/storms"]),
        "fast/apart": ("fast", "pandas", ["demo/AC_H0_MFI/BGSEc/hourly"]),
        "sharing/mag": ("sharing", "pandas", ["demo/AC_H0_MFI/BGSEc"]),
        "sharing/apart": ("sharing", "pandas", ["sharing/mag", "whole/mean"]),
    }


def test_one_grain_has_one_partitions_definition(definitions: dg.Definitions) -> None:
    """It starts at the earliest date that any pipeline of the grain reads; tables have none.

    The difference of 2001-01-01 matches times within a minute, and the mean it then needs reads a day before that.
    """
    graph = definitions.resolve_asset_graph()
    by_grain: dict[str, set[dg.PartitionsDefinition | None]] = {}
    for node in graph.asset_nodes:
        name = node.key.to_user_string()
        grain = "none" if name == "whole/storms" else "hourly" if "hourly" in name or "fast" in name else "daily"
        by_grain.setdefault(grain, set()).add(node.partitions_def)
    assert by_grain["none"] == {None}
    (daily,), (hourly,) = by_grain["daily"], by_grain["hourly"]
    assert daily.start == datetime(2000, 12, 30, tzinfo=UTC)
    assert hourly.start == datetime(2010, 5, 5, tzinfo=UTC)


def test_a_description_says_what_the_step_is_for(definitions: dg.Definitions) -> None:
    """The intent where the file gives one, else what is fetched or what the operation does."""
    graph = definitions.resolve_asset_graph()
    said = {
        key: graph.get(dg.AssetKey(key.split("/"))).description for key in ("whole/mag", "whole/mean", "demo/AC_H0_MFI/BGSEc")
    }
    assert said["whole/mag"] == "Strength of the field"
    assert said["whole/mean"] == "Mean of the valid samples in a moving time window, at the input's own times."
    assert said["demo/AC_H0_MFI/BGSEc"].startswith("BGSEc of AC_H0_MFI from demo")


def test_code_versions_do_not_depend_on_the_process(definitions: dg.Definitions) -> None:
    """They are content hashes: pinned here, since a change makes everything that was ever stored stale."""
    graph = definitions.resolve_asset_graph()
    versions = {name: graph.get(dg.AssetKey(["whole", name])).code_version for name in ("mag", "mean", "storms")}
    assert versions == {"mag": "ef0ecde13975e70f", "mean": "101ece9581103535", "storms": "8e8073e66b885602"}


def test_an_unsound_pipeline_does_not_take_the_others_along(tmp_path: Path) -> None:
    """Nor does one that refers to it stay."""
    folder = tmp_path / "pipelines"
    folder.mkdir()
    (folder / "whole.yaml").write_text(WHOLE.replace("vector: b}", "vector: gone}"))
    (folder / "sharing.yaml").write_text(SHARING)
    (folder / "fast.yaml").write_text(HOURLY)
    graph = library_definitions(Settings(tmp_path / "home", folder)).resolve_asset_graph()
    assert {node.key.path[0] for node in graph.asset_nodes} == {"fast", "demo"}


def test_the_examples_load(package_root: Path, tmp_path: Path) -> None:
    """The pipelines that come with the repository are sound, all of them."""
    folder = package_root / "pipelines"
    names = {path.stem for path in folder.glob("*.yaml")}
    if not names:
        pytest.skip("the repository has no example pipelines")
    definitions = library_definitions(Settings(tmp_path, folder))
    dg.Definitions.validate_loadable(definitions)
    groups = {node.group_name for node in definitions.resolve_asset_graph().asset_nodes}
    assert names <= groups
