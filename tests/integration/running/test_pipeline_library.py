"""The library of pipelines from the command line: renamed, compared, found, forked, carried elsewhere."""

from __future__ import annotations

import json

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


def library(desk) -> dict[str, str]:
    """Name to text of every file in the desk's library."""
    return {path.name: path.read_text() for path in desk.settings.pipelines.iterdir()}


def test_a_rename_takes_references_along_and_leaves_tables(desk, shell, span) -> None:
    """The file, its name and the references change, each by one line; what is stored is told, and made again on a run."""
    desk.save(READER)
    desk.run(span)
    before = library(desk)
    done = shell(desk, "pipelines", "rename", "basic", "renamed", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["references"] == ["reader: steps[0].compute.inputs.a", "reader: steps[0].compute.inputs.b"]
    assert facts["tables"] == ["basic/mag", "basic/mean"]
    assert library(desk) == {
        "renamed.yaml": before["basic.yaml"].replace("name: basic", "name: renamed"),
        "reader.yaml": before["reader.yaml"].replace("basic/", "renamed/"),
    }
    old = desk.files("basic")
    assert old
    assert desk.run(span, name="renamed").status == "success"
    assert desk.files("basic") == old
    assert {name.partition("/")[2] for name in desk.files("renamed")} == {name.partition("/")[2] for name in old}


def test_a_taken_name_is_refused(desk, shell) -> None:
    """Nothing changes."""
    desk.save(TWIN)
    before = library(desk)
    done = shell(desk, "pipelines", "rename", "basic", "twin")
    assert done.returncode == 2
    assert "there is a pipeline 'twin' already" in done.stderr
    assert library(desk) == before


def test_a_rename_cut_off_before_its_end_is_finished(desk, shell) -> None:
    """The new file is there already, the old one still: the same command goes on."""
    desk.save(READER)
    before = library(desk)
    desk.save(before["basic.yaml"].replace("name: basic", "name: renamed"))
    done = shell(desk, "pipelines", "rename", "basic", "renamed")
    assert done.returncode == 0, done.stderr
    assert "follows: reader: steps[0].compute.inputs.a" in done.stdout
    assert sorted(library(desk)) == ["reader.yaml", "renamed.yaml"]


def test_a_file_that_cannot_be_read_and_may_refer_stops_a_rename(desk, shell) -> None:
    """Its references could not follow, so nothing is renamed."""
    (desk.settings.pipelines / "broken.yaml").write_text("version: 1\nname: broken\nsteps: [basic/mag\n")
    before = library(desk)
    done = shell(desk, "pipelines", "rename", "basic", "renamed")
    assert done.returncode == 2
    assert "broken.yaml cannot be read and may refer to basic" in done.stderr
    assert library(desk) == before


def test_what_reads_a_pipeline_is_told_before_it_is_deleted(desk, shell) -> None:
    """Without a terminal nothing is deleted."""
    desk.save(READER)
    done = shell(desk, "pipelines", "rm", "basic")
    assert done.returncode == 3
    assert "read by reader" in done.stderr
    assert "basic.yaml" in library(desk)


def test_a_family_stands_together(desk, shell) -> None:
    """Pipelines with the same data steps and other figures, in `families`, in `ls` and in `diff`."""
    desk.save(TWIN)
    desk.save(READER)
    assert json.loads(shell(desk, "pipelines", "families", "--json").stdout) == {"families": [["basic", "twin"]]}
    assert "Same data steps: basic, twin" in shell(desk, "pipelines", "ls").stdout
    compared = json.loads(shell(desk, "pipelines", "diff", "basic", "twin", "--json").stdout)
    assert compared["has_same_data"]
    assert not compared["is_same"]
    assert [(each["step"], each["what"]) for each in compared["steps"]] == [("seen", "added")]
    assert [each["path"] for each in compared["head"]] == ["title", "start"]


def test_files_are_compared_line_by_line(desk, shell, tmp_path) -> None:
    """A name and a path; `--text` is a unified difference, exit code 0 either way."""
    path = tmp_path / "basic.yaml"
    path.write_text(library(desk)["basic.yaml"].replace("PT2H", "PT1H"))
    told = shell(desk, "pipelines", "diff", "basic", str(path))
    assert told.returncode == 0
    assert 'changed compute mean\n  compute.options.window: "PT2H" -> "PT1H"\n' in told.stdout
    lines = shell(desk, "pipelines", "diff", "basic", str(path), "--text").stdout.splitlines()
    assert [line[:1] for line in lines if line[:3] not in ("---", "+++") and line[:1] in "+-"] == ["-", "+"]
    assert shell(desk, "pipelines", "diff", "basic", "basic").stdout == "They mean the same.\n"
