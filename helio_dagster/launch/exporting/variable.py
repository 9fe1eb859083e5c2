"""One variable of a file of arrays: what it is for, its type, shape and axes, and how its values are taken from records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Scale
from helio_dagster.launch.exporting.records import Block, Reach

Use = Literal["data", "count", "companion", "axis", "label", "stop", "id", "before", "after"]
REACHES: tuple[Reach, ...] = get_args(Reach)
"""Uses of the variables that say how far records reach."""


@dataclass(frozen=True)
class Variable:
    """One variable of a file.

    Parameters
    ----------
    name
        A name that every format accepts.
    use
        What it is for; `before` and `after` say how far records reach, in ns.
    columns
        The table's columns that it holds, several where they are its last axis; none where `values` are given, the same in all.
    dtype
        Type of its values: a float or int, `datetime64[ns]`, or a string as wide as the widest text in ASCII.
    shape
        Of one record.
    axes
        The variables that its axes stand for, one for each.
    labels
        The variables with the names of the places along its axes, one for each; empty where an axis's places have no names.
    uncertainty, lower, upper
        The variables that hold these of it; of an axis, `uncertainty` is how far its bins reach to either side.
    factor
        What a column's values are multiplied by.
    range
        Least and greatest finite value; None where there is none.
    """

    name: str
    use: Use
    columns: tuple[str, ...] = ()
    dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype("float64"))
    shape: tuple[int, ...] = ()
    axes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    unit: str = ""
    scale: Scale = "linear"
    uncertainty: str = ""
    lower: str = ""
    upper: str = ""
    factor: float = 1.0
    range: tuple[float, float] | None = None
    values: NDArray[Any] | None = None

    @property
    def varies(self) -> bool:
        """Whether each record has a value of its own."""
        return self.values is None

    def take(self, block: Block) -> NDArray[Any]:
        """Its values in a block, shape (record, *shape)."""
        if self.use == "before" or self.use == "after":
            return block.reaches_ns(self.use)
        if len(self.columns) > 1:
            return np.stack([block.columns[name] for name in self.columns], axis=-1)
        found = block.columns[self.columns[0]]
        found = found * found.dtype.type(self.factor) if self.factor != 1 else found
        return found if self.shape or found.ndim == 1 else found.reshape(len(block))
