"""What a CDF file says about itself: identity, coverage, variables. Reading its data belongs to `reader`."""

from __future__ import annotations

import struct
import warnings
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import cdflib
import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.files.provider import VariableEntry
from helio_dagster.domain.errors import CorruptFile
from helio_dagster.domain.time_range import EARLIEST, LATEST

_EPOCH_TYPES = (31, 32, 33)  # CDF_EPOCH, CDF_EPOCH16, CDF_TIME_TT2000

UNREADABLE = (  # what cdflib is seen to raise on damaged bytes
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    NameError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    AssertionError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True)
class CdfDescription:
    """Identity and coverage of one CDF file.

    `start` and `stop` (aware UTC, whole milliseconds around the records) are its first and last record over all epoch
    variables; None for a file without records. `attributes` are the first entries of its global attributes, as text.
    """

    start: datetime | None
    stop: datetime | None
    attributes: dict[str, str]
    variables: tuple[VariableEntry, ...]


def describe_cdf(path: Path) -> CdfDescription:
    """Read what a CDF file says about itself.

    Raises
    ------
    CorruptFile
        It cannot be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cdflib warns about odd attributes, which are of no use here
            return _describe(path)
    except UNREADABLE as error:
        raise CorruptFile(f"not a readable CDF file ({type(error).__name__})", where=path.name) from error


def _describe(path: Path) -> CdfDescription:
    cdf = cdflib.CDF(path)
    attributes = {name: str(values[0]) for name, values in cdf.globalattsget().items() if values}
    edges: list[datetime] = []
    variables: list[VariableEntry] = []
    info = cdf.cdf_info()
    for name in [*info.zVariables, *info.rVariables]:
        inquiry = cdf.varinq(name)
        if inquiry.Data_Type in _EPOCH_TYPES:
            if inquiry.Rec_Vary and inquiry.Last_Rec >= 0:
                edges += _edges(np.asarray(cdf.varget(name)).ravel())
            continue
        about = cdf.varattsget(name)
        if str(about.get("VAR_TYPE", "")).strip().casefold() == "data":
            variables.append(VariableEntry(name, str(about.get("FIELDNAM", "")), str(about.get("CATDESC", ""))))
    if not edges:
        return CdfDescription(None, None, attributes, tuple(variables))
    return CdfDescription(min(edges), max(edges), attributes, tuple(variables))


def _edges(epochs: NDArray[Any]) -> list[datetime]:
    """First and last time of the valid epochs, rounded outwards to milliseconds; none where no epoch is valid."""
    if epochs.dtype.kind == "c":
        epochs = epochs[(epochs.real > 0) & (epochs.imag >= 0)]
    elif epochs.dtype.kind == "f":
        epochs = epochs[epochs > 0]
    else:
        epochs = epochs[epochs > np.iinfo(np.int64).min + 3]  # fill, pad and illegal values of TT2000
    if not len(epochs):
        return []
    times = cdflib.cdfepoch.to_datetime(np.array([epochs.min(), epochs.max()]))
    first_ns, last_ns = (int(edge.astype("datetime64[ns]").astype(np.int64)) for edge in times)
    start, stop = _moment(first_ns // 1_000_000), _moment(-(-last_ns // 1_000_000))
    if stop.time() == time.min:
        stop += timedelta(milliseconds=1)  # a stop at midnight would be read as exclusive
    return [moment for moment in (start, stop) if EARLIEST <= moment < LATEST]


def _moment(unix_ms: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=unix_ms)
