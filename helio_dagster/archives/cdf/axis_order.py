"""Which variable stands along which axis of a record, where `DEPEND_1`, `DEPEND_2`… of a file contradict their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from helio_dagster.archives.cdf.raw import RawFile, RawVariable

_MOST_AXES = 5


def ordered_axes(file: RawFile, variable: RawVariable) -> tuple[list[RawVariable | None], list[str]]:
    """The variables along the axes of a record, None where the file has no such variable, and what is wrong with them.

    Where the lengths prove that variables are named for one another's axes, each is given to the axis that it fits: all are
    there, and only one order fits. In any other case the order is the file's.
    """
    named = [variable.text(f"DEPEND_{axis}") for axis in variable.axes]
    given = [file.variable(name) if name in file.names else None for name in named]
    lengths = [_length(file, axis) if axis is not None else None for axis in given]
    shape = list(variable.shape)
    if all(length in (None, size) for length, size in zip(lengths, shape, strict=True)):
        return given, []
    if None not in lengths and len(shape) <= _MOST_AXES:
        fitting = [order for order in permutations(range(len(shape))) if [lengths[place] for place in order] == shape]
        if len(fitting) == 1:
            return [given[place] for place in fitting[0]], [_exchanged(variable, named, lengths)]
    return given, [
        f"DEPEND_{number} names {name}, which has {length} values for {size} along that axis of {variable.name}: "
        "its places are numbered instead"
        for number, name, length, size in zip(variable.axes, named, lengths, shape, strict=True)
        if length not in (None, size)
    ]


def _exchanged(variable: RawVariable, named: Sequence[str], lengths: Sequence[int | None]) -> str:
    numbers = " and ".join(f"DEPEND_{number}" for number in variable.axes)
    found = ", ".join(f"{name} with {length}" for name, length in zip(named, lengths, strict=True))
    shape = " x ".join(map(str, variable.shape))
    said = f"{numbers} of {variable.name} are exchanged: they name {found} values for records of {shape}"
    return f"{said}; each is read along its own"


def _length(file: RawFile, axis: RawVariable) -> int | None:
    """How many values stand along an axis; None where the variable does not say, as where the archive computes it."""
    if axis.type == "text":
        return len(file.texts(axis.name)) or None
    if axis.type != "number" or len(axis.shape) > 1 or (axis.text("FUNCT") and not axis.records):
        return None
    return axis.width
