"""A window that is not over: what a HAPI server has up to the minute, asked for again as time goes by."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import numpy as np

from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.conformance import QUICK, OverHapi, Readers, day, values_of


def test_up_to_the_minute(tmp_path: Path) -> None:
    """The hours that are over and the part of the present one; later the whole hour, not the part that was kept."""
    with ExitStack() as stack:
        published = OverHapi(tmp_path, Readers(stack))
        stack.callback(published.close)
        published.put(0, values_of(0))
        name = published.open().name
        now = [day(0).start + timedelta(hours=5, minutes=30, seconds=20)]
        with HapiArchive(name, tmp_path / "cache", settings=QUICK, clock=lambda: now[0]) as archive:
            for minutes, expected in ((0, 6), (20, 6), (40, 7)):
                now[0] += timedelta(minutes=minutes)
                (found,) = archive.fetch(published.dataset, published.parameter, [day(0)])
                assert found.table is not None, found.error
                assert np.asarray(found.table.columns["B"]).tolist() == values_of(0)[:expected]
            hour = TimeRange(day(0).start + timedelta(hours=5), day(0).start + timedelta(hours=6))
            (whole,) = archive.fetch(published.dataset, published.parameter, [hour])
            assert whole.table is not None
            assert len(whole.table) == 1
