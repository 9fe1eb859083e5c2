"""What attributes of the CF and ISTP conventions say of a variable, whichever library read them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.time_units import time_units_of_attributes

_FILLS = ("_fillvalue", "missing_value", "fillvalue", "fillval", "fill_value")
_LOW, _HIGH = ("valid_min", "validmin"), ("valid_max", "validmax")
_KEPT = ("long_name", "standard_name", "coordinate_system", "tensor_frame", "lablaxis", "fieldnam", "catdesc", "axis")
_LONGEST = 200


def plain(value: Any) -> Any:
    """An attribute as text, a number, or a list of numbers; None where it is something else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace").strip()
    if isinstance(value, str):
        return value.strip()
    array = np.asarray(value)
    if array.dtype.kind in "fiu" and array.size <= 16:
        return array.reshape(-1).tolist() if array.size != 1 else array.reshape(-1)[0].item()
    if array.dtype.kind in "OSU" and array.size == 1:
        return plain(array.reshape(-1)[0]) if not isinstance(value, np.ndarray) or value.ndim else plain(value.item())
    return None


def meaning_of(attributes: Mapping[str, Any], dtype: np.dtype[Any]) -> dict[str, Any]:
    """The fields of a `Seen` that attributes decide.

    Parameters
    ----------
    attributes
        As `plain` gives them, by their names in the file.
    dtype
        Of the stored numbers, to which fill values and limits are cast before they are compared.
    """
    given = {name.casefold(): value for name, value in attributes.items() if value is not None}
    texts = {name: value for name, value in given.items() if isinstance(value, str)}
    found: dict[str, Any] = {
        "unit": texts.get("units", texts.get("unit", ""))[:_LONGEST],
        "attributes": {name: texts[name][:_LONGEST] for name in _KEPT if name in texts},
    }
    try:
        found["time_units"] = time_units_of_attributes({name: value[:_LONGEST] for name, value in texts.items()})
    except ValueError as error:
        found["time_problem"] = str(error)
    if dtype.kind not in "fiu":
        return found
    fills = {number for name in _FILLS for each in _numbers(given.get(name)) if (number := _stored(each, dtype)) is not None}
    found["fills"] = tuple(sorted(fills))
    found["scale"], found["offset"] = _one(given.get("scale_factor"), 1.0), _one(given.get("add_offset"), 0.0)
    limits = _numbers(given.get("valid_range"))
    found["low"] = limits[0] if len(limits) == 2 else next(iter(_first(given, _LOW)), None)
    found["high"] = limits[1] if len(limits) == 2 else next(iter(_first(given, _HIGH)), None)
    return found


def bins_of(name: str, centers: NDArray[np.float64], attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `Seen` that a variable along its second axis decides; none where its numbers are not in order.

    Parameters
    ----------
    name
        Of the variable.
    centers
        Its numbers, shape (bin,).
    attributes
        As `plain` gives them.
    """
    steps = np.diff(centers)
    if not np.isfinite(centers).all() or not len(steps) or not ((steps > 0).all() or (steps < 0).all()):
        return {}
    unit = next((str(value) for key, value in attributes.items() if key.casefold() in ("units", "unit")), "")
    return {"bins": tuple(centers.tolist()), "bins_name": name.rpartition("/")[2][:_LONGEST], "bins_unit": unit[:_LONGEST]}


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> list[float]:
    """The one number of the first of these attributes; none where limits differ from value to value."""
    numbers = [_numbers(given[name]) for name in names if name in given]
    return numbers[0] if numbers and len(numbers[0]) == 1 else []


def _numbers(value: Any) -> list[float]:
    each = value if isinstance(value, list) else [value]
    return [float(one) for one in each if isinstance(one, (int, float)) and math.isfinite(one)]


def _one(value: Any, default: float) -> float:
    numbers = _numbers(value)
    return numbers[0] if len(numbers) == 1 else default


def _stored(value: float, dtype: np.dtype[Any]) -> float | None:
    """A fill value as the stored numbers have it; a negative one of unsigned numbers is the same bits."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return float(np.float64(value).astype(dtype))
    if value != int(value):
        return None
    bits = 8 * dtype.itemsize
    if dtype.kind == "u" and value < 0:
        return float(int(value) % 2**bits)
    return value
