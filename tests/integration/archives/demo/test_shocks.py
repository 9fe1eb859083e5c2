"""The shocks of the demo archive's storms are found where they were put, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.demo.archive import DemoArchive
from helio_dagster.archives.demo.storms import NAMED_STORMS
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

SPAN = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
FETCHES = {"field": ("AC_H0_MFI", "BGSEc"), "velocity": ("AC_H0_SWE", "V_GSE"), "density": ("AC_H0_SWE", "Np")}


def _whole(archive: DemoArchive, dataset: str, parameter: str) -> Table:
    """Four days of a parameter in one table."""
    days = [Grain.DAILY.window(key) for key in Grain.DAILY.keys(SPAN)]
    tables = [each.table for each in archive.fetch(dataset, parameter, days) if each.table is not None]
    time = np.concatenate([each.time for each in tables])
    columns = {name: np.concatenate([each.columns[name] for each in tables]) for name in tables[0].columns}
    return Table(time, columns, tables[0].meta)


def test_the_shocks_of_the_halloween_storms_are_found(tmp_path: Path) -> None:
    """Two forward shocks in four days, from 16- and 64-second samples with gaps, within a minute of their onsets."""
    with CdfReader(workers=1) as reader, DemoArchive(tmp_path, reader) as archive:
        tables = {name: _whole(archive, *each) for name, each in FETCHES.items()}
    operation = get_operation("find_shocks")
    found = operation.apply(tables, operation.read_options({}), SPAN, "shocks")
    inside = [each.onset_s for each in NAMED_STORMS if SPAN.start.timestamp() <= each.onset_s < SPAN.stop.timestamp()]
    at_s = found.time.astype("datetime64[ns]").astype(np.int64) / 1e9
    assert len(inside) == 2
    np.testing.assert_allclose(at_s, inside, atol=60)
    assert found.columns["type"].tolist() == [1, 1]
