"""The tools by name: their arguments, what they do, and what they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from mcp_types import Tool, ToolAnnotations
from pydantic import ValidationError

from helio_dagster.agent.model.schemas import reduced
from helio_dagster.agent.session import parse_session
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import format_path
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.arguments import (
    Arguments,
    Cite,
    Edit,
    LookAtDataset,
    Propose,
    Result,
    Run,
    SearchCatalog,
    SearchOperations,
    Sessions,
    Status,
    Stop,
)
from helio_dagster.mcp.lookups import look_at_dataset, saved_pipelines, search_catalog, search_operations
from helio_dagster.mcp.proposing import edit, propose
from helio_dagster.mcp.replies import Reply
from helio_dagster.mcp.results import cite, result

_MOST_SESSIONS = 20
_MOST_FAULTS = 12


@dataclass(frozen=True)
class Spec:
    """A tool: its arguments, and whether it only looks."""

    arguments: type[Arguments]
    is_reading: bool = True


def _sessions(site: AgentHome, given: Sessions) -> Reply:
    found = []
    for session_id in site.sessions.ids()[:_MOST_SESSIONS]:
        try:
            session = parse_session(site.sessions.read(session_id), where=session_id)
        except (StorageError, InputError) as error:
            found.append({"session": session_id, "problem": error.problem})
            continue
        table = {"pipeline": session.table.name} if session.table else {}
        found.append({"session": session_id, "awaiting": session.awaiting, "title": session.title, **table})
    pipelines = saved_pipelines(site, given.words) if given.words.strip() else {"saved": site.home.library.names()[:100]}
    return Reply("", {"sessions": found, **pipelines})


SPECS: Mapping[str, Spec] = {
    "search_catalog": Spec(SearchCatalog),
    "dataset": Spec(LookAtDataset),
    "search_operations": Spec(SearchOperations),
    "propose": Spec(Propose, is_reading=False),
    "edit": Spec(Edit, is_reading=False),
    "run": Spec(Run, is_reading=False),
    "status": Spec(Status),
    "stop": Spec(Stop, is_reading=False),
    "result": Spec(Result),
    "cite": Spec(Cite),
    "sessions": Spec(Sessions),
}
"""Every tool. `run`, `status` and `stop` follow processes and are carried out by `server`."""
BODIES: Mapping[str, Callable[[AgentHome, Any], Reply]] = {
    "search_catalog": search_catalog,
    "dataset": look_at_dataset,
    "search_operations": search_operations,
    "result": result,
    "cite": cite,
    "sessions": _sessions,
}
DRAFTING: Mapping[str, Callable[[AgentHome, Any, str], Reply]] = {"propose": propose, "edit": edit}
"""Tools whose plans are recorded under the client's name."""


@cache
def list_tools() -> list[Tool]:
    """The tools as clients see them."""
    return [
        Tool(
            name=name,
            description=spec.arguments.__doc__,
            input_schema=_schema(spec.arguments),
            annotations=ToolAnnotations(
                read_only_hint=spec.is_reading, destructive_hint=False, open_world_hint=not spec.is_reading
            ),
        )
        for name, spec in SPECS.items()
    ]


def read_arguments(name: str, given: Mapping[str, Any] | None) -> Arguments:
    """The arguments of a call.

    Raises
    ------
    InputError
        There is no such tool, or the arguments do not fit it; every fault is named with its place.
    """
    spec = SPECS.get(name)
    if spec is None:
        raise InputError(f"there is no tool {name[:60]!r}", hint=f"The tools: {', '.join(SPECS)}.")
    try:
        return spec.arguments.model_validate(dict(given or {}))
    except ValidationError as error:
        found = [f"{format_path(at.path)}: {at.problem}. {at.hint}".strip()[:400] for at in plain_faults(error, spec.arguments)]
        raise InputError("\n".join(found[:_MOST_FAULTS]), where=name, hint="Fix the arguments and call again.") from None


def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema without what the tool's own description says."""
    schema = reduced(arguments.model_json_schema())
    schema.pop("description", None)
    return schema
