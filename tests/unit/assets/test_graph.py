"""Pipelines as one graph: names, what is shared, what a partition needs, what makes code another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import dagster as dg
import numpy as np
import pytest

from helio_dagster.assets.asset_names import short_name
from helio_dagster.assets.factory import build_assets
from helio_dagster.assets.graph import AssetGraph, fetch_node
from helio_dagster.assets.graph_building import build_graph
from helio_dagster.assets.run_scope import RESOURCE
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

NOW = datetime(2024, 1, 1, tzinfo=UTC)
STEPS = [
    {"id": "b", "fetch": {"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}},
    {"id": "mag", "compute": {"operation": "magnitude", "inputs": {"vector": "b"}}},
    {"id": "mean", "compute": {"operation": "rolling_mean", "inputs": {"series": "mag"}, "options": {"window": "PT2H"}}},
    {"id": "storms", "table": {"csv": "onset\n2003-10-29T06:11Z", "source": "none"}},
    {"id": "picture", "figure": {"panels": [{"traces": [{"data": "mean"}]}], "events": "storms"}},
]


def pipeline(name: str = "ace", **given: object) -> Pipeline:
    """A pipeline of all kinds of steps."""
    return Pipeline.model_validate({"version": 1, "name": name, "start": "2023-01-01", "steps": STEPS, **given})


def graph_of(*pipelines: Pipeline) -> AssetGraph:
    """Their graph, where the catalog knows nothing."""
    return build_graph(pipelines, lambda *_: None)


def changed(index: int, change: Callable[[dict], dict]) -> Pipeline:
    """The pipeline with one step changed."""
    return pipeline(steps=[change(step) if place == index else step for place, step in enumerate(STEPS)])


def test_inputs_come_before_what_reads_them() -> None:
    """And fetches are named by archive, the rest by pipeline."""
    names = list(graph_of(pipeline()).nodes)
    assert set(names) == {"demo/AC_H0_MFI/BGSEc", "ace/mag", "ace/mean", "ace/storms", "ace/picture"}
    for name, node in graph_of(pipeline()).nodes.items():
        assert all(names.index(parent) < names.index(name) for parent in node.inputs.values())


def test_a_fetch_is_shared_within_a_grain_and_not_beyond() -> None:
    """Two daily pipelines share it, an hourly one has its own."""
    graph = graph_of(pipeline(), pipeline("other"), pipeline("fast", partitions="hourly"))
    fetches = [name for name, node in graph.nodes.items() if node.kind == "fetch"]
    assert sorted(fetches) == ["demo/AC_H0_MFI/BGSEc", "demo/AC_H0_MFI/BGSEc/hourly"]


def test_a_halo_reaches_into_the_neighbours() -> None:
    """Two hours centred read an hour before and after; figure and magnitude read their own day; a table is one."""
    graph = graph_of(pipeline())
    needs = {name: graph.needs(graph[name], "2023-06-02", NOW) for name in ("ace/mean", "ace/mag", "ace/picture")}
    assert needs["ace/mean"] == {"ace/mag": ["2023-06-01", "2023-06-02", "2023-06-03"]}
    assert needs["ace/mag"] == {"demo/AC_H0_MFI/BGSEc": ["2023-06-02"]}
    assert needs["ace/picture"] == {"ace/mean": ["2023-06-02"], "ace/storms": [None]}


def test_a_halo_ends_where_partitions_do() -> None:
    """The last complete day reads no day that is not over; the first reads the day before, which is there for it."""
    graph = graph_of(pipeline())
    assert graph.needs(graph["ace/mean"], "2023-12-31", NOW) == {"ace/mag": ["2023-12-30", "2023-12-31"]}
    assert graph.needs(graph["ace/mean"], "2023-01-01", NOW)["ace/mag"][0] == "2022-12-31"
    assert graph.starts[Grain.DAILY] == datetime(2022, 12, 31, tzinfo=UTC)


def test_the_definition_begins_where_whole_partitions_of_all_inputs_do() -> None:
    """A day's mean of a mean takes the whole day before, and that the day before it; a week takes all its days."""
    again = {
        "id": "again",
        "compute": {"operation": "rolling_mean", "inputs": {"series": "mean"}, "options": {"window": "PT2H"}},
    }
    assert graph_of(pipeline(steps=[*STEPS, again])).starts[Grain.DAILY] == datetime(2022, 12, 30, tzinfo=UTC)
    over = {"id": "twice", "compute": {"operation": "scale", "inputs": {"series": "ace/mag"}, "options": {"factor": 2}}}
    weeks = pipeline("weeks", start="2023-01-01", partitions="weekly", steps=[over])
    starts = graph_of(pipeline(), weeks).starts
    assert starts == {Grain.DAILY: datetime(2022, 12, 26, tzinfo=UTC), Grain.WEEKLY: datetime(2022, 12, 26, tzinfo=UTC)}


CHANGES: dict[str, tuple[Pipeline, set[str]]] = {
    "an option": (
        changed(2, lambda step: {**step, "compute": {**step["compute"], "options": {"window": "PT1H"}}}),
        {"ace/mean"},
    ),
    "the rows": (
        changed(3, lambda step: {**step, "table": {**step["table"], "csv": "onset\n2003-10-30T00:00Z"}}),
        {"ace/storms"},
    ),
    "the words": (pipeline(description="other words", assumptions=["none"]), set()),
    "the intent": (changed(1, lambda step: {**step, "intent": "other words"}), set()),
    "the title": (pipeline(title="Another"), {"ace/picture"}),
    "the schedule": (pipeline(schedule="daily"), set()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_counts_makes_code_another(change: str) -> None:
    """A code version follows what a step does, and no words about it."""
    other, expected = CHANGES[change]
    before, after = graph_of(pipeline()), graph_of(other)
    assert {name for name in before.nodes if before[name].code_version != after[name].code_version} == expected


@pytest.mark.parametrize("name", ["ace/mag", "ace/mean", "ace/picture"])
def test_partitions_of_two_grains_are_made_by_two_codes(name: str) -> None:
    """A week and its Monday share a key and a file: were the code the same, one could be taken for the other."""
    grains = ("hourly", "daily", "weekly", "monthly", "yearly")
    assert len({graph_of(pipeline(partitions=grain))[name].code_version for grain in grains}) == len(grains)


def test_a_reference_to_nothing_is_wrong_input() -> None:
    """An unchecked pipeline that reads another which is not there."""
    step = {"id": "x", "compute": {"operation": "magnitude", "inputs": {"vector": "gone/b"}}}
    with pytest.raises(InputError, match="no pipeline 'gone'"):
        graph_of(pipeline(steps=[step]))


def test_without_a_start_the_datasets_say_it() -> None:
    """Partitions begin with the earliest dataset, less the mean's halo; with the space age where one is unknown."""
    unset = pipeline(start=None)
    known = build_graph([unset], lambda *_: datetime(1997, 9, 2, tzinfo=UTC))
    assert known.starts[Grain.DAILY] == datetime(1997, 9, 1, tzinfo=UTC)
    assert graph_of(unset).starts[Grain.DAILY] == datetime(1959, 12, 31, tzinfo=UTC)


def test_a_pipeline_over_another_begins_where_that_ones_data_do() -> None:
    """It names no dataset of its own."""
    step = {"id": "again", "compute": {"operation": "scale", "inputs": {"series": "ace/mag"}, "options": {"factor": 2}}}
    over = pipeline("over", start=None, partitions="monthly", steps=[step])
    graph = build_graph([pipeline(), over], lambda *_: datetime(1997, 9, 2, tzinfo=UTC))
    assert graph.starts[Grain.MONTHLY] == datetime(1997, 9, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "parameter", ["MOM.P.DENSITY", "SIGMA-ABS_B", "Rot#", "n(HPA)", "a b", "x/y", "../up", "é", "B%", "{{ x }}"]
)
def test_any_parameter_name_makes_an_asset_of_its_own(parameter: str) -> None:
    """Archives name variables as they like; Dagster takes letters, digits and few signs, and a slash parts keys."""
    step = {"id": "b", "fetch": {"archive": "cdaweb", "dataset": "RBSP@0+1-A.B", "parameter": parameter}}
    plain = {"id": "c", "fetch": {"archive": "cdaweb", "dataset": "RBSP@0+1-A.B", "parameter": "b"}}
    graph = graph_of(pipeline(steps=[step, plain]))
    assert [name.count("/") for name in graph.nodes] == [2, 2]
    definitions = dg.Definitions(assets=build_assets(graph), resources={RESOURCE: object()})
    files = dg.AssetKey(["cdaweb", "RBSP_x400_x2b1-A.B", "files"])
    assert definitions.resolve_asset_graph().get_all_asset_keys() > {files}
    assert len(definitions.resolve_asset_graph().get_all_asset_keys()) == 3


@pytest.mark.parametrize("grain", ["daily", "monthly"])
def test_a_fetch_is_known_by_its_name_alone(grain: str) -> None:
    """Its data can be read when the pipeline that fetched them is not at hand."""
    (name,) = graph_of(pipeline(steps=STEPS[:1], partitions=grain)).nodes
    found = fetch_node(name)
    assert found is not None
    assert (found.name, found.grain) == (name, Grain(grain))


@pytest.mark.parametrize("name", ["ace/b", "one", "a/b/c/d", "a/b/c/daily", "a/b/files", "", "A B/c/d"])
def test_no_other_name_is_a_fetch_s(name: str) -> None:
    """A step's name tells no grain; a daily fetch does not name its own."""
    assert fetch_node(name) is None


def test_a_duration_of_nanoseconds_makes_a_code_version_of_its_own() -> None:
    """7,812,500 ns are another window than 7,812 or 7,813 us, also for code; whole microseconds keep their version."""

    def versions(length: str) -> tuple[str, str]:
        mean = {"operation": "rolling_mean", "inputs": {"series": "mag"}, "options": {"window": length, "centered": False}}
        code = {"code": "return b", "inputs": {"b": "mag"}, "lookback": length}
        graph = graph_of(pipeline(steps=[*STEPS[:2], {"id": "mean", "compute": mean}, {"id": "code", "compute": code}]))
        return graph["ace/mean"].code_version, graph["ace/code"].code_version

    made = [versions(length) for length in ("PT0.0078125S", "PT0.007812S", "PT0.007813S")]
    assert len({version for pair in made for version in pair}) == 6
    assert made[0] == versions("PT0.00781250S")
    assert versions("PT10M") == ("a50c1eac63a0e284", "714de2157223c12f")


def test_what_code_reads_is_exact_to_the_nanosecond() -> None:
    """A sample half a microsecond before the lookback is not part of the input."""
    code = {"code": "return b", "inputs": {"b": "b"}, "lookback": "PT0.0078125S"}
    node = graph_of(pipeline(steps=[STEPS[0], {"id": "code", "compute": code}]))["ace/code"]
    midnight = np.datetime64("2024-01-01", "ns")
    time = midnight - np.array([7_812_501, 7_812_500, 0], dtype="timedelta64[ns]")
    table = Table(time, {"v": np.zeros(3)}, TableMeta(kind="series", columns=(ColumnMeta(name="v"),)))
    assert len(node.read_part(table, Grain.DAILY.window("2024-01-01"))) == 2


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("cdaweb/AC_H0_MFI/BGSEc", "BGSEc"),
        ("cdaweb/OMNI2_H0_MRG1HR/V/monthly", "V"),
        ("ace/mag", "mag"),
        ("ace/monthly", "monthly"),
        ("demo/AC_H0_MFI/monthly", "monthly"),
    ],
)
def test_a_short_name_is_a_step_or_parameter(name: str, short: str) -> None:
    """Never the grain of a fetch; but a step or parameter may be called like one."""
    assert short_name(name) == short
