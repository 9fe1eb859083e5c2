"""The results of the look-up tools, as small documents: datasets, parameters, operations, functions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from textwrap import shorten
from typing import Any

from helio_dagster.agent.model.brief import brief_docs
from helio_dagster.agent.model.mission_overview import day, main_parameters, mission_asked_for, overview
from helio_dagster.agent.model.operation_list import describe_option, operation_name
from helio_dagster.agent.model.turn import Turn
from helio_dagster.catalog.choice.finding import DatasetFinder
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.hapi.snapshots import holds_all, search_servers
from helio_dagster.catalog.missions import find_mission
from helio_dagster.catalog.planetary import with_usual_kind
from helio_dagster.catalog.searching import Facets, Hit, covers
from helio_dagster.compute.function_docs import find_function, search_functions
from helio_dagster.compute.operation_search import Given, fitting_operations
from helio_dagster.compute.operations.contract import Operation
from helio_dagster.compute.operations.page import describe_operation
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE, CatalogDataset, CatalogParameter
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.planetary import archive_of, id_in_archive
from helio_dagster.domain.table import Kind
from helio_dagster.domain.time_range import format_duration, format_time

Document = dict[str, Any]
MOST_DATASETS = 8
_MOST_PARAMETERS = 12
_MOST_NAMES = 60
_MOST_OF_SERVERS = 4
_MOST_OPERATIONS = 4
_LONGEST = 6000
"""Maximum number of characters in one answer of a tool."""
_LONGEST_TEXT = 3000


def compact(document: Mapping[str, Any]) -> str:
    """A document as short JSON; a list that is too long is cut, with a note about it."""
    short = dict(document)
    text = json.dumps(short, ensure_ascii=False, separators=(",", ":"))
    lists = [key for key, value in short.items() if isinstance(value, list)]
    while len(text) > _LONGEST and lists and short[lists[0]]:
        short[lists[0]] = short[lists[0]][:-1]
        short["left_out"] = short.get("left_out", 0) + 1
        text = json.dumps(short, ensure_ascii=False, separators=(",", ":"))
    return text


def find_datasets(turn: Turn, words: str, mission: str | None, count: int) -> Document:
    """The datasets that match the words best."""
    count = max(1, min(count, MOST_DATASETS))
    if turn.archive == DEMO_ARCHIVE:
        return {"archive": DEMO_ARCHIVE, "datasets": _of_demo(turn, words, mission)[:count]}
    whole = mission_asked_for(words, mission)
    if whole is not None:
        return {"archive": "cdaweb", **overview(turn.knowledge.search, whole)}
    facets = Facets(mission=find_mission(mission).name if mission else None)
    found = DatasetFinder(turn.knowledge.catalog, turn.knowledge.search).search(words, facets=facets, count=2 * count)
    hits = [hit for hit in found.hits if hit.dataset.is_fetchable][:count]
    if not hits or not holds_all(hits[0], words):
        hits = [*search_servers(turn.knowledge.catalog.servers, words, facets=facets, count=_MOST_OF_SERVERS), *hits][:count]
    document: Document = {"archive": "cdaweb", "datasets": [_dataset(turn, hit) for hit in hits]}
    if found.instead:
        document["read_as"] = found.instead
    return document


def list_parameters(turn: Turn, dataset: str, words: str) -> Document:
    """Parameters of a dataset, those that match the words first.

    Raises
    ------
    UnknownDataset
        It is not in the catalog.
    """
    facts, entry = _known(turn, dataset)
    wanted = re.findall(r"[a-z0-9]+", words.casefold()[:200])
    if facts is not None:
        listed = [_parameter(each) for each in facts.parameters]
    else:
        listed = [_demo_parameter(each) for each in entry.parameters] if entry else []
    held = {each["name"]: sum(word in json.dumps(each, ensure_ascii=False).casefold() for word in wanted) for each in listed}
    ranked = sorted(listed, key=lambda each: -held[each["name"]])
    fitting = [each for each in ranked if held[each["name"]]] or ranked
    shown = fitting[:_MOST_PARAMETERS]
    others = [each["name"] for each in ranked if each not in shown]
    document: Document = {"dataset": dataset, "parameters": shown}
    if others:
        document |= {"others": others[:_MOST_NAMES], "left_out": max(0, len(others) - _MOST_NAMES)}
    return document


def tell_availability(turn: Turn, dataset: str) -> Document:
    """When a dataset has data, and whether that covers the time that the person named.

    Raises
    ------
    UnknownDataset
        It is not in the catalog.
    """
    facts, entry = _known(turn, dataset)
    archive = _archive_of(turn, dataset)
    first, last = turn.knowledge.catalog.extent(archive, dataset)
    cadence = facts.cadence if facts else entry.cadence if entry else None
    document: Document = {
        "dataset": dataset,
        "start": format_time(first) if first else None,
        "stop": format_time(last) if last else "goes on",
        **_cadence(cadence),
    }
    if facts is not None and turn.span is not None:
        document |= {"asked": str(turn.span), "covers": covers(facts, turn.span)}
    if facts is not None and facts.notes:
        document["notes"] = facts.notes[:300]
    return document


def find_operations(turn: Turn, words: str, kind: Kind | None, unit: str | None, frame: str | None) -> Document:
    """Operations of the library that match the words and accept the given kind, unit and frame."""
    found = fitting_operations(turn.knowledge.operations.all(), words, Given(kind, unit, frame))
    if not found:
        accepting = f" for {kind}" if kind else ""
        return {"operations": [], "note": f"No operation does this{accepting}. Write code, or use those listed in your rules."}
    return {"operations": [_operation(each.operation) for each in found[:_MOST_OPERATIONS]]}


def describe(turn: Turn, name: str) -> Document:
    """Everything about an operation.

    Raises
    ------
    InputError
        There is none; the hint lists similar names.
    """
    operation = turn.knowledge.operations.get(name)
    code = getattr(getattr(operation, "file", None), "code", "")
    return {"operation": name, "text": describe_operation(operation)[:_LONGEST_TEXT], **({"code": code} if code else {})}


def describe_function(name: str) -> Document:
    """Signature and documentation of a function that code may call; if there is none, functions that match the words."""
    try:
        found = find_function(name)
    except InputError as error:
        near = search_functions(name)[:8]
        if not near:
            raise
        return {"problem": error.problem, "functions": [{"name": each.name, "summary": each.summary} for each in near]}
    return {"name": found.name, "signature": found.signature, "text": brief_docs(found.text)[:_LONGEST_TEXT]}


def find_saved(turn: Turn, words: str) -> Document:
    """Saved pipelines that match most of the words."""
    if turn.side is None:
        return {"pipelines": []}
    found = turn.side.find_pipelines(words)[:MOST_DATASETS]
    return {"pipelines": [{"name": each.name, "title": each.title, "missed": list(each.missed)} for each in found]}


def _known(turn: Turn, dataset: str) -> tuple[DatasetFacts | None, CatalogDataset | None]:
    archive = _archive_of(turn, dataset)
    catalog = turn.knowledge.catalog
    facts, entry = catalog.facts(archive, dataset), catalog.dataset(archive, dataset)
    if facts is None and entry is None:
        raise UnknownDataset(
            f"there is no dataset {dataset[:80]!r}", hint=remedy(dataset, catalog.names(archive)[:200], what="ids")
        )
    return facts, entry


def _archive_of(turn: Turn, dataset: str) -> str:
    """The archive of a dataset by its id: also of the one server whose snapshot has it."""
    if turn.archive == DEMO_ARCHIVE:
        return DEMO_ARCHIVE
    archive, catalog = archive_of(dataset, "cdaweb"), turn.knowledge.catalog
    if catalog.has(archive, dataset):
        return archive
    return next((server for server in catalog.servers if catalog.has(server, dataset)), archive)


def _dataset(turn: Turn, hit: Hit) -> Document:
    facts = hit.dataset
    document: Document = {
        "dataset": with_usual_kind(id_in_archive(facts.dataset)),
        **({"archive": facts.archive} if facts.archive != "cdaweb" else {}),
        "mission": facts.mission,
        "label": shorten(facts.label, 70, placeholder=" …"),
        "start": day(facts.start),
        "stop": "goes on" if facts.is_current else day(facts.stop),
        **_cadence(facts.cadence),
        "parameters": [_parameter(each) for each in hit.parameters or main_parameters(facts)],
    }
    if turn.span is not None and not covers(facts, turn.span):
        document["covers_asked_time"] = False
    return document


def _parameter(facts: ParameterFacts) -> Document:
    unit = {"unit": facts.unit} if facts.unit else {}
    document: Document = {"name": facts.name, **unit, "says": shorten(facts.description, 60, placeholder=" …")}
    if facts.frame is not None:
        document["frame"] = facts.frame.value
    if facts.size:
        document["size"] = list(facts.size)
    if facts.display.value != "time_series":
        document["display"] = facts.display.value
    return document


def _demo_parameter(parameter: CatalogParameter) -> Document:
    frame = {"frame": parameter.frame} if parameter.frame else {}
    return {"name": parameter.name, "unit": parameter.unit, "kind": parameter.kind, "quantity": parameter.quantity, **frame}


def _of_demo(turn: Turn, words: str, mission: str | None) -> list[Document]:
    """The synthetic datasets, those that match most words first."""
    wanted = re.findall(r"[a-z0-9]+", f"{words} {mission or ''}".casefold()[:400])
    found = []
    for place, entry in enumerate(turn.knowledge.catalog.datasets(DEMO_ARCHIVE)):
        document: Document = {
            "dataset": entry.dataset,
            "mission": entry.mission,
            "label": entry.label,
            **_cadence(entry.cadence),
            "parameters": [_demo_parameter(each) for each in entry.parameters],
        }
        text = re.sub(r"[^a-z0-9]+", " ", json.dumps(document).casefold())
        found.append((-sum(word in text.split() for word in wanted), place, document))
    return [document for _, _, document in sorted(found, key=lambda each: each[:2])]


def _operation(operation: Operation[Any]) -> Document:
    inputs = {
        key: "; ".join(
            [
                " or ".join(each.kinds),
                each.meaning,
                *([f"in {each.unit}"] if each.unit else []),
                *(["may be left out"] if each.is_optional else []),
            ]
        )
        for key, each in operation.inputs.items()
    }
    return {
        "operation": operation_name(operation),
        "summary": operation.summary,
        "inputs": inputs,
        "options": {name: describe_option(operation.options, name) for name in operation.options.model_fields},
    }


def _cadence(cadence: timedelta | None) -> Document:
    return {"cadence": format_duration(cadence)} if cadence is not None else {}
