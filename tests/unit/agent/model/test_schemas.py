"""The schemas of all tools and answers stay within what every provider documents; what they leave out is checked later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_ai import ModelMessage, ModelResponse, ToolDefinition
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.schemas import reduced
from helio_dagster.agent.model.settings import ModelSettings
from helio_dagster.agent.model.submissions import CodeStep, DraftAxis, DraftTrace, EditDraftStep, OperationStep
from helio_dagster.agent.planner import Current, Knowledge, Situation

from .conftest import DEMO, NOW, Side, call, pipeline_file, scripted

DOCUMENTED = {
    # GenerationConfig.responseJsonSchema, to which FunctionDeclaration.parametersJsonSchema is the counterpart
    "google": {
        *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"),
        *("minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"),
    },
    # Structured outputs: supported schemas; no allOf, oneOf, not, if, nor default
    "openai": {
        *("$defs", "$ref", "type", "description", "enum", "const", "anyOf", "properties", "additionalProperties", "required"),
        *("items", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minItems", "maxItems"),
    },
    # Structured outputs: JSON Schema limitations; no bounds of numbers, lengths or lists
    "anthropic": {
        *("$defs", "definitions", "$ref", "type", "description", "enum", "const", "anyOf", "allOf", "default", "properties"),
        *("additionalProperties", "required", "items", "format", "title"),
    },
}


def sent(provider: str, tool: ToolDefinition) -> Any:
    """A tool's schema as a provider gets it in its strictest mode."""
    match provider:
        case "google":
            return GoogleJsonSchemaTransformer(tool.parameters_json_schema, strict=True).walk()
        case "openai":
            return OpenAIJsonSchemaTransformer(tool.parameters_json_schema, strict=True).walk()
        case _:
            from anthropic import transform_schema  # takes seconds, which not every process that collects this need spend

            return transform_schema(tool.parameters_json_schema)


def parts_of(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas inside it."""
    yield schema
    inside = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", [])]
    for each in [*inside, *([schema["items"]] if "items" in schema else [])]:
        yield from parts_of(each)


@pytest.fixture(scope="module")
def tools(knowledge: Knowledge) -> Mapping[str, ToolDefinition]:
    """All look-ups and answers, of a new request, of one about a pipeline, and of the small model."""
    found: dict[str, ToolDefinition] = {}
    script = scripted([call("hand_over", reason="data"), call("plan_anew", reason="new"), call("refuse", reasons=["enough"])])

    async def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        found.update({tool.name: tool for tool in (*info.function_tools, *info.output_tools)})
        return await script.reply(messages, info)

    side = Side(knowledge=knowledge)
    model = FunctionModel(reply)
    settings = ModelSettings(DEMO.planning, is_streaming=False)
    planner = ModelPlanner(knowledge, settings, side=side, model=model, small=model)
    planner.answer(Situation("what is it?", NOW, current=Current(pipeline_file(), None, is_saved=True)))
    return found


def test_all_tools_are_walked(tools: Mapping[str, ToolDefinition]) -> None:
    """The three kinds of turns offer all look-ups and all ways to answer."""
    assert len(tools) == 18
    assert {"search_catalog", "submit_plan", "submit_edits", "give_information", "hand_over", "fork"} <= tools.keys()


@pytest.mark.parametrize("provider", ["google", "openai", pytest.param("anthropic", marks=pytest.mark.slow)])  # loads its SDK
def test_only_documented_keywords_are_sent(tools: Mapping[str, ToolDefinition], provider: str) -> None:
    """In the strictest mode of a provider: closed objects, nothing beside a reference, no items by position, no pattern."""
    for tool in tools.values():
        for part in parts_of(sent(provider, tool)):
            assert not part.keys() - DOCUMENTED[provider], (tool.name, part)
            assert not {"prefixItems", "pattern", "patternProperties"} & part.keys()
            assert "$ref" not in part or part.keys() <= {"$ref", "$defs"}
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
                assert provider != "openai" or part["required"] == list(part["properties"])
            if part.get("type") == "array":
                assert part["items"].keys() & {"type", "$ref", "anyOf"}


def test_schemas_are_already_in_the_common_subset(tools: Mapping[str, ToolDefinition]) -> None:
    """No client has to repair them: a provider of one's own gets the same."""
    common = set.intersection(*DOCUMENTED.values())
    for tool in tools.values():
        for part in parts_of(tool.parameters_json_schema):
            assert part.keys() <= common, (tool.name, part)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array", "prefixItems": [{"type": "number"}]},
    ],
)
def test_a_schema_that_cannot_be_reduced_is_refused(schema: dict[str, Any]) -> None:
    """Rather than sent as something else."""
    with pytest.raises(ValueError, match="no provider takes"):
        reduced(schema)


def test_pairs_are_read_as_a_mapping_and_so_are_objects() -> None:
    """Of inputs, options and changes; the order of a pair's keys does not count."""
    step = {"kind": "operation", "id": "m", "intent": "", "operation": "rolling_mean"}
    pairs = {"inputs": [{"step": "b", "name": "series"}], "options": [{"name": "window", "value": "PT5M"}]}
    plain = {"inputs": {"series": "b"}, "options": {"window": "PT5M"}}
    assert OperationStep.model_validate(step | pairs) == OperationStep.model_validate(step | plain)
    edit = EditDraftStep.model_validate(
        {"kind": "edit_step", "step": "m", "changes": [{"path": "compute.options.window", "value": "PT5M"}]}
    )
    assert edit.changes == {"compute.options.window": "PT5M"}


@pytest.mark.parametrize("inputs", [[{"name": "b"}], [{"name": "b", "step": "x"}, {"name": "b", "step": "y"}], [], ["b"]])
def test_pairs_that_are_none_are_refused(inputs: list[Any]) -> None:
    """A part missing, a name given twice, none at all, no object."""
    with pytest.raises(ValidationError):
        CodeStep.model_validate({"kind": "code", "id": "m", "intent": "", "code": "return b", "inputs": inputs})


def test_neutral_values_stand_for_nothing() -> None:
    """A provider that makes every field required leaves a model no other way to say so."""
    trace = {"component": "", "color": None, "label": "", "width": 0, "draw": "auto"}
    assert DraftTrace.model_validate({"data": "b", **trace}) == DraftTrace.model_validate({"data": "b"})
    assert DraftAxis.model_validate({"title": "", "scale": "auto", "range": []}) == DraftAxis()
    assert DraftAxis.model_validate({"range": [0, 60]}).range == [0, 60]


@pytest.mark.parametrize("ends", [[1], [1, 2, 3]])
def test_a_range_has_two_ends(ends: list[float]) -> None:
    """The schema no longer says so, the check does."""
    with pytest.raises(ValidationError):
        DraftAxis.model_validate({"range": ends})
