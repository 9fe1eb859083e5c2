"""Where the fields of a CDF file's internal records are, after the CDF Internal Format Description (NASA/GSFC, 2.7 and 3.9).

All numbers are big-endian. Version 3 has 64-bit offsets and names of 256 bytes, version 2 has 32-bit offsets and names of 64.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

MAGIC_V3 = 0xCDF30001
MAGICS = (MAGIC_V3, 0xCDF26002, 0x0000FFFF)
PLAIN = 0x0000FFFF
COMPRESSED = 0xCCCC0001
MAGIC_BYTES = 8

CDR, GDR, R_VDR, ADR, R_ENTRY, VXR, VVR, Z_VDR, Z_ENTRY, CCR, CPR = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
CVVR = 13
SINGLE_FILE, HAS_CHECKSUM, IS_MD5 = 0x2, 0x4, 0x8
MD5_BYTES = 16
NO_COMPRESSION, RLE, HUFFMAN, ADAPTIVE_HUFFMAN, GZIP = 0, 1, 2, 3, 5

VALUE_BYTES = {
    1: 1,
    2: 2,
    4: 4,
    8: 8,
    11: 1,
    12: 2,
    14: 4,
    41: 1,
    21: 4,
    22: 8,
    44: 4,
    45: 8,
    31: 8,
    32: 16,
    33: 8,
    51: 1,
    52: 1,
}
"""Bytes of one value, by data type."""

NUMBER_KINDS = {
    1: "i1",
    2: "i2",
    4: "i4",
    8: "i8",
    11: "u1",
    12: "u2",
    14: "u4",
    41: "i1",
    21: "f4",
    22: "f8",
    44: "f4",
    45: "f8",
}
"""The numbers of each data type that is neither a time nor a text, as numpy has them."""

TEXTS = (51, 52)
IS_ROW_MAJOR = 0x1
ENCODINGS = frozenset(range(1, 22)) - {8, 10}
VAX_ENCODINGS = (3, 14, 15, 20, 21)
BIG_ENDIAN_ENCODINGS = (1, 2, 5, 7, 9, 11, 12, 18)


@dataclass(frozen=True)
class Layout:
    """Fields of each record from its first byte, in the order of the format.

    `variable` ends before the reserved fields and `variable_rest` comes after them, `gap` bytes further on in files older
    than version 2.5.
    """

    header: Struct  # record size, type
    descriptor: Struct  # header, GDR, version, release, encoding, flags
    global_descriptor: Struct  # header, rVDR, zVDR, ADR, end, rVDRs, ADRs, greatest record, r axes, zVDRs, UIR, 3 reserved
    attribute: Struct  # header, next, r entries, scope, number, count, greatest, reserved, z entries, count, greatest, reserved
    entry: Struct  # header, next, attribute, type, number, values, 5 reserved
    variable: Struct  # header, next, type, greatest record, first VXR, last VXR, flags, sparse records
    variable_rest: Struct  # values, number, CPR, blocking factor
    index: Struct  # header, next, entries, entries used
    offset: Struct
    compressed_values: Struct  # header, reserved, compressed size
    compression: Struct  # header, method, reserved, parameters
    compressed_file: Struct  # header, CPR, uncompressed size, reserved
    name_bytes: int
    variable_reserved: int = 12
    gap: int = 128


def _layout(word: str, name_bytes: int) -> Layout:
    def fields(pattern: str) -> Struct:
        return Struct(">" + pattern.replace("w", word))

    return Layout(
        header=fields("wi"),
        descriptor=fields("wiwiiii"),
        global_descriptor=fields("wiwwwwiiiiiwiii"),
        attribute=fields("wiwwiiiiiwiii"),
        entry=fields("wiwiiiiiiiii"),
        variable=fields("wiwiiwwii"),
        variable_rest=fields("iiwi"),
        index=fields("wiwii"),
        offset=fields("w"),
        compressed_values=fields("wiiw"),
        compression=fields("wiiii"),
        compressed_file=fields("wiwwi"),
        name_bytes=name_bytes,
    )


V2 = _layout("i", 64)
V3 = _layout("q", 256)
