"""A dataset's master changed: just the partitions that were made with it are made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import cdflib.cdfwrite
import pytest

from helio_dagster.archives.files.cache import cached_files
from helio_dagster.archives.files.index import MASTERS_FOLDER
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.bundling.gathering import Labels, gather
from helio_dagster.launch.bundling.manifest import MANIFEST
from helio_dagster.launch.bundling.remaking import verify_bundle
from helio_dagster.launch.home import Home
from helio_dagster.launch.upkeep.orphans import find_orphans, owned
from helio_dagster.launch.upkeep.reindex import reindex
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import MakeSpan, Mission, Site
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
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: part}, options: {window: PT2H}}
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
    assert change.text.startswith("ts_h0_mfi_00000000_v01.cdf: content changed, sha256 ")
    found = states(site, span)
    assert found == {"part": dict.fromkeys(DAYS, "stale"), "mean": dict.fromkeys(DAYS, "stale"), "whole": FRESH, "other": FRESH}
    assert site.why("part", TWO, name="parts") == ["the archive's files changed"]
    site.drift(span, name="parts")
    assert unsynced(site, "cdaweb/TS_H0_MFI/part") == set(DAYS)
    assert unsynced(site, "cdaweb/TS_H0_MFI/BGSE") == unsynced(site, "cdaweb/TS_H1_MFI/part") == set()
    site.run(span, name="parts")
    assert site.made() == {(step, day) for step in ("part", "mean") for day in DAYS}
    assert states(site, span) == dict.fromkeys(found, FRESH)
    assert site.drift(span, name="parts").changed == 0
    assert all(unsynced(site, f"cdaweb/{name}") == set() for name in ("TS_H0_MFI/part", "TS_H0_MFI/BGSE", "TS_H1_MFI/part"))
    assert {name.rpartition("/")[0] for name, content in site.files().items() if content != before[name]} == {
        "cdaweb/TS_H0_MFI/part",
        "parts/mean",
    }


def test_refresh_sees_a_master_that_makes_no_difference(site: Site, mission: Mission, span: TimeRange) -> None:
    """What is fetched with it is made again, and comes out the same: the change stops there."""
    publish_master(mission, 0, notes="revised")
    report = site.run(span, name="parts", refresh=True)
    assert report.steps["part"].computed == 3
    assert (report.steps["whole"].reused, report.steps["other"].reused, report.steps["mean"].reused) == (3, 3, 3)


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
    assert states(site, span) == dict.fromkeys(("part", "mean", "whole", "other"), FRESH)
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


LABELS = Labels("2026-01-31")


def bundle(site: Site, span: TimeRange, folder: Path) -> Path:
    """What `helio bundle` writes."""
    folder.mkdir()
    home = Home(site.settings)
    gather(home, home.open("parts"), span, site.workbench(), folder, LABELS)
    return folder


def verdicts(site: Site, folder: Path, tmp_path: Path, *, without_archives: bool = False) -> tuple[str, dict[str, str]]:
    """What `helio verify` says on another machine, of all files that are not the same to the byte."""
    elsewhere = tmp_path / "elsewhere"
    settings = Settings(elsewhere, elsewhere / "pipelines", site.settings.cdaweb_url)
    report = verify_bundle(folder, settings, without_archives=without_archives)
    return report.status, {each.path: each.verdict for each in report.files if each.verdict != "same bytes"}


def test_a_bundle_carries_the_masters(site: Site, mission: Mission, span: TimeRange, tmp_path: Path) -> None:
    """Also after the archive has another; verified against the archive, what it changes is named, the master with it."""
    held = {path.name: path.read_bytes() for path in (mission.folder / MASTERS_FOLDER).iterdir()}
    publish_master(mission, 1)
    site.drift(span, name="parts")
    folder = bundle(site, span, tmp_path / "bundle")
    assert {path.name: path.read_bytes() for path in (folder / "masters").iterdir()} == held
    status, found = verdicts(site, folder, tmp_path)
    assert status == "differs"
    assert found["masters/ts_h0_mfi_00000000_v01.cdf"] == "differs"
    assert "masters/ts_h1_mfi_00000000_v01.cdf" not in found
    assert {name for name in found if "BGSE" in name or "TS_H1" in name} <= {"methods.md"}


def test_a_bundle_is_made_again_without_the_archive(site: Site, mission: Mission, make_span: MakeSpan, tmp_path: Path) -> None:
    """One day, whose means need both neighbours, on a machine that has nothing; a forged input stops it."""
    folder = bundle(site, make_span(THREE), tmp_path / "bundle")
    mission.server.close()
    status, found = verdicts(site, folder, tmp_path, without_archives=True)
    assert status == "same"
    assert found.keys() <= {"citation.txt", "citation.bib"}  # whom to credit is read from archive files
    name = "inputs/cdaweb/TS_H0_MFI/part/2023-01-03.parquet"
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert verdicts(site, folder, tmp_path, without_archives=True) == ("damaged", {name: "damaged"})


def test_inputs_stay_inside_the_home(site: Site, span: TimeRange, tmp_path: Path) -> None:
    """Whatever a manifest calls an input."""
    folder = bundle(site, span, tmp_path / "bundle")
    (folder / "escaped.parquet").write_bytes(b"x")
    path = folder / MANIFEST
    facts = json.loads(path.read_text())
    sha256 = hashlib.sha256(b"x").hexdigest()
    facts["files"].append({"path": "inputs/../escaped.parquet", "kind": "input", "size": 1, "sha256": sha256})
    path.write_text(json.dumps(facts))
    with pytest.raises(InputError, match="outside itself"):
        verdicts(site, folder, tmp_path, without_archives=True)


def test_masters_that_are_named_are_no_orphans(site: Site, mission: Mission, span: TimeRange) -> None:
    """What the archive replaced and nothing was made with goes; the states that tables name stay in the cache."""
    named = {each["url"]: each["sha256"] for each in masters_of(site)}
    publish_master(mission, 1)
    site.drift(span, name="parts")
    kept = [url for url, date, _ in cached_files(site.settings.cache) if date == named.get(url)]
    assert len(kept) == 2
    home = Home(site.settings)
    gone = {path for each in find_orphans(home, owned(home), with_downloads=True) for path in each.paths}
    stays = [path for url, date, paths in cached_files(site.settings.cache) for path in paths if date == named.get(url)]
    assert stays
    assert not gone & set(stays)


def masters_of(site: Site) -> list[dict[str, str]]:
    """The masters that stored tables name."""
    store = site.workbench().store
    found = [store.peek("cdaweb/TS_H0_MFI/part", TWO), store.peek("cdaweb/TS_H1_MFI/part", TWO)]
    return [each for stored in found if stored is not None for each in stored.provenance["masters"]]
