"""Names on what is launched in Dagster's UI: in each way that its schema has, and on nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLInputObjectType, GraphQLList, get_named_type

from helio_dagster.launch.web.named_launches import name_launches

MARIA = {"key": "helio/person", "value": "maria"}
OTHER = {"key": "team", "value": "field"}
RUN = "mutation L($it: ExecutionParams!) { launchRun(executionParams: $it) { __typename } }"
RUNS = "mutation L($it: [ExecutionParams!]!) { launchMultipleRuns(executionParamsList: $it) { __typename } }"
AGAIN = "mutation L($it: ReexecutionParams) { launchRunReexecution(reexecutionParams: $it) { __typename } }"
BACKFILL = "mutation L($it: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $it) { __typename } }"


@pytest.mark.parametrize(
    ("query", "given", "named"),
    [
        (RUN, {"mode": "x"}, {"mode": "x", "executionMetadata": {"tags": [MARIA]}}),
        (
            RUN,
            {"executionMetadata": {"runId": "1", "tags": [OTHER]}},
            {"executionMetadata": {"runId": "1", "tags": [OTHER, MARIA]}},
        ),
        (RUN, {"executionMetadata": None}, {"executionMetadata": {"tags": [MARIA]}}),
        (RUNS, [{"executionMetadata": {"tags": None}}, {}], [{"executionMetadata": {"tags": [MARIA]}}] * 2),
        (AGAIN, {"parentRunId": "1"}, {"parentRunId": "1", "extraTags": [MARIA]}),
        (AGAIN, None, None),
        (BACKFILL, {"tags": [{"key": "helio/person", "value": "somebody else"}, OTHER]}, {"tags": [OTHER, MARIA]}),
        (BACKFILL, {"tags": "no list"}, {"tags": "no list"}),
        (BACKFILL, "no input", "no input"),
    ],
)
def test_what_is_launched_has_the_name(query: str, given: Any, named: Any) -> None:
    """Beside other tags; one that was sent counts for nothing, and what is no input of Dagster's is left to it."""
    variables: dict[str, Any] = {"it": given, "limit": 3}
    assert name_launches(query, variables, "maria") == {"it": named, "limit": 3}
    assert variables == {"it": given, "limit": 3}


@pytest.mark.parametrize("query", [RUN.replace("mutation", "query"), "not GraphQL {", "{" * 5000, "{ runs { id } }"])
def test_other_requests_stay_as_they_are(query: str) -> None:
    """Queries, and what Dagster will refuse."""
    given: list[Any] = [{"it": {"tags": []}}, None, "text"]
    assert [name_launches(query, each, "maria") for each in given] == given


def test_it_knows_all_that_launches() -> None:
    """Each input of the installed Dagster's changes that has tags of runs, at their place; those of assets have none."""
    from dagster_graphql.schema import create_schema  # a second of whoever collects this file

    schema = create_schema().graphql_schema
    assert schema.mutation_type is not None
    found = set()
    for change in schema.mutation_type.fields.values():
        for argument in change.args.values():
            kind = get_named_type(argument.type)
            if isinstance(kind, GraphQLInputObjectType) and _places(kind):
                found |= {(kind.name, *place) for place in _places(kind)}
    assert found == {
        ("ExecutionParams", "executionMetadata", "tags"),
        ("ReexecutionParams", "extraTags"),
        ("LaunchBackfillParams", "tags"),
    }


def _places(kind: GraphQLInputObjectType) -> set[tuple[str, ...]]:
    """Where an input has lists of tags."""
    found = set[tuple[str, ...]]()
    for name, field in kind.fields.items():
        inner = get_named_type(field.type)
        if isinstance(inner, GraphQLInputObjectType) and inner.name == "ExecutionTag":
            assert isinstance(field.type, GraphQLList)
            found.add((name,))
        elif isinstance(inner, GraphQLInputObjectType) and inner is not kind:
            found |= {(name, *place) for place in _places(inner)}
    return found
