"""Sentences about planetary missions, without a language model, to data from a server of the shape of the PDS."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.integration.archives.pds.conftest import hourly, put_fgm
from tests.pds_files import write_pds4
from tests.pds_server import PdsMirror, pds_mirror
from tests.scenario.processes import helio


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[PdsMirror]:
    """Three days of Juno around its first perijove, and one of Cassini."""
    (tmp_path / "archive").mkdir()
    with pds_mirror(tmp_path / "archive") as running:
        for number in (-1, 0, 1):
            put_fgm(running, number, 100.0 * number)
        start = datetime(2005, 2, 17, tzinfo=UTC)
        write_pds4(
            running.folder / "data/cassini-mag-cal/data-1sec-rtn/2005",
            "05048_fgm_rtn_1s",
            hourly(start, 24, 5.0, ("BR", "BT", "BN")),
            times=(f"{start:%Y-%m-%dT%H:%M:%SZ}", f"{start:%Y-%m-%dT23:00:00Z}"),
        )
        running.date_all()
        yield running


@pytest.mark.parametrize(
    ("request_text", "days", "first", "dataset"),
    [
        ("Juno FGM around perijove 1", 3, -100.0, "pds3:JNO-J-3-FGM-CAL-V1.0:DATA@pc_r1s"),
        ("Cassini MAG on 2005-02-17", 1, 5.0, "urn:nasa:pds:cassini-mag-cal:data-1sec-rtn"),
    ],
)
def test_a_sentence_ends_in_data_of_the_archive(
    tmp_path: Path, mirror: PdsMirror, request_text: str, days: int, first: float, dataset: str
) -> None:
    """The plan names the dataset and the days, the run fetches every record, and the figure is drawn."""
    done = helio(tmp_path, "chat", "--offline", "--yes", request_text, environment={"HELIO_PDS_URL": mirror.url})
    assert done.returncode == 0, done.stdout + done.stderr
    assert dataset in done.stdout
    tables = [pq.read_table(path) for path in sorted((tmp_path / ".helio" / "data" / "pds").rglob("*.parquet"))]
    assert [table.num_rows for table in tables] == [24] * days
    assert tables[0].columns[1][0].as_py() == first
    assert list((tmp_path / ".helio").rglob("*.png"))
