"""Read Dagster's record of a home from its database, without loading Dagster, which takes seconds.

Writing goes through Dagster (`assets.recording`). The table names and tags are Dagster's own; a contract test checks them
against the installed version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.assets.outcomes import Record
from helio_dagster.assets.record_database import RecordDatabase, sqlite_database
from helio_dagster.resources.record_tags import CODE_VERSION_TAG, DATA_VERSION_TAG, INPUTS_TAG, REPLACED_TAG

_MADE, _SEEN = "ASSET_MATERIALIZATION", "ASSET_OBSERVATION"
_NARROW = 500
"""With more partitions than this, all of an asset's are read: the database limits the variables of one query."""
_TAGS_OF_LATEST = """
SELECT latest.partition, latest.id, tags.key, tags.value
FROM (
    SELECT partition, MAX(id) AS id FROM event_logs
    WHERE asset_key = ? AND dagster_event_type = ? {narrowed} GROUP BY partition
) AS latest
JOIN asset_event_tags AS tags ON tags.event_id = latest.id
"""


@dataclass(frozen=True)
class _Event:
    storage_id: int
    tags: Mapping[str, str]


class RunRecord:
    """The latest materializations and observations of a home, read from its database.

    Parameters
    ----------
    database
        The one that has the index of Dagster's event log.
    """

    def __init__(self, database: RecordDatabase) -> None:
        self._database = database

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:
        """The last record of each partition that has one."""
        found = self._latest_events(asset, _MADE, partitions)
        return {
            partition: Record(
                version,
                event.tags.get(CODE_VERSION_TAG, ""),
                event.tags.get(INPUTS_TAG, ""),
                storage_id=event.storage_id,
                replaced=event.tags.get(REPLACED_TAG, ""),
            )
            for partition, event in found.items()
            if (version := event.tags.get(DATA_VERSION_TAG))
        }

    def observed(self, files: str, partitions: Sequence[str]) -> Mapping[str, str]:
        """The last observed revision of each partition of an archive's files that has one."""
        found = self._latest_events(files, _SEEN, partitions) if partitions else {}
        return {
            partition: event.tags[DATA_VERSION_TAG]
            for partition, event in found.items()
            if partition is not None and DATA_VERSION_TAG in event.tags
        }

    def partitions(self, asset: str) -> set[str]:
        """The partitions of an asset that were ever recorded."""
        query = "SELECT DISTINCT partition FROM event_logs WHERE asset_key = ? AND dagster_event_type = ?"
        return {each for (each,) in self._database.rows(query, (_key(asset), _MADE)) if each is not None}

    def has_any(self, asset: str) -> bool:
        """Whether anything of an asset was ever recorded."""
        query = "SELECT 1 FROM event_logs WHERE asset_key = ? AND dagster_event_type = ? LIMIT 1"
        return any(True for _ in self._database.rows(query, (_key(asset), _MADE)))

    def _latest_events(self, asset: str, kind: str, partitions: Sequence[str | None]) -> dict[str | None, _Event]:
        wanted = set(partitions)
        named = [each for each in wanted if each is not None]
        is_narrow = None not in wanted and len(named) <= _NARROW
        narrowed = f"AND partition IN ({', '.join('?' * len(named))})" if is_narrow else ""
        rows = self._database.rows(
            _TAGS_OF_LATEST.format(narrowed=narrowed), (_key(asset), kind, *(named if is_narrow else ()))
        )
        ids: dict[str | None, int] = {}
        tags: dict[str | None, dict[str, str]] = {}
        for partition, storage_id, key, value in rows:
            if partition in wanted:
                ids[partition] = storage_id
                tags.setdefault(partition, {})[key] = value
        if kind == _MADE:
            for partition in [each for each, found in tags.items() if CODE_VERSION_TAG not in found]:
                tags[partition] |= self._whole_tags(ids[partition])
        return {partition: _Event(ids[partition], found) for partition, found in tags.items()}

    def _whole_tags(self, storage_id: int) -> Mapping[str, str]:
        """All tags of a materialization, from the event itself: Dagster's own storage indexes only some of them."""
        ((text,),) = self._database.rows("SELECT event FROM event_logs WHERE id = ?", (storage_id,))
        try:
            made = json.loads(text)["dagster_event"]["event_specific_data"]["materialization"]
            return {str(name): str(value) for name, value in (made.get("tags") or {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}


@contextmanager
def open_run_record(instance_folder: Path) -> Iterator[RunRecord | None]:
    """The record in an instance's folder, read only; None if nothing was ever written.

    Raises
    ------
    sqlite3.DatabaseError
        The database is damaged.
    """
    with sqlite_database(instance_folder / "history" / "runs" / "index.db") as database:
        yield RunRecord(database) if database is not None else None


def _key(asset: str) -> str:
    """The name under which Dagster stores an asset."""
    return json.dumps(asset.split("/"))
