"""Damaged and forged CDF files of every kind through the reader that a fetch uses.

A result that differs from the sound file's is a defect where a checksum covers what was changed; elsewhere it is counted:
`silent` where cdflib reads the same values, `disputed` where it reads others or none.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import cdflib
import numpy as np

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.cdf.records import Records, open_records
from helio_dagster.archives.cdf.structure import walk
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.table import Table
from tests.cdf_files import KINDS, write_kind
from tests.fuzz.target import Defect, Target

_REAL = {
    "ac_h0_mfi_20230102_v07.cdf": "BGSEc",
    "ac_k2_mfi_20220101_v03.cdf": "Magnitude",
    "mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf": "mms1_fgm_r_gse_brst_l2",
    "omni_coho1hr_merged_mag_plasma_20240901_v01.cdf": "BR",
    "psp_fld_l2_mag_rtn_1min_20200104_v02.cdf": "psp_fld_l2_mag_RTN_1min",
    "ge_k0_cpi_19921231_v02.cdf": "SW_V",
    "rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf": "FPDO",
}
_NUMBERS = (-1, 0, 1, 2, 3, 5, 6, 7, 13, 51, 255, 1 << 16, (1 << 31) - 1, -(1 << 31), 1 << 40, (1 << 63) - 1)
_HEADER_BYTES = 128


@dataclass(frozen=True)
class _Sound:
    """A sound file; `spans` are offset and size of its records, `inner` its content where it is compressed as a whole.

    `protected` are the stretches that a checksum of a gzip stream or of the file covers.
    """

    name: str
    content: bytes
    inner: bytes
    parameter: str
    table: Table
    spans: tuple[tuple[int, int], ...]
    protected: tuple[tuple[int, int], ...]
    has_md5: bool


@cache
def _reader() -> CdfReader:
    return CdfReader(workers=1, timeout_s=20.0)


@cache
def _sound_files() -> tuple[_Sound, ...]:
    data = Path(os.environ.get("HELIO_TEST_DATA", Path(__file__).parents[2].parent / "shared" / "data"), "cdf")
    with TemporaryDirectory() as folder:
        made = [(write_kind(Path(folder, f"{kind}.cdf"), kind), "B") for kind in KINDS]
        made.append((write_kind(Path(folder, "slow.cdf"), "two epochs", records=300), "N"))
        real = [(data / name, parameter) for name, parameter in _REAL.items() if (data / name).is_file()]
        return tuple(_describe(path, parameter) for path, parameter in [*made, *real])


def _describe(path: Path, parameter: str) -> _Sound:
    content = path.read_bytes()
    is_whole = content[4:8] == b"\xcc\xcc\x00\x01"
    inner = (
        content[:4] + b"\0\0\xff\xff" + gzip.decompress(content[40 : 8 + int.from_bytes(content[8:16], "big")])
        if is_whole
        else content
    )
    structure = walk(inner)
    records: Records = open_records(inner)[0]
    blocks = [block for variable in structure.variables.values() for block in variable.blocks]
    shift = 24 if content[:4] == b"\xcd\xf3\x00\x01" else 16
    spans = [(block.start - (shift if block.is_compressed else shift // 2), block.size) for block in blocks]
    spans += [(8, _HEADER_BYTES), *((offset, _HEADER_BYTES) for offset in _descriptors(inner, records))]
    protected = [(block.start, block.size) for block in blocks if block.is_compressed]
    if is_whole:
        protected = [(40, int.from_bytes(content[8:16], "big") - 32)]
    has_md5 = structure.flags & 0xC == 0xC
    return _Sound(
        path.name, content, inner, parameter, _reader().read(path, parameter), tuple(spans), tuple(protected), has_md5
    )


def _descriptors(content: bytes, records: Records) -> list[int]:
    """Where the descriptor and index records start: all that is not a block of values, found by their type and size."""
    found, word = [], records.layout.offset.size
    for offset in range(8, len(content) - 12):
        size, kind = records.layout.header.unpack_from(content, offset)
        if kind in (2, 3, 4, 5, 6, 8, 9, 11) and 2 * word < size < 1 << 16 and offset + size <= len(content):
            found.append(offset)
    return found


def case(random: Random, folder: Path) -> str:
    """Damage a file, read it, judge what came back."""
    sound = random.choice(_sound_files())
    content, is_covered = _damage(random, sound)
    if content == sound.content:
        return "unchanged"
    path = folder / "damaged.cdf"
    path.write_bytes(content)
    try:
        table = _reader().read(path, sound.parameter)
    except InputError:
        return "unfit"
    except HelioError:
        return "refused"
    if _is_same(table, sound.table):
        return "same"
    if is_covered:
        raise Defect(f"{sound.name}: other values though a checksum covers what was changed")
    if not len(table):
        raise Defect(f"{sound.name}: an empty table of a file that holds {len(sound.table)} records")
    return "silent" if _agrees(path, sound.parameter, table) else "disputed"


def _damage(random: Random, sound: _Sound) -> tuple[bytes, bool]:
    """A damaged file, and whether a checksum covers all of the change."""
    way = random.choice(("flip", "flip in values", "field", "field", "pointer", "splice", "cut", "forge"))
    if way == "forge":
        return _forged(random, sound), False
    content = bytearray(sound.content)
    if way == "cut":
        return bytes(content[: random.randrange(len(content))]), sound.has_md5
    if way == "flip in values" and sound.protected:
        start, size = random.choice(sound.protected)
        content[random.randrange(start, start + size)] ^= 1 << random.randrange(8)
        return bytes(content), True
    if way == "flip":
        content[random.randrange(8, len(content))] ^= 1 << random.randrange(8)
    else:
        _rewrite(random, content, sound, way)
    return bytes(content), sound.has_md5 and content[8:64] == sound.content[8:64]


def _rewrite(random: Random, content: bytearray, sound: _Sound, way: str) -> None:
    """Change one field of a record, one pointer, or put one record over another."""
    start, size = random.choice(sound.spans)
    at = min(start + 4 * random.randrange(min(size, _HEADER_BYTES) // 4 + 1), len(content) - 8)
    is_v3 = content[:4] == b"\xcd\xf3\x00\x01"
    if way == "splice":
        other, length = random.choice(sound.spans)
        piece = content[other : other + min(length, len(content) - start)]
        content[start : start + len(piece)] = piece
        return
    value = random.choice(sound.spans)[0] if way == "pointer" else random.choice(_NUMBERS)
    if way == "field" and random.random() < 0.5:
        value = int.from_bytes(content[at : at + 4], "big", signed=True) + random.choice((-1, 1))
    if way == "pointer" and is_v3:
        struct.pack_into(">q", content, at, value)
    else:
        struct.pack_into(">I", content, at, value & 0xFFFFFFFF)


def _forged(random: Random, sound: _Sound) -> bytes:
    """Damage below the checksums: a gzip stream or the whole written anew with right checksums, an MD5 computed anew."""
    inner = bytearray(sound.inner)
    _rewrite(random, inner, sound, random.choice(("field", "pointer", "splice")))
    if sound.inner is not sound.content:
        packed = gzip.compress(bytes(inner[8:]), 1, mtime=0)
        size = int.from_bytes(sound.content[8:16], "big")
        head = struct.pack(">qiqqi", 32 + len(packed), 10, 40 + len(packed), len(inner) - 8, 0)
        body = sound.content[:8] + head + packed + sound.content[8 + size :]
    else:
        body = bytes(inner)
    return body[:-16] + hashlib.md5(body[:-16], usedforsecurity=False).digest() if sound.has_md5 else body


def _is_same(one: Table, other: Table) -> bool:
    if one.meta != other.meta or not np.array_equal(one.time, other.time, equal_nan=True):
        return False
    pairs = zip(one.columns.values(), other.columns.values(), strict=True)
    return all(left.dtype == right.dtype and np.array_equal(left, right, equal_nan=True) for left, right in pairs)


def _agrees(path: Path, parameter: str, table: Table) -> bool:
    """Whether cdflib reads the same valid values from a file, in whatever order."""
    try:
        values = np.asarray(cdflib.CDF(str(path)).varget(parameter), dtype="float64").reshape(-1)
    except Exception:  # noqa: BLE001 - a damaged file makes it raise anything
        return False
    ours = np.concatenate([table.columns[name].astype("float64") for name in table.meta.data_names])
    return set(ours[np.isfinite(ours)]) <= set(values)


TARGET = Target(name="cdf", case=case, limit_mib=1500, limit_s=60)
