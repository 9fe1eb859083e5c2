"""Delete orphans of a home, with the home locked."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from helio_dagster.domain.report import Fact
from helio_dagster.launch.home import Home
from helio_dagster.launch.upkeep.orphans import Kind, Orphan, find_orphans, owned
from helio_dagster.launch.upkeep.sharing import OtherHome, other_homes
from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.home_lock import occupied
from helio_dagster.storage.table_stores import open_tables


class OrphanReport(Fact):
    """One asset, one step's figures, or the downloads, with the number of files and bytes."""

    kind: Kind
    name: str
    files: int
    bytes: int


class PruneReport(Fact):
    """The result of `helio prune`; `kept` are unreadable pipelines, whose data were all left alone.

    With `other_homes` that share tables and figures, none of these were looked at.
    """

    home: str
    orphans: list[OrphanReport]
    files: int
    bytes: int
    kept: list[str]
    deleted: bool
    other_homes: int = 0
    homes: list[OtherHome] = []


def report_orphans(home: Home, *, with_downloads: bool) -> tuple[list[Orphan], PruneReport]:
    """The orphans of a home, and their report."""
    own, others = owned(home), other_homes(home.settings)
    found = find_orphans(home, own, with_downloads=with_downloads)
    listed = [
        OrphanReport(kind=each.kind, name=each.name, files=len(each.paths) + len(each.objects), bytes=each.size)
        for each in found
    ]
    return found, PruneReport(
        home=str(home.settings.home),
        orphans=listed,
        files=sum(each.files for each in listed),
        bytes=sum(each.bytes for each in listed),
        kept=list(own.unreadable),
        deleted=False,
        other_homes=len(others),
        homes=others,
    )


def delete_orphans(home: Home, listed: Iterable[Orphan], *, with_downloads: bool) -> None:
    """Delete what was listed and is still an orphan.

    Dagster's records stay: if a step gets its old name back, its partitions are remade, or reused if their files still exist.

    Parameters
    ----------
    home
        Freshly opened, so that a pipeline saved since the listing counts.
    listed
        The orphans that the person saw.

    Raises
    ------
    StorageError
        A run is writing into the home, or a file cannot be deleted.
    """
    listed = list(listed)
    with occupied(home.settings.home, alone=True):
        found = find_orphans(home, owned(home), with_downloads=with_downloads)
        still = {path for orphan in found for path in orphan.paths}
        for path in sorted({path for orphan in listed for path in orphan.paths} & still):
            _delete(path, home.settings.home)
        stored = {each for orphan in found for each in orphan.objects}
        keys = sorted(each.key for each in {each for orphan in listed for each in orphan.objects} & stored)
        if keys:
            open_tables(home.settings).delete(keys)


def _delete(path: Path, home: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, path) from error
    for folder in path.parents:
        if folder.parent == home or not folder.is_relative_to(home):
            break
        with suppress(OSError):  # it is not empty
            folder.rmdir()
            continue
        break
