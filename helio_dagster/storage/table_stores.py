"""Open the tables of a home: in its folder, or in an object store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.storage.settings import Settings


def open_tables(settings: Settings) -> TableStore:
    """The stored tables of a home; InputError where they are in an object store and the extra `objects` is not installed."""
    return tables_at(settings.home, settings.data, settings.tables, may_share=settings.postgres is not None)


def tables_at(home: Path, folder: Path, address: str | None, *, may_share: bool = True) -> TableStore:
    """The tables of a home in a folder, or at an address where one is given; for `may_share` see `ObjectOwner`."""
    if address is None:
        return TableStore(folder)
    from helio_dagster.storage.bucket import Bucket
    from helio_dagster.storage.object_owner import ObjectOwner
    from helio_dagster.storage.object_tables import ObjectTables

    bucket = Bucket(address)
    return ObjectTables(bucket, ObjectOwner(bucket, home, may_share=may_share))
