"""The result of a partition does not depend on how the run was cut: the same bytes, the same versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cdflib
import dagster as dg
import numpy as np
import pandas as pd
import pytest

from helio_dagster.definitions import library_definitions
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.reading import read_dataframe
from tests.integration.running.conftest import Mission, Site
from tests.tiers import by_day

CUT = """
version: 1
name: cut
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: other
    fetch: {archive: cdaweb, dataset: TS_H1_MFI, parameter: F}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT3H}}
  - id: slow
    compute: {operation: rolling_mean, inputs: {series: mean}, options: {window: PT30H}}
  - id: hourly
    compute: {operation: resample, inputs: {series: slow}, options: {cadence: PT1H}}
  - id: apart
    compute: {operation: difference, inputs: {a: mag, b: other}}
"""
"""Halos over midnight, one of them longer than a partition and on top of another; a day without file, one cut short."""


@pytest.fixture
def gappy(mission: Mission) -> None:
    """Seven days of two datasets: the fifth is missing in one, the sixth ends at noon in the other."""
    for number in (1, 2, 3, 4, 6, 7):
        mission.publish(f"2023-01-{number:02d}")
    for number in range(1, 8):
        mission.publish(f"2023-01-{number:02d}", source="TS_H1_MFI", seed=3, records=24 if number == 6 else 48)


CUTS: dict[str, Sequence[tuple[int, int]]] = {
    "day by day, in any order": [(day, 1) for day in (4, 2, 6, 5, 3)],
    "in blocks": [(4, 2), (2, 2), (6, 1)],
    "overlapping": [(3, 3), (2, 5)],
}


@pytest.mark.parametrize("cut", by_day(CUTS, "day by day, in any order", "overlapping"))
def test_the_cut_does_not_show(make_site: Callable, make_span: Callable, gappy: None, cut: str) -> None:
    """However the same five days are asked for, every Parquet file is the same, bytes and data version."""
    whole, other = make_site("whole", CUT), make_site("other", CUT)
    whole.run(make_span("2023-01-02", 5), name="cut")
    for first, days in CUTS[cut]:
        assert other.run(make_span(f"2023-01-{first:02d}", days), name="cut").status == "success"
    assert other.files() == whole.files()
    assert len(whole.files("cut/hourly")) == 5
    assert set(other.states(make_span("2023-01-02", 5), name="cut")["hourly"].values()) == {"fresh", "empty"}


WEEKS = """
version: 1
name: weeks
partitions: weekly
start: 2022-12-26
steps:
  - id: field
    fetch: {archive: cdaweb, dataset: TS_H1_MFI, parameter: F}
  - id: slow
    compute: {operation: rolling_mean, inputs: {series: cut/mean}, options: {window: PT30H}}
  - id: bins
    compute: {operation: resample, inputs: {series: slow}, options: {cadence: PT5H}}
  - id: apart
    compute: {operation: difference, inputs: {a: bins, b: field}, options: {tolerance: PT15M}}
"""
"""Weeks over the days of `cut`, with a fetch of their own."""
DAYS = [f"2023-01-{number:02d}" for number in range(2, 7)]


def as_dagster_does(site: Site, assets: Sequence[str], first: str, last: str) -> None:
    """Materialize partitions of some assets in one run of Dagster's, as its page and its daemon do."""
    keys = [dg.AssetKey(asset.split("/")) for asset in assets]
    tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
    how = {"partition_key": first} if first == last else {"tags": tags}
    job = library_definitions(site.settings).resolve_implicit_global_asset_job_def()
    with open_instance(site.settings) as instance:
        assert job.execute_in_process(instance=instance, asset_selection=keys, **how).success


def recorded_versions(site: Site) -> dict[tuple[str, str | None], str]:
    """(asset, partition) to its latest data version in Dagster's event log."""
    found: dict[tuple[str, str | None], str] = {}
    with open_instance(site.settings) as instance:
        for key in instance.all_asset_keys():
            for event in instance.fetch_materializations(key, limit=1000).records:
                materialization = event.asset_materialization
                version = (materialization.tags or {})["dagster/data_version"]
                found.setdefault((key.to_user_string(), event.partition_key), version)
    return found


def test_no_way_of_running_shows(make_site: Callable, make_span: Callable, gappy: None) -> None:
    """Days and weeks over them, by `helio run` in one go, and piecemeal by ranges and single partitions of single assets.

    The same files, byte by byte, and in Dagster's event log the same latest version of each partition.
    """
    whole, mixed = make_site("whole", CUT, WEEKS), make_site("mixed", CUT, WEEKS)
    week = make_span("2023-01-02", 7)
    assert whole.run(make_span(DAYS[0], 5), name="cut").status == "success"
    assert whole.run(week, name="weeks").status == "success"

    steps = [f"cut/{step}" for step in ("mag", "mean", "slow", "hourly", "apart")]
    as_dagster_does(mixed, ["cut/mean"], DAYS[3], DAYS[3])
    as_dagster_does(mixed, ["weeks/slow", "weeks/bins"], DAYS[0], DAYS[0])
    as_dagster_does(mixed, ["cut/slow", "cut/hourly"], DAYS[1], DAYS[3])
    assert mixed.run(make_span(DAYS[4]), name="cut").status == "success"
    as_dagster_does(mixed, steps, DAYS[0], DAYS[1])
    assert mixed.run(week, name="weeks").status == "success"
    as_dagster_does(mixed, steps, DAYS[2], DAYS[4])

    assert mixed.files() == whole.files()
    states = whole.states(week, name="weeks")
    assert {state for found in states.values() for state in found.values()} == {"fresh"}
    versions = recorded_versions(whole)
    assert recorded_versions(mixed) == versions
    assert {(f"weeks/{step}", DAYS[0]) for step in ("slow", "bins", "apart")} < versions.keys()
    assert {(step, day) for step in steps for day in DAYS} < versions.keys()


MONTH = """
version: 1
name: month
partitions: monthly
start: 2023-01-01
steps:
  - id: daily_means
    compute: {operation: resample, inputs: {series: basic/mag}, options: {cadence: P1D}}
"""


def test_another_grain_is_mapped_by_time(make_site: Callable, mission: Mission, make_span: Callable) -> None:
    """A monthly step over a daily one of another pipeline: its days are made first, and every mean is right."""
    site = make_site("home")
    site.save(MONTH)
    report = site.run(make_span("2023-01-01"), name="month")
    assert (report.status, report.start, report.stop) == ("success", "2023-01-01", "2023-02-01")
    month, days = make_span("2023-01-01", 31), make_span("2023-01-02", 3)
    _, graph = site.open("month")
    store = site.workbench().store
    means = read_dataframe(store, graph["month/daily_means"], month).dropna()
    expected = read_dataframe(store, graph["basic/mag"], days).resample("1D").mean()
    np.testing.assert_allclose(means["daily_means"], expected["mag"], rtol=1e-12)
    assert len(means) == 3


@pytest.mark.parametrize("grain", by_day(["hourly", "weekly", "monthly"], "hourly"))
def test_the_grain_does_not_show(make_site: Callable, make_span: Callable, mission: Mission, grain: str) -> None:
    """Hours, weeks or months put together are the days put together, halos over their edges included."""
    site = make_site("home")
    text = site.settings.pipelines.joinpath("basic.yaml").read_text()
    site.save(text.replace("name: basic", "name: other").replace("daily", grain).replace("2023-01-01", "2022-12-01"))
    span = make_span("2023-01-03")
    site.run(make_span("2023-01-02", 3))
    assert site.run(span, name="other").status == "success"
    _, graph = site.open("other")
    store = site.workbench().store
    pd.testing.assert_frame_equal(
        read_dataframe(store, graph["other/mean"], span), read_dataframe(store, graph["basic/mean"], span), check_freq=False
    )


FILED = """
version: 1
name: filed
partitions: daily
start: 2022-12-26
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_M0_MFI, parameter: F}
"""


@pytest.mark.parametrize("grain", by_day(["daily", "hourly", "weekly"], "daily", "weekly"))
def test_how_the_archive_cuts_its_files_does_not_show(
    make_site: Callable, make_span: Callable, mission: Mission, grain: str
) -> None:
    """Partitions out of files of a month hold every record once, at the edges of both; the oracle is cdflib's own reading."""
    lengths = {"2023-01-01": 31 * 48, "2023-02-01": 28 * 48}
    paths = [mission.publish(key, source="TS_M0_MFI", records=records) for key, records in lengths.items()]
    site, span = make_site("home", FILED.replace("daily", grain)), make_span("2023-01-31", 2)
    assert site.run(make_span("2023-02-01"), name="filed").status == "success"
    assert site.run(make_span("2023-01-31"), name="filed").status == "success"
    _, graph = site.open("filed")
    (fetch,) = graph.nodes.values()
    found = read_dataframe(site.workbench().store, fetch, span)
    files = [cdflib.CDF(path) for path in paths]
    values = np.concatenate([file.varget("F") for file in files])
    times = np.concatenate([cdflib.cdfepoch.to_datetime(file.varget("Epoch")) for file in files]).astype("datetime64[ns]")
    inside = (times >= np.datetime64("2023-01-31")) & (times < np.datetime64("2023-02-02"))
    assert pd.DatetimeIndex(found.index).tz_localize(None).to_numpy().tolist() == times[inside].tolist()
    np.testing.assert_array_equal(found["F"], values[inside])
    assert inside.sum() == 96
