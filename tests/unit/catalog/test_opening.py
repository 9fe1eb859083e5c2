"""The home's refreshed catalog is used where it can be; a damaged one never stands in the way."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.catalog.assembling import Described, assemble, parameter_facts
from helio_dagster.catalog.database import write_database
from helio_dagster.catalog.opening import open_catalog, refreshed_path
from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.home_lock import occupied
from helio_dagster.storage.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home without anything in it."""
    return Settings(tmp_path / "home", tmp_path / "pipelines")


def _write(path: Path, *names: str) -> Path:
    parameters = [parameter_facts({"name": f"B{number}", "description": f"Field {number}"}) for number in range(50)]
    said = [Described(name, "cdaweb", f"Label of {name}", "mag", "1999-01-01", "2001-01-01") for name in names]
    write_database(path, [assemble(each, parameters, datetime(2026, 1, 1, tzinfo=UTC)) for each in said], {})
    return path


def test_refreshed_catalog_comes_first(settings: Settings, tmp_path: Path) -> None:
    """What the home holds is used, without a word."""
    packaged = _write(tmp_path / "packaged.sqlite", "OLD")
    _write(refreshed_path(settings), "NEW")
    assert open_catalog(settings, packaged).names() == ["NEW"]


def test_packaged_catalog_else(settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A home without a refreshed catalog uses the packaged one, without a word."""
    assert open_catalog(settings, _write(tmp_path / "packaged.sqlite", "OLD")).names() == ["OLD"]
    assert not caplog.records


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3000])


def _garble(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:1100] + bytes(len(content) - 1100))


def _outdate(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'schema'")
        connection.commit()


def _replace(path: Path) -> None:
    path.write_text("<html>not a database</html>")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [_truncate, _garble, _outdate, _replace, _empty])
def test_damaged_home_file_is_passed_over(
    damage: Callable[[Path], None], settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The packaged catalog is used, and a warning names the file and what to do."""
    path = _write(refreshed_path(settings), "NEW", "NEWER")
    damage(path)
    with caplog.at_level(logging.WARNING):
        assert open_catalog(settings, _write(tmp_path / "packaged.sqlite", "OLD")).names() == ["OLD"]
    assert str(path) in caplog.text
    assert "helio catalog refresh" in caplog.text


def test_damaged_packaged_catalog(settings: Settings, tmp_path: Path) -> None:
    """There is nothing to fall back on: an error with the remedy."""
    packaged = tmp_path / "packaged.sqlite"
    packaged.write_text("no database")
    with pytest.raises(StorageError, match="reinstall the package"):
        open_catalog(settings, packaged)


def test_catalog_of_older_rules_is_derived_anew(settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What a home refreshed with older rules is found by the rules of now; what the archive said stays, and nothing is said."""
    path = _write(refreshed_path(settings), "NEW")
    now = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'derivation'")
        connection.execute("UPDATE dataset SET ranking = '[]'")
        connection.commit()
    opened = open_catalog(settings, _write(tmp_path / "packaged.sqlite", "OLD"))
    assert opened.names() == ["NEW"]
    assert path.read_bytes() == now
    assert not caplog.records


def test_catalog_of_older_rules_is_used_where_another_works_in_the_folder(settings: Settings, tmp_path: Path) -> None:
    """A refresh under way is not disturbed: the old file is used as it is."""
    path = _write(refreshed_path(settings), "NEW")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'derivation'")
        connection.commit()
    before = path.read_bytes()
    with occupied(path.parent, alone=True):
        assert open_catalog(settings, _write(tmp_path / "packaged.sqlite", "OLD")).names() == ["NEW"]
    assert path.read_bytes() == before
