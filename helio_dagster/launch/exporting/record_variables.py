"""Which variables data with several axes become in a file of arrays: all values, and bins, widths and labels of each axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from helio_dagster.domain.axes import RecordAxis
from helio_dagster.launch.exporting.records import Survey, range_of
from helio_dagster.launch.exporting.variable import Variable


def record_variables(survey: Survey, give: Callable[[str], str], name: str) -> Iterator[Variable]:
    """The data over their axes, which are coordinates, and how far bins reach to either side of their centers.

    Parameters
    ----------
    survey
        What is known of all records.
    give
        Gives a name that every format accepts, once.
    name
        What the quantity is called.
    """
    meta = survey.meta
    column = next(column for column in meta.columns if column.role == "data")
    main = give(name)
    named = [give(axis.name) for axis in meta.axes]
    labels = [give(f"{own}_labels") if axis.labels else "" for axis, own in zip(meta.axes, named, strict=True)]
    yield Variable(
        main,
        "data",
        (column.name,),
        survey.dtypes.get(column.name, np.dtype("float64")),
        meta.shape,
        tuple(named),
        tuple(labels) if any(labels) else (),
        label=meta.label or name,
        unit=column.unit or meta.unit,
        scale=meta.scale,
        range=survey.ranges.get(column.name),
    )
    for axis, own in zip(meta.axes, named, strict=True):
        yield from _axis_variables(survey, axis, own, give)
    for axis, along, own in zip(meta.axes, named, labels, strict=True):
        if own:
            yield replace(label_variable(axis.labels, own, axis.label or axis.name), axes=(along,))


def _axis_variables(survey: Survey, axis: RecordAxis, name: str, give: Callable[[str], str]) -> Iterator[Variable]:
    common = Variable(name, "axis", shape=(axis.size,), label=axis.label or axis.name, unit=axis.unit, scale=axis.scale)
    half = replace(common, use="companion", axes=(name,), factor=0.5, label=f"half width of {common.label}", scale="linear")
    has_widths = bool(axis.widths) or axis.width_column is not None
    half = replace(half, name=give(f"{name}_delta")) if has_widths else half
    bins = _of(survey, common, axis.values, axis.column)
    yield replace(bins, uncertainty=half.name) if has_widths else bins
    if has_widths:
        yield _of(survey, half, axis.widths, axis.width_column)


def label_variable(texts: Sequence[str], name: str, what: str) -> Variable:
    """The variable that holds the names of the places along an axis: components, channels."""
    values = np.array([text.encode() for text in texts], dtype="S")
    return Variable(name, "label", (), values.dtype, (len(texts),), label=what, values=values)


def _of(survey: Survey, variable: Variable, fixed: tuple[float, ...], column: str | None) -> Variable:
    """A variable of what is the same for all records, or of a column."""
    if column is None:
        values = np.array(fixed, dtype="float64") * variable.factor
        return replace(variable, values=values, range=range_of(values))
    low, high = survey.ranges.get(column, (np.nan, np.nan))
    known = (low * variable.factor, high * variable.factor) if np.isfinite(low) else None
    dtype = survey.dtypes.get(column, np.dtype("float64"))
    return replace(variable, columns=(column,), dtype=dtype, range=known)
