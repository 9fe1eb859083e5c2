"""The folder of conversations: whole files, one process at a time, the last one first."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.storage.sessions import SessionFiles

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> SessionFiles:
    """An empty folder that does not exist yet."""
    return SessionFiles(tmp_path / "sessions")


def test_a_session_is_written_and_read_back(files: SessionFiles) -> None:
    """The text comes back as it was."""
    files.write("20240601-120000", "{…}")
    assert files.read("20240601-120000") == "{…}"
    assert files.ids() == ["20240601-120000"]


def test_the_last_changed_comes_first(files: SessionFiles) -> None:
    """However they are called."""
    for number, name in enumerate(("20240601-120002", "20240601-120000", "20240601-120001")):
        files.write(name, "{}")
        os.utime(files.path(name), (1000 - number, 1000 - number))
    assert files.ids() == ["20240601-120002", "20240601-120000", "20240601-120001"]


def test_two_that_begin_in_one_second_have_two_ids(files: SessionFiles) -> None:
    """No conversation is written over another."""
    first = files.new_id(NOW)
    files.write(first, "{}")
    assert files.new_id(NOW) == "20240601-120000-2"


def test_a_session_is_held_by_one_process(files: SessionFiles) -> None:
    """Another one is told so, and may go on once the first is gone, however it went."""
    files.write("20240601-120000", "{}")
    script = (
        "import sys, time; from pathlib import Path; from helio_dagster.storage.sessions import SessionFiles\n"
        f"with SessionFiles(Path({str(files.folder)!r})).held('20240601-120000'):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StorageError, match="open in another process"), files.held("20240601-120000"):
            pass
        other.kill()
        other.wait()
    with files.held("20240601-120000"):
        pass


@pytest.mark.parametrize("name", ["../x", "x", "20240601", "20240601-120000.json", ""])
def test_no_text_leads_out_of_the_folder(files: SessionFiles, name: str) -> None:
    """An id is digits."""
    with pytest.raises(InputError, match="is not a session"):
        files.read(name)


def test_a_missing_and_a_damaged_session_are_told_apart(files: SessionFiles) -> None:
    """One is a wrong word, the other a broken file."""
    with pytest.raises(InputError, match="there is no session"):
        files.read("20240601-120000")
    files.write("20240601-120000", "{}")
    files.path("20240601-120000").write_bytes(b"\xff\xfe")
    with pytest.raises(StorageError, match="damaged"):
        files.read("20240601-120000")


def test_a_session_is_removed_with_its_lock(files: SessionFiles) -> None:
    """Nothing of it is left."""
    files.write("20240601-120000", "{}")
    with files.held("20240601-120000"), pytest.raises(StorageError, match="another process"):
        files.remove("20240601-120000")
    files.remove("20240601-120000")
    assert list(files.folder.iterdir()) == []


def test_exchanges_with_models_are_kept_in_order_beside_the_session(files: SessionFiles) -> None:
    """One file for each; they are no sessions, and go with theirs."""
    for text in ("{1}", "{2}"):
        files.keep_exchange("20240601-120000", text)
    files.write("20240601-120000", "{}")
    assert [path.read_text() for path in files.exchanges("20240601-120000")] == ["{1}", "{2}"]
    assert files.ids() == ["20240601-120000"]
    files.remove("20240601-120000")
    assert files.exchanges("20240601-120000") == []
    assert list(files.folder.iterdir()) == []
