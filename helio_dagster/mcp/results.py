"""The tools that show what was made: facts, statistics, a table's first rows, a figure as an image; and what to cite."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from helio_dagster.assets.graph import AssetNode
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.results import Asked, figures_of, frames, statistics_document
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.launch.credit.citation import cite as launch_cite
from helio_dagster.launch.running.facts import stored_facts
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.arguments import Cite, Result
from helio_dagster.mcp.replies import Link, Reply
from helio_dagster.mcp.talking import read_session
from helio_dagster.resources.workbench import Workbench

if TYPE_CHECKING:
    import pandas as pd

HEAD = 8
"""Rows of a table that a reply has."""
PAGE = 500
"""Rows of a page of a table."""
_LARGEST_PICTURE = 700_000
_WIDEST_PICTURE = 1400
_MOST_FACTS = 60
_MOST_FIGURES = 12


def result(site: AgentHome, given: Result) -> Reply:
    """The results of a pipeline over a range."""
    asked = _asked(site, given)
    with site.bench() as bench:
        if given.what == "figure":
            return _figure(site, asked, given.step, bench)
        if given.what == "table":
            return _table(asked, given.step, bench)
        return _summary(site, asked, given.step, bench)


def cite(site: AgentHome, given: Cite) -> Reply:
    """What to cite for a pipeline."""
    with site.bench() as bench:
        opened = site.home.open(given.pipeline)
        span = opened.span(site.span(given.time), site.clock()) if given.time else None
        found: Citation = launch_cite(opened.graph, opened.pipeline, span, bench)
    document = found.model_dump()
    for dataset in document["datasets"]:
        dataset["files"] = [file["name"] for file in dataset["files"]][:20]
    return Reply("", document)


def read_picture(asked: Asked, node: AssetNode, span: TimeRange, bench: Workbench) -> bytes:
    """The PNG of a figure; InputError where it was not drawn over the range."""
    path = bench.figures.brought(node.name, span).with_suffix(".png")
    try:
        return smaller(path.read_bytes())
    except FileNotFoundError:
        hint = f"Run it first: run with pipeline {asked.name} and the same time."
        raise InputError(f"{node.name} was not drawn for {span}", hint=hint) from None


def smaller(content: bytes) -> bytes:
    """A picture no larger than a client takes."""
    if len(content) <= _LARGEST_PICTURE:
        return content
    from PIL import Image

    image = Image.open(io.BytesIO(content))
    while len(content) > _LARGEST_PICTURE and image.width > 200:
        image.thumbnail((min(_WIDEST_PICTURE, image.width * 3 // 4), 10 * image.height))
        made = io.BytesIO()
        image.save(made, "PNG", optimize=True)
        content = made.getvalue()
    return content


def page_of(asked: Asked, step: str, number: int, bench: Workbench) -> str:
    """A page of a table as CSV; only the partitions that it lies in are in memory, one at a time."""
    first, last, passed = number * PAGE, (number + 1) * PAGE, 0
    pieces: list[str] = []
    for frame in frames(asked, asked.node(step), bench):
        if passed + len(frame) > first and passed < last:
            part = frame.iloc[max(0, first - passed) : last - passed]
            pieces.append(part.to_csv(header=not pieces))
        passed += len(frame)
        if passed >= last:
            break
    if not pieces:
        raise InputError(f"{step} has no page {number}", hint="Pages begin with 0.")
    return "".join(pieces)


def table_uri(name: str, step: str, span: TimeRange, page: int = 0) -> str:
    """The address of a page of a table."""
    return f"helio://tables/{name}/{step}/{span_key(span)}/{page}"


def figure_uri(name: str, step: str, span: TimeRange) -> str:
    """The address of a figure's picture."""
    return f"helio://figures/{name}/{step}/{span_key(span)}"


def _asked(site: AgentHome, given: Result) -> Asked:
    """The pipeline and range of a call, or those of its session."""
    name, words = given.pipeline, given.time
    if given.session is not None and name is None:
        session = read_session(site, given.session)
        if session.table is None:
            raise InputError(
                "nothing has been run in this session yet", hint="Call run with it, and ask the person to approve."
            )
        name = session.table.name
        if words is None and session.table.span is not None:
            return Asked(site.home.open(name), session.table.span.range)
    if name is None:
        raise InputError("give a session or a pipeline", hint="Give the session of the run.")
    opened = site.home.open(name)
    return Asked(opened, opened.asked_range(site.span(words) if words else None, site.clock()))


def _summary(site: AgentHome, asked: Asked, step: str | None, bench: Workbench) -> Reply:
    nodes = asked.graph.of_pipeline(asked.opened.pipeline)
    chosen = [step] if step is not None else [name for name, node in nodes.items() if node.kind in ("fetch", "compute")]
    statistics = []
    with site.side() as side:
        file = side.load(asked.name)
        for each in chosen:
            try:
                statistics.append(statistics_document(side.measure(file, each, asked.span)))
            except HelioError as error:
                if step is not None:
                    raise
                statistics.append({"step": each, "note": error.problem})
    facts = stored_facts(asked.graph, asked.opened.pipeline, asked.span, bench.store).facts
    figures = list(figures_of(asked, site))[:_MOST_FIGURES]
    document = {
        "pipeline": asked.name,
        "time": str(asked.span),
        "facts": [each.model_dump(exclude_none=True, exclude_defaults=True) for each in facts[:_MOST_FACTS]],
        "statistics": statistics,
        "figures": [each for each, _ in figures],
    }
    links = [Link(figure_uri(asked.name, each, span), f"{asked.name}/{each}", "image/png") for each, span in figures]
    text = "State only numbers from here. what=figure shows a figure, what=table the first rows of a step."
    return Reply(text, document, links=links)


def _table(asked: Asked, step: str | None, bench: Workbench) -> Reply:
    nodes = asked.graph.of_pipeline(asked.opened.pipeline)
    tables = [name for name, node in nodes.items() if node.kind != "figure"]
    if step is None:
        raise InputError("no step is named", hint=f"Give one of its steps: {', '.join(tables)}.")
    head: pd.DataFrame | None = None
    rows, units = 0, dict[str, str]()
    for frame in frames(asked, asked.node(step), bench):
        head = frame.head(HEAD) if head is None or head.empty else head
        rows += len(frame)
        units = units or frame.attrs.get("units") or {}
    shown = head.to_csv() if head is not None else ""
    document = {
        "pipeline": asked.name,
        "step": step,
        "time": str(asked.span),
        "rows": rows,
        "units": {str(key): str(value) for key, value in dict(units).items()},
        "first_rows": shown.splitlines(),
    }
    pages = -(-rows // PAGE)
    text = f"The first {min(HEAD, rows)} of {rows:,} rows."
    if rows <= HEAD:
        return Reply(text, document)
    uri = table_uri(asked.name, step, asked.span)
    link = Link(uri, f"{asked.name}/{step}", "text/csv", f"Page 0 of {pages}, {PAGE} rows each; the last number is the page.")
    return Reply(
        f"{text} The rest is a resource in {pages:,} pages. Use summary for statistics, not the rows.", document, links=[link]
    )


def _figure(site: AgentHome, asked: Asked, step: str | None, bench: Workbench) -> Reply:
    figures = list(figures_of(asked, site))
    names = list(dict.fromkeys(name for name, _ in figures))
    if not figures:
        raise InputError(f"{asked.name} has no figure", hint="Add one with edit.")
    chosen = step or names[0]
    if chosen not in names:
        raise InputError(f"{asked.name} has no figure {chosen!r}", hint=f"Its figures: {', '.join(names)}.")
    span = next(span for name, span in figures if name == chosen)
    node = asked.node(chosen)
    picture = read_picture(asked, node, span, bench)
    others = [name for name in names if name != chosen]
    document = {
        "pipeline": asked.name,
        "step": chosen,
        "time": str(span),
        "intent": node.step.intent,
        "page": str(bench.figures.brought(node.name, span)),
        **({"other_figures": others} if others else {}),
    }
    return Reply("The figure follows. Read numbers from summary, not from the picture.", document, picture)
