"""Labels and tables of the PDS, damaged: what is read is what stands in the file, or there is an error in our words."""

from __future__ import annotations

import functools
import random
import re
from pathlib import Path

import numpy as np

from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.domain.errors import HelioError
from tests.fuzz.target import Defect, Target
from tests.pds_files import Column, write_pds3, write_pds4

_NUMBERS = ("0", "-1", "1", "2", "99999999", "-99999999", "18446744073709551616", "1e9", "", "x", "4294967295", "65536")
_WORDS = ("IEEE754LSBDouble", "UnsignedMSB8", "ASCII_String", "ComplexMSB16", "ASCII_Date_Time_YMD_UTC", "EBCDIC", "semicolon")
_COUNT = 20


@functools.cache
def reader() -> ProductReader:
    """One worker for all cases of a process."""
    return ProductReader(workers=1, timeout_s=20)


def case(draw: random.Random, folder: Path) -> str:
    """Write a product, damage its label or its data, and read it."""
    times = [f"2016-240T00:00:{second:02}.5" for second in range(_COUNT)]
    form = draw.choice(("Character", "Delimited", "Binary", "PDS3", "PDS3 binary"))
    values = np.arange(_COUNT, dtype=draw.choice((">f8", "<f4", ">i2", "<u2")))
    numbers: Column = (
        Column("B", values, constant="7")
        if "inary" in form
        else Column("B", [f"{n:8.1f}" for n in range(_COUNT)], constant="7.0")
    )
    if form.startswith("PDS3"):
        kind = numbers if "inary" in form else Column("B", numbers.values, "ASCII_REAL", "NT", "7.0")
        label = write_pds3(folder, "b", [Column("TIME", times, "TIME"), kind])
    else:
        time = Column("TIME", times, "ASCII_Date_Time_DOY_UTC")
        label = write_pds4(folder, "b", [time, numbers], form=form, checksum=draw.random() < 0.2)
    data = next(path for path in folder.iterdir() if path != label)
    _damage(draw, label, data)
    try:
        product = reader().label(label, label.name)
        named = product.tables[0].file if product.tables else data.name
        table = reader().read(label, label.name, data, named, "B")
    except HelioError as error:
        if not error.problem.isprintable() or len(str(error)) > 2000:
            raise Defect(f"a message of {len(str(error))} characters: {error.problem[:200]!r}") from error
        return type(error).__name__
    if len(table) > data.stat().st_size:
        raise Defect(f"{len(table)} records out of {data.stat().st_size} bytes")
    if not (np.diff(table.time) > np.timedelta64(0, "ns")).all():
        raise Defect("times are not in order")
    if "inary" not in form and np.isinf(table.columns["B"]).any():
        raise Defect("an infinite number out of a text")
    return "read"


def _damage(draw: random.Random, label: Path, data: Path) -> None:
    for _ in range(draw.choice((0, 1, 1, 2))):
        text = label.read_bytes().decode("latin-1")
        numbers = list(re.finditer(r"(?<=>)\d+(?=<)|(?<== )\d+(?=\r)", text))
        way = draw.randrange(6)
        if way == 0 and numbers:
            match = draw.choice(numbers)
            text = text[: match.start()] + draw.choice(_NUMBERS) + text[match.end() :]
        elif way == 1:
            text = text[: draw.randrange(len(text))]
        elif way == 2:
            place = draw.randrange(len(text))
            text = text[:place] + chr(draw.randrange(256)) + text[place + 1 :]
        elif way == 3:
            text = re.sub(r"(?<=<data_type>)\w+|(?<=DATA_TYPE = )\w+", lambda _: draw.choice(_WORDS), text, count=1)
        elif way == 4:
            place, stop = sorted(draw.randrange(len(text)) for _ in range(2))
            text = text[:place] + text[stop:]
        else:
            text += text
        label.write_bytes(text.encode("latin-1"))
    raw = bytearray(data.read_bytes())
    for _ in range(draw.choice((0, 0, 1, 5))):
        if raw:
            raw[draw.randrange(len(raw))] = draw.randrange(256)
    if draw.random() < 0.15:
        del raw[draw.randrange(len(raw) + 1) :]
    data.write_bytes(bytes(raw))


TARGET = Target("pds", case, limit_mib=900, limit_s=30)
