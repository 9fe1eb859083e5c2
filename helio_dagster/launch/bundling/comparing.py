"""Compare the files of a bundle with those made again: same bytes, same values, or different."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.bundling.gathering import values_of
from helio_dagster.launch.bundling.manifest import BundledFile, Manifest, sha256_of

FileVerdict = Literal["same bytes", "same values", "differs", "not made again", "damaged"]
_RESULTS = ("data", "figure", "facts")


class FileReport(BaseModel):
    """What is known of one file of a bundle; `why` says more where it is not the same."""

    model_config = ConfigDict(frozen=True)

    path: str
    kind: str
    verdict: FileVerdict
    why: str = ""


class BundleReport(BaseModel):
    """The result of `helio verify BUNDLE`."""

    model_config = ConfigDict(frozen=True)

    bundle: str
    pipeline: str
    start: str
    stop: str
    status: Literal["same", "differs", "damaged"]
    files: tuple[FileReport, ...]
    environment: dict[str, tuple[str, str]] = {}

    @property
    def exit_code(self) -> int:
        """0 if all results are the same in bytes or values."""
        return 0 if self.status == "same" else 1


def damaged_files(folder: Path, manifest: Manifest) -> list[FileReport]:
    """Those files that are not what the bundle itself says they are."""
    found = []
    for each in manifest.files:
        path = folder / each.path
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            found.append(FileReport(path=each.path, kind=each.kind, verdict="damaged", why="it is missing"))
        elif path.stat().st_size != each.size or sha256_of(path) != each.sha256:
            why = "its content is not what the manifest says"
            found.append(FileReport(path=each.path, kind=each.kind, verdict="damaged", why=why))
    return found


def compare(folder: Path, manifest: Manifest, remade: Path, again: Manifest) -> list[FileReport]:
    """A report of each file of a sound bundle, by those made again."""
    found = {each.path: each for each in again.files}
    return [_compared(each, folder, found.get(each.path), remade) for each in manifest.files]


def status_of(reports: list[FileReport]) -> Literal["same", "differs", "damaged"]:
    """Of all files: results must be the same; what describes them may differ with the versions here."""
    if any(each.verdict == "damaged" for each in reports):
        return "damaged"
    is_same = all(each.verdict in ("same bytes", "same values") for each in reports if each.kind in _RESULTS)
    return "same" if is_same else "differs"


def _compared(one: BundledFile, folder: Path, other: BundledFile | None, remade: Path) -> FileReport:
    if other is None:
        return FileReport(path=one.path, kind=one.kind, verdict="not made again", why="this machine made no such file")
    if one.sha256 == other.sha256:
        return FileReport(path=one.path, kind=one.kind, verdict="same bytes")
    try:
        why = _difference(folder / one.path, remade / one.path)
    except (HelioError, ValueError, OSError, KeyError) as error:
        why = f"it cannot be read: {str(error)[:120]}"
    verdict: FileVerdict = "differs" if why else "same values"
    return FileReport(path=one.path, kind=one.kind, verdict=verdict, why=why)


def _difference(one: Path, other: Path) -> str:
    """How the values of two files differ; empty where they do not."""
    match one.suffix:
        case ".parquet":
            return "" if values_of(one) == values_of(other) else _of_frames(pd.read_parquet(one), pd.read_parquet(other))
        case ".csv":
            return _of_frames(pd.read_csv(one, comment="#"), pd.read_csv(other, comment="#"))
        case ".png":
            return _of_pictures(one, other)
        case ".json":
            return "" if json.loads(one.read_bytes()) == json.loads(other.read_bytes()) else "its content is another"
        case ".cdf":
            return "the archive's is another now"
    return "its text is another"


def _of_frames(one: pd.DataFrame, other: pd.DataFrame) -> str:
    if list(one.columns) != list(other.columns):
        return f"its columns are {', '.join(map(str, one.columns[:8]))}, and here {', '.join(map(str, other.columns[:8]))}"
    if len(one) != len(other):
        return f"it has {len(one)} records, and here {len(other)}"
    parts = []
    for name in one.columns:
        left, right = one[name], other[name]
        is_unlike = ~((left == right) | (left.isna() & right.isna()))
        if is_unlike.any():
            parts.append(f"{name} in {int(is_unlike.sum())} of {len(one)} records{_largest(left, right)}")
    return "; ".join(parts[:4])


def _largest(left: Any, right: Any) -> str:
    if left.dtype.kind not in "fiu" or right.dtype.kind not in "fiu":
        return ""
    return f", by up to {float(np.nanmax(np.abs(left.to_numpy(float) - right.to_numpy(float)))):.3g}"


def _of_pictures(one: Path, other: Path) -> str:
    from PIL import Image

    with Image.open(one) as left, Image.open(other) as right:
        if left.size != right.size:
            return f"it has {left.size[0]} x {left.size[1]} pixels, and here {right.size[0]} x {right.size[1]}"
        unlike = (np.asarray(left.convert("RGBA")) != np.asarray(right.convert("RGBA"))).any(axis=-1)
    return f"{unlike.mean():.2%} of its pixels" if unlike.any() else ""
