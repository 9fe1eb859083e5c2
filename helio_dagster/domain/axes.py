"""The axes of a record that has more than one: the numbers along each, fixed or record by record, and how wide bins are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

Floats = NDArray[np.float64]
SMALLEST_SPECTROGRAM = 5
"""Values of a record from which on they may be a spectrum, and not a few columns."""
_ANGLE = re.compile(r"pitch|phi|azimuth|theta|elevation|latitude|longitude", re.IGNORECASE)


class RecordAxis(BaseModel):
    """One axis of a record with several.

    `name` is unlike that of the table's other axes and columns of data. `values` holds the center of each of the `size` bins
    where they are the same for all records, NaN where one has no place; it is empty where the axis varies, and `column` names
    the companion column of role `bin`, shape (record, size), that holds them. `widths` and `width_column` (of role `width`)
    say in the same way how wide the bins are; where neither does, the edges lie midway between centers, geometrically on
    an axis of scale `log`. `labels` say what the bins are of an axis without numbers, whose `values` count from 1.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")

    name: str
    size: int
    label: str = ""
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"
    values: tuple[float, ...] = ()
    column: str | None = None
    widths: tuple[float, ...] = ()
    width_column: str | None = None
    labels: tuple[str, ...] = Field(default=(), exclude_if=lambda labels: not labels)  # no other axis's version has them

    @property
    def is_fixed(self) -> bool:
        """Whether one set of centers serves all records."""
        return self.column is None

    @property
    def companions(self) -> tuple[str, ...]:
        """Names of the columns that hold its centers and widths where they vary, in the order that they have in a table."""
        return tuple(name for name in (self.column, self.width_column) if name is not None)


def unit_of_axis(unit: str, name: str, label: str, centers: Iterable[float]) -> str:
    """The unit of an axis; degrees where none is given of an angle whose centers cannot be radians, as in files of HOPE."""
    if unit or not _ANGLE.search(f"{name} {label}"):
        return unit
    return "deg" if 2 * math.pi < max((abs(each) for each in centers if math.isfinite(each)), default=0.0) <= 360 else ""


def spacing_of(centers: Iterable[float]) -> Literal["linear", "log"]:
    """`log` where centers grow by a factor rather than by a step, of data that do not say."""
    known = np.array([center for center in centers if math.isfinite(center)])
    if len(known) < SMALLEST_SPECTROGRAM or (known <= 0).any() or known.max() < 10 * known.min():
        return "linear"
    steps, factors = np.diff(known), np.diff(np.log(known))
    return "log" if np.std(factors) / abs(np.mean(factors)) < np.std(steps) / abs(np.mean(steps)) else "linear"


def axis_mismatch(one: tuple[RecordAxis, ...], other: tuple[RecordAxis, ...]) -> str:
    """In what the axes of two tables differ so that they are not one series, in words; empty where in nothing."""
    if [axis.size for axis in one] != [axis.size for axis in other]:
        sizes = (" x ".join(str(axis.size) for axis in axes) or "1" for axes in (one, other))
        return f"shape of a record ({', '.join(sizes)})"
    for left, right in zip(one, other, strict=True):
        if (left.name, left.unit, left.companions) != (right.name, right.unit, right.companions):
            return f"axes ({left.name} in {left.unit or '1'}, {right.name} in {right.unit or '1'})"
        for mine, others in ((left.values, right.values), (left.widths, right.widths)):
            if not np.array_equal(np.array(mine), np.array(others), equal_nan=True):
                return f"bins of the axis {left.name}"
    return ""


def widths_between(centers: Floats, *, is_log: bool) -> Floats:
    """How wide bins are whose edges are midway between their centers.

    Parameters
    ----------
    centers
        Shape (..., bin), in any order along the last axis; NaN where a bin has no place. It is skipped, and its width is NaN.
    is_log
        Take geometric means as the edges, where all centers of a row are positive.

    Returns
    -------
    ndarray
        Positive widths, shape of `centers`. The outer bins reach as far outwards as inwards; a single bin has no width, NaN.
    """
    rows = centers.reshape(-1, centers.shape[-1])
    return np.stack([_row_widths(row, is_log=is_log) for row in rows]).reshape(centers.shape) if len(rows) else centers.copy()


def _row_widths(centers: Floats, *, is_log: bool) -> Floats:
    found = np.full(len(centers), np.nan)
    order = np.argsort(centers, kind="stable")
    order = order[np.isfinite(centers[order])]
    sorted_centers = centers[order]
    if len(order) < 2:
        return found
    use_log = is_log and bool((sorted_centers > 0).all())
    places = np.log(sorted_centers) if use_log else sorted_centers
    middles = (places[1:] + places[:-1]) / 2
    edges = np.concatenate([[2 * places[0] - middles[0]], middles, [2 * places[-1] - middles[-1]]])
    found[order] = np.diff(np.exp(edges) if use_log else edges)
    return found
