"""`helio catalog`, `helio check` and `helio run` as a person calls them, over the shipped catalog and a loopback server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.served import ServedFiles
from tests.prepared import prepared

PIPELINE = """
version: 1
name: swe
partitions: daily
start: 1990-01-01
steps:
  - id: v
    fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Vpx}
"""


@pytest.fixture
def helio(tmp_path: Path) -> Any:
    """Calls the command in a home of its own, whose archive is nowhere."""

    def call(*arguments: str, archive: str = "http://127.0.0.1:9/sp_phys/") -> subprocess.CompletedProcess[str]:
        environment = {
            "HELIO_HOME": str(tmp_path / "home"),
            "HELIO_CDAWEB_URL": archive,
            "COLUMNS": "120",
        }
        return prepared().run(arguments, cwd=tmp_path, env=environment)

    return call


def test_a_search_prints_a_table_or_one_document(helio: Any) -> None:
    """The same datasets in the same order for people and for programs."""
    table = helio("catalog", "search", "ACE", "magnetic", "field", "16", "second", "-n", "2")
    assert table.returncode == 0
    found = json.loads(helio("catalog", "search", "ACE magnetic field 16 second", "-n", "2", "--json").stdout)["datasets"]
    assert found[0]["dataset"] == "AC_H0_MFI"
    assert {"dataset", "archive", "label", "mission", "start", "stop", "score", "parameters"} <= found[0].keys()
    assert [line.split()[0] for line in table.stdout.splitlines() if line.startswith("AC_")] == [
        one["dataset"] for one in found
    ]


def test_a_dataset_shows_where_its_facts_are_from(helio: Any) -> None:
    """In the JSON document every derived fact has a source and a certainty."""
    shown = json.loads(helio("catalog", "show", "AC_H0_MFI", "BGSEc", "--json").stdout)
    (parameter,) = shown["parameters"]
    assert (parameter["unit"], parameter["size"], parameter["frame"]["value"]) == ("nT", [3], "GSE")
    assert all({"value", "source", "certainty"} == fact.keys() for fact in (parameter["quantity"], shown["grain"]))


@pytest.mark.parametrize(
    ("arguments", "problem", "hint"),
    [
        (("search", "x", "--mission", "Ulyses"), "no mission 'Ulyses'", "lysses"),
        (("search", "x", "--quantity", "densty"), "no quantity 'densty'", "density"),
        (("search", "x", "--cadence", "fast"), "'fast'", "PT10M"),
        (("show", "AC_H0_MIF"), "no dataset 'AC_H0_MIF'", "AC_H0_MFI"),
        (("show", "AC_H0_MFI", "BGSE"), "no parameter 'BGSE'", "BGSEc"),
        (("missions", "Starship"), "no mission 'Starship'", ""),
        (("ls", "cdaweb"), "not a HAPI server", "hapi:"),
    ],
)
def test_wrong_words_get_one_clear_message(helio: Any, arguments: tuple[str, ...], problem: str, hint: str) -> None:
    """Exit code 2, what is wrong, what may have been meant."""
    answer = helio("catalog", *arguments)
    assert answer.returncode == 2
    assert problem in answer.stderr
    assert hint in answer.stderr
    assert "Traceback" not in answer.stderr


def test_checks_and_runs_know_when_there_are_data(helio: Any, tmp_path: Path) -> None:
    """A misspelt parameter and an early start are mentioned, an uncovered range is told, and clipped only when told."""
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines" / "swe.yaml").write_text(PIPELINE)
    checked = helio("check").stdout
    assert "no parameter 'Vpx' of AC_H0_SWE" in checked
    assert "the data begin only in 1998-02-04" in checked
    assert "0 problems" in checked
    refused = helio("run", "swe", "1995-01-01", "--clip")
    assert refused.returncode == 2
    assert "AC_H0_SWE has data from 1998-02-04 to 2024-07-10: there is none in this range" in refused.stderr
    (tmp_path / "nothing").mkdir()
    with CdasServer(FileIndex(tmp_path / "nothing")) as nothing:
        whole = helio("run", "swe", "2024-07-09", "2024-07-12", "--json", archive=nothing.url)
        assert "the rest of the range will be empty" in whole.stderr
        assert json.loads(whole.stdout)["partitions"] == ["2024-07-09", "2024-07-10", "2024-07-11"]
        clipped = helio("run", "swe", "2024-07-09", "2024-07-12", "--clip", "--json", archive=nothing.url)
        assert json.loads(clipped.stdout)["partitions"] == ["2024-07-09"]
        within = helio("run", "swe", "2001-01-01", "--json", archive=nothing.url)
        assert "has data" not in within.stderr


def test_a_hapi_server_is_listed_on_request(helio: Any, shared_data: Path) -> None:
    """All its datasets, or those that hold the words."""
    index = FileIndex(shared_data / "cdf")
    with CdfReader() as reader, CdasServer(index, extra=[HapiAnswers(ServedFiles(index, reader))]) as server:
        url = f"hapi:http://{server.address}/hapi"
        found = json.loads(helio("catalog", "ls", url, "--json").stdout)["datasets"]
        assert "AC_H0_MFI" in {one["id"].split("/")[0].split("@")[0] for one in found}
        assert "AC_H0_MFI" in helio("catalog", "ls", url, "ac_h0").stdout
