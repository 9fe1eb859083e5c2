"""Operations that people save: tried first, never changed, named with their version, the same in every run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.compute.operation_file import parse_operation
from helio_dagster.domain.errors import CodeRefused, InputError, PipelineError, StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import origin
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.operation_saving import save_operation
from helio_dagster.resources.operation_library import OperationLibrary
from tests.integration.running.conftest import Site

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
DOUBLE = """\
id: doubled
version: 1
summary: Twice the value.
when: Never; it is a test.
inputs:
  series: {meaning: what is doubled}
options:
  factor: {meaning: how often, default: 2, minimum: 1}
output: {meaning: A series in the unit of the input.}
reference: arithmetic
examples:
  - inputs:
      series: {columns: {v: [1, 2.5]}, unit: nT}
    expected: {result: [2, 5]}
    unit: nT
    source: counting
code: |
  return series * factor
"""
PIPELINE = """
version: 1
name: uses
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: twice
    compute: {operation: doubled@1, inputs: {series: b}}
"""


@pytest.fixture
def library(site: Site) -> OperationLibrary:
    """The saved operations of the site's home, without any at first."""
    return OperationLibrary(site.settings.operations)


def save(site: Site, text: str = DOUBLE, *changes: tuple[str, str]) -> Any:
    """Save an operation with parts of its text replaced."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    workbench = site.workbench()
    try:
        return save_operation(parse_operation(text, file="draft.yaml"), OperationLibrary(site.settings.operations), workbench)
    finally:
        workbench.close()


def test_a_saved_operation_is_used_by_id_and_version(site: Site, span: TimeRange, library: OperationLibrary) -> None:
    """In a run it gives what its code says, with unit and provenance."""
    saved = save(site)
    assert (saved.name, saved.is_new, saved.path.name) == ("doubled@1", True, "doubled@1.yaml")
    site.save(PIPELINE)
    assert site.run(span, name="uses").status == "success"
    store = site.workbench().store
    table, source = store.read("uses/twice", THREE), store.read("cdaweb/TS_H0_MFI/F", THREE)
    assert (table.columns["twice"] == source.columns["F"].astype("f8") * 2).all()
    assert table.meta.unit == "nT"
    graph = Home(site.settings).graph
    found = origin(graph, graph["uses/twice"], THREE, site.workbench())
    assert (found.made_by["operation"], found.made_by["body"]) == ("doubled@1", "return series * factor\n")


def test_a_new_version_changes_nothing_that_names_the_old(site: Site, span: TimeRange) -> None:
    """The pipeline stays fresh until it names the new version; then just its step is redone."""
    save(site)
    site.save(PIPELINE)
    site.run(span, name="uses")
    assert (
        save(site, DOUBLE, ("version: 1", "version: 2"), ("* factor", "* factor + 1"), ("[2, 5]", "[3, 6]")).name == "doubled@2"
    )
    assert site.run(span, name="uses").run_id is None
    site.save(PIPELINE.replace("doubled@1", "doubled@2"))
    report = site.run(span, name="uses")
    assert (report.steps["b"].computed, report.steps["twice"].computed) == (0, 3)


def test_a_file_edited_by_hand_is_another_operation(site: Site, span: TimeRange) -> None:
    """A saved version is not to be changed; where somebody does, what was made with it is stale and redone."""
    path = save(site).path
    site.save(PIPELINE)
    site.run(span, name="uses")
    path.write_text(path.read_text().replace("series * factor", "series * factor * 1.5"))
    assert set(site.states(span, name="uses")["twice"].values()) == {"stale"}
    path.write_text(path.read_text().replace("summary: Twice the value.", "summary: Three times.").replace(" * 1.5", ""))
    assert set(site.states(span, name="uses")["twice"].values()) == {"fresh"}


@pytest.mark.alike(3)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([("[2, 5]", "[2, 6]")], "result is"),
        ([("unit: nT\n    source", "unit: T\n    source")], "the unit is"),
        ([("return series * factor", "return series *")], "line 1"),
        ([("return series * factor", "raise ValueError('never')\n  return series")], "never"),
        ([("return series * factor", "import os\n  return series * factor")], "os"),
        ([("return series * factor", "return series * factor + (list(set('abcdefgh')).index('a')) * 1e-15")], "differ"),
        ([("return series * factor", "return series.assign(w=1) * factor")], "2 columns"),
        ([("factor: {", "window: {"), ("* factor", "* window + len({str(i) for i in series.index})")], ""),
    ],
)
def test_what_does_not_keep_its_word_is_refused(site: Site, library: OperationLibrary, changes: list, words: str) -> None:
    """With the reason, and nothing is written."""
    with pytest.raises(CodeRefused) as raised:
        save(site, DOUBLE, *changes)
    assert words in str(raised.value)
    assert not site.settings.operations.exists()


def test_nothing_is_stored_twice(site: Site, library: OperationLibrary) -> None:
    """The same file is known; the same code under another name is refused, and the name to use is told."""
    save(site)
    assert not save(site).is_new
    with pytest.raises(CodeRefused, match="doubled@1"):
        save(site, DOUBLE, ("id: doubled", "id: twofold"), ("  return", "  # the same\n  return"))
    with pytest.raises(InputError, match="never changes"):
        save(site, DOUBLE, ("* factor", "* factor * 1"))
    with pytest.raises(InputError, match="shipped operation"):
        save(site, DOUBLE, ("id: doubled", "id: magnitude"))
    assert library.versions("doubled") == [1]


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("doubled", "Write doubled@1"),
        ("doubled@3", "there is no version 3 of doubled"),
        ("dubled@1", "Did you mean doubled"),
        ("magnitude@9", "there is no version 9 of magnitude"),
        ("../doubled@1", "names no operation"),
        ("doubled@01", "names no operation"),
    ],
)
def test_names_are_checked_where_a_pipeline_uses_them(site: Site, named: str, words: str) -> None:
    """Before anything runs, with what to write."""
    save(site)
    site.save(PIPELINE.replace("doubled@1", named))
    with pytest.raises(PipelineError) as raised:
        site.open("uses")
    assert words in str(raised.value)


def test_a_damaged_file_takes_no_other_with_it(site: Site, caplog: pytest.LogCaptureFixture, library: OperationLibrary) -> None:
    """It is left out with a warning, and a pipeline that names it says what is wrong."""
    save(site)
    save(site, DOUBLE, ("id: doubled", "id: tripled"), ("* factor", "* 3"), ("[2, 5]", "[3, 7.5]"))
    library.path("tripled", 1).write_bytes(b"\xff\xfe rubbish")
    library.path("misnamed", 1).write_text(DOUBLE)
    names = {operation.id for operation in OperationLibrary(site.settings.operations).all()}
    assert "doubled" in names
    assert names.isdisjoint({"tripled", "misnamed"})
    assert "UTF-8" in caplog.text
    site.save(PIPELINE.replace("doubled@1", "tripled@1"))
    with pytest.raises(PipelineError, match="UTF-8"):
        site.open("uses")


def test_a_folder_that_cannot_be_written(site: Site) -> None:
    """One error with a remedy."""
    site.settings.operations.parent.mkdir(parents=True, exist_ok=True)
    site.settings.operations.write_text("in the way")
    with pytest.raises(StorageError) as raised:
        save(site)
    assert raised.value.hint


def test_the_commands(site: Site, shell: Callable, tmp_path: Path) -> None:
    """Save, list, show, search, test, refuse to delete what is used, delete."""
    draft = tmp_path / "draft.yaml"
    draft.write_text(DOUBLE)
    assert json.loads(shell(site, "operations", "save", str(draft), "--json").stdout)["operation"] == "doubled@1"
    listed = json.loads(shell(site, "operations", "ls", "--json").stdout)["operations"]
    assert [each["operation"] for each in listed if each["origin"] == "saved"] == ["doubled@1"]
    assert "return series * factor" in shell(site, "operations", "show", "doubled@1").stdout
    found = json.loads(shell(site, "operations", "search", "twice", "--kind", "series", "--json").stdout)["operations"]
    assert found[0]["operation"] == "doubled@1"
    tested = shell(site, "operations", "test", "doubled@1", str(draft))
    assert (tested.returncode, tested.stdout) == (0, "1 tried, 0 failed\n")
    site.save(PIPELINE)
    refused = shell(site, "operations", "rm", "doubled@1", "--yes")
    assert (refused.returncode, "uses/twice" in refused.stderr) == (2, True)
    (site.settings.pipelines / "uses.yaml").unlink()
    assert shell(site, "operations", "rm", "doubled@1").returncode == 3
    assert shell(site, "operations", "rm", "doubled@1", "--yes").returncode == 0
    assert shell(site, "operations", "rm", "magnitude", "--yes").returncode == 2


def test_a_draft_is_tried_without_a_trace(site: Site, shell: Callable, tmp_path: Path) -> None:
    """Statistics, a picture and what was printed; nothing is recorded, and no table is written."""
    draft = tmp_path / "draft.yaml"
    body = "      code: |\n        print('seen', len(f))\n        return f * 2\n"
    draft.write_text(
        PIPELINE.replace("name: uses", "name: draft").replace(
            "{operation: doubled@1, inputs: {series: b}}", "\n      inputs: {f: b}\n      unit: nT\n" + body
        )
    )
    tried = shell(site, "try", "twice", "--file", str(draft), "--partition", TWO)
    assert tried.returncode == 0, tried.stderr
    assert "draft/twice 2023-01-02: 48 records, nT, data" in tried.stdout
    assert "run twice more in different environments with the same result" in tried.stdout
    assert "seen 48" in tried.stdout
    assert any(block in tried.stdout for block in "▁▂▃▄▅▆▇█")
    assert site.files() == {}
    told = json.loads(shell(site, "try", "twice", "-f", str(draft), "-p", TWO, "--json").stdout)
    assert (told["rows"], told["is_twice_the_same"]) == (48, True)
    draft.write_text(draft.read_text().replace("f * 2", "f * list(set('abcdefgh')).index('a')"))
    assert shell(site, "try", "twice", "-f", str(draft), "-p", TWO).returncode == 1
    assert shell(site, "try", "nothing", "-f", str(draft), "-p", TWO).returncode == 2
    assert shell(site, "try", "twice", "-f", str(draft), "-p", "never").returncode == 2


def test_what_code_may_call_is_documented_offline(site: Site, shell: Callable) -> None:
    """Functions of libraries and operations, by words and by name."""
    found = json.loads(shell(site, "docs", "search", "welch", "--json").stdout)
    assert "welch" in [each["operation"] for each in found["operations"]]
    assert found["functions"][0]["name"] == "scipy.signal.welch"
    assert "nperseg" in shell(site, "docs", "show", "scipy.signal.welch").stdout
    assert "Formula:" in shell(site, "docs", "show", "magnitude").stdout
    assert shell(site, "docs", "show", "welsh").returncode == 2
