"""Dagster's partitions are those of our grains, and its mappings those of our graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.partitions import partition_mapping, partitions_definition
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count

MOMENTS = st.datetimes(datetime(1960, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
LENGTHS = {
    Grain.HOURLY: timedelta(days=2),
    Grain.DAILY: timedelta(days=40),
    Grain.WEEKLY: timedelta(days=200),
    Grain.MONTHLY: timedelta(days=900),
    Grain.YEARLY: timedelta(days=3000),
}


@pytest.mark.parametrize("grain", Grain)
@given(start=MOMENTS, share=st.floats(0.1, 1))
@settings(max_examples=example_count(15), deadline=None)
def test_keys_and_windows_are_dagsters(grain: Grain, start: datetime, share: float) -> None:
    """From any start to any now: the same keys, in the same order, of the same windows."""
    now = start + LENGTHS[grain] * share
    definition = partitions_definition(grain, start)
    graph = AssetGraph({}, {grain: grain.floor(start)})
    ours = graph.existing_keys(grain, TimeRange(start, now), now)
    assert definition.get_partition_keys(current_time=now) == ours
    for key in ours[:3] + ours[-3:]:
        window = definition.time_window_for_partition_key(key)
        assert (window.start, window.end) == (grain.window(key).start, grain.window(key).stop)


@pytest.mark.parametrize("grain", Grain)
@given(start=MOMENTS, share=st.floats(0.1, 1))
@settings(max_examples=example_count(15), deadline=None)
def test_an_open_grain_has_the_window_that_has_begun(grain: Grain, start: datetime, share: float) -> None:
    """Dagster's keys are those of the closed grain and one more, which holds the present moment."""
    now = start + LENGTHS[grain] * share + timedelta(microseconds=1)
    closed = partitions_definition(grain, start).get_partition_keys(current_time=now)
    found = partitions_definition(grain, start, is_open=True).get_partition_keys(current_time=now)
    assert found[:-1] == closed
    window = grain.window(found[-1])
    assert window.start <= now < window.stop


@pytest.mark.parametrize("part", Grain)
@pytest.mark.parametrize("whole", Grain)
def test_a_grain_is_part_of_another_where_all_its_edges_are(part: Grain, whole: Grain) -> None:
    """Every window of the longer one begins with a window of the shorter; weeks make up no month and no year."""
    span = TimeRange(datetime(2023, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert part.is_part_of(whole) == all(part.floor(start) == start for start in whole.starts(span))


@given(now=MOMENTS, chain=st.lists(st.sampled_from(Grain), min_size=1, max_size=4))
@settings(max_examples=example_count(60), deadline=None)
def test_a_partition_exists_once_all_it_stands_on_is_over(now: datetime, chain: list[Grain]) -> None:
    """Through any chain of grains: the partition below, and the one of each next grain that it lies in, at the last instant."""
    step = Step.model_validate({"id": "a", "table": {"csv": "time\n2020-01-01", "source": "none"}})
    nodes: dict[str, AssetNode] = {}
    for place, grain in enumerate(reversed(chain)):
        inputs = {"series": str(place - 1)} if place else {}
        nodes[str(place)] = AssetNode(str(place), "g", grain, step, inputs=inputs)
    graph, name = AssetGraph(nodes, {}), str(len(chain) - 1)
    window = chain[0].window(chain[0].key(chain[0].floor(now)))
    reached = window.stop
    for grain in chain:
        reached = grain.ceil(reached)
    assert graph.over_at(name, window) == reached
    assert graph.over(name, reached) >= window.stop
    assert graph.over(name, reached - timedelta(microseconds=1)) < window.stop


def node(name: str, grain: Grain, *, lookback: timedelta = timedelta(0), lookahead: timedelta = timedelta(0)) -> AssetNode:
    """An asset that reads the asset `up`."""
    step = Step.model_validate({"id": "a", "table": {"csv": "time\n2020-01-01", "source": "none"}})
    inputs = {} if name == "up" else {"series": "up"}
    return AssetNode(name, "g", grain, step, inputs=inputs, lookback=lookback, lookahead=lookahead)


def mapped(down: AssetNode, up: AssetNode, key: str) -> tuple[list[str], list[str]]:
    """The partitions of `up` that Dagster maps a partition of `down` to, and those that our graph needs."""
    now = datetime(2025, 1, 1, tzinfo=UTC)
    starts = {grain: grain.floor(datetime(2020, 1, 1, tzinfo=UTC)) for grain in Grain}
    graph = AssetGraph({"up": up, "down": down}, starts)
    definitions = [partitions_definition(each.time_grain, starts[each.time_grain]) for each in (down, up) if each.time_grain]
    mapping = partition_mapping(down, up)
    assert isinstance(mapping, dg.TimeWindowPartitionMapping)
    found = mapping.get_upstream_mapped_partitions_result_for_partitions(
        definitions[0].subset_with_partition_keys([key]), definitions[0], definitions[1], current_time=now
    )
    return list(found.partitions_subset.get_partition_keys()), [str(each) for each in graph.needs(down, key, now)["up"]]


@pytest.mark.parametrize("grain", [Grain.HOURLY, Grain.DAILY, Grain.WEEKLY])
@given(moment=st.datetimes(datetime(2020, 1, 1), datetime(2022, 1, 1), timezones=st.just(UTC)), data=st.data())
@settings(max_examples=example_count(8), deadline=None)
def test_halos_map_to_the_partitions_they_reach_into(grain: Grain, moment: datetime, data: st.DataObject) -> None:
    """For windows of one length, Dagster maps to just what we read, at the first partition too."""
    minutes = st.integers(0, int(3 * grain.shortest / timedelta(minutes=1)))
    back, ahead = (timedelta(minutes=data.draw(minutes)) for _ in range(2))
    down = node("down", grain, lookback=back, lookahead=ahead)
    first = grain.floor(datetime(2020, 1, 1, tzinfo=UTC))
    for start in (grain.floor(moment), first):
        theirs, ours = mapped(down, node("up", grain), grain.key(start))
        assert theirs == ours


@pytest.mark.parametrize(
    ("down", "up"),
    [(Grain.MONTHLY, Grain.DAILY), (Grain.DAILY, Grain.HOURLY), (Grain.WEEKLY, Grain.DAILY), (Grain.YEARLY, Grain.MONTHLY)],
)
def test_a_coarser_grain_maps_to_all_it_covers(down: Grain, up: Grain) -> None:
    """A month is made from its days, a day from its hours."""
    for moment in (datetime(2024, 2, 10, tzinfo=UTC), datetime(2023, 12, 31, tzinfo=UTC)):
        theirs, ours = mapped(node("down", down), node("up", up), down.key(down.floor(moment)))
        assert theirs == ours


@pytest.mark.parametrize(
    ("down", "up"), [(Grain.HOURLY, Grain.DAILY), (Grain.DAILY, Grain.MONTHLY), (Grain.DAILY, Grain.WEEKLY)]
)
def test_a_finer_grain_maps_to_what_holds_it(down: Grain, up: Grain) -> None:
    """An hour is made from its day, a day from its month or week."""
    for moment in (datetime(2024, 2, 29, 23, tzinfo=UTC), datetime(2023, 12, 31, tzinfo=UTC)):
        theirs, ours = mapped(node("down", down), node("up", up), down.key(down.floor(moment)))
        assert theirs == ours


@pytest.mark.parametrize(
    ("down", "up"),
    [(Grain.MONTHLY, Grain.MONTHLY), (Grain.MONTHLY, Grain.DAILY), (Grain.DAILY, Grain.HOURLY), (Grain.HOURLY, Grain.DAILY)],
)
def test_halos_across_grains_map_to_no_less_than_is_read(down: Grain, up: Grain) -> None:
    """Dagster counts halos in whole windows: it may hold a partition to depend on more, never on less."""
    back, ahead = timedelta(hours=30), timedelta(hours=1)
    for moment in (datetime(2024, 3, 1, tzinfo=UTC), datetime(2023, 12, 31, 23, tzinfo=UTC)):
        key = down.key(down.floor(moment))
        theirs, ours = mapped(node("down", down, lookback=back, lookahead=ahead), node("up", up), key)
        assert set(ours) <= set(theirs)
