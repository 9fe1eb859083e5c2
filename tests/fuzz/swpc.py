"""SWPC's JSON, damaged: what is read are numbers at times in order, or there is an error in our words."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

from helio_dagster.archives.swpc.answers import read_answer
from helio_dagster.archives.swpc.days import Day, day_table, read_day
from tests.fuzz.target import Defect, Target

_COLUMNS = ("bx_gsm", "bt")
_STRANGE = ("NaN", "1e999", "-", "null", "[]", "{}", '"x"', "true", "1" * 400, '"2026-02-14"', "\x00", "\ud800", "-0", "1e-320")


def case(draw: random.Random, folder: Path) -> str:
    """Write an answer, damage it, read it, and keep and read the day."""
    del folder
    rows = [[f"2026-02-14 21:{minute:02}:00.000", str(draw.uniform(-99, 99)), None] for minute in range(60)]
    body = json.dumps([["time_tag", *_COLUMNS], *rows]).encode()
    for _ in range(draw.randrange(4)):
        place = draw.randrange(len(body))
        strange = draw.choice(_STRANGE).encode("utf-8", "surrogatepass")
        body = body[:place] + draw.choice((strange, b"", bytes([draw.randrange(256)]))) + body[place + draw.randrange(20) :]
    try:
        answer = read_answer(body)
    except ValueError as error:
        if len(str(error)) > 2000:
            raise Defect(f"a message of {len(str(error))} characters") from error
        return "refused"
    times = list(answer.records)
    if times != sorted(times):
        raise Defect("times are not in order")
    if any(value is not None and not math.isfinite(value) for values in answer.records.values() for value in values):
        raise Defect("a value that is no number")
    day = Day(answer.columns, "2026-02-14T00:00:00.000000", "2026-02-14T22:00:00.000000", answer.records)
    if read_day(day.to_bytes()) != day:
        raise Defect("a day that is kept is read back as another")
    table = day_table(day, answer.columns, kind="vector", label="b", unit="nT", frame=None)
    if len(table) != len(times):
        raise Defect("records were lost")
    return "read"


TARGET = Target("swpc", case, limit_mib=300, limit_s=5)
