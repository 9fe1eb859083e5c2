"""A refresh that is cut off or lied to leaves the old catalog, and says what is wrong; a second one goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import helio_dagster
from helio_dagster.archives.cdas.answers import Answer
from helio_dagster.archives.cdas.faults import Fault
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.gathering import RefreshProgress
from helio_dagster.catalog.refreshing import RefreshReport
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, HelioError, StorageError
from helio_dagster.storage.home_lock import occupied

from .conftest import MakeData, Refresher

_KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from helio_dagster.catalog.gathering import RefreshProgress
from helio_dagster.catalog.refreshing import refresh_home
from helio_dagster.storage.settings import Settings

def told(progress):
    if progress.done == 3:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    settings = Settings(Path(sys.argv[1]), Path(sys.argv[1]), sys.argv[2])
    refresh_home(settings, datasets=None, now=datetime(2026, 5, 4, tzinfo=UTC), on_progress=told)
"""


@dataclass
class Liar:
    """Answers paths with this ending in its own way."""

    ending: str
    body: bytes
    content_type: str = "application/json"

    def has(self, path: str) -> bool:
        """Whether it answers."""
        return path.endswith(self.ending)

    def is_data(self, path: str) -> bool:
        """It shows no faults of files."""
        return False

    def answer(self, target: str) -> Answer:
        """Its answer."""
        return Answer(200, self.body, self.content_type)


def _lied_to(folder: Path, refresher: Refresher, liar: Liar) -> RefreshReport:
    with CdasServer(FileIndex(folder), extra=[liar]) as server:
        return replace(refresher, url=server.url)()


def test_killed_refresh_goes_on(make_data: MakeData, refresher: Refresher, server: CdasServer) -> None:
    """After SIGKILL in the middle the old catalog opens; the second start asks only for masters that are missing."""
    make_data("AB_H0_MFI")
    refresher()
    old = refresher.path.read_bytes()
    for number in range(1, 9):
        make_data(f"AB_H{number}_MFI")
    environment = {**os.environ, "PYTHONPATH": str(Path(helio_dagster.__file__).parents[1])}
    script = [sys.executable, "-c", _KILLED, str(refresher.home.parent), server.url]
    done = subprocess.run(script, env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert refresher.path.read_bytes() == old
    assert len(CatalogDatabase(refresher.path).names()) == 3
    kept = [path.name for path in (refresher.home / "masters").glob("*.cdf")]
    assert len(kept) >= 3
    report = refresher()
    assert len(report.with_master) == 8
    assert {name: server.count(name) for name in kept} == dict.fromkeys(kept, 1)
    assert not list(refresher.home.rglob("*.part"))


def test_damaged_kept_master_is_asked_for_again(make_data: MakeData, refresher: Refresher) -> None:
    """What an earlier start kept is checked before it is used."""
    path = make_data("AB_H0_MFI")
    kept = refresher.home / "masters" / "ab_h0_mfi_00000000_v01.cdf"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(path.read_bytes()[:1000])
    report = refresher()
    assert (report.with_master, report.failures) == (("AB_H0_MFI",), ())


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<html><body>Maintenance</body></html>", "text/html"),
        (b'{"FileDescription": []}', "application/json"),
        (b'{"DatasetDescription": [{"Name": 3}]}', "application/json"),
        (b'{"DatasetDescription": {"Id": "X"}}', "application/json"),
        (b"[1, 2]", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b" " * (2 << 20), "application/json"),
    ],
)
def test_listing_that_is_none(body: bytes, content_type: str, make_data: MakeData, folder: Path, refresher: Refresher) -> None:
    """Whatever comes in place of a listing is one clear error, and the old catalog stays as it was."""
    make_data("AB_H0_MFI")
    refresher()
    old = refresher.path.read_bytes()
    with pytest.raises((ArchiveAnswerError, ArchiveUnavailable)) as raised:
        _lied_to(folder, refresher, Liar("/datasets", body, content_type))
    assert raised.value.hint
    assert len(str(raised.value)) < 1000
    assert refresher.path.read_bytes() == old


def test_hostile_words(folder: Path, refresher: Refresher) -> None:
    """Ids that would be paths are left out and listed; long texts are cut, control characters dropped, twins taken once."""
    entries = [
        {"Id": "../../evil", "Label": "x"},
        {"Id": "AB_H0_MFI", "Label": "a\u001b[31m\ud800b " + "y" * 100_000, "Notes": "n " * 100_000, "Doi": "ask us"},
        {"Id": "ab_h0_mfi", "Label": "twin"},
        {"Id": "AB_H1_MFI", "DatasetLink": [7, {"Url": "https://x.test/", "Title": None}], "AdditionalMetadata": "no"},
    ]
    report = _lied_to(folder, refresher, Liar("/datasets", json.dumps({"DatasetDescription": entries}).encode()))
    assert report.added == ("AB_H0_MFI", "AB_H1_MFI")
    assert [failure.dataset for failure in report.failures] == ["'../../evil'"]
    database = CatalogDatabase(refresher.path)
    facts, linked = database.dataset("AB_H0_MFI"), database.dataset("AB_H1_MFI")
    assert facts is not None
    assert linked is not None
    assert facts.label.startswith("a [31m?b yyy")
    assert len(facts.label) <= 400
    assert len(facts.notes) <= 2000
    assert facts.doi == ""
    assert linked.notes == "https://x.test/"


@pytest.mark.parametrize("kind", ["html", "text", "cut", "flipped", "endless"])
def test_master_that_is_none(kind: str, make_data: MakeData, folder: Path, refresher: Refresher) -> None:
    """A master that cannot be one is a listed failure of its dataset; the others are read, and it is asked for again."""
    path, other = make_data("AB_H0_MFI"), make_data("AB_H1_MFI")
    good = path.read_bytes()
    flipped = good[:404] + bytes(byte ^ 0xFF for byte in good[404:])
    bodies = {
        "html": b"<html></html>",
        "text": b"hello",
        "cut": good[:-200],
        "flipped": flipped,
        "endless": good + bytes(2 << 20),
    }
    master = folder / "masters" / "ab_h0_mfi_00000000_v01.cdf"
    master.write_bytes(bodies[kind])
    report = refresher()
    assert other.is_file()
    assert report.with_master == ("AB_H1_MFI",)
    assert [failure.dataset for failure in report.failures] == ["AB_H0_MFI"]
    assert 0 < len(report.failures[0].problem) <= 300
    master.write_bytes(good)
    again = refresher()
    assert (again.with_master, again.failures) == (("AB_H0_MFI",), ())


def test_archive_that_goes_away(make_data: MakeData, refresher: Refresher, server: CdasServer) -> None:
    """When masters can no longer be had at all the refresh ends with one error; the old catalog and what came are kept."""
    for number in range(9):
        make_data(f"AB_H{number}_MFI")
    server.faults.add(Fault("reset", "file"))
    with pytest.raises(ArchiveUnavailable, match="no longer delivers") as raised:
        refresher()
    assert "kept" in raised.value.hint
    assert not refresher.path.exists()
    server.faults.clear()
    assert len(refresher().with_master) == 9


def test_busy_archive(make_data: MakeData, refresher: Refresher, server: CdasServer) -> None:
    """429 and 503 with Retry-After are waited for."""
    make_data("AB_H0_MFI")
    for fault in (Fault("429", "listing", 1), Fault("503", "file", 1)):
        server.faults.add(fault)
    assert refresher().with_master == ("AB_H0_MFI",)


def test_slow_archive(make_data: MakeData, refresher: Refresher, server: CdasServer) -> None:
    """A master that does not arrive within the limit is a listed failure."""
    make_data("AB_H0_MFI")
    server.faults.add(Fault("slow", "file"))
    assert [failure.dataset for failure in refresher().failures] == ["AB_H0_MFI"]


def test_no_server(refresher: Refresher) -> None:
    """Without the archive there is one error, and no catalog."""
    with pytest.raises(ArchiveUnavailable):
        replace(refresher, url="http://127.0.0.1:9/WS/cdasr/1/dataviews/sp_phys/")()
    assert not refresher.path.exists()


def test_dataset_without_a_master(make_data: MakeData, folder: Path, refresher: Refresher) -> None:
    """What the service lists of the variables stands in where no master exists."""
    make_data("AB_H0_MFI")
    listed = {"DatasetDescription": [{"Id": "XX_H0_MFI", "Label": "No master", "InstrumentType": ["Magnetic Fields (space)"]}]}
    variables = {
        "VariableDescription": [{"Name": "Bt", "ShortDescription": "B", "LongDescription": "Magnetic field magnitude"}]
    }

    class Both(Liar):
        def has(self, path: str) -> bool:
            return path.endswith(("/datasets", "/variables"))

        def answer(self, target: str) -> Answer:
            return Answer(200, json.dumps(listed if target.endswith("/datasets") else variables).encode())

    report = _lied_to(folder, refresher, Both("", b""))
    facts = CatalogDatabase(refresher.path).dataset("XX_H0_MFI")
    assert report.without == ("XX_H0_MFI",)
    assert facts is not None
    assert facts.instrument_type == "mag"
    assert [(one.name, one.description) for one in facts.parameters] == [("Bt", "Magnetic field magnitude")]


def test_two_at_a_time(make_data: MakeData, refresher: Refresher) -> None:
    """A second refresh of the same home is refused while one is at work."""
    make_data("AB_H0_MFI")
    with occupied(refresher.home, alone=True), pytest.raises(StorageError):
        refresher()


def test_home_that_cannot_be_written(make_data: MakeData, refresher: Refresher) -> None:
    """A file in place of the folder is an error with a remedy."""
    make_data("AB_H0_MFI")
    refresher.home.parent.mkdir()
    refresher.home.write_text("in the way")
    with pytest.raises(HelioError) as raised:
        refresher()
    assert raised.value.hint


def test_stopped_by_hand(make_data: MakeData, refresher: Refresher) -> None:
    """Ctrl-C ends what is under way, writes no catalog, and frees the home."""
    for number in range(6):
        make_data(f"AB_H{number}_MFI")

    class Impatient(list[RefreshProgress]):
        def append(self, progress: RefreshProgress) -> None:
            raise KeyboardInterrupt(progress.dataset)

    with pytest.raises(KeyboardInterrupt):
        replace(refresher, told=Impatient())()
    assert not refresher.path.exists()
    assert len(refresher().with_master) == 6
