"""The library of pipelines from the command line: renamed, compared, found, forked, carried elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.storage.tables import TableStore
from tests.integration.running.conftest import MakeSite, Shell, Site

BASIC = """
version: 1
name: basic
title: Basic
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
"""
TWIN = """
version: 1
name: twin
title: Twin
partitions: daily
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
  - id: seen
    figure: {panels: [{traces: [{data: mean}]}]}
"""
READER = """
version: 1
name: reader   # reads another one
steps:
  - id: ratio
    compute: {operation: ratio, inputs: {a: basic/mag, b: basic/mean}}  # both of it
"""


def library(site: Site) -> dict[str, str]:
    """Name to text of every file in the site's library."""
    return {path.name: path.read_text() for path in site.settings.pipelines.iterdir()}


def test_a_rename_takes_references_along_and_leaves_tables(site: Site, shell: Shell, span: TimeRange) -> None:
    """The file, its name and the references change, each by one line; what is stored is told, and made again on a run."""
    site.save(READER)
    site.run(span)
    before = library(site)
    done = shell(site, "pipelines", "rename", "basic", "renamed", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["references"] == ["reader: steps[0].compute.inputs.a", "reader: steps[0].compute.inputs.b"]
    assert facts["tables"] == ["basic/mag", "basic/mean"]
    assert library(site) == {
        "renamed.yaml": before["basic.yaml"].replace("name: basic", "name: renamed"),
        "reader.yaml": before["reader.yaml"].replace("basic/", "renamed/"),
    }
    old = site.files("basic")
    assert old
    assert site.run(span, name="renamed").status == "success"
    assert site.files("basic") == old
    assert {name.partition("/")[2] for name in site.files("renamed")} == {name.partition("/")[2] for name in old}


def test_an_approval_goes_along_with_the_name(site: Site, shell: Shell) -> None:
    """In the pipeline and in who reads it: the check has nothing to say before and after; of a changed one it has."""
    sha = {name: pipeline_sha(parse_pipeline(text, file=name).pipeline) for name, text in (("b", BASIC), ("r", READER))}
    site.save(f"{BASIC}approved: {{by: me, at: 2026-01-01, sha: {sha['b']}}}\n")
    site.save(f"{READER}approved: {{by: me, at: 2026-01-01, sha: {sha['r']}}}\n")
    done = shell(site, "pipelines", "rename", "basic", "renamed")
    assert "Its approval stays" in done.stdout
    assert "approved it" not in shell(site, "check").stdout
    path = site.settings.pipelines / "renamed.yaml"
    path.write_text(path.read_text().replace("PT2H", "PT3H"))
    assert "note: " + str(path) in (told := shell(site, "check").stdout)
    assert "changed since me approved it on 2026-01-01" in told


def test_a_taken_name_is_refused(site: Site, shell: Shell) -> None:
    """Nothing changes."""
    site.save(TWIN)
    before = library(site)
    done = shell(site, "pipelines", "rename", "basic", "twin")
    assert done.returncode == 2
    assert "there is a pipeline 'twin' already" in done.stderr
    assert library(site) == before


def test_a_rename_cut_off_before_its_end_is_finished(site: Site, shell: Shell) -> None:
    """The new file is there already, the old one still: the same command goes on."""
    site.save(READER)
    before = library(site)
    site.save(before["basic.yaml"].replace("name: basic", "name: renamed"))
    done = shell(site, "pipelines", "rename", "basic", "renamed")
    assert done.returncode == 0, done.stderr
    assert "follows: reader: steps[0].compute.inputs.a" in done.stdout
    assert sorted(library(site)) == ["reader.yaml", "renamed.yaml"]


def test_a_file_that_cannot_be_read_and_may_refer_stops_a_rename(site: Site, shell: Shell) -> None:
    """Its references could not follow, so nothing is renamed."""
    (site.settings.pipelines / "broken.yaml").write_text("version: 1\nname: broken\nsteps: [basic/mag\n")
    before = library(site)
    done = shell(site, "pipelines", "rename", "basic", "renamed")
    assert done.returncode == 2
    assert "broken.yaml cannot be read and may refer to basic" in done.stderr
    assert library(site) == before


def test_what_reads_a_pipeline_is_told_before_it_is_deleted(site: Site, shell: Shell) -> None:
    """Without a terminal nothing is deleted."""
    site.save(READER)
    done = shell(site, "pipelines", "rm", "basic")
    assert done.returncode == 3
    assert "will not run without it: reader" in done.stderr
    assert "basic.yaml" in library(site)


def test_a_family_stands_together(site: Site, shell: Shell) -> None:
    """Pipelines with the same data steps and other figures, in `families`, in `ls` and in `diff`."""
    site.save(TWIN)
    site.save(READER)
    assert json.loads(shell(site, "pipelines", "families", "--json").stdout) == {"families": [["basic", "twin"]]}
    assert "Same data steps: basic, twin" in shell(site, "pipelines", "ls").stdout
    compared = json.loads(shell(site, "pipelines", "diff", "basic", "twin", "--json").stdout)
    assert compared["has_same_data"]
    assert not compared["is_same"]
    assert [(each["step"], each["what"]) for each in compared["steps"]] == [("seen", "added")]
    assert [each["path"] for each in compared["head"]] == ["title", "start"]


def test_files_are_compared_line_by_line(site: Site, shell: Shell, tmp_path: Path) -> None:
    """A name and a path; `--text` is a unified difference, exit code 0 either way."""
    path = tmp_path / "basic.yaml"
    path.write_text(library(site)["basic.yaml"].replace("PT2H", "PT1H"))
    told = shell(site, "pipelines", "diff", "basic", str(path))
    assert told.returncode == 0
    assert 'changed compute mean\n  compute.options.window: "PT2H" -> "PT1H"\n' in told.stdout
    lines = shell(site, "pipelines", "diff", "basic", str(path), "--text").stdout.splitlines()
    assert [line[:1] for line in lines if line[:3] not in ("---", "+++") and line[:1] in "+-"] == ["-", "+"]
    assert shell(site, "pipelines", "diff", "basic", "basic").stdout == "They have the same meaning.\n"


DOUBLED = """\
id: doubled
version: 1
summary: Twice the value.       # a comment that travels
when: Never; it is a test.
inputs:
  series: {meaning: what is doubled}
output: {meaning: A series in the unit of the input.}
reference: arithmetic
examples:
  - inputs:
      series: {columns: {v: [1, 2.5]}, unit: nT}
    expected: {result: [2, 5]}
    unit: nT
    source: counting
code: |
  return series * 2
"""
USES = """
version: 1
name: uses
steps:
  - id: twice
    compute: {operation: doubled@1, inputs: {series: basic/mag}}
"""


def carried(site: Site, shell: Shell, tmp_path: Path, operation: str = DOUBLED) -> Any:
    """The bundle of a pipeline that reads `basic` and names a saved operation."""
    site.save(USES)
    site.settings.operations.mkdir()
    (site.settings.operations / "doubled@1.yaml").write_text(operation)
    path = tmp_path / "uses.bundle.yaml"
    done = shell(site, "pipelines", "export", "uses", "-o", str(path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{path}: pipelines/uses.yaml, pipelines/basic.yaml, operations/doubled@1.yaml\n"
    return path


def test_a_pipeline_goes_elsewhere_with_all_it_needs(site: Site, make_site: MakeSite, shell: Shell, tmp_path: Path) -> None:
    """What it reads and the operations it names, byte for byte; it replays there, and importing again changes nothing."""
    path = carried(site, shell, tmp_path)
    other = make_site("other", TWIN)
    states = json.loads(shell(other, "pipelines", "import", str(path), "--json").stdout)
    assert [(each["name"], each["state"]) for each in states["files"]] == [
        ("uses", "new"),
        ("basic", "new"),
        ("doubled@1", "new"),
    ]
    assert {"uses.yaml", "basic.yaml"} <= library(other).keys()
    assert all(library(other)[name] == library(site)[name] for name in ("uses.yaml", "basic.yaml"))
    assert (other.settings.operations / "doubled@1.yaml").read_text() == DOUBLED
    assert Home(other.settings).open("uses")[0].name == "uses"
    assert shell(other, "pipelines", "export", "uses").stdout == path.read_text()
    again = json.loads(shell(other, "pipelines", "import", str(path), "--json").stdout)
    assert {each["state"] for each in again["files"]} == {"same"}


def test_a_saved_version_never_changes(site: Site, make_site: MakeSite, shell: Shell, tmp_path: Path) -> None:
    """Another operation of that version is refused, and the pipelines with it; `--replace` is for pipelines."""
    path = carried(site, shell, tmp_path)
    other = make_site("other", TWIN)
    other.settings.operations.mkdir()
    (other.settings.operations / "doubled@1.yaml").write_text(DOUBLED.replace("series * 2", "series + series"))
    done = shell(other, "pipelines", "import", str(path), "--replace")
    assert done.returncode == 2
    assert "operations/doubled@1 refused: doubled@1 is saved already, and a saved version never changes" in done.stdout
    assert sorted(library(other)) == ["twin.yaml"]
    assert "+ series" in (other.settings.operations / "doubled@1.yaml").read_text()


def test_an_operation_that_does_not_keep_its_word_is_not_imported(
    site: Site, make_site: MakeSite, shell: Shell, tmp_path: Path
) -> None:
    """Its examples are run first, confined; nothing is written."""
    path = carried(site, shell, tmp_path, DOUBLED.replace("series * 2", "series * 3"))
    other = make_site("other", TWIN)
    done = shell(other, "pipelines", "import", str(path))
    assert done.returncode == 1
    assert "its examples fail" in done.stderr
    assert sorted(library(other)) == ["twin.yaml"]
    assert not other.settings.operations.exists()


def test_a_file_is_not_replaced_by_an_export(site: Site, shell: Shell, tmp_path: Path) -> None:
    """Unless it is the same, or `--force` is said."""
    path = tmp_path / "there.yaml"
    path.write_text("mine\n")
    assert shell(site, "pipelines", "export", "basic", "-o", str(path)).returncode == 2
    assert path.read_text() == "mine\n"
    for _ in range(2):
        assert shell(site, "pipelines", "export", "basic", "-o", str(path), "--force").returncode == 0
    assert shell(site, "pipelines", "export", "basic", "-o", str(path)).returncode == 0


def test_what_cannot_be_read_is_one_message(site: Site, shell: Shell, tmp_path: Path) -> None:
    """A folder, a missing file, nothing at all on standard input."""
    for given in (str(tmp_path), str(tmp_path / "nowhere"), "-"):
        done = shell(site, "pipelines", "import", given)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
    assert sorted(library(site)) == ["basic.yaml"]


ACE = """
version: 1
name: ace
title: ACE field
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
approved: {by: me, at: 2026-01-01, sha: x}
"""


def test_a_fork_for_another_mission_needs_a_person(site: Site, shell: Shell) -> None:
    """Without a terminal the plan is printed and nothing saved; `--yes` saves it, not approved."""
    site.save(ACE)
    asked = shell(site, "pipelines", "fork", "ace", "wind", "--mission", "Wind")
    assert asked.returncode == 3
    assert "b: AC_H0_MFI BGSEc (magnetic field, GSE, nT) -> WI_H0_MFI BGSE (magnetic field, GSE, nT)" in asked.stdout
    told = shell(site, "pipelines", "fork", "ace", "wind", "--mission", "Wind", "--json")
    assert told.returncode == 3
    assert json.loads(told.stdout)["status"] == "question"
    assert "wind.yaml" not in library(site)
    done = shell(site, "pipelines", "fork", "ace", "wind", "--mission", "Wind", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["text"] == library(site)["wind.yaml"]
    assert "approved" not in library(site)["wind.yaml"]
    assert Home(site.settings).open("wind")[0].title == "Wind field"


def test_a_plain_fork_replays_like_the_first(site: Site, shell: Shell, span: TimeRange) -> None:
    """Another name, the same data versions; a taken name is refused."""
    done = shell(site, "pipelines", "fork", "basic", "copy")
    assert done.returncode == 0, done.stderr
    assert library(site)["copy.yaml"] == library(site)["basic.yaml"].replace("name: basic", "name: copy")
    site.run(span)
    site.run(span, name="copy")
    store = TableStore(site.settings.data)
    stamps = [[store.stamp(f"{name}/mean", f"2023-01-0{day}") for day in (2, 3, 4)] for name in ("basic", "copy")]
    assert stamps[0] == stamps[1]
    assert None not in stamps[0]
    assert shell(site, "pipelines", "fork", "basic", "copy").returncode == 2


def test_pipelines_are_found_by_what_they_fetch(site: Site, shell: Shell) -> None:
    """Words and limits; a misspelt limit gets near names, an unknown mission is wrong input."""
    site.save(ACE)
    found = json.loads(shell(site, "pipelines", "search", "magnetic", "--mission", "ace", "--json").stdout)
    assert [(each["name"], each["datasets"]) for each in found["pipelines"]] == [("ace", ["AC_H0_MFI"])]
    assert "Did you mean magnitude?" in shell(site, "pipelines", "search", "--operation", "magnitud").stdout
    assert shell(site, "pipelines", "search", "--mission", "Atlantis").returncode == 2
