"""Answers of a HAPI server, changed by its grammar: what is stored is what the answer honestly holds, or there is an error."""

from __future__ import annotations

import functools
import json
import random
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.fuzz.hostile_server import HASTY, HostileServer, flipped, http_bytes, mutated, plainly, sent
from tests.fuzz.target import Defect, Target

FIRST = datetime(2020, 5, 2, tzinfo=UTC)
DAYS = [TimeRange(FIRST + timedelta(days=n), FIRST + timedelta(days=n + 1)) for n in range(2)]
STRANGE_TIMES = (
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2020-05-01T23:59:59Z",
    "2020-05-04T00:00:00Z",
    "2019-05-02T00:00:00Z",
    "2020-05-02T00:00:00Z",
    "2020-05-02T24:00:00Z",
    "2020-05-02T23:59:60Z",
    "",
    "NaT",
    "2020-124T00:00:00Z",
    "2020-05-02T00:00:00.123456789Z",
)
STRANGE_VALUES = ("1e999", "-inf", "nan", "", "x", "1e-400", "0x10", "1_000", "+5", '"7"', "-1e31", "9" * 400, "1.5\x00", "٣")


@functools.cache
def server() -> HostileServer:
    """One server for all cases of a process."""
    return HostileServer()


def case(draw: random.Random, folder: Path) -> str:
    """Prepare answers and ask for two days."""
    host = server()
    is_binary = draw.random() < 0.4
    info = _info(draw)
    body = _data(draw, info, is_binary=is_binary)
    ok = {"HAPI": draw.choice(("2.1", "3.1")), "status": {"code": 1200, "message": "OK"}}
    formats = ["csv", "binary"] if is_binary else ["csv", "json"]
    host.answers = {
        "/capabilities": sent(draw, {**ok, "outputFormats": formats}),
        "/catalog": sent(draw, {**ok, "catalog": [{"id": "D", "title": "Data"}]}),
        "/info": sent(draw, {**ok, **info}),
        "/data": plainly(body) if draw.random() < 0.8 else http_bytes(draw, body, content_type="text/csv"),
    }
    try:
        with HapiArchive(f"hapi:http://{host.address}/hapi", folder / "cache", settings=HASTY) as archive:
            verdicts = {_verdict(each.error, each.table, each.window) for each in archive.fetch("D", "B", DAYS)}
            archive.client.catalog()
    except InputError as error:
        _require_printable(str(error))
        return "refused"
    except HelioError as error:
        _require_printable(str(error))
        return f"catalog {type(error).__name__}"
    return "+".join(sorted(verdicts))


def _info(draw: random.Random) -> dict[str, Any]:
    size = draw.choice(([], [], [3], [6], [2, 3]))
    field: dict[str, Any] = {
        "name": "B",
        "type": draw.choice(("double", "double", "integer")),
        "units": draw.choice(("nT", ["nT", "nT", "km/s"], None)),
        "fill": draw.choice(("-1e31", "NaN", None, "Infinity", "-1")),
        "label": draw.choice(("B", ["Bx", "By", "Bz"], None)),
    }
    if size:
        field["size"] = size
    if size == [6] and draw.random() < 0.6:
        field["bins"] = [{"name": "E", "units": "eV", "centers": draw.choice(([1, 2, 4, 8, 16, 32], "E", [None] * 6))}]
    axis = {"name": "E", "type": "double", "units": "eV", "fill": "-1", "size": [6]}
    return {
        "startDate": draw.choice(("2020-01-01Z", "2020-001", "0001-01-01Z", "2020-05-02T06:00Z")),
        "stopDate": draw.choice(("2021-01-01Z",) * 4 + ("9999-12-31", "2020-05-03Z", "2019-01-01Z")),
        "cadence": draw.choice(("PT1H", "PT1S", "", "P1D", "PT0S", "P9999999D")),
        "modificationDate": draw.choice(("", "2021-01-01Z")),
        "parameters": [{"name": "Time", "type": "isotime", "length": 20, "units": "UTC", "fill": None}, field]
        + ([axis] if field.get("bins") else []),
    }


def _data(draw: random.Random, info: dict[str, Any], *, is_binary: bool) -> bytes:
    """The records with their header."""
    fields = info["parameters"][1:]
    times = [f"2020-05-02T{hour:02d}:00:00Z" for hour in range(draw.choice((0, 1, 5, 24)))]
    times += [f"2020-05-03T{hour:02d}:00:00Z" for hour in range(draw.choice((0, 3)))]
    for _ in range(draw.choice((0, 0, 1, 3))):
        times.insert(draw.randrange(len(times) + 1), draw.choice(STRANGE_TIMES))
    if draw.random() < 0.15:
        draw.shuffle(times)
    lines = b"".join(_record(draw, time, fields, is_binary=is_binary) for time in times)
    head = {"HAPI": "3.1", "status": {"code": draw.choice((1200, 1200, 1200, 1201, 1500)), "message": "OK"}, **info}
    if draw.random() < 0.2:
        head = mutated(draw, head, 0.04)
    header = b"".join(b"#" + line + b"\n" for line in json.dumps(head, indent=1).encode().splitlines())
    body = header + lines if draw.random() < 0.9 else lines
    kind = draw.randrange(12)
    if kind == 0:
        body = flipped(draw, body)
    elif kind == 1:
        body = body[: draw.randrange(len(body) + 1)]
    elif kind == 2:
        body = draw.choice(
            (b"", b"#\n" * 50_000, b"<html>", json.dumps({"header": head, "data": [[each, 1.0] for each in times]}).encode())
        )
    return body


def _record(draw: random.Random, time: str, fields: list[dict[str, Any]], *, is_binary: bool) -> bytes:
    texts, packed = [time], struct.pack("<20s", time.encode())
    for field in fields:
        for _ in range(int(np.prod(field.get("size", [1])))):
            number = (
                draw.choice((0, 1, -1, 7, 2**31 - 1)) if field["type"] == "integer" else draw.choice((1.5, -2.0, -1e31, 0.1))
            )
            if draw.random() < 0.004:
                texts.append(draw.choice(STRANGE_VALUES))
                number = (
                    number if field["type"] == "integer" else draw.choice((float("inf"), float("-inf"), float("nan"), 1e-320))
                )
            else:
                texts.append(repr(number))
            packed += struct.pack("<i" if field["type"] == "integer" else "<d", number)
    return packed if is_binary else (",".join(texts) + draw.choice(("\n",) * 300 + ("\r\n", "", ",\n"))).encode()


def _verdict(error: HelioError | None, table: Table | None, window: TimeRange) -> str:
    if error is not None:
        _require_printable(str(error))
        return type(error).__name__
    if table is None:
        raise Defect("neither a table nor an error")
    start, stop = window.bounds_ns()
    if len(table) and not (start <= table.time[0] and table.time[-1] < stop):
        raise Defect("records outside the window")
    if (np.diff(table.time) <= np.timedelta64(0)).any():
        raise Defect("times out of order, or twice")
    for name, values in table.columns.items():
        if values.dtype.kind == "f" and np.isinf(values).any():
            raise Defect(f"an infinite value in {name!r}")
    return "data" if len(table) else "empty"


def _require_printable(text: str) -> None:
    text.encode()
    if any(not letter.isprintable() and letter != "\n" for letter in text):
        raise Defect(f"an error with control characters: {text!r}"[:500])


TARGET = Target("hapi", case, limit_mib=800, limit_s=25)
