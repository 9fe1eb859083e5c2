"""Zip files of bundles: stable bytes, and those that are refused before anything is unpacked."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.launch.bundling.packing import opened_bundle, write_zip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files."""
    made = tmp_path / "bundle"
    (made / "data").mkdir(parents=True)
    (made / "data" / "b.csv").write_text("time,H\n")
    (made / "a.txt").write_text("a\n")
    return made


def test_the_bytes_do_not_depend_on_when(folder: Path, tmp_path: Path) -> None:
    """Nor on the files' own dates; the zip holds what the folder holds."""
    write_zip(folder, tmp_path / "one.zip")
    (folder / "a.txt").touch()
    (folder / "data" / "b.csv").chmod(0o600)
    write_zip(folder, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"a.txt": b"a\n", "data/b.csv": b"time,H\n"}
    with opened_bundle(tmp_path / "one.zip") as opened:
        assert sorted(path.name for path in opened.rglob("*") if path.is_file()) == ["a.txt", "b.csv"]


def _with(path: Path, *names: str, content: bytes = b"x", mode: int = stat.S_IFREG | 0o644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type, entry.create_system = mode << 16, zipfile.ZIP_DEFLATED, 3
            archive.writestr(entry, content)
    return path


@pytest.mark.parametrize("name", ["../evil.csv", "data/../../evil", "/etc/evil", "C:/evil", "a\\..\\evil", "data//x", "./x"])
def test_a_name_that_leads_outside(name: str, tmp_path: Path) -> None:
    """Nothing is unpacked."""
    path = _with(tmp_path / "b.zip", "good.txt", name)
    with pytest.raises(InputError, match="outside the bundle"), opened_bundle(path):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["b.zip"]


def test_a_link_is_refused(tmp_path: Path, folder: Path) -> None:
    """In a zip file and in a folder."""
    path = _with(tmp_path / "b.zip", "link", content=b"/etc/passwd", mode=stat.S_IFLNK | 0o777)
    with pytest.raises(InputError, match="is a link or device"), opened_bundle(path):
        pass
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="link is a link"), opened_bundle(folder):
        pass


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """By what it says that it unpacks to; and a size that lies ends in an error of the zip file."""
    path = _with(tmp_path / "b.zip", "zeros.csv", content=bytes(100 << 20))
    with pytest.raises(InputError, match=r"would unpack from [\d,]+ to 104,857,600 bytes"), opened_bundle(path):
        pass
    size = (100 << 20).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(InputError), opened_bundle(path):
        pass


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04" + bytes(40)])
def test_what_is_no_zip(content: bytes, tmp_path: Path) -> None:
    """One message."""
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(InputError, match="the zip file is damaged"), opened_bundle(tmp_path / "b.zip"):
        pass


def test_what_is_not_there(tmp_path: Path) -> None:
    """One message."""
    with pytest.raises(InputError, match="there is no bundle"), opened_bundle(tmp_path / "b.zip"):
        pass
