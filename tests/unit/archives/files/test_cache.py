"""The cache of archive files."""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path

import pytest

from helio_dagster.archives.files.cache import CachedFile, FileCache, cached_files
from helio_dagster.archives.transfer.settings import Received
from helio_dagster.domain.errors import ArchiveUnavailable, StorageError

URL = "https://host/sp_phys/data/a_v1.cdf"


class Source:
    """Something to download from; counts."""

    def __init__(self, body: bytes = b"data") -> None:
        self.body = body
        self.downloads = 0

    def __call__(self, into: Path) -> Received:
        """Write the body."""
        self.downloads += 1
        into.write_bytes(self.body)
        return Received(len(self.body), hashlib.sha256(self.body).hexdigest())


def get(folder: Path, source: Source, *, modified: str = "2020", length: int | None = None, verify: bool = False) -> CachedFile:
    """Ask a cache as a new process would."""
    return FileCache(folder).get(URL, modified, length, source, verify=verify)


def test_a_file_at_hand_is_used(tmp_path: Path) -> None:
    """The second process downloads nothing."""
    source = Source()
    first, second = get(tmp_path, source), get(tmp_path, source)
    assert (first.is_new, second.is_new, source.downloads) == (True, False, 1)
    assert second.path.read_bytes() == b"data"


def test_another_date_is_another_file(tmp_path: Path) -> None:
    """A republished file does not replace the one that earlier results came from."""
    old, new = get(tmp_path, Source(b"old")), get(tmp_path, Source(b"new"), modified="2021")
    assert (old.path.read_bytes(), new.path.read_bytes()) == (b"old", b"new")


def test_a_folder_in_the_place_of_a_record_names_no_file(tmp_path: Path) -> None:
    """What lists a cache passes over it."""
    path = get(tmp_path, Source()).path
    path.with_name("other.cdf.json").mkdir()
    assert [url for url, _, _ in cached_files(tmp_path)] == [URL]


@pytest.mark.parametrize("damage", ["flip", "shorten", "no sidecar", "bad sidecar"])
def test_a_damaged_file_is_downloaded_again(tmp_path: Path, damage: str) -> None:
    """A process that first meets a file trusts nothing but its hash."""
    source = Source()
    path = get(tmp_path, source).path
    sidecar = path.with_name(f"{path.name}.json")
    if damage == "no sidecar":
        sidecar.unlink()
    elif damage == "bad sidecar":
        sidecar.write_text("{", encoding="utf-8")
    else:
        path.write_bytes(b"dat\0" if damage == "flip" else b"dat")
    assert get(tmp_path, source).path.read_bytes() == b"data"
    assert source.downloads == 2


def test_another_length_than_the_listings_is_downloaded_again(tmp_path: Path) -> None:
    """What the archive lists wins over what is at hand."""
    get(tmp_path, Source())
    assert get(tmp_path, Source(b"longer"), length=6).size == 6


def test_verify_compares_the_hash_again(tmp_path: Path) -> None:
    """A change that keeps size and time goes unseen within a process, unless asked."""
    cache, source = FileCache(tmp_path), Source()
    path = cache.get(URL, "2020", None, source).path
    times = path.stat()
    path.write_bytes(b"dat\0")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert not cache.get(URL, "2020", None, source).is_new
    assert cache.get(URL, "2020", None, source, verify=True).is_new


def test_a_failed_download_leaves_nothing(tmp_path: Path) -> None:
    """Neither the file nor its beginning nor a lock stays."""

    def fail(into: Path) -> Received:
        into.write_bytes(b"beginning")
        raise ArchiveUnavailable("gone")

    with pytest.raises(ArchiveUnavailable):
        FileCache(tmp_path).get(URL, "2020", None, fail)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "url",
    [
        "http://host/../../../etc/passwd",
        "http://host/%2e%2e/%2e%2e/x.cdf",
        "http://host/..%2f..%2fx.cdf",
        "http://../x.cdf",
        "http://host/a\\..\\..\\x\x00.cdf",
        "http://host/" + "d/" * 200 + "n" * 5000 + ".cdf",
        "demo:/AC_H0_MFI/x.cdf",
        "",
    ],
)
def test_no_url_leads_outside_the_folder(tmp_path: Path, url: str) -> None:
    """Whatever a listing says, the file lies below the cache's folder, under a name that can be made."""
    path = FileCache(tmp_path).path(url, "2020")
    assert path.resolve().is_relative_to(tmp_path.resolve())
    assert FileCache(tmp_path).get(url, "2020", None, Source()).path == path


def test_a_quarantined_file_is_kept_aside(tmp_path: Path) -> None:
    """It is downloaded again, and can be inspected."""
    cache, source = FileCache(tmp_path), Source()
    cached = cache.get(URL, "2020", None, source)
    aside = cache.quarantine(cached)
    assert aside.read_bytes() == b"data"
    assert cache.get(URL, "2020", None, source).is_new


def test_a_file_replaced_meanwhile_is_not_quarantined(tmp_path: Path) -> None:
    """Two who met the same corrupt file do not put aside the good one that the first has fetched."""
    cache = FileCache(tmp_path)
    corrupt = cache.get(URL, "2020", None, Source(b"bad"))
    cache.quarantine(corrupt)
    cache.get(URL, "2020", None, Source(b"good"))
    cache.quarantine(corrupt)
    assert corrupt.path.read_bytes() == b"good"


def test_a_folder_that_cannot_be_used_is_a_storage_error(tmp_path: Path) -> None:
    """The message names the place and what to do."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be used") as caught:
        get(tmp_path / "file", Source())
    assert "HELIO_HOME" in caught.value.hint


def test_the_lock_of_a_killed_process_goes_and_a_held_one_stays(tmp_path: Path) -> None:
    """A lock file that nobody holds is taken away when its file is used; one that is held is left alone."""
    source = Source()
    cached = get(tmp_path, source)
    lock = cached.path.with_name(f"{cached.path.name}.lock")
    lock.touch()
    get(tmp_path, source)
    assert not lock.exists()
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        get(tmp_path, source)
        assert lock.exists()


def test_a_borrowed_file_is_used_and_the_lender_is_only_read(tmp_path: Path) -> None:
    """Nothing is downloaded; put aside here, it stays there."""
    lent = get(tmp_path / "ours", Source())
    ours, theirs, source = FileCache(tmp_path / "ours"), FileCache(tmp_path / "theirs"), Source()
    assert theirs.borrow(ours, URL, "2020")
    assert theirs.borrow(ours, URL, "2020")
    assert not theirs.borrow(ours, URL, "2021")
    held = theirs.get(URL, "2020", None, source)
    assert (source.downloads, held.path.read_bytes()) == (0, b"data")
    theirs.quarantine(held)
    theirs.get(URL, "2020", None, Source(b"else"))
    assert lent.path.read_bytes() == b"data"
    assert get(tmp_path / "ours", source).is_new is False


def test_a_borrowed_file_that_is_rotten_is_downloaded(tmp_path: Path) -> None:
    """Its hash is compared here; the lender's stays as it is."""
    lent = get(tmp_path / "ours", Source())
    lent.path.write_bytes(b"dat?")
    theirs, source = FileCache(tmp_path / "theirs"), Source()
    assert theirs.borrow(FileCache(tmp_path / "ours"), URL, "2020")
    assert theirs.get(URL, "2020", None, source).path.read_bytes() == b"data"
    assert (source.downloads, lent.path.read_bytes()) == (1, b"dat?")


def test_cached_files_are_listed_with_all_they_take(tmp_path: Path) -> None:
    """URL and date of each, its record beside it, and what was put aside; not what is under way, nor other JSON."""
    cached = get(tmp_path / "cdaweb", Source())
    FileCache(tmp_path / "cdaweb").quarantine(get(tmp_path / "cdaweb", Source(b"bad"), modified="2019"))
    (cached.path.parent / "b.cdf.part").write_bytes(b"half")
    (cached.path.parent / "notes.json").write_text("{}")
    found = {(url, date): [path.name for path in paths] for url, date, paths in cached_files(tmp_path)}
    assert set(found) == {(URL, "2020"), ("", "")}
    assert found[URL, "2020"] == [cached.path.name, f"{cached.path.name}.json"]
    assert found["", ""][0].endswith(".corrupt")
