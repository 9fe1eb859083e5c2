"""A dataset's master changed: just the partitions that were made with it are made again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cdflib.cdfwrite
import numpy as np
import pytest

from helio_dagster.archives.files.index import MASTERS_FOLDER
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.bundling.gathering import Labels, gather
from helio_dagster.launch.bundling.manifest import MANIFEST
from helio_dagster.launch.bundling.remaking import verify_bundle
from helio_dagster.launch.home import Home
from helio_dagster.launch.upkeep.orphans import find_orphans
from helio_dagster.launch.upkeep.reindex import reindex
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import Mission, Site
from tests.integration.running.test_revisions import observed, unsynced

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
DAYS = (TWO, THREE, FOUR)
FRESH = dict.fromkeys(DAYS, "fresh")
PIPELINE = """
version: 1
name: parts
partitions: daily
start: 2023-01-01
steps:
  - id: part
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: part}
  - id: whole
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: other
    fetch: {archive: cdaweb, dataset: TS_H1_MFI, parameter: part}
  - id: size
    compute: {operation: scale, inputs: {series: part}, options: {factor: 2}}
"""


def publish_master(mission: Mission, place: int, *, source: str = "TS_H0_MFI", notes: str = "as it is") -> None:
    """A master that defines `part`, one of the three components of `BGSE`, which no file holds."""
    folder = mission.folder / MASTERS_FOLDER
    folder.mkdir(exist_ok=True)
    path = folder / f"{source.lower()}_00000000_v01.cdf"
    path.unlink(missing_ok=True)
    cdf = cdflib.cdfwrite.CDF(path.with_suffix(""), delete=True)
    cdf.write_globalattrs({"Logical_source": {0: source}, "TITLE": {0: "Test"}})
    about = {"VAR_TYPE": "data", "UNITS": "nT", "DEPEND_0": "Epoch", "VIRTUAL": "true", "FUNCT": "make_stack_array"}
    about |= {"VAR_NOTES": notes, "COMPONENT_0": "BGSE", "DISPLAY_TYPE": f"time_series>y=BGSE({place})"}
    spec = {"Variable": "part", "Data_Type": 44, "Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
    cdf.write_var(spec, about, None)
    cdf.close()


@pytest.fixture
def site(make_site: Callable[..., Site], mission: Mission, span: TimeRange) -> Site:
    """A home at which three days of two datasets with masters were run."""
    for source in ("TS_H0_MFI", "TS_H1_MFI"):
        publish_master(mission, 0, source=source)
    for day in DAYS:
        mission.publish(day, source="TS_H1_MFI")
    site = make_site("home", PIPELINE)
    assert site.run(span, name="parts").status == "success"
    site.made()
    return site


def states(site: Site, span: TimeRange) -> dict[str, dict[str | None, str]]:
    """Step to partition to state."""
    return site.states(span, name="parts")


def test_only_what_the_master_defines_becomes_stale(site: Site, mission: Mission, span: TimeRange) -> None:
    """Not what files of the same dataset hold, nor another dataset: for us, and in Dagster once it was looked at."""
    before = site.files()
    assert site.drift(span, name="parts").changed == 0
    assert observed(site) == []
    publish_master(mission, 1)
    report = site.drift(span, name="parts")
    assert {each.asset: len(each.partitions) for each in report.assets} == {
        "cdaweb/TS_H0_MFI/part": 3,
        "cdaweb/TS_H0_MFI/BGSE": 0,
        "cdaweb/TS_H1_MFI/part": 0,
    }
    (changed,) = [each for each in report.assets if each.partitions]
    (change,) = changed.partitions[0].changes
    assert change.change == "republished"
    assert change.text.startswith("ts_h0_mfi_00000000_v01.cdf: another content, with sha256 ")
    found = states(site, span)
    assert found == {"part": dict.fromkeys(DAYS, "stale"), "size": dict.fromkeys(DAYS, "stale"), "whole": FRESH, "other": FRESH}
    assert site.why("part", TWO, name="parts") == ["the archive's files changed"]
    site.drift(span, name="parts")
    assert unsynced(site, "cdaweb/TS_H0_MFI/part") == set(DAYS)
    assert unsynced(site, "cdaweb/TS_H0_MFI/BGSE") == unsynced(site, "cdaweb/TS_H1_MFI/part") == set()
    site.run(span, name="parts")
    assert site.made() == {(step, day) for step in ("part", "size") for day in DAYS}
    assert states(site, span) == dict.fromkeys(found, FRESH)
    assert site.drift(span, name="parts").changed == 0
    assert all(unsynced(site, f"cdaweb/{name}") == set() for name in ("TS_H0_MFI/part", "TS_H0_MFI/BGSE", "TS_H1_MFI/part"))
    assert {name.rpartition("/")[0] for name, content in site.files().items() if content != before[name]} == {
        "cdaweb/TS_H0_MFI/part",
        "parts/size",
    }


def test_refresh_sees_a_master_that_makes_no_difference(site: Site, mission: Mission, span: TimeRange) -> None:
    """What is fetched with it is made again, and comes out the same: the change stops there."""
    publish_master(mission, 0, notes="revised")
    report = site.run(span, name="parts", refresh=True)
    assert report.steps["part"].computed == 3
    assert (report.steps["whole"].reused, report.steps["other"].reused, report.steps["size"].reused) == (3, 3, 3)


def test_files_and_master_change_one_after_the_other(site: Site, mission: Mission, span: TimeRange) -> None:
    """What was seen of the master is not forgotten when a file is republished, and the other way round."""
    publish_master(mission, 1)
    site.drift(span, name="parts")
    mission.publish(THREE, seed=7)
    site.drift(span, name="parts")
    found = states(site, span)
    assert (found["part"], found["whole"]) == (dict.fromkeys(DAYS, "stale"), {**FRESH, THREE: "stale"})
    site.run(span, name="parts")
    assert states(site, span)["part"] == states(site, span)["whole"] == FRESH
    mission.publish(FOUR, seed=8)
    site.run(span, name="parts", refresh=True)
    assert states(site, span)["part"] == states(site, span)["whole"] == FRESH
    assert site.drift(span, name="parts").changed == 0


def test_a_lost_record_is_found_again(site: Site, mission: Mission, span: TimeRange) -> None:
    """Tables name the master that they were made with, so nothing is made again, and its next change is seen."""
    for path in (site.settings.home / "dagster").rglob("*.db*"):
        path.unlink()
    reindex(site.open("parts")[1], site.workbench())
    assert states(site, span) == dict.fromkeys(("part", "size", "whole", "other"), FRESH)
    assert site.run(span, name="parts", refresh=True).steps["part"].reused == 3
    publish_master(mission, 2)
    site.drift(span, name="parts")
    assert states(site, span)["part"] == dict.fromkeys(DAYS, "stale")


def test_an_archive_without_its_master_for_a_while_changes_nothing(site: Site, mission: Mission, span: TimeRange) -> None:
    """It cannot be compared, which is said; what is stored stays."""
    mission.server.close()
    report = site.drift(span, name="parts")
    assert (report.changed, report.exit_code) == (0, 1)
    assert states(site, span)["part"] == FRESH
