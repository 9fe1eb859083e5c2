"""What a figure will refuse, as far as the pipeline and the catalog tell: `helio check` reports it before anything runs.

The rules are those that drawing itself applies, given metadata in place of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.meta_check import StepFault
from helio_dagster.domain.pipeline import Figure, Panel, Trace
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.yaml.document import parse_path
from helio_dagster.figures.colors import check_color
from helio_dagster.figures.curves import drawn_columns
from helio_dagster.figures.panels import bin_scale, check_single_image, is_image
from helio_dagster.figures.parts import log_limits


def find_figure_faults(figure: Figure, metas: Mapping[str, TableMeta]) -> Iterator[StepFault]:
    """What cannot be drawn: colours, components, ways to draw, ranges on axes that the data make logarithmic.

    Parameters
    ----------
    figure
        A figure step.
    metas
        Metadata by the references that its traces use; those without columns are unknown, and no rule applies to them.
    """
    for row, panel in enumerate(figure.panels):
        path = f"figure.panels[{row}]"
        for index, trace in enumerate(panel.traces):
            if trace.color is not None:
                yield from _faults(check_color, trace.color, f"{path}.traces[{index}].color")
        for fault in _panel_faults(panel, [metas[trace.data] for trace in panel.traces], path):
            yield StepFault(fault.path, fault.problem, fault.hint, fault.is_note, is_of_numbers=True)


def _panel_faults(panel: Panel, metas: list[TableMeta], path: str) -> Iterator[StepFault]:
    images: list[TableMeta] = []
    for index, (trace, meta) in enumerate(zip(panel.traces, metas, strict=True)):
        where = f"{path}.traces[{index}]"
        faults = list(_faults(_check_trace, trace, meta, where)) if meta.columns else []
        yield from faults
        if meta.columns and not faults and is_image(trace, meta, where):
            yield from _faults(partial(check_single_image, has_one=bool(images)), where)
            images.append(meta)
    if all(meta.columns for meta in metas):
        yield from _range_faults(panel, metas, images, path)


def _check_trace(trace: Trace, meta: TableMeta, where: str) -> None:
    if not is_image(trace, meta, where):
        drawn_columns(trace, [column for column in meta.columns if column.role == "data"], meta, where)


def _range_faults(panel: Panel, metas: list[TableMeta], images: list[TableMeta], path: str) -> Iterator[StepFault]:
    """Ranges at or below zero on axes whose scale the panel leaves to the data."""
    bins = images[0].bins if images else None
    if images:
        is_log = bins is not None and bins.is_fixed and bin_scale(bins, []) == "log"
    else:
        is_log = all(meta.scale == "log" for meta in metas)
    if panel.y.range is not None and panel.y.scale is None and is_log:
        yield from _faults(log_limits, panel.y.range, f"{path}.y.range")
    if panel.z.range is not None and panel.z.scale is None and images:
        for fault in _faults(log_limits, panel.z.range, f"{path}.z.range"):
            is_told = images[0].scale == "log"
            problem = fault.problem if is_told else f"{fault.problem}, and without negative values the colours are logarithmic"
            yield StepFault(fault.path, problem, fault.hint, is_note=not is_told)


def _faults(check: Callable[..., object], *given: object) -> Iterator[StepFault]:
    """The fault that a rule of drawing raises for these arguments."""
    try:
        check(*given)
    except FigureError as error:
        yield StepFault(parse_path(error.where), error.problem, error.hint)
