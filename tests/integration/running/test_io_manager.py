"""Assets of one's own beside ours: what they take as a DataFrame, and how what they yield is stored."""

from __future__ import annotations

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import InputError
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.io_manager import HelioIOManager
from tests.integration.running.conftest import MakeSpan, Site

DAILY = dg.DailyPartitionsDefinition("2023-01-01")
DAYS = ["2023-01-02", "2023-01-03", "2023-01-04"]


@dg.asset(
    partitions_def=DAILY,
    ins={"mag": dg.AssetIn(key=["basic", "mag"])},
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def doubled(mag: pd.DataFrame) -> pd.DataFrame:
    """Twice the magnitude, of whatever partitions the run covers."""
    result = mag * 2
    result.attrs = mag.attrs
    return result


@dg.asset(partitions_def=DAILY, ins={"mag": dg.AssetIn(key=["basic", "mag"])})
def straying(mag: pd.DataFrame) -> pd.DataFrame:
    """The magnitude a day too late."""
    return mag.set_axis(mag.index + pd.Timedelta("1D"))


def project(site: Site, *assets: dg.AssetsDefinition) -> dg.Definitions:
    """A project that mounts the home's pipelines beside assets of its own, all over our IO manager."""
    own = dg.Definitions(assets=assets, resources={"io_manager": HelioIOManager(home=str(site.settings.home))})
    return dg.Definitions.merge(library_definitions(site.settings), own)


def execute(site: Site, definitions: dg.Definitions, names: list[list[str]], tags: dict[str, str]) -> dg.ExecuteInProcessResult:
    """Materialize assets by key in one run."""
    with open_instance(site.settings) as instance:
        return definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in names],
            tags=tags,
            raise_on_error=False,
        )


def over(first: str, last: str) -> dict[str, str]:
    """Tags of a run over a range of partitions."""
    return {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}


def test_an_asset_takes_ours_for_its_partition(ran_site: Site, make_span: MakeSpan) -> None:
    """One day in, one day out, stored as a table with the unit that came with it."""
    result = execute(ran_site, project(ran_site, doubled), [["doubled"]], {"dagster/partition": DAYS[1]})
    assert result.success
    store = ran_site.workbench().store
    taken, made = store.read("basic/mag", DAYS[1]), store.read("doubled", DAYS[1])
    np.testing.assert_array_equal(made.columns["mag"], 2 * taken.columns["mag"])
    np.testing.assert_array_equal(made.time, taken.time)
    assert made.meta.unit == "nT"


def test_an_asset_takes_ours_over_a_range(ran_site: Site) -> None:
    """Three days in one run: joined in order of time on the way in, cut into its partitions on the way out."""
    assert execute(ran_site, project(ran_site, doubled), [["doubled"]], over(DAYS[0], DAYS[2])).success
    store = ran_site.workbench().store
    for day in DAYS:
        np.testing.assert_array_equal(
            store.read("doubled", day).columns["mag"], 2 * store.read("basic/mag", day).columns["mag"]
        )


def test_ours_and_theirs_run_together(site: Site) -> None:
    """In one run of a project whose IO manager is ours for all assets."""
    result = execute(
        site, project(site, doubled), [["cdaweb", "TS_H0_MFI", "BGSE"], ["basic", "mag"], ["doubled"]], over(DAYS[0], DAYS[1])
    )
    assert result.success
    assert set(site.files("doubled")) == {f"doubled/{day}.parquet" for day in DAYS[:2]}


def test_records_outside_the_partition_are_refused(ran_site: Site) -> None:
    """A wrong cut is an error that says what to do, not another day's data."""
    result = execute(ran_site, project(ran_site, straying), [["straying"]], {"dagster/partition": DAYS[0]})
    assert not result.success
    assert ran_site.files("straying") == {}
    error = failure_of(result)
    assert "are outside its partitions" in error
    assert "partition_time_window" in error


def test_an_input_that_was_never_made_is_told(site: Site) -> None:
    """With its name and what to do first."""
    result = execute(site, project(site, doubled), [["doubled"]], {"dagster/partition": DAYS[0]})
    assert not result.success
    assert "is not stored" in failure_of(result)


def failure_of(result: dg.ExecuteInProcessResult) -> str:
    """Everything the failed step says."""
    (failed,) = [event for event in result.all_events if event.is_step_failure]
    return failed.step_failure_data.error.to_string()


def test_a_project_needs_no_io_manager_to_load_ours(ran_site: Site) -> None:
    """Our assets name one that comes with them; what the project's own assets yield is stored as the project says."""

    @dg.asset(partitions_def=DAILY, ins={"mag": dg.AssetIn(key=["basic", "mag"])}, io_manager_key="memory")
    def records(mag: pd.DataFrame) -> int:
        return len(mag)

    memory = dg.Definitions(assets=[records], resources={"memory": dg.mem_io_manager})
    both = dg.Definitions.merge(library_definitions(ran_site.settings), memory)
    result = execute(ran_site, both, [["records"]], {"dagster/partition": DAYS[0]})
    assert result.output_for_node("records") == 48


@pytest.mark.parametrize("is_allowed", [False, True])
def test_missing_partitions_of_an_input_are_left_out_where_it_says_so(ran_site: Site, is_allowed: bool) -> None:
    """As with Dagster's own IO managers; otherwise they are an error."""
    allowed = {"allow_missing_partitions": True} if is_allowed else {}
    earlier = dg.TimeWindowPartitionMapping(start_offset=-9, allow_nonexistent_upstream_partitions=True)
    taken = dg.AssetIn(key=["basic", "mag"], partition_mapping=earlier, metadata=allowed)

    @dg.asset(partitions_def=DAILY, ins={"mag": taken}, io_manager_key="memory")
    def records(mag: pd.DataFrame) -> int:
        return len(mag)

    memory = dg.Definitions(assets=[records], resources={"memory": dg.mem_io_manager})
    ran_site.workbench().store.path("basic/mag", DAYS[0]).unlink()
    both = dg.Definitions.merge(library_definitions(ran_site.settings), memory)
    result = execute(ran_site, both, [["records"]], {"dagster/partition": DAYS[2]})
    if is_allowed:
        assert result.output_for_node("records") == 2 * 48
    else:
        assert "is not stored" in failure_of(result)


def test_the_home_may_be_named_by_the_environment(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read when the code is loaded; where it is not set, that is said, and no folder is made up."""
    with pytest.raises(InputError, match="LAB_HOME"):
        HelioIOManager(home=dg.EnvVar("LAB_HOME"))
    monkeypatch.setenv("LAB_HOME", str(site.settings.home))
    assert isinstance(HelioIOManager(home=dg.EnvVar("LAB_HOME")), dg.IOManager)
