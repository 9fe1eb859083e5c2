"""What a variable's columns are called and mean: kind, names, labels, units, bin axis.

Everything here follows from the variable's definition and from variables that hold one record for the whole file, so that all
files of a dataset give the same columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from helio_dagster.archives.cdf.masking import masked_columns, valid_rule
from helio_dagster.archives.cdf.raw import SEVERAL_TEXTS, RawFile, RawVariable
from helio_dagster.archives.files.column_names import unique_names
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Scale
from helio_dagster.domain.units import normalize_unit

SMALLEST_SPECTROGRAM = 5
"""Values a record of a spectrogram has at least, where `DISPLAY_TYPE` does not say what the variable is."""


def has_numbers(axis: RawVariable | None, size: int) -> bool:
    """Whether a variable gives a number for each bin of an axis of a record."""
    return axis is not None and axis.type == "number" and axis.shape == (size,) and bool(axis.records or not axis.text("FUNCT"))


def find_kind(variable: RawVariable, axes: Sequence[RawVariable | None]) -> Kind:
    """`series` for one value a record, else `spectrogram` or `vector`: as `DISPLAY_TYPE` says, else by its first axis.

    A record of several axes, of which one at least has a number for each bin, is `nd`. Of labels alone, as a tensor has them,
    it is a `vector`.
    """
    if variable.width == 1:
        return "series"
    if len(variable.shape) != 1:
        has_bins = any(map(has_numbers, axes, variable.shape))
        return "nd" if has_bins else "vector"
    match variable.text("DISPLAY_TYPE").split(">")[0].strip().casefold():
        case "spectrogram":
            return "spectrogram"
        case "time_series" | "stack_plot":
            return "vector"
        case _:
            axis = axes[0]
            is_numeric_axis = axis is not None and axis.type == "number"
            return "spectrogram" if is_numeric_axis and variable.width >= SMALLEST_SPECTROGRAM else "vector"


def data_columns(file: RawFile, variable: RawVariable, axes: Sequence[RawVariable | None]) -> list[ColumnMeta]:
    """One column per value of a record, in the order of a flattened record, all of role `data`.

    A scalar's column has the parameter's name. The columns of one axis have the archive's labels; where it labels not all of
    them, and for more axes, the parameter's name and the place counted from 1 (`FPDU_3_12`).
    """
    label = variable.text("LABLAXIS") or variable.name
    units = units_of(file, variable)
    if variable.width == 1:
        return [ColumnMeta(name=name, label=label, unit=units[0]) for name in unique_names([variable.name])]
    given = [axis_labels(file, variable, place, axis) for place, axis in enumerate(axes)]
    numbered = ["_".join(str(place + 1) for place in index) for index in np.ndindex(*variable.shape)]
    if len(given) == 1 and given[0]:
        labels = given[0]
        names = unique_names(labels)
    else:
        per_axis = [texts or list(map(str, range(1, size + 1))) for texts, size in zip(given, variable.shape, strict=True)]
        labels = [f"{label} {', '.join(texts)}" for texts in product(*per_axis)]
        names = unique_names([f"{variable.name}_{number}" for number in numbered])
    return [ColumnMeta(name=name, label=text, unit=unit) for name, text, unit in zip(names, labels, units, strict=True)]


def bin_columns(axis: RawVariable, file: RawFile, taken: Iterable[str]) -> list[ColumnMeta]:
    """Companion columns of a bin axis that varies per record, all of role `bin`."""
    unit = units_of(file, axis)[0]
    names = unique_names([f"{axis.name}_{place + 1}" for place in range(axis.width)], taken=taken)
    return [ColumnMeta(name=name, label=axis.text("LABLAXIS") or axis.name, unit=unit, role="bin") for name in names]


def bin_axis(file: RawFile, axis: RawVariable | None, width: int) -> BinAxis:
    """The bin axis of a spectrogram.

    Without `centers` it varies per record. An axis that the file does not give as numbers, one per value, counts channels
    from 1; a center that is a fill value is NaN, and its channel has no place on the axis.
    """
    channels = BinAxis(label="channel", centers=tuple(float(place + 1) for place in range(width)))
    if axis is None or axis.type != "number" or axis.width != width or (axis.text("FUNCT") and not axis.records):
        return channels
    label, unit, scale = axis.text("LABLAXIS") or axis.name, units_of(file, axis)[0], find_scale(file, axis)
    if axis.is_varying:
        return BinAxis(label=label, unit=unit, scale=scale)
    if not axis.records:
        return channels
    values = file.numbers(axis.name)[:1].reshape(1, width)
    centers = [float(column[0]) for column in masked_columns(values, valid_rule(axis, values.dtype))]
    if not np.isfinite(centers).any():
        return channels
    return BinAxis(label=label, unit=unit, scale=scale, centers=tuple(centers))


def find_scale(file: RawFile, variable: RawVariable) -> Scale:
    """`log` where `SCALETYP`, or the variable that `SCAL_PTR` names, says so."""
    said = variable.text("SCALETYP") or next(iter(_pointed(file, variable, "SCAL_PTR")), "")
    return "log" if said.strip().casefold().startswith("log") else "linear"


def axis_labels(file: RawFile, variable: RawVariable, place: int, axis: RawVariable | None) -> list[str]:
    """The archive's labels along one axis of a record, one per value; nothing when they are not all there."""
    axis_texts = file.texts(axis.name) if axis is not None and axis.type == "text" else []
    several = variable.text("LABLAXIS").split(SEVERAL_TEXTS)
    for texts in (_pointed(file, variable, f"LABL_PTR_{variable.axes[place]}"), axis_texts, several):
        stripped = [" ".join(text.split()) for text in texts]
        if len(stripped) == variable.shape[place] and all(stripped):
            return stripped
    return []


def units_of(file: RawFile, variable: RawVariable) -> list[str]:
    """Normalized unit of each value of a record."""
    pointed = [normalize_unit(unit) for unit in _pointed(file, variable, "UNIT_PTR")]
    if variable.text("UNITS") or not pointed:
        pointed = [normalize_unit(variable.text("UNITS"))]
    return pointed if len(pointed) == variable.width else [pointed[0] if len(set(pointed)) == 1 else ""] * variable.width


def _pointed(file: RawFile, variable: RawVariable, attribute: str) -> list[str]:
    """Texts of the variable an attribute names; an archive's dangling pointer to words costs no data."""
    name = variable.text(attribute)
    if name not in file.names:
        return []
    target = file.variable(name)
    return file.texts(name) if target.type == "text" else []
