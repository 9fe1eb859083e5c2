"""`helio catalog` over snapshots of HAPI servers: made from a real server, searched when nothing answers any more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import urlopen

import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.client import HapiClient
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.catalog.gathering import RefreshProgress
from helio_dagster.catalog.hapi.refreshing import refresh_server
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from helio_dagster.domain.errors import ArchiveUnavailable
from tests.prepared import prepared

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
SHIPPED = ["hapi:intermagnet", "hapi:iswa", "hapi:lisird", "hapi:vires"]
QUERY = "id=AC_H0_MFI&parameters=Magnitude&time.min=2023-01-02T00:00:00Z&time.max=2023-01-03T00:00:00Z"


@pytest.fixture
def served(shared_data: Path, reader: CdfReader) -> Iterator[str]:
    """A HAPI server of real mission files, as pipelines name it."""
    index = FileIndex(shared_data / "cdf")
    with CdasServer(index, extra=[HapiAnswers(ServedFiles(index, reader))]) as server:
        yield f"hapi:http://{server.address}/hapi"


def _nothing(progress: RefreshProgress) -> None:
    """Progress that nobody looks at."""


def test_a_server_is_listed_once_and_found_when_it_is_gone(served: str, tmp_path: Path) -> None:
    """Ids, dates, cadence, parameters with units, sizes and frames are those that the server told."""
    home = tmp_path / "home"

    def helio(*arguments: str) -> str:
        called = prepared().run(arguments, cwd=tmp_path, env={"HELIO_HOME": str(home), "COLUMNS": "120"})
        assert called.returncode == 0, called.stderr
        return called.stdout

    made = json.loads(helio("catalog", "refresh", "--hapi", served, "--json"))
    (about,) = made["servers"]
    assert (about["archive"], about["failures"]) == (served, [])
    before = Path(about["path"]).read_bytes()
    helio("catalog", "refresh", "--hapi", served)
    assert Path(about["path"]).read_bytes() == before
    client = HapiClient(served.removeprefix("hapi:"))
    info = client.info("AC_H0_MFI")
    client.close()
    listed = json.loads(helio("catalog", "search", "ACE magnetic field 16 s", "--json"))["hapi"]
    found = [each for each in listed if each["archive"] == served]  # others are of the snapshots that ship
    assert (found[0]["archive"], found[0]["dataset"], found[0]["mission"]) == (served, "AC_H0_MFI", "ACE")
    assert (found[0]["cadence_s"], found[0]["start"][:10]) == (16, info.start[:10])
    shown = json.loads(helio("catalog", "show", f"{served}/AC_H0_MFI", "BGSEc", "--json"))["parameters"][0]
    told = info.parameter("BGSEc")
    assert told is not None
    assert (shown["given_unit"], shown["size"], shown["frame"]["value"]) == (told.units, told.size, told.frame)


def test_what_a_snapshot_has_is_planned_in_words_and_run(served: str, tmp_path: Path) -> None:
    """From the server's name to numbers: those that the server itself gives."""

    def helio(*arguments: str) -> str:
        called = prepared().run(arguments, cwd=tmp_path, env={"HELIO_HOME": str(tmp_path / "home")})
        assert called.returncode == 0, called.stderr
        return called.stdout

    helio("catalog", "refresh", "--hapi", served)
    helio("plan", f"Magnitude of ACE from {served} on 2023-01-02", "-o", "pipelines")
    (path,) = (tmp_path / "pipelines").glob("*.yaml")
    report = json.loads(helio("run", path.stem, "2023-01-02", "--json"))
    assert report["status"] == "success"
    helio("export", report["steps"]["magnitude"]["asset"], "2023-01-02", "-o", "b.csv", "--plain")
    values = [float(line.split(",")[1]) for line in (tmp_path / "b.csv").read_text().splitlines()[1:]]
    with urlopen(f"{served.removeprefix('hapi:')}/data?{QUERY}", timeout=20) as answer:  # noqa: S310 - a server of this test
        lines = answer.read().decode().splitlines()
    assert values == pytest.approx([float(line.split(",")[1]) for line in lines], nan_ok=True)


def test_a_refresh_that_fails_leaves_the_snapshot(shared_data: Path, reader: CdfReader, tmp_path: Path) -> None:
    """Byte by byte, and it is still searched."""
    index, quick = FileIndex(shared_data / "cdf"), TransferSettings(tries=1, connect_s=0.5, total_s=2)
    with CdasServer(index, extra=[HapiAnswers(ServedFiles(index, reader))]) as server:
        archive = f"hapi:http://{server.address}/hapi"
        client = HapiClient(archive.removeprefix("hapi:"), settings=quick)
        report = refresh_server(tmp_path, archive, client, NOW, _nothing)
        client.close()
    before = report.path.read_bytes()
    client = HapiClient(archive.removeprefix("hapi:"), settings=quick)
    with pytest.raises(ArchiveUnavailable):
        refresh_server(tmp_path, archive, client, NOW, _nothing)
    client.close()
    assert report.path.read_bytes() == before
    assert list(HapiSnapshots(tmp_path).databases) == [archive, *SHIPPED]


def test_a_damaged_snapshot_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With a warning that names the file and the remedy; the others are searched."""
    (tmp_path / "amda.sqlite").write_bytes(b"no database")
    assert list(HapiSnapshots(tmp_path).databases) == SHIPPED
    assert "amda.sqlite cannot be read" in caplog.text
    assert "helio catalog refresh --hapi SERVER" in caplog.text


def test_the_packaged_snapshot_answers_for_swarm_and_not_for_others(tmp_path: Path) -> None:
    """Every word must be held, a server's name limits the search to it, and the spacecraft named comes first."""
    known = HapiSnapshots(tmp_path)
    assert known.search("Swarm B magnetic field")[0].dataset.dataset == "SW_OPER_MAGB_LR_1B"
    assert known.search("CryoSat magnetometer")[0].dataset.dataset == "CS_OPER_MAG"
    assert known.search("ACE oxygen") == []
    assert known.search("Boulder HDZF")[0].dataset.dataset.startswith("bou/")
    assert {hit.dataset.archive for hit in known.search("vires field")} == {"hapi:vires"}
