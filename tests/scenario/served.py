"""An archive on loopback that serves the embedded archive's files, or damaged ones. Conversations are `talking`'s."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.demo.datasets import DATASETS
from helio_dagster.archives.demo.instruments import Measured
from helio_dagster.archives.demo.noise import Floats
from helio_dagster.domain.time_range import TimeRange


@dataclass
class Served:
    """The folder whose files are served, and the server."""

    folder: Path
    server: CdasServer
    _published: int = 0

    @property
    def environment(self) -> dict[str, str]:
        """What makes a home ask this server."""
        return {"HELIO_CDAWEB_URL": self.server.url}

    def publish(self, dataset: str, day: str, *, is_fill: bool = False) -> None:
        """Write or replace the file of a day; with `is_fill` it holds fill values alone."""
        found = next(each for each in DATASETS if each.id == dataset)
        if is_fill:
            measure = found.measure

            def nothing(seconds: Floats) -> Measured:
                return {name: np.full_like(values, np.nan) for name, values in measure(seconds).items()}

            found = replace(
                found,
                measure=nothing,
                variables=tuple(replace(each, fill=-1e31, valid=each.valid) for each in found.variables),
            )
        start = datetime.fromisoformat(day).replace(tzinfo=UTC)
        made = found.file_bytes(TimeRange(start, start + timedelta(days=1)))
        self._write(found.file_name(start), made)

    def spoil(self, dataset: str, day: str) -> None:
        """Replace the file of a day by one that no reader can decode."""
        found = next(each for each in DATASETS if each.id == dataset)
        start = datetime.fromisoformat(day).replace(tzinfo=UTC)
        self._write(found.file_name(start), bytes.fromhex("cdf300010000ffff") + b"no such record" * 40)

    def _write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        self._published += 1
        os.utime(path, (1_700_000_000 + self._published,) * 2)
