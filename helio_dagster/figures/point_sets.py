"""The points of a panel: pairs or triples of values with their times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.table import ColumnMeta, Scale, Table, TableMeta
from helio_dagster.figures import look
from helio_dagster.figures.axis_curves import AxisWords
from helio_dagster.figures.colors import channel_colors
from helio_dagster.figures.markup import capitalized, unit_codes_removed
from helio_dagster.figures.whole_labels import whole_labels

_COMPONENTS = frozenset("xyzrtnlmnijk")
_NUMBERED = frozenset("123")
_PAIR, _TRIPLE = 2, 3
TIME_COLORS = 24
"""Into how many colours a path is divided that is coloured by time."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PointSet:
    """The points of one trace.

    Parameters
    ----------
    path, reference
        Its trace in the pipeline, and the step.
    x, y, z
        float64, shape (point,); z is what colours them, None for pairs.
    time_ms
        float64, shape (point,), milliseconds since 1970-01-01 UTC.
    words
        Title and unit of each of x, y and z.
    is_path
        Whether the points are joined in order of time, with start and stop marked.
    is_by_time
        Whether the line's colour goes with time: that of one path alone to which the pipeline gives no colour.
    """

    path: str
    reference: str
    label: str
    x: Floats
    y: Floats
    z: Floats | None
    time_ms: Floats
    words: tuple[AxisWords, ...]
    is_path: bool
    color: str
    width: float
    is_by_time: bool = False

    @property
    def end_colors(self) -> tuple[str, str]:
        """Colours of start and stop."""
        colors = channel_colors(TIME_COLORS) if self.is_by_time else [self.color]
        return colors[0], colors[-1]

    def is_shown(self, x_scale: Scale, y_scale: Scale) -> NDArray[np.bool_]:
        """Which points the axes can show; bool, shape (point,)."""
        shown: NDArray[np.bool_] = np.isfinite(self.x) & np.isfinite(self.y)
        if x_scale == "log":
            shown &= self.x > 0
        if y_scale == "log":
            shown &= self.y > 0
        return shown

    def left_out(self, x_scale: Scale, y_scale: Scale) -> int:
        """How many points logarithmic axes cannot show."""
        return int((np.isfinite(self.x) & np.isfinite(self.y)).sum() - self.is_shown(x_scale, y_scale).sum())


def points_of_panel(
    traces: Sequence[tuple[int, Trace]], tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> tuple[PointSet, ...]:
    """The points of each trace, with labels and colours that tell them apart.

    Raises
    ------
    FigureError
        A column holds text.
    """
    found: list[PointSet] = []
    given = {trace.color for _, trace in traces}
    free = [color for color in look.COLORWAY if color not in given] or list(look.COLORWAY)
    labels = whole_labels([trace for _, trace in traces], tables, spacecraft)
    for (index, trace), label in zip(traces, labels, strict=True):
        table, where = tables[trace.data], f"{path}.traces[{index}]"
        columns = data_columns(table.meta)
        if len(columns) < _PAIR:  # nothing is known of the table
            columns = [ColumnMeta(name="")] * _PAIR
            values = [np.empty(0)] * _PAIR
        else:
            values = [_numbers(table, column, trace, where) for column in columns]
        is_path = trace.draw == "line" or (trace.draw is None and is_hodogram(table.meta))
        found.append(
            PointSet(
                path=where,
                reference=trace.data,
                label=label,
                x=values[0],
                y=values[1],
                z=values[2] if len(values) == _TRIPLE else None,
                time_ms=table.time.astype("datetime64[ns]").astype(np.int64) / 1e6,
                words=tuple(_words(column, table.meta) for column in columns),
                is_path=is_path,
                is_by_time=is_path and len(traces) == 1 and trace.color is None and len(values) < _TRIPLE,
                color=trace.color or free[len(found) % len(free)],
                width=trace.width or 1.3,
            )
        )
    return tuple(found)


def check_points(trace: Trace, meta: TableMeta, where: str) -> None:
    """Refuse what is not pairs or triples, or asked for in part; raises FigureError."""
    count = len(data_columns(meta))
    if meta.columns and count not in (_PAIR, _TRIPLE):
        raise FigureError(
            f"{trace.data} has {count} columns of values, and points are pairs or triples",
            where=f"{where}.data",
            hint="Give the value along x, the one along y, and if you like a third that colours them.",
        )
    if trace.component is not None:
        hint = "Remove `component`; to draw one column over time, refer to the step that the points are made of."
        raise FigureError(f"the points of {trace.data} are drawn whole", where=f"{where}.component", hint=hint)
    if trace.draw == "spectrogram":
        raise FigureError(f"{trace.data} is not a spectrogram", where=f"{where}.draw", hint="Write `points` or `line`.")


def check_colors(traces: Sequence[tuple[int, Trace]], metas: Mapping[str, TableMeta], path: str) -> None:
    """Refuse points that are coloured by values of different units in one panel; raises FigureError."""
    colored = [(index, trace) for index, trace in traces if len(data_columns(metas[trace.data])) == _TRIPLE]
    for index, trace in colored[1:]:
        first, own = (_words(data_columns(metas[each.data])[2], metas[each.data]).unit for each in (colored[0][1], trace))
        if own != first:
            raise FigureError(
                f"{trace.data} is coloured by {own or 'a pure number'}, {colored[0][1].data} by {first or 'a pure number'}",
                where=f"{path}.traces[{index}].data",
                hint=f"Put {trace.data} into a separate panel.",
            )


def data_columns(meta: TableMeta) -> list[ColumnMeta]:
    """The columns that hold values."""
    return [column for column in meta.columns if column.role == "data"]


def is_hodogram(meta: TableMeta) -> bool:
    """Whether the points are two components of one vector: of one unit, their names alike but for the component's letter."""
    columns = data_columns(meta)[:2]
    if len(columns) < _PAIR:
        return False
    units = {column.unit or meta.unit for column in columns}
    if len(units) > 1:
        return False
    letters = _NUMBERED | _COMPONENTS if meta.frame else _COMPONENTS
    one, other = ((column.label or column.name).lower() for column in columns)
    return _differ_by_letter(one, other, letters)


def _differ_by_letter(one: str, other: str, letters: frozenset[str]) -> bool:
    if len(one) != len(other):
        return False
    pairs = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return len(pairs) == 1 and set(pairs[0]) <= letters


def _words(column: ColumnMeta, meta: TableMeta) -> AxisWords:
    return AxisWords(unit_codes_removed(column.label or column.name), column.unit or meta.unit)


def axis_words_of(sets: Sequence[PointSet], place: int, panel: Panel) -> AxisWords:
    """Title and unit of the axis along x (0) or y (1): the panel's title, else by the data; no unit where they differ."""
    words = [each.words[place] for each in sets if each.words[place].title or each.words[place].unit]
    units = {each.unit for each in words}
    titles = list(dict.fromkeys(each.title for each in words))
    given = (panel.x, panel.y)[place].title
    by_data = ", ".join(titles[:3]) + (" …" if len(titles) > 3 else "")
    title = given if given is not None else capitalized(by_data)
    return AxisWords(title, units.pop() if len(units) == 1 else "")


def _numbers(table: Table, column: ColumnMeta, trace: Trace, where: str) -> Floats:
    values = table.columns[column.name]
    if values.dtype.kind not in "fiub":
        hint = "Give numbers in both columns."
        raise FigureError(f"the column {column.name} of {trace.data} holds no numbers", where=f"{where}.data", hint=hint)
    return values.astype(np.float64)
