"""Read the record of runs of a read-only home: SQLite opens a temporary copy of its databases."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.settings import Settings

_COPIED = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")
"""Excludes the databases of single runs, which only Dagster's run page reads."""


@contextmanager
def readable_record(settings: Settings) -> Iterator[Settings]:
    """These settings if their record is writable, which SQLite needs even to read; otherwise those of a temporary copy.

    Raises
    ------
    StorageError
        The record cannot be read either.
    """
    if is_writable(settings.instance):
        yield settings
        return
    with tempfile.TemporaryDirectory(prefix="helio-record-") as folder:
        copied = replace(settings, home=Path(folder))
        for name in _COPIED:
            for source in settings.instance.glob(f"{name}*"):  # includes the database's journal
                target = copied.instance / source.relative_to(settings.instance)
                try:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
                except OSError as error:
                    raise storage_error(error, source) from error
        yield copied


def is_writable(instance: Path) -> bool:
    """Whether this process may write the instance's folder and databases, or create those that are missing."""
    existing = next(path for path in (instance, *instance.parents) if path.exists())
    inner = [path for path in (instance / "history", instance / "history" / "runs", instance / "schedules") if path.exists()]
    databases = [instance / name for name in _COPIED if (instance / name).exists()]
    return all(os.access(path, os.W_OK) for path in (existing, *inner, *databases))
