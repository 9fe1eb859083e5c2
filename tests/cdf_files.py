"""Sound CDF files of every kind that the format knows, written with cdflib, and places in them where damage hurts."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Literal

import numpy as np
from cdflib.cdfwrite import CDF
from numpy.typing import NDArray

Kind = Literal["plain", "gzip", "md5", "whole", "whole md5", "two epochs"]
KINDS: tuple[Kind, ...] = ("plain", "gzip", "md5", "whole", "whole md5", "two epochs")
START_MS = 63_839_836_800_000.0


def write_kind(path: Path, kind: Kind, records: int = 20_000) -> Path:
    """A file with the parameter `B`, three values a record, each second; `two epochs` also has `N` every ten seconds."""
    random = np.random.default_rng(records)
    spec = {"Checksum": "md5" in kind, "Compressed": 6 if "whole" in kind else 0, "Encoding": 6}
    compress = 6 if kind in ("gzip", "two epochs") else 0
    with CDF(path.with_suffix(""), cdf_spec=spec, delete=True) as cdf:
        cdf.write_globalattrs({"TITLE": {0: "made up"}, "PI_name": {0: "nobody"}, "Logical_source": {0: path.stem}})
        _write(cdf, "Epoch", 31, START_MS + 1000.0 * np.arange(records), compress, None)
        _write(cdf, "B", 21, random.normal(0, 5, (records, 3)).astype("<f4").round(2), compress, "Epoch")
        if kind == "two epochs":
            _write(cdf, "Epoch_slow", 31, START_MS + 10_000.0 * np.arange(records // 10), compress, None)
            _write(cdf, "N", 22, random.normal(5, 1, records // 10), compress, "Epoch_slow")
    return path


def _write(cdf: CDF, name: str, data_type: int, values: NDArray[Any], compress: int, epoch: str | None) -> None:
    attributes: dict[str, Any] = {"CATDESC": name, "FIELDNAM": name, "VAR_TYPE": "data" if epoch else "support_data"}
    if epoch:
        attributes |= {"DEPEND_0": epoch, "UNITS": "nT", "FILLVAL": [-1e31, "CDF_REAL4" if data_type == 21 else "CDF_DOUBLE"]}
    spec = {
        "Variable": name,
        "Data_Type": data_type,
        "Num_Elements": 1,
        "Rec_Vary": True,
        "Dim_Sizes": list(values.shape[1:]),
        "Compress": compress,
    }
    cdf.write_var(spec, attributes, values)


def variable_at(content: bytes, name: str) -> int:
    """Where the zVDR of a variable of a version 3 file starts."""
    return content.index(name.encode().ljust(256, b"\0")) - 84


def index_at(content: bytes, name: str) -> int:
    """Where the first index record of a variable starts."""
    return int(struct.unpack_from(">q", content, variable_at(content, name) + 28)[0])


def blocks_of(content: bytes, name: str) -> list[tuple[int, int]]:
    """Where each block of values of a variable starts, and how long it is."""
    at = index_at(content, name)
    entries, used = struct.unpack_from(">ii", content, at + 20)
    offsets = struct.unpack_from(f">{used}q", content, at + 28 + 8 * entries)
    return [(offset, struct.unpack_from(">q", content, offset)[0]) for offset in offsets]


def patched(content: bytes, at: int, value: int, form: str = ">i") -> bytes:
    """The content with one field rewritten."""
    changed = bytearray(content)
    struct.pack_into(form, changed, at, value)
    return bytes(changed)


def flipped(content: bytes, at: int) -> bytes:
    """The content with one bit turned."""
    return patched(content, at, content[at] ^ 0x10, ">B")
