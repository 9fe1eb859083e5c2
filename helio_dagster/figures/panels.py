"""From a pipeline's panel and its tables to the row it becomes: curves, image, title, scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import RANGE_HINT, Figure, Panel, Trace
from helio_dagster.domain.table import BinAxis, Scale, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.colors import check_color
from helio_dagster.figures.curves import Curve, curves_of_trace
from helio_dagster.figures.forms import is_event_trace
from helio_dagster.figures.long_table import LongTable
from helio_dagster.figures.markup import capitalized, unit_codes_removed, with_owner
from helio_dagster.figures.spreads import spread_of
from helio_dagster.figures.telling_apart import distinct_curves

_LONGEST_TABLE_LABEL = 28
_LOG_RATIO = 30.0
_GROWING_STEP = 2.0
_QUANTITY_OF_UNIT = {"eV": "Energy", "keV": "Energy", "MeV": "Energy", "eV/q": "Energy", "Hz": "Frequency", "kHz": "Frequency"}
_SHORT_QUANTITY = 1


@dataclass(frozen=True)
class Image:
    """The spectrogram of a panel: its trace and table."""

    path: str
    trace: Trace
    table: Table
    span: TimeRange

    @property
    def lowest_centers(self) -> list[float]:
        """The lowest center of each bin over all records, where they vary; NaN where there is none."""
        names = self.table.meta.bin_names
        if isinstance(self.table, LongTable):
            return self.table.lowest(names, self.span)
        return [lowest_of(self.table.columns[name]) for name in names]

    @property
    def bins(self) -> BinAxis:
        """The bin axis; an unnamed one where the table says nothing."""
        return self.table.meta.bins or BinAxis()


@dataclass(frozen=True)
class Row:
    """One panel with everything it shows; `owner` is the spacecraft that measured all of it, where there is one."""

    path: str
    panel: Panel
    curves: tuple[Curve, ...]
    image: Image | None
    owner: str = ""

    @property
    def title(self) -> str:
        """Plain title of the value axis, without unit: the panel's, else by the data."""
        if self.panel.y.title is not None:
            return self.panel.y.title
        if self.image is not None:
            return capitalized(unit_codes_removed(self.image.bins.label) or _QUANTITY_OF_UNIT.get(self.image.bins.unit, ""))
        return capitalized(with_owner(common_title(self.curves), self.owner))

    @property
    def unit(self) -> str | None:
        """Unit of the value axis; None where the curves' units differ."""
        if self.image is not None:
            return self.image.bins.unit
        units = {curve.unit for curve in self.curves}
        return units.pop() if len(units) == 1 else None

    @property
    def scale(self) -> Scale:
        """Scale of the value axis: the panel's, else by the data."""
        if self.panel.y.scale is not None:
            return self.panel.y.scale
        if self.image is not None:
            return bin_scale(self.image.bins, self.image.lowest_centers)
        if not any(curve.scale == "log" for curve in self.curves):
            return "linear" if self.curves else "log"
        return "log" if all(curve.scale == "log" or curve.has_only_positive for curve in self.curves) else "linear"


def make_row(
    panel: Panel, tables: Mapping[str, Table], path: str, span: TimeRange, spacecraft: Mapping[str, str] | None = None
) -> Row:
    """What a panel over time shows, its events aside.

    Raises
    ------
    FigureError
        A table has not the component asked for, or cannot be drawn as asked.
    """
    curves: list[Curve] = []
    image: Image | None = None
    for index, trace in enumerate(panel.traces):
        where = f"{path}.traces[{index}]"
        table = tables[trace.data]
        if is_event_trace(trace, table.meta):
            continue
        if is_image(trace, table.meta, where):
            check_single_image(where, has_one=image is not None)
            image = Image(where, trace, table, span)
        else:
            curves += curves_of_trace(trace, table, where, span, spread=spread_of(trace, table, tables, where))
    return Row(path, panel, distinct_curves(curves, spacecraft), image, owner_of(panel, spacecraft))


def owner_of(panel: Panel, spacecraft: Mapping[str, str] | None) -> str:
    """The spacecraft that measured all that a panel shows; empty where there are several, or none is known."""
    owners = {(spacecraft or {}).get(trace.data, "") for trace in panel.traces}
    return owners.pop() if len(owners) == 1 else ""


def check_figure(figure: Figure) -> None:
    """Refuse colours and axis ranges that cannot be drawn, before any data are read.

    Raises
    ------
    FigureError
        The first fault, with its path inside the step.
    """
    for row, panel in enumerate(figure.panels):
        path = f"figure.panels[{row}]"
        for index, trace in enumerate(panel.traces):
            if trace.color is not None:
                check_color(trace.color, f"{path}.traces[{index}].color")
        for name, axis in (("x", panel.x), ("y", panel.y), ("z", panel.z)):
            if axis.fault:
                raise FigureError(axis.fault, where=f"{path}.{name}.range", hint=RANGE_HINT)


def check_single_image(where: str, *, has_one: bool) -> None:
    """Refuse a spectrogram in a panel that has one already; raises FigureError."""
    if has_one:
        hint = "Put the second spectrogram into a separate panel."
        raise FigureError("a panel holds one spectrogram", where=where, hint=hint)


def is_image(trace: Trace, meta: TableMeta, where: str) -> bool:
    """Whether a trace is drawn as a spectrogram; FigureError where that is asked for and the data are not one."""
    is_spectrogram = meta.kind == "spectrogram"
    if trace.draw == "spectrogram" and not is_spectrogram:
        raise FigureError(
            f"{trace.data} is not a spectrogram",
            where=f"{where}.draw",
            hint="Leave `draw` out, or draw a parameter that has a bin axis such as energy.",
        )
    return is_spectrogram and trace.component is None and trace.draw in (None, "spectrogram")


def bin_scale(bins: BinAxis, lowest_centers: Sequence[float]) -> Scale:
    """The archive's word, or log where positive bins grow over more than a factor of thirty (many archives leave it out).

    `lowest_centers` are those of the bins over all records, where these are not fixed.
    """
    if bins.scale == "log" or (not bins.is_fixed and not lowest_centers):
        return bins.scale
    centers = np.asarray(bins.centers if bins.is_fixed else lowest_centers, dtype=np.float64)
    centers = np.unique(centers[np.isfinite(centers)])
    if len(centers) < 3 or centers[0] <= 0 or centers[-1] / centers[0] <= _LOG_RATIO:
        return "linear"
    steps = np.diff(centers)
    return "log" if steps.max() > _GROWING_STEP * steps.min() else "linear"


def lowest_of(values: NDArray[np.floating]) -> float:
    """The lowest finite value of an array of any shape, in its unit; NaN where there is none."""
    finite = values[np.isfinite(values)]
    return float(finite.min()) if len(finite) else float("nan")


def quantity_of_unit(unit: str) -> str:
    """What an axis in this unit most likely shows; empty where it may be anything."""
    return _QUANTITY_OF_UNIT.get(unit, "")


def common_title(curves: Sequence[Curve]) -> str:
    """What the curves have in common: their label, the stem of their components' labels, or their table's label."""
    labels = list(dict.fromkeys(curve.quantity for curve in curves))
    if len(labels) == 1:
        return _with_frame(labels[0], curves)
    components = [curve.quantity for curve in curves if curve.role not in (None, "total")]
    if len(components) > 1 and _shared_start(components)[-1:].strip():
        return _with_frame(_stem(components), curves)
    table_labels = {curve.table_label for curve in curves}
    if len(table_labels) == 1 and 0 < len(curves[0].table_label) <= _LONGEST_TABLE_LABEL:
        return _with_frame(curves[0].table_label, curves)
    return _stem(labels) or ", ".join(labels[:3]) + (" …" if len(labels) > 3 else "")


def _stem(labels: Sequence[str]) -> str:
    """What components' labels share at their start and stop: `B GSE` of `Bx GSE`, `By GSE`, `Bz GSE`."""
    front = _shared_start(labels)
    back = _shared_start([label[len(front) :][::-1] for label in labels])[::-1]
    return f"{front.rstrip(' _-')}{' ' if back.startswith(' ') else ''}{back.strip(' _-')}".strip()


def _shared_start(texts: Sequence[str]) -> str:
    return "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))


def _with_frame(title: str, curves: Sequence[Curve]) -> str:
    """The title with the frame of vector components, unless it already says it."""
    frames = {curve.frame for curve in curves if curve.role not in (None, "total")}
    frame = frames.pop() if len(frames) == 1 else None
    if frame is None or frame.lower() in title.lower():
        return title
    return f"{title}_{frame}" if len(title) <= _SHORT_QUANTITY else f"{title} {frame}"
