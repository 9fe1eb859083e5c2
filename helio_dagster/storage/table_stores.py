"""Open the tables and figures of a home: in its folder, or in an object store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.storage.bucket import Bucket
    from helio_dagster.storage.object_owner import ObjectOwner
    from helio_dagster.storage.settings import Settings


def open_tables(settings: Settings) -> TableStore:
    """The stored tables of a home; InputError where they are in an object store and the extra `objects` is not installed."""
    return tables_at(settings.home, settings.data, settings.tables, may_share=settings.postgres is not None)


def open_figures(settings: Settings) -> FigureFiles:
    """The drawn figures of a home: where its tables are in an object store, they are at the same address."""
    if settings.tables is None:
        return FigureFiles(settings.figures)
    from helio_dagster.storage.figure_objects import FigureObjects

    bucket, owner = open_address(settings, settings.tables)
    return FigureFiles(settings.figures, FigureObjects(bucket, owner, settings.figures))


def open_address(settings: Settings, address: str) -> tuple[Bucket, ObjectOwner]:
    """The objects of a home in a store, and whose they are."""
    from helio_dagster.storage.bucket import Bucket
    from helio_dagster.storage.object_owner import ObjectOwner

    bucket = Bucket(address)
    return bucket, ObjectOwner(bucket, settings.home, may_share=settings.postgres is not None)


def tables_at(home: Path, folder: Path, address: str | None, *, may_share: bool = True) -> TableStore:
    """The tables of a home in a folder, or at an address where one is given; for `may_share` see `ObjectOwner`."""
    if address is None:
        return TableStore(folder)
    from helio_dagster.storage.bucket import Bucket
    from helio_dagster.storage.object_owner import ObjectOwner
    from helio_dagster.storage.object_tables import ObjectTables

    bucket = Bucket(address)
    return ObjectTables(bucket, ObjectOwner(bucket, home, may_share=may_share))
