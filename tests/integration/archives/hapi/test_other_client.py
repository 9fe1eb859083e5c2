"""The loopback server and our client beside `hapiclient`, the community's own, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.domain.time_range import TimeRange


@pytest.fixture(scope="module")
def server(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CdasServer]:
    """One day of ACE's magnetic field, a real file, served by HAPI."""
    found = sorted(shared_data.rglob("ac_h0_mfi_2*.cdf"))
    if not found:
        pytest.skip("there is no file of AC_H0_MFI among the real mission files")
    folder = tmp_path_factory.mktemp("served")
    for path in found:
        (folder / path.name).symlink_to(path)
    index = FileIndex(folder)
    with CdfReader() as reader, CdasServer(index, extra=[HapiAnswers(ServedFiles(index, reader))]) as running:
        yield running


@pytest.fixture
def window(server: CdasServer, tmp_path: Path) -> TimeRange:
    """Six hours of its first day."""
    with HapiArchive(f"hapi:http://{server.address}/hapi", tmp_path / "asked") as archive:
        info = archive.client.info("AC_H0_MFI")
    day = datetime.fromisoformat(info.start[:10]).replace(tzinfo=UTC)
    return TimeRange(day.replace(hour=3), day.replace(hour=9))


@pytest.mark.parametrize("form", ["csv", "binary"])
@pytest.mark.parametrize("parameter", ["Magnitude", "BGSEc"])
def test_the_community_s_client_reads_what_ours_reads(
    server: CdasServer, window: TimeRange, tmp_path: Path, parameter: str, form: str
) -> None:
    """The same times and values, in both forms of transfer; fills are -1e31 there and NaN here."""
    hapiclient = pytest.importorskip("hapiclient", reason="hapiclient is not installed: pip install hapiclient")
    url = f"http://{server.address}/hapi"
    span = [f"{edge:%Y-%m-%dT%H:%M:%SZ}" for edge in (window.start, window.stop)]
    options = {"usecache": False, "cache": False, "cachedir": str(tmp_path / "theirs"), "format": form, "logging": False}
    data, _ = hapiclient.hapi(url, "AC_H0_MFI", parameter, *span, **options)
    with HapiArchive(f"hapi:{url}", tmp_path / "ours") as archive:
        (fetched,) = archive.fetch("AC_H0_MFI", parameter, [window])
    assert fetched.table is not None
    times = np.array([text.decode().rstrip("Z") for text in data["Time"]], dtype="datetime64[ns]")
    assert (times == fetched.table.time).all()
    assert len(times) > 1000
    theirs = np.where(data[parameter] == -1e31, np.nan, data[parameter]).reshape(len(times), -1)
    ours = np.stack(list(fetched.table.columns.values()), axis=1)
    precision = 0 if form == "binary" else 1e-12  # its reader of lines does not round the last digit
    np.testing.assert_allclose(ours, theirs, rtol=precision)
