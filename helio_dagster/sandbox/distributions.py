"""Records over several axes as a step's code gets them: arrays by name, without pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass
class Axis:
    """One axis of the records.

    `centers` and `widths` have the shape (record, bin), or (1, bin) where they are the same for all records; NaN where a bin
    has no place, and where nothing says how wide it is. `labels` name bins that have no numbers.
    """

    name: str
    label: str
    unit: str
    scale: str
    centers: NDArray[np.float64]
    widths: NDArray[np.float64]
    labels: list[str] = field(default_factory=list)


@dataclass
class Distribution:
    """Values over time and several axes: `values[record, …]`, NaN where none is valid, one axis after the other.

    `time` is the index that a result over the same records has.
    """

    time: pd.DatetimeIndex
    values: NDArray[Any]
    axes: dict[str, Axis]
    unit: str
    label: str
    frame: str | None
    attrs: dict[str, Any]


def distribution_of(
    columns: Mapping[str, NDArray[Any]], time: pd.DatetimeIndex, attrs: Mapping[str, Any], axes: Sequence[Mapping[str, Any]]
) -> Distribution:
    """The records of an input whose metadata describe axes.

    Parameters
    ----------
    columns
        The values, shape (record, value), then what varies of the axes, shape (record, bin).
    time
        Of the records.
    attrs
        What the input's `attrs` say, plain values.
    axes
        The axes as its metadata have them.
    """
    values = next(iter(columns.values())).reshape(len(time), *(int(each["size"]) for each in axes))
    found = {each["name"]: _axis(each, columns) for each in axes}
    kept = {name: each for name, each in attrs.items() if name != "helio"}
    return Distribution(time, values, found, attrs.get("unit", ""), attrs.get("label", ""), attrs.get("frame"), kept)


def _axis(about: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> Axis:
    size = int(about["size"])

    def numbers(fixed: str, varying: str) -> NDArray[np.float64]:
        if about.get(varying) is not None:
            return columns[about[varying]].astype(np.float64)
        given = about.get(fixed) or [np.nan] * size
        return np.array([given], dtype=np.float64)

    return Axis(
        about["name"],
        about.get("label", ""),
        about.get("unit", ""),
        about.get("scale", "linear"),
        numbers("values", "column"),
        numbers("widths", "width_column"),
        list(about.get("labels", ())),
    )
