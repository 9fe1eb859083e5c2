"""Which release last wrote a shared record: an older one would make everything anew, and the newer one again."""

from __future__ import annotations

import dagster as dg

import helio_dagster
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.releases import is_older

KEY = "helio/release"


def keep_release(instance: dg.DagsterInstance, release: str = helio_dagster.__version__) -> None:
    """Note that this release writes the record.

    Raises
    ------
    StorageError
        A newer one wrote it.
    """
    storage = instance.daemon_cursor_storage
    newest = storage.get_cursor_values({KEY}).get(KEY)
    if newest is not None and is_older(release, newest):
        problem = f"the shared record was written by helio_dagster {newest}, and this is the older {release}"
        raise StorageError(problem, hint=f"Update it, as results may differ: pip install 'helio-dagster=={newest}'")
    if newest is None or is_older(newest, release):
        storage.set_cursor_values({KEY: release})
