"""What the names of objects say: which partition's table, of which data version and status. Asks no service."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from helio_dagster.domain.table import Status
from helio_dagster.storage.bucket import StoredObject
from helio_dagster.storage.level_files import LEVELS_SUFFIX

TABLE, FAILED = ".parquet", ".failed.json"
_NAME = re.compile(r"(?P<partition>[^@]+)@(?P<version>[0-9a-f]{64})\.(?P<status>data|empty|all_fill)\.parquet")


@dataclass(frozen=True)
class Version:
    """The table of a partition in one data version."""

    object: StoredObject
    version: str
    status: Status


def table_name(partition: str, version: str, status: Status) -> str:
    """The last part of the key of a partition's table; `partition` is quoted, and so holds no `@`."""
    return f"{partition}@{version}.{status}{TABLE}"


@dataclass
class Listing:
    """The objects of one asset, by the quoted names of their partitions.

    A partition has several versions while one is replaced, or after a process was killed in between.
    """

    versions: dict[str, list[Version]] = field(default_factory=dict)
    failed: dict[str, StoredObject] = field(default_factory=dict)
    levels: dict[str, StoredObject] = field(default_factory=dict)

    @classmethod
    def of(cls, objects: Iterable[StoredObject]) -> Listing:
        """Sort objects by what they are; others are left out."""
        found = cls()
        for each in objects:
            name = each.key.rpartition("/")[2]
            match = _NAME.fullmatch(name)
            if match is not None:
                version = Version(each, match["version"], cast("Status", match["status"]))
                found.versions.setdefault(match["partition"], []).append(version)
            elif name.endswith(FAILED):
                found.failed[name.removesuffix(FAILED)] = each
            elif name.endswith(LEVELS_SUFFIX):
                found.levels[name.removesuffix(LEVELS_SUFFIX)] = each
        return found

    def current(self, partition: str) -> Version | None:
        """The version written last; None where there is none, or where it cannot be seen which is."""
        found = sorted(self.versions.get(partition, ()), key=lambda each: each.object.written_ns)
        if len(found) > 1 and found[-1].object.written_ns == found[-2].object.written_ns:
            return None
        return found[-1] if found else None

    def all_objects(self, partition: str) -> list[StoredObject]:
        """Everything that is stored of a partition."""
        others = [place[partition] for place in (self.failed, self.levels) if partition in place]
        return [*(each.object for each in self.versions.get(partition, ())), *others]
