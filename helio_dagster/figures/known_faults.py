"""What a figure will refuse, as far as the pipeline and the catalog tell: `helio check` reports it before anything runs.

The rules are those that drawing itself applies, given metadata in place of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Axis, Figure, Panel, Trace
from helio_dagster.domain.meta_check import StepFault
from helio_dagster.domain.table import Scale, TableMeta
from helio_dagster.domain.yaml.document import parse_path
from helio_dagster.figures.axis_curves import axis_scale
from helio_dagster.figures.axis_rows import check_axis_row
from helio_dagster.figures.colors import check_color
from helio_dagster.figures.curve_columns import drawn_columns
from helio_dagster.figures.cuts import as_curves
from helio_dagster.figures.events import check_events
from helio_dagster.figures.fits import chosen_facts
from helio_dagster.figures.forms import Form, is_event_trace
from helio_dagster.figures.given_ends import log_ends
from helio_dagster.figures.lines import check_units
from helio_dagster.figures.panel_marks import check_marks
from helio_dagster.figures.panels import bin_scale, check_single_image, is_image
from helio_dagster.figures.rows import check_form
from helio_dagster.figures.shared_colors import check_shared
from helio_dagster.figures.slope_marks import check_slope_scales


def find_figure_faults(figure: Figure, metas: Mapping[str, TableMeta]) -> Iterator[StepFault]:
    """What cannot be drawn: colours, components, ways to draw, kinds that share a panel, ranges on axes that are logarithmic.

    Parameters
    ----------
    figure
        A figure step.
    metas
        Metadata by the references that its traces and its events use; those without columns are unknown, and no rule applies
        to them.
    """
    for row, panel in enumerate(figure.panels):
        path = f"figure.panels[{row}]"
        for index, trace in enumerate(panel.traces):
            if trace.color is not None:
                yield from _faults(check_color, trace.color, f"{path}.traces[{index}].color")
        for fault in _panel_faults(panel, metas, path):
            yield StepFault(fault.path, fault.problem, fault.hint, fault.is_note, is_of_numbers=True)
    if figure.color_bar == "shared":
        yield from _faults(check_shared, _images(figure, metas))
    for index, below in enumerate(figure.below):
        if below.data in metas and metas[below.data].columns:
            yield from _faults(check_axis_row, below, metas[below.data], f"figure.below[{index}]")
    if figure.events is not None and figure.events in metas:
        for fault in _faults(check_events, metas[figure.events], figure.events):
            yield StepFault(fault.path, fault.problem, fault.hint, is_of_numbers=True)


def _images(figure: Figure, metas: Mapping[str, TableMeta]) -> list[tuple[str, str]]:
    """Path and unit of each panel's spectrogram, as far as known."""
    found = []
    for row, panel in enumerate(figure.panels):
        for index, trace in enumerate(panel.traces):
            where, meta = f"figure.panels[{row}]", metas[trace.data]
            is_plain = panel.cut is None and not any((panel.orbit, panel.polar, panel.calendar))
            with suppress(FigureError):  # reported as a fault of its panel
                if is_plain and meta.columns and is_image(trace, meta, f"{where}.traces[{index}]"):
                    found.append((where, meta.unit))
    return found


def _panel_faults(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> Iterator[StepFault]:
    of_form = list(_faults(check_form, panel, metas, path))
    yield from of_form
    if of_form:
        return
    panel, metas = as_curves(panel, metas, path)
    form = check_form(panel, metas, path)
    if all(metas[trace.data].columns for trace in panel.traces):
        yield from _faults(check_marks, panel, form, path)
    yield from _slope_faults(panel, form, metas, path)
    known = [(index, trace, metas[trace.data]) for index, trace in enumerate(panel.traces) if metas[trace.data].columns]
    if form == "time":
        yield from _time_faults(panel, known, path)
        return
    for index, trace, meta in known:
        where = f"{path}.traces[{index}]"
        if meta.kind == "facts":
            yield from _faults(chosen_facts, trace, meta, where)
        elif form == "curve":
            yield from _faults(_check_lines, trace, meta, where)
    if len(known) == len(panel.traces):
        own = [meta for _, _, meta in known if meta.kind != "facts"]
        is_log = bool(own) and all(meta.scale == "log" for meta in own)
        if form == "map":
            yield from _map_log_faults(panel, own[0], path)
            return
        is_x_log = is_log if form == "points" else form == "curve" and axis_scale(own) == "log"
        yield from _log_faults(panel.x, f"{path}.x.range", is_log=is_x_log)
        yield from _log_faults(panel.y, f"{path}.y.range", is_log=is_log)


def _slope_faults(panel: Panel, form: Form, metas: Mapping[str, TableMeta], path: str) -> Iterator[StepFault]:
    """Slopes on one logarithmic axis and a linear one, as far as the panel and the data say their scales."""
    given = [metas[trace.data] for trace in panel.traces]
    own = [meta for meta in given if meta.kind != "facts"]
    scales: tuple[Scale | None, Scale | None] = (None, None)
    if own and form in ("curve", "points") and all(meta.columns for meta in given):
        scales = _curve_scales(own, given) if form == "curve" else (_scale_of_all(own), _scale_of_all(own))
    x_scale, y_scale = panel.x.scale or scales[0], panel.y.scale or scales[1]
    for index, mark in enumerate(panel.marks):
        if mark.slope is not None and form in ("curve", "points"):
            yield from _faults(check_slope_scales, (x_scale, y_scale), f"{path}.marks[{index}].slope")


def _scale_of_all(metas: Sequence[TableMeta]) -> Scale:
    return "log" if all(meta.scale == "log" for meta in metas) else "linear"


def _curve_scales(own: Sequence[TableMeta], given: Sequence[TableMeta]) -> tuple[Scale | None, Scale | None]:
    """Scales of both axes of curves; None where only the numbers tell."""
    is_fitted = any(meta.kind == "facts" and meta.scale == "log" for meta in given)
    x_scale, y_scale = axis_scale(own), _scale_of_all(own)
    are_alike = len({meta.scale for meta in own}) == 1
    return (
        None if is_fitted and x_scale == "linear" else x_scale,
        y_scale if are_alike and not (is_fitted and y_scale == "linear") else None,
    )


def _time_faults(panel: Panel, known: Sequence[tuple[int, Trace, TableMeta]], path: str) -> Iterator[StepFault]:
    images: list[TableMeta] = []
    units: dict[str, None] = {}
    drawn = [(index, trace, meta) for index, trace, meta in known if not is_event_trace(trace, meta)]
    for index, trace, meta in drawn:
        where = f"{path}.traces[{index}]"
        faults = list(_faults(_check_trace, trace, meta, where))
        yield from faults
        if not faults and not is_image(trace, meta, where):
            columns = drawn_columns(trace, [column for column in meta.columns if column.role == "data"], meta, where)
            units |= {unit: None for column in columns if (unit := column.unit or meta.unit)}
        if not faults and is_image(trace, meta, where):
            yield from _faults(partial(check_single_image, has_one=bool(images)), where)
            images.append(meta)
    if not images:
        yield from _faults(check_units, list(units), path)
    if len(known) == len(panel.traces) and drawn:
        yield from _range_faults(panel, [meta for _, _, meta in drawn], images, path)


def _check_trace(trace: Trace, meta: TableMeta, where: str) -> None:
    if not is_image(trace, meta, where):
        _check_lines(trace, meta, where)


def _check_lines(trace: Trace, meta: TableMeta, where: str) -> None:
    drawn_columns(trace, list(meta.value_columns), meta, where)


def _range_faults(panel: Panel, metas: list[TableMeta], images: list[TableMeta], path: str) -> Iterator[StepFault]:
    """Ranges at or below zero on axes whose scale the panel leaves to the data."""
    bins = images[0].bins if images else None
    if images:
        is_log = bins is not None and bins.is_fixed and bin_scale(bins, []) == "log"
    else:
        is_log = all(meta.scale == "log" for meta in metas)
    yield from _log_faults(panel.y, f"{path}.y.range", is_log=is_log)
    if panel.z.range is not None and panel.z.scale is None and images:
        for fault in _faults(log_ends, panel.z.range, f"{path}.z.range"):
            is_named_in = images[0].scale == "log"
            problem = (
                fault.problem if is_named_in else f"{fault.problem}, and without negative values the colours are logarithmic"
            )
            yield StepFault(fault.path, problem, fault.hint, is_note=not is_named_in)


def _map_log_faults(panel: Panel, meta: TableMeta, path: str) -> Iterator[StepFault]:
    """Ranges at or below zero on the axes of a map that are logarithmic by its data."""
    for axis, name, bins in ((panel.x, "x", meta.first_axis), (panel.y, "y", meta.bins)):
        yield from _log_faults(axis, f"{path}.{name}.range", is_log=bins is not None and bins.scale == "log")
    yield from _log_faults(panel.z, f"{path}.z.range", is_log=meta.scale == "log")


def _log_faults(axis: Axis, where: str, *, is_log: bool) -> Iterator[StepFault]:
    if axis.range is not None and axis.scale is None and is_log:
        yield from _faults(log_ends, axis.range, where)


def _faults(check: Callable[..., object], *given: object) -> Iterator[StepFault]:
    """The fault that a rule of drawing raises for these arguments."""
    try:
        check(*given)
    except FigureError as error:
        yield StepFault(parse_path(error.where), error.problem, error.hint)
