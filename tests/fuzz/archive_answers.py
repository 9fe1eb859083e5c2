"""Answers of a CDAS service, changed by its grammar, through the client, the archive and the catalog's refresh."""

from __future__ import annotations

import functools
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.catalog.listing import join_listed, with_variables
from helio_dagster.domain.errors import HelioError, UnknownDataset
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from tests.fuzz.hostile_server import HASTY, HostileServer, flipped, http_bytes, plainly, sent
from tests.fuzz.target import Defect, Target

FIRST = datetime(2023, 1, 2, tzinfo=UTC)
DAYS = [TimeRange(FIRST + timedelta(days=n), FIRST + timedelta(days=n + 1)) for n in range(3)]
CDF = b"\xcd\xf3\x00\x01\x00\x00\xff\xff" + b"\0" * 400


class HourlyReader:
    """Takes every file for one with a record each hour: what files hold is another target's."""

    def read(self, path: Path, parameter: str, *, synthetic: bool = False, master: Path | None = None) -> Table:
        """Three days of hours."""
        del path, master
        times = np.arange(np.datetime64("2023-01-02", "ns"), np.datetime64("2023-01-05", "ns"), np.timedelta64(1, "h"))
        meta = TableMeta(kind="series", columns=(ColumnMeta(name=parameter),), synthetic=synthetic)
        return Table(times, {parameter: np.arange(len(times), dtype="f8")}, meta)


@functools.cache
def server() -> HostileServer:
    """One server for all cases of a process."""
    return HostileServer()


def case(draw: random.Random, folder: Path) -> str:
    """Prepare answers, ask for three days and for the catalog."""
    host = server()
    url = f"http://{host.address}/sp_phys/"
    host.answers = _answers(draw, url)
    verdict = _fetched(url, folder)
    return f"{verdict}, catalog {_catalog(url)}"


def _answers(draw: random.Random, url: str) -> dict[str, bytes]:
    files = [
        {
            "Name": f"{url}ab_h0_mfi_{day.start:%Y%m%d}_v0{version}.cdf",
            "MimeType": "application/x-cdf",
            "StartTime": f"{day.start:%Y-%m-%d}T00:00:00.000Z",
            "EndTime": f"{day.stop:%Y-%m-%d}T00:00:00.000Z",
            "Length": len(CDF),
            "LastModified": "2023-02-01T00:00:00.000Z",
        }
        for day in DAYS
        for version in range(draw.choice((1, 1, 2)))
    ]
    span = {"Start": "2023-01-01T00:00:00.000Z", "End": "2023-02-01T00:00:00.000Z"}
    dataset = {
        "Id": "AB_H0_MFI",
        "Label": "Field",
        "Observatory": ["AB"],
        "InstrumentType": ["Magnetic Fields (space)"],
        "TimeInterval": span,
        "PiName": "A. B.",
        "Doi": "https://doi.org/10.48322/abcd-efgh",
        "Notes": "Notes of the dataset.",
        "DatasetLink": [{"Title": "More", "Text": "here", "Url": "http://h/more"}],
        "AdditionalMetadata": [{"Type": "SPASE", "value": "http://h/x.xml"}],
    }
    usual: dict[str, object] = {"FileDescription": files}
    empty: dict[str, object] = {"FileDescription": []}
    listing = draw.choice((*(usual,) * 6, empty, {"Message": ["No data available."]}, {"Error": ["Trouble."]}))
    variables = [{"Name": "B", "ShortDescription": "Field", "LongDescription": "Magnetic field in GSE"}]
    bodies = {
        "orig_data": listing,
        "inventory": {"InventoryDescription": [{"Id": "AB_H0_MFI", "TimeInterval": draw.choice(([], [span]))}]},
        "variables": {"VariableDescription": variables},
        "datasets": {"DatasetDescription": [dataset]},
    }
    changed = {part: sent(draw, body, honest=0.6) for part, body in bodies.items()}
    file = draw.choice((CDF,) * 5 + (flipped(draw, CDF), CDF[:50], b"<html>"))
    answer = plainly(file) if draw.random() < 0.7 else http_bytes(draw, file, content_type="application/x-cdf")
    return {".cdf": answer, **changed}


def _fetched(url: str, folder: Path) -> str:
    verdicts = set()
    try:
        with CdasArchive(url, folder / "cache", HourlyReader(), settings=HASTY) as archive:
            for listed in archive.listed("AB_H0_MFI", DAYS):
                str(listed.error), listed.revision, [archive.is_at_hand(file) for file in listed.files]
            for fetched in archive.fetch("AB_H0_MFI", "B", DAYS):
                verdicts.add(_verdict(fetched.error, fetched.table, fetched.window))
                _require_no_secret(str(fetched.error), *(source.url for source in fetched.sources))
    except UnknownDataset as error:
        _require_no_secret(str(error))
        return "unknown"
    outside = [path for path in folder.rglob("*") if not path.is_relative_to(folder / "cache") and path != folder / "cache"]
    if outside:
        raise Defect(f"files outside the cache: {outside}")
    return "+".join(sorted(verdicts))


def _verdict(error: HelioError | None, table: Table | None, window: TimeRange) -> str:
    if error is not None:
        _require_printable(str(error))
        return type(error).__name__
    if table is None:
        raise Defect("neither a table nor an error")
    start, stop = window.bounds_ns()
    if len(table) and not (start <= table.time[0] and table.time[-1] < stop):
        raise Defect("records outside the window")
    return "data" if len(table) else "empty"


def _catalog(url: str) -> str:
    client = CdasClient(url, settings=HASTY)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    try:
        for described in client.datasets():
            with_variables(join_listed(None, described, now), client.variables("AB_H0_MFI"))
    except HelioError as error:
        _require_printable(str(error))
        _require_no_secret(str(error))
        return "refused"
    finally:
        client.close()
    return "read"


def _require_printable(text: str) -> None:
    text.encode()
    if any(not letter.isprintable() and letter != "\n" for letter in text):
        raise Defect(f"an error with control characters: {text!r}"[:500])


def _require_no_secret(*texts: str) -> None:
    if any("me:pw" in text for text in texts):
        raise Defect(f"a password is told: {texts!r}"[:500])


TARGET = Target("archive_answers", case, limit_mib=600, limit_s=25)
