"""Records over several axes as a step's code gets them, and as it returns them: arrays by name, without pandas."""

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


def over_axes(values: Any, time: Any, axes: Mapping[str, Any]) -> Distribution:
    """Records over axes, for a step's code to return.

    Parameters
    ----------
    values
        Real numbers, shape (record, *axes), NaN where none is valid.
    time
        The time of each record: the `time` of a distribution or the index of a DataFrame.
    axes
        Name of each axis, in order, to an axis of an input; to its centers, shape (bin,) or (record, bin); or to a mapping of
        `centers` or `labels`, and of `widths`, `unit`, `label` and `scale` where they are known.

    Raises
    ------
    TypeError, ValueError
        Shapes do not fit together, or an axis is described by something else; the text says what to give.
    """
    array, index = np.asarray(values), pd.DatetimeIndex(time)
    if array.ndim != 1 + len(axes) or not axes or len(array) != len(index):
        wanted = ", ".join(("record", *axes))
        raise ValueError(f"values have the shape {array.shape}, not ({wanted}) with {len(index)} records and an axis or more")
    made = {}
    for place, (name, about) in enumerate(axes.items(), start=1):
        made[name] = _stated_axis(str(name), about, records=len(array), size=array.shape[place])
    return Distribution(index, array, made, "", "", None, {})


_STATED = ("centers", "widths", "unit", "label", "scale", "labels")


def _stated_axis(name: str, about: Any, *, records: int, size: int) -> Axis:
    if isinstance(about, Axis):
        given = {each: getattr(about, each) for each in _STATED}
    elif isinstance(about, Mapping):
        given = dict(about)
    else:
        given = {"centers": about}
    for each in given.keys() - _STATED:
        raise ValueError(f"the axis {name!r} has no {each!r}: give {', '.join(_STATED)}")
    labels = [str(label) for label in given.get("labels") or ()]
    if labels and len(labels) != size:
        raise ValueError(f"the axis {name!r} has {size} bins and {len(labels)} labels")
    if given.get("centers") is None and not labels:
        raise ValueError(f"the axis {name!r} has neither centers nor labels")
    counted = np.arange(1, size + 1, dtype=np.float64)
    centers = _along(name, "centers", counted if labels else given["centers"], records=records, size=size)
    widths = given.get("widths")
    return Axis(
        name,
        str(given.get("label") or name),
        str(given.get("unit") or ""),
        str(given.get("scale") or "linear"),
        centers,
        _along(name, "widths", np.full(size, np.nan) if widths is None else widths, records=records, size=size),
        labels,
    )


def _along(name: str, what: str, given: Any, *, records: int, size: int) -> NDArray[np.float64]:
    numbers = np.asarray(given, dtype=np.float64)
    numbers = numbers[np.newaxis] if numbers.ndim == 1 else numbers
    if numbers.shape not in ((1, size), (records, size)):
        raise ValueError(
            f"{what} of the axis {name!r} have the shape {np.shape(given)}, and the values {size} bins in {records} records"
        )
    return numbers
