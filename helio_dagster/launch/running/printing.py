"""Put a pipeline's figures on paper: from the tables that they were drawn from, at the size that is asked for."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from helio_dagster.assets.figure_description import FigureDescription, Upstream, figure_of
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.result_spans import spans
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.printing import MM_PER_INCH, POINTS_PER_INCH, Printing
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.citation import Citation, cite
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.resources.workbench import Workbench

Format = Literal["pdf", "svg", "png", "html"]
_PX_PER_INCH, _ROOM_PX = 96, 60
FORMATS: tuple[Format, ...] = ("pdf", "svg", "png", "html")


@dataclass(frozen=True)
class PrintedFigure:
    """One figure on paper, or as a page; a notebook shows it.

    Its size is in mm; a page fits itself to its window.
    """

    step: str
    span: TimeRange
    content: bytes = field(repr=False)
    width_mm: float
    height_mm: float
    form: Format

    def save(self, path: str | Path) -> None:
        """Write it to a file, which is there whole or not at all; raises FigureError."""
        from helio_dagster.figures.rendering import write_picture

        write_picture(Path(path), self.content)

    def _repr_mimebundle_(self, **_asked: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a notebook shows: pictures at their size, pages in a frame of their own, a PDF as what it is."""
        forms = {"text/plain": f"{self.step}, {self.span}: {self.form}, {len(self.content) / 1000:,.0f} kB"}
        width, height = (round(each / MM_PER_INCH * _PX_PER_INCH) for each in (self.width_mm, self.height_mm))
        if self.form == "png":
            return {**forms, "image/png": self.content}, {"image/png": {"width": width, "height": height}}
        if self.form == "svg":
            return {**forms, "image/svg+xml": self.content.decode()}, {}
        if self.form == "html":
            page = html.escape(self.content.decode())
            frame = f'<iframe sandbox="allow-scripts" width="100%" height="{height + _ROOM_PX}" srcdoc="{page}"></iframe>'
            return {**forms, "text/html": frame}, {}
        return forms, {}


def figure_steps(request: RunRequest, step: str | None) -> list[AssetNode]:
    """The figures of a pipeline, or the one of a step.

    Raises
    ------
    InputError
        The pipeline has no figure, or no such step, or the step is none.
    """
    nodes = {node.step.id: node for node in request.graph.of_pipeline(request.pipeline).values()}
    figures = {name: node for name, node in nodes.items() if node.kind == "figure"}
    name = request.pipeline.name
    if not figures:
        raise InputError(f"{name} has no figure", hint="Add a step with `figure:`, or ask `helio chat` for one.")
    if step is None:
        return list(figures.values())
    if step not in figures:
        what = "is not a figure" if step in nodes else "is not one of its steps"
        raise InputError(f"{name}: {step} {what}", hint=f"Its figures: {', '.join(figures)}.")
    return [figures[step]]


def bring_up_to_date(request: RunRequest, workbench: Workbench) -> RunReport:
    """Run what is missing or stale; a step that fails is raised as HelioError."""
    from helio_dagster.launch.running.run import run

    report = run(request, workbench)
    if report.failures:
        first = report.failures[0]
        raise HelioError(f"{first.step} {first.partition or ''} failed: {first.error}", hint=first.hint)
    return report


def check_paper(nodes: Sequence[AssetNode], wanted: Printing) -> None:
    """Refuse paper on which there is no room, before anything is run; raises InputError."""
    from helio_dagster.figures.printing.paper import sheet_of

    for node in nodes:
        sheet_of(wanted.over(figure_of(node).print or Printing()))


def print_figures(
    request: RunRequest, nodes: Sequence[AssetNode], workbench: Workbench, form: Format, wanted: Printing
) -> Iterator[PrintedFigure]:
    """The figures over the request's range, whose results must be up to date.

    Parameters
    ----------
    wanted
        How they are put on paper, over what the steps say themselves.

    Raises
    ------
    InputError
        A figure was not drawn over this range.
    FigureError
        There is no room on the paper.
    """
    description = FigureDescription(request.graph, workbench.tables)
    citation = cite(request.graph, request.pipeline, request.span, workbench)
    for node in nodes:
        how = wanted.over(figure_of(node).print or Printing())
        keys = request.targets.get(node.name, [])
        for span, _ in spans(node, keys, shown=request.shown):
            yield _print(description, citation, node, span, workbench, form, how)


def print_stored(
    graph: AssetGraph, pipeline: Pipeline, node: AssetNode, span: TimeRange, workbench: Workbench, form: Format
) -> PrintedFigure:
    """One figure over a range for which it was drawn, on the paper that its step asks for; raises as `print_figures`."""
    description = FigureDescription(graph, workbench.tables)
    citation = cite(graph, pipeline, None if pipeline.is_over_events else span, workbench)
    return _print(description, citation, node, span, workbench, form, figure_of(node).print or Printing())


def _print(
    description: FigureDescription,
    citation: Citation,
    node: AssetNode,
    span: TimeRange,
    workbench: Workbench,
    form: Format,
    how: Printing,
) -> PrintedFigure:
    from helio_dagster.figures.pages import html_page
    from helio_dagster.figures.printing.paper import sheet_of
    from helio_dagster.figures.printing.picture import picture
    from helio_dagster.figures.rendering import title_of

    upstream = _drawn_from(workbench, node, span)
    event = next(iter(upstream), None) if node.events is not None and node.over != "range" else None
    origin = description.origin(node, span, event, _datasets(citation))
    sheet, print_how = sheet_of(how, origin.footer())
    figure = description.draw(node, span, upstream, sheet=sheet)
    if form == "html":
        content = html_page(figure, inline=True, name=node.name.replace("/", "__")).encode()
    else:
        content = picture(figure, form, print_how.saying(origin.entries(form, title_of(figure))))
    mm_per_px = print_how.points_per_px / POINTS_PER_INCH * MM_PER_INCH
    return PrintedFigure(node.step.id, span, content, sheet.width_px * mm_per_px, figure.layout.height * mm_per_px, form)


def _drawn_from(workbench: Workbench, node: AssetNode, span: TimeRange) -> Upstream:
    """What the stored figure was drawn from."""
    partitions: dict[str, dict[str, dict[str, str | None]]] = workbench.figures.provenance(node.name, span).get(
        "partitions", {}
    )
    if not partitions:
        raise InputError(
            f"{node.name} was not drawn for {span}", hint=f"Run it first: helio run {node.pipeline} with the same times."
        )
    return {
        _key(key): {asset: [(_key(each), version) for each, version in of.items()] for asset, of in inputs.items()}
        for key, inputs in partitions.items()
    }


def _key(written: str) -> str | None:
    """A partition as JSON keys hold it."""
    return None if written == "null" else written


def _datasets(citation: Citation) -> list[Any]:
    from helio_dagster.figures.origin import DatasetOrigin, versions_of

    return [
        DatasetOrigin(
            archive=each.archive,
            dataset=each.dataset,
            parameters=each.parameters,
            versions=versions_of(str(file["name"]) for file in each.files),
            doi=next((credit.doi for credit in each.credits if credit.doi), each.catalog_doi),
        )
        for each in citation.datasets
    ]


def output_path(figure: PrintedFigure, pipeline: str, form: Format) -> Path:
    """Name of a figure's file where none is given."""
    return Path(f"{pipeline}__{figure.step}__{span_key(figure.span)}.{form}")
