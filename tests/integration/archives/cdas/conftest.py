"""Parts for tests against a loopback archive: small CDF files, a plain reader, short time limits, a scripted server."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import cdflib
import cdflib.cdfwrite
import numpy as np
import pytest

from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import CorruptFile, UnknownDataset
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

MakeCdf = Callable[..., Path]


class PlainReader:
    """Reads with cdflib; counts how often it read each file name."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()
        self._lock = threading.Lock()

    def read(self, path: Path, parameter: str, *, synthetic: bool = False, master: Path | None = None) -> Table:
        """All records, in order of time, times unique; it makes nothing of a master."""
        del master
        with self._lock:
            self.reads[path.name.split("@")[0]] += 1
        try:
            cdf = cdflib.CDF(path)
            info = cdf.cdf_info()
        except (OSError, ValueError, IndexError) as error:
            raise CorruptFile(str(error), where=path.name) from error
        if parameter not in [*info.zVariables, *info.rVariables]:
            raise UnknownDataset(f"{path.name} has no {parameter}", hint="It has others.")
        epoch = cdf.varattsget(parameter)["DEPEND_0"]
        is_empty = cdf.varinq(epoch).Last_Rec < 0
        times = np.empty(0, "datetime64[ns]") if is_empty else cdflib.cdfepoch.to_datetime(cdf.varget(epoch).ravel())
        shape = tuple(cdf.varinq(parameter).Dim_Sizes)
        width = int(np.prod(shape)) if shape else 1
        values = np.empty((0, width), "f4") if is_empty else np.asarray(cdf.varget(parameter)).reshape(len(times), width)
        times, first = np.unique(times, return_index=True)
        names = [parameter] if width == 1 else [f"{parameter}_{number}" for number in range(width)]
        meta = TableMeta(
            kind="series" if width == 1 else "vector",
            columns=tuple(ColumnMeta(name=name) for name in names),
            synthetic=synthetic,
        )
        return Table(times, {name: values[first, number] for number, name in enumerate(names)}, meta)


@pytest.fixture
def reader() -> PlainReader:
    """A reader that counts."""
    return PlainReader()


@pytest.fixture
def quick() -> TransferSettings:
    """Limits that let a failing test fail soon."""
    return TransferSettings(
        tries=3,
        connect_s=1,
        read_s=1,
        total_s=1.5,
        first_wait_s=0.01,
        longest_wait_s=0.02,
        longest_retry_after_s=0.02,
        jitter_s=0,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that the server serves."""
    path = tmp_path / "served"
    path.mkdir()
    return path


@pytest.fixture
def server(folder: Path) -> Iterator[CdasServer]:
    """A server over the folder."""
    with CdasServer(FileIndex(folder), drip_s=0.02) as running:
        yield running


@pytest.fixture
def archive(server: CdasServer, tmp_path: Path, reader: PlainReader, quick: TransferSettings) -> Iterator[CdasArchive]:
    """An archive over the server."""
    with CdasArchive(server.url, tmp_path / "cache", reader, settings=quick) as opened:
        yield opened


@pytest.fixture
def make_cdf(folder: Path) -> MakeCdf:
    """Writes a CDF file of the dataset `source`: `B` over the given times, with the given or running values."""

    def make(name: str, times: Sequence[str], values: Sequence[float] | None = None, *, source: str = "AB_H0_MFI") -> Path:
        path = folder / name
        path.unlink(missing_ok=True)
        epochs = [(datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp() + 62167219200.0) * 1000 for time in times]
        cdf = cdflib.cdfwrite.CDF(path, cdf_spec={"Compressed": 0}, delete=False)
        try:
            cdf.write_globalattrs({"Logical_source": {0: source}, "TITLE": {0: "Test"}})
            form = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
            cdf.write_var(
                {"Variable": "Epoch", "Data_Type": 31, **form}, {"VAR_TYPE": "support_data"}, np.array(epochs, dtype="f8")
            )
            numbers = np.arange(len(times)) if values is None else np.array(values)
            cdf.write_var(
                {"Variable": "B", "Data_Type": 45, **form}, {"VAR_TYPE": "data", "DEPEND_0": "Epoch"}, numbers.astype("f8")
            )
        finally:
            cdf.close()
        return path

    return make


class Scripted(NamedTuple):
    """An answer the server gives to paths that hold a text."""

    status: int
    body: bytes
    headers: dict[str, str]


class Script:
    """Answers by a part of the path; what is asked is kept."""

    def __init__(self) -> None:
        self.answers: dict[str, Scripted] = {}
        self.asked: list[str] = []
        self.url = ""

    def say(self, part: str, body: object, status: int = 200, **headers: str) -> None:
        """Answer paths that hold `part` with JSON, or with bytes as they are."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers[part] = Scripted(status, raw, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.fixture
def script() -> Iterator[Script]:
    """A server that says what it is told to."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            script.asked.append(self.path)
            answer = next(answer for part, answer in script.answers.items() if part in self.path)
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}/sp_phys/"
    yield script
    server.shutdown()
    thread.join()
    server.server_close()
