"""Resources: the house's rules, pipelines, figures, tables in pages, provenance, each with a URI."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from mcp_types import BlobResourceContents, Resource, ResourceTemplate, TextResourceContents

from helio_dagster.agent.model.instructions import EXAMPLES, PLANNING
from helio_dagster.agent.model.operation_list import list_operations
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_fields import is_name
from helio_dagster.domain.span_key import span_of
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.visible_text import visible
from helio_dagster.hosting.results import Asked
from helio_dagster.launch.running.reading import find_asset
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.replies import fenced
from helio_dagster.mcp.results import figure_uri, page_of, read_picture
from helio_dagster.storage.table_stores import open_figures

Content = TextResourceContents | BlobResourceContents
RULES = "helio://rules"
_MOST_FIGURES = 50
_LONGEST_YAML = 100_000
_TOOLS = (
    "Here the answering tools are called propose (a plan) and edit (edits); ask the person yourself instead of ask_question. "
    "The look-ups are search_catalog, dataset, search_operations. A person's approval comes before every run; see run."
)
_TEMPLATES = (
    ("helio://pipelines/{name}", "pipeline", "application/yaml", "A saved pipeline's file."),
    ("helio://figures/{pipeline}/{step}/{start}_{stop}", "figure", "image/png", "A figure; times as 20031029."),
    (
        "helio://tables/{pipeline}/{step}/{start}_{stop}/{page}",
        "table",
        "text/csv",
        "500 rows of a step's table; page 0 first.",
    ),
    ("helio://provenance/{pipeline}/{step}/{partition}", "provenance", "text/plain", "What a partition was made from."),
)


def list_resources(site: AgentHome) -> list[Resource]:
    """The rules, every pipeline and the figures drawn last."""
    found = [
        Resource(
            uri=RULES,
            name="rules",
            title="Rules for plans, and all operations",
            mime_type="text/plain",
            description="Read it before propose.",
        )
    ]
    names = site.home.library.names()
    found += [Resource(uri=f"helio://pipelines/{name}", name=name, mime_type="application/yaml") for name in names]
    if site.settings.tables is not None:
        open_figures(site.settings).by_stem()  # brings what other machines drew
    drawn = sorted(site.settings.figures.glob("*__*.png"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in drawn[:_MOST_FIGURES]:
        uri = _uri_of_file(path.stem)
        if uri is not None:
            found.append(Resource(uri=uri, name=path.stem, mime_type="image/png"))
    return found


def list_templates() -> list[ResourceTemplate]:
    """The forms of the other URIs."""
    return [
        ResourceTemplate(uri_template=uri, name=name, mime_type=mime, description=described)
        for uri, name, mime, described in _TEMPLATES
    ]


def read_resource(site: AgentHome, uri: str) -> Content:
    """Contents of a resource: rules, a pipeline's YAML, a figure, a page of a table, or provenance.

    Raises
    ------
    InputError
        No resource has this URI.
    """
    if uri == RULES:
        return TextResourceContents(uri=uri, mime_type="text/plain", text=rules(site))
    kind, *parts = uri.removeprefix("helio://").split("/")
    reader = _READERS.get((kind, len(parts)))
    if not uri.startswith("helio://") or reader is None or not all(_PART.fullmatch(part) for part in parts):
        raise InputError(
            f"there is no resource {visible(uri)[:120]!r}", hint="resources/list and resources/templates/list name them."
        )
    return reader(site, uri, *parts)


def rules(site: AgentHome) -> str:
    """The rules for plans as helio's own model has them, with all operations."""
    operations = list_operations(site.knowledge.operations.all())
    listed = f"Operations, as name(inputs; required options), * of a whole window:\n{operations}"
    return "\n".join([PLANNING, _TOOLS, "", EXAMPLES, listed])


def _pipeline(site: AgentHome, uri: str, name: str) -> Content:
    text = site.home.library.load(_name(name)).text
    return TextResourceContents(uri=uri, mime_type="application/yaml", text=visible(text)[:_LONGEST_YAML])


def _figure(site: AgentHome, uri: str, pipeline: str, step: str, span: str) -> Content:
    asked = _asked(site, pipeline, span)
    with site.bench() as bench:
        picture = read_picture(asked, asked.node(step), asked.span, bench)
    return BlobResourceContents(uri=uri, mime_type="image/png", blob=base64.b64encode(picture).decode())


def _table(site: AgentHome, uri: str, pipeline: str, step: str, span: str, page: str) -> Content:
    if not page.isascii() or not page.isdigit() or len(page) > 9:
        raise InputError(f"{page!r} is not the number of a page", hint="Pages begin with 0.")
    with site.bench() as bench:
        text = page_of(_asked(site, pipeline, span), step, int(page), bench)
    return TextResourceContents(uri=uri, mime_type="text/csv", text=visible(text))


def _provenance(site: AgentHome, uri: str, pipeline: str, step: str, partition: str) -> Content:
    from helio_dagster.launch.credit.lineage import origin  # loads Dagster, which all other resources do without

    opened = site.home.open(_name(pipeline))
    with site.bench() as bench:
        node = find_asset(opened.graph, step, opened.pipeline)
        key = None if partition == "all" else partition
        found = origin(opened.graph, node, key, bench, opened.pipeline.approved)
    return TextResourceContents(uri=uri, mime_type="text/plain", text=fenced(found.model_dump(mode="json")))


def _asked(site: AgentHome, pipeline: str, key: str) -> Asked:
    return Asked(site.home.open(_name(pipeline)), _span(key))


def _span(key: str) -> TimeRange:
    found = span_of(key)
    if found is None:
        raise InputError(f"{key!r:.60} is not a range", hint="Write it as 20031029_20031030.")
    return found


def _name(text: str) -> str:
    if not is_name(text):
        raise InputError(f"{text!r:.90} is not a pipeline's name", hint="resources/list names them.")
    return text


def _uri_of_file(stem: str) -> str | None:
    """The address of a figure's file, where its name says pipeline and step."""
    asset, _, span = stem.rpartition("__")
    parts = asset.split("__")
    found = span_of(span)
    return figure_uri(parts[0], parts[1], found) if len(parts) == 2 and found is not None else None


_PART = re.compile(r"[A-Za-z0-9_.:+-]{1,120}")
_READERS: dict[tuple[str, int], Callable[..., Content]] = {
    ("pipelines", 1): _pipeline,
    ("figures", 3): _figure,
    ("tables", 4): _table,
    ("provenance", 3): _provenance,
}
