"""Name the person who launches something in Dagster's own UI, which knows nobody: by a tag of the runs it asks for.

Dagster has a hook for backfills alone, so the tag is put into what a request says of the runs. Only variables are looked at,
which is what the UI sends; what a program writes into the query itself stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLError,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    OperationDefinitionNode,
    OperationType,
    TypeNode,
    parse,
)

from helio_dagster.resources.record_tags import PERSON_TAG

_TAGS = {
    "ExecutionParams": ("executionMetadata", "tags"),
    "ReexecutionParams": ("extraTags",),
    "LaunchBackfillParams": ("tags",),
}
"""Where the tags of runs are, in each kind of input of Dagster's that launches some."""


def name_launches(query: str, variables: Mapping[str, Any] | None, person: str) -> dict[str, Any] | None:
    """The variables of a GraphQL request, in which all runs that it launches have the person's name and no other.

    Parameters
    ----------
    query
        The document.
    variables
        Its variables, as they came: of any shape.
    person
        Who sent it.
    """
    if not isinstance(variables, Mapping):
        return variables
    named = dict(variables)
    for name, kind in _inputs(query).items():
        if kind in _TAGS and name in named:
            named[name] = _named(named[name], _TAGS[kind], person)
    return named


def _inputs(query: str) -> dict[str, str]:
    """Variable to the name of its type, of all changes that a document holds."""
    try:
        definitions = parse(query).definitions
    except (GraphQLError, RecursionError):
        return {}
    changes = [
        each for each in definitions if isinstance(each, OperationDefinitionNode) and each.operation == OperationType.MUTATION
    ]
    return {each.variable.name.value: _kind(each.type) for change in changes for each in change.variable_definitions or ()}


def _kind(given: TypeNode) -> str:
    while isinstance(given, (NonNullTypeNode, ListTypeNode)):
        given = given.type
    return given.name.value if isinstance(given, NamedTypeNode) else ""


def _named(value: Any, path: tuple[str, ...], person: str) -> Any:
    """An input, or each of a list of them, with the tag at the end of a path."""
    if isinstance(value, list):
        return [_named(each, path, person) for each in value]
    if not isinstance(value, Mapping):
        return value
    first, *rest = path
    if rest:
        return {**value, first: _named(value.get(first) or {}, tuple(rest), person)}
    tags = value.get(first) or []
    if not isinstance(tags, list):
        return value
    others = [each for each in tags if not (isinstance(each, Mapping) and each.get("key") == PERSON_TAG)]
    return {**value, first: [*others, {"key": PERSON_TAG, "value": person}]}
