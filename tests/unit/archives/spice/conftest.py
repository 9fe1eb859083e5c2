"""The demo archive's ephemerides, and a reader with CSPICE in its process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import helio_dagster.archives.demo.archive as demo
from helio_dagster.archives.archive import Fetched
from helio_dagster.archives.spice.archive import SpiceArchive
from helio_dagster.archives.spice.packaged import PackagedKernels
from helio_dagster.archives.spice.reader import EphemerisReader
from helio_dagster.domain.time_range import TimeRange

Fetch = Callable[..., Fetched]
KERNELS = Path(demo.__file__).with_name("kernels")


@pytest.fixture(scope="session")
def reader() -> Iterator[EphemerisReader]:
    """CSPICE in its process."""
    with EphemerisReader() as reader:
        yield reader


@pytest.fixture
def fetch(reader: EphemerisReader) -> Fetch:
    """Fetch one window of the demo archive, or of another folder of kernels."""

    def fetch(dataset: str, parameter: str, start: str, stop: str, folder: Path = KERNELS) -> Fetched:
        archive = SpiceArchive("demo", PackagedKernels(folder), reader, is_synthetic=True)
        return next(archive.fetch(dataset, parameter, [window(start, stop)]))

    return fetch


def window(start: str, stop: str) -> TimeRange:
    """A time range of two ISO texts."""
    return TimeRange(*(datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, stop)))
