"""What a HAPI server says of a parameter, in our words: labels, units, fills, bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.hapi.messages import Bins, Parameter, flat, printable
from helio_dagster.domain.axes import spacing_of
from helio_dagster.domain.table import BinAxis
from helio_dagster.domain.units import normalize_unit

"""Values a record with numeric bins has at least to be a spectrogram."""


def masked_columns(values: NDArray[Any], parameter: Parameter) -> list[NDArray[Any]]:
    """Contiguous columns of an array, fills NaN; the dtype follows from the definition alone.

    Parameters
    ----------
    values
        Shape (record, value).
    parameter
        Its definition, with the fill value.

    Returns
    -------
    list
        One for each value, shape (record,): int32 for an integer without a fill value, else float64.

    Raises
    ------
    ValueError
        A value is infinite.
    """
    try:
        fill = float(parameter.fill) if parameter.fill is not None else np.nan
    except ValueError:
        fill = np.nan
    if parameter.type == "integer" and np.isnan(fill):
        return list(np.array(values.T, dtype="int32", order="C"))
    columns = np.array(values.T, dtype="float64", order="C")
    if not np.isnan(fill):
        with np.errstate(over="ignore"):
            single = np.float64(np.float32(fill))  # what is left of -1e31 where the archive's own values are singles
        columns[(columns == fill) | (columns == single)] = np.nan
    if np.isinf(columns).any():
        raise ValueError(f"{printable(parameter.name)} has an infinite value, which is neither a number nor its fill value")
    return list(columns)


def bin_axis(bins: Bins, width: int) -> BinAxis:
    """The axis of a spectrogram: centers, else the middles of its ranges; without `centers` it varies by record."""
    label, unit = first_text(bins.label) or printable(bins.name), normalize_unit(first_text(bins.units))
    if isinstance(bins.centers, str):
        return BinAxis(label=label, unit=unit)
    centers = [np.nan if center is None else center for center in bins.centers or []]
    if not np.isfinite(centers).any() and isinstance(bins.ranges, list):
        centers = [_middle(each) for each in bins.ranges]
    if len(centers) != width or not np.isfinite(centers).any():
        return BinAxis(label="channel", centers=tuple(float(place + 1) for place in range(width)))
    return BinAxis(label=label, unit=unit, scale=spacing_of(centers), centers=tuple(float(center) for center in centers))


def bins_fault(bins: Bins, width: int) -> str:
    """Why the bins that a server gives are not those of a record's values; empty where they may be, or where it gives none."""
    given = bins.centers if bins.centers else bins.ranges
    if not isinstance(given, list) or len(given) in (0, width):
        return ""
    return f"the server gives {len(given)} bins for {width} values: they are numbered instead"


def _middle(edges: Sequence[float | None] | None) -> float:
    known = [edge for edge in edges or [] if edge is not None]
    return float(np.mean(known)) if len(known) == 2 else np.nan


def label_of(parameter: Parameter) -> str:
    """The label of a whole parameter; its name where it has none."""
    given = parameter.label if isinstance(parameter.label, str) else first_text(parameter.label) if parameter.width == 1 else ""
    return printable(given) or printable(parameter.name)


def units_of(parameter: Parameter) -> list[str]:
    """Normalized unit of each value of a record."""
    given = [normalize_unit(text if isinstance(text, str) else "") for text in flat(parameter.units)]
    if len(given) == parameter.width:
        return given
    return [given[0] if len(set(given)) == 1 else ""] * parameter.width


def unit_of(parameter: Parameter) -> str:
    """The unit that all values of a record have; empty where they have several."""
    units = set(units_of(parameter))
    return units.pop() if len(units) == 1 else ""


def first_text(value: Any) -> str:
    """The first text of a text or a list."""
    return next((printable(text) for text in flat(value) if isinstance(text, str)), "")
