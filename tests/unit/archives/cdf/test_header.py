"""Files that must never reach a native reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.cdf.header import check_header
from helio_dagster.domain.errors import CorruptFile


@pytest.fixture
def whole(write_cdf: Callable[..., Path], stored: Callable[..., object]) -> bytes:
    """Bytes of a sound file."""
    return write_cdf(B=stored(np.ones(3, dtype="float32"))).read_bytes()


def refused(path: Path, content: bytes) -> str:
    """The message a file of this content is refused with."""
    path.write_bytes(content)
    with pytest.raises(CorruptFile) as caught:
        check_header(path)
    return str(caught.value)


def test_a_sound_file_passes(tmp_path: Path, whole: bytes) -> None:
    """No false alarm."""
    path = tmp_path / "whole.cdf"
    path.write_bytes(whole)
    check_header(path)


def test_every_truncation_is_refused(tmp_path: Path, whole: bytes) -> None:
    """The file's own length field tells, wherever it is cut."""
    for length in range(0, len(whole), 97):
        message = refused(tmp_path / "cut.cdf", whole[:length])
        assert "cut.cdf" in message


def test_html_is_named(tmp_path: Path) -> None:
    """An error page saved as a file is the most likely of all wrong files."""
    assert "HTML" in refused(tmp_path / "page.cdf", b"<!DOCTYPE html><html><body>Service unavailable</body></html>")


def test_other_bytes_are_no_cdf(tmp_path: Path) -> None:
    """Only the magic numbers of versions 2 and 3 are CDF."""
    assert "not a CDF file" in refused(tmp_path / "other.cdf", b"\x89HDF\r\n" + bytes(100))


def test_an_unreadable_path_is_told(tmp_path: Path) -> None:
    """A missing file is not a traceback."""
    with pytest.raises(CorruptFile, match="cannot be read"):
        check_header(tmp_path / "absent.cdf")


def test_the_message_says_what_to_do(tmp_path: Path) -> None:
    """Problem, place and remedy."""
    assert "Run the same command again" in refused(tmp_path / "empty.cdf", b"")
