"""Archive files in a standalone script: got, checked against the hash that is recorded, and read."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cdflib
import numpy as np
import pandas as pd


def source(folder: Path, name: str, url: str, sha256: str) -> Path:
    """An archive's file: from the folder beside the script, else downloaded into it; it must be the one that was used."""
    path = folder / name
    if not path.exists():
        if not url.startswith(("https://", "http://")):
            raise SystemExit(f"{path} is missing, and {url} is not an address to download it from.")
        folder.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(url, timeout=300) as answer:
            path.write_bytes(answer.read())
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise SystemExit(f"{path} is not the file that was used ({found[:12]}, not {sha256[:12]}): the archive has changed it.")
    return path


def fetch(
    folder: Path,
    read: Callable[..., pd.DataFrame],
    parameter: str,
    files: list[tuple[str, str, str]],
    columns: list[str],
    start: str,
    stop: str,
    *,
    has_bins: bool = False,
    **attributes: Any,
) -> pd.DataFrame:
    """The records of a parameter in `[start, stop)` out of some files; of one time those of the first file."""
    how = {"axes": attributes["axes"]} if "axes" in attributes else {"has_bins": has_bins}
    parts = [read(source(folder, *file), parameter, **how) for file in files]
    held = [part.set_axis(columns, axis=1) for part in parts if len(part)]
    empty = pd.DataFrame(columns=columns, dtype="float64", index=pd.DatetimeIndex([], tz="UTC", name="time"))
    frame = in_order(pd.concat(held)) if held else empty
    frame = frame[(frame.index >= pd.Timestamp(start)) & (frame.index < pd.Timestamp(stop))]
    frame.attrs = attributes
    return frame


def read_cdf(path: Path, parameter: str, *, has_bins: bool = False) -> pd.DataFrame:
    """A parameter of a CDF file over its times: fill values and what is outside its valid range are NaN, each time once.

    Of a spectrum without the channels that have no place on its axis.
    """
    file = cdflib.CDF(path)
    about = file.varattsget(parameter)
    stored = parameter
    while file.varinq(stored).Last_Rec < 0:  # a view of another variable
        stored = file.varattsget(stored)["COMPONENT_0"].strip()
    values = np.asarray(file.varget(stored))
    times = cdf_times(file, about)[: len(values)]
    values = values.reshape(len(values), -1)
    limits = {**file.varattsget(stored), **about}
    rows = masked(values, limits.get("FILLVAL"), limits.get("VALIDMIN"), limits.get("VALIDMAX"))
    if has_bins and about.get("DEPEND_1"):
        axis = about["DEPEND_1"].strip()
        centers, limits = np.asarray(file.varget(axis)), file.varattsget(axis)
        if centers.dtype.kind in "iuf" and centers.size == rows.shape[1]:
            edges = limits.get("FILLVAL"), limits.get("VALIDMIN"), limits.get("VALIDMAX")
            rows = rows[:, np.isfinite(masked(centers.reshape(1, -1), *edges)[0])]
    return in_order(pd.DataFrame(rows, index=pd.DatetimeIndex(times, tz="UTC", name="time")))


def cdf_times(file: Any, about: dict[str, Any]) -> np.ndarray:
    """The times of a parameter's records; THEMIS gives them as seconds after an epoch."""
    epoch = about["DEPEND_0"].strip()
    if file.varinq(epoch).Last_Rec < 0:
        parts = file.varattsget(epoch)
        base = to_times(file, parts.get("COMPONENT_0", about.get("DEPEND_EPOCH0", "")).strip())[0]
        seconds = np.asarray(file.varget(parts.get("COMPONENT_1", about.get("DEPEND_TIME", "")).strip()), dtype="float64")
        whole = np.floor(seconds)
        return base + (whole.astype("int64") * 10**9 + np.rint((seconds - whole) * 1e9).astype("int64")).astype(
            "timedelta64[ns]"
        )
    return to_times(file, epoch)


def to_times(file: Any, epoch: str) -> np.ndarray:
    """The values of a time variable in ns."""
    values = np.asarray(file.varget(epoch)).reshape(-1)
    if file.varinq(epoch).Data_Type_Description == "CDF_EPOCH":  # ms since the year 0
        since_1970 = values - 62_167_219_200_000.0
        whole = np.floor(since_1970)
        return (whole.astype("int64") * 10**6 + np.rint((since_1970 - whole) * 1e6).astype("int64")).astype("datetime64[ns]")
    return np.asarray(cdflib.cdfepoch.to_datetime(values)).astype("datetime64[ns]")


def masked(values: np.ndarray, fill: Any, least: Any, greatest: Any) -> np.ndarray:
    """Values as floats; fill values (-1e31 is one for any real) and what is outside the valid range are NaN."""
    is_real, width = values.dtype.kind == "f", values.shape[1]
    fills = [*([-1e31] if is_real else []), *(np.ravel(fill) if np.ravel(fill).dtype.kind in "iuf" else [])]
    is_invalid = np.isin(values, np.array(fills, dtype=values.dtype))
    limits = [_limits(each, width, absent) for each, absent in ((least, -np.inf), (greatest, np.inf))]
    is_range = limits[0] < limits[1]
    for limit, is_beyond in zip(limits, (np.less, np.greater), strict=True):
        own = limit.astype(values.dtype) if is_real else limit
        is_invalid |= is_beyond(values, own) & is_range & np.isfinite(limit)
    return np.where(is_invalid, np.nan, values.astype("float64"))


def _limits(given: Any, width: int, absent: float) -> np.ndarray:
    """One limit per value of a record; those that are not numbers do not count."""
    limits = np.ravel(given) if given is not None else np.zeros(0)
    if limits.dtype.kind not in "iuf" or len(limits) not in (1, width):
        return np.full(width, absent)
    limits = np.broadcast_to(limits.astype("float64"), (width,))
    return np.where(np.isfinite(limits), limits, absent)


def read_hapi(path: Path, parameter: str, *, has_bins: bool = False) -> pd.DataFrame:
    """A parameter of a HAPI server's answer; fills are NaN, and each time is there once."""
    fields, index, values_of = hapi_answer(path)
    if not fields:
        return pd.DataFrame(index=index)
    rows = values_of(parameter)
    bins = next(field for field in fields if field["name"] == parameter).get("bins") or [{}]
    if has_bins and bins[0].get("centers"):
        placed: np.ndarray = np.isfinite(np.array(bins[0]["centers"], dtype="float64"))
        rows = rows[:, placed]
    return in_order(pd.DataFrame(rows, index=index))


def hapi_answer(path: Path) -> tuple[list[dict[str, Any]], pd.DatetimeIndex, Callable[[str], np.ndarray]]:
    """The fields of a HAPI server's answer, CSV or binary by its suffix, its times, and what gives a field's values by record.

    It begins with its header; without data there are no fields.
    """
    body, lines = path.read_bytes(), []
    if body[:1] == b"{" or not body:  # no data
        return [], pd.DatetimeIndex([], tz="UTC", name="time"), lambda _name: np.empty((0, 0))
    while body.startswith(b"#"):
        line, _, body = body.partition(b"\n")
        lines.append(line[1:])
    fields = json.loads(b"\n".join(lines))["parameters"]
    names = [field["name"] for field in fields]
    widths = [int(np.prod(field.get("size") or [1])) for field in fields]
    if path.suffix == ".binary":
        kinds = {"double": "<f8", "integer": "<i4"}
        formats = [kinds.get(field["type"], f"S{field.get('length')}") for field in fields]
        row = np.dtype([(f"f{n}", each, (width,)) for n, (each, width) in enumerate(zip(formats, widths, strict=True))])
        records = np.frombuffer(body, dtype=row)
        texts, columns = records["f0"][:, 0], [records[f"f{place}"] for place in range(len(fields))]
    else:
        table = pd.read_csv(path, header=None, comment="#", dtype={0: str}, float_precision="round_trip")
        texts, firsts = table[0].to_numpy(), np.cumsum([0, *widths])
        columns = [table.iloc[:, first : first + width].to_numpy() for first, width in zip(firsts, widths, strict=False)]

    def values_of(name: str) -> np.ndarray:
        rows = columns[names.index(name)].astype("float64")
        fill = pd.to_numeric(fields[names.index(name)].get("fill"), errors="coerce")
        return np.where((rows == fill) | (rows == np.float64(np.float32(fill))), np.nan, rows)

    times = [text.decode() if isinstance(text, bytes) else text for text in texts]
    index = pd.DatetimeIndex(pd.to_datetime([time.strip("\0 ") for time in times], utc=True, format="ISO8601"), name="time")
    return fields, index.as_unit("ns"), values_of


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Records in order of time, of several at one time the first."""
    frame = frame[frame.index.notna()]
    frame = frame.iloc[np.argsort(frame.index.asi8, kind="stable")]
    return frame[~frame.index.duplicated()]
