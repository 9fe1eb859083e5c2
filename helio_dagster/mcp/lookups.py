"""The look-up tools: the catalog, a dataset, the operations. The results are those that helio's own planner is given."""

from __future__ import annotations

from helio_dagster.agent.model.lookups import (
    Document,
    describe,
    find_datasets,
    find_operations,
    find_saved,
    list_parameters,
    tell_availability,
)
from helio_dagster.agent.model.operation_list import list_operations
from helio_dagster.agent.model.settings import ModelLimits
from helio_dagster.agent.model.turn import Turn
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.errors import InputError
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.arguments import LookAtDataset, SearchCatalog, SearchOperations
from helio_dagster.mcp.replies import Reply


def search_catalog(site: AgentHome, given: SearchCatalog) -> Reply:
    """The datasets that match the words best."""
    return _found(site, find_datasets(_turn(site, given.archive), given.words, given.mission, given.count))


def look_at_dataset(site: AgentHome, given: LookAtDataset) -> Reply:
    """The parameters of a dataset, and when it has data."""
    turn = _turn(site, given.archive)
    known = tell_availability(turn, given.dataset)
    return _found(site, {**known, **list_parameters(turn, given.dataset, given.words)})


def search_operations(site: AgentHome, given: SearchOperations) -> Reply:
    """All operations in short, those that match the words, or one by its name."""
    turn = _turn(site, None)
    if not given.words.strip() and given.kind is None:
        return _found(site, {"operations": list_operations(site.knowledge.operations.all()).splitlines()})
    try:
        return _found(site, describe(turn, given.words.strip()))
    except InputError:
        return _found(site, find_operations(turn, given.words, given.kind, None, None))


def saved_pipelines(site: AgentHome, words: str) -> Document:
    """Saved pipelines that match the words."""
    with site.side() as side:
        return find_saved(Turn(_situation(site), site.knowledge, site.archive, side, ModelLimits()), words)


def _turn(site: AgentHome, archive: str | None) -> Turn:
    return Turn(_situation(site), site.knowledge, archive or site.archive, None, ModelLimits())


def _situation(site: AgentHome) -> Situation:
    return Situation(request="", now=site.clock())


def _found(site: AgentHome, document: Document) -> Reply:
    reply = Reply(document=document)
    site.remember(document)
    return reply
