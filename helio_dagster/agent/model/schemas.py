"""Reduce the schemas of tools to what every provider accepts: Gemini, strict OpenAI, strict Anthropic.

Limits on lengths, counts and patterns are left out: they are checked when the arguments arrive. What is removed here is
therefore never the only guard.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext, ToolDefinition

from helio_dagster.agent.model.turn import Turn

Schema = dict[str, Any]
_KEPT = frozenset({"$ref", "$defs", "type", "description", "enum", "items", "anyOf", "properties", "required"})


async def reduce_schemas(ctx: RunContext[Turn], tools: list[ToolDefinition]) -> list[ToolDefinition]:
    """The tools with reduced schemas, noted as offered; a hook of the agent."""
    offered = [replace(tool, parameters_json_schema=_sharing_items(reduced(tool.parameters_json_schema))) for tool in tools]
    ctx.deps.offered.update({tool.name: tool for tool in offered})
    return offered


def reduced(schema: Mapping[str, Any]) -> Schema:
    """A schema with the keywords that every provider accepts.

    A constant becomes an enum of one value, `oneOf` becomes `anyOf`, and a value that may be null becomes one that may be left
    out. Nothing stands beside a reference, and objects are closed.

    Raises
    ------
    ValueError
        An object has keys of any name, or an array has items of different types by position.
    """
    if "prefixItems" in schema or schema.get("additionalProperties") not in (None, False):
        raise ValueError(f"no provider takes this schema: {sorted(schema)}")
    if "$ref" in schema and "$defs" not in schema:
        return {"$ref": schema["$ref"]}
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return _one_of(schema, options)
    made = {key: value for key, value in schema.items() if key in _KEPT}
    if "const" in schema:
        made |= {"type": "string", "enum": [schema["const"]]}
    if "items" in made:
        made["items"] = reduced(made["items"])
    if made.get("type") == "object":
        made["properties"] = {name: reduced(each) for name, each in made.get("properties", {}).items()}
        made["additionalProperties"] = False
    return _with_definitions(made)


def _sharing_items(schema: Schema) -> Schema:
    """A schema whose lists of the same objects share one definition, named after the fields of these."""
    arrays = [each for each in _inside(schema) if each.get("type") == "array" and "properties" in each["items"]]
    counted = Counter(json.dumps(each["items"]) for each in arrays)
    repeated = [each for each in arrays if counted[json.dumps(each["items"])] > 1]
    for each in repeated:
        name = "".join(map(str.capitalize, each["items"]["properties"]))
        schema["$defs"][name] = each["items"]
        each["items"] = {"$ref": f"#/$defs/{name}"}
    return schema


def _inside(schema: Schema) -> Iterator[Schema]:
    """All schemas in a reduced one, itself included."""
    yield schema
    parts = [*schema.get("$defs", {}).values(), *schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for each in [*parts, *([schema["items"]] if "items" in schema else [])]:
        yield from _inside(each)


def _one_of(schema: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> Schema:
    """A choice of schemas without null; where one is left, it stands by itself."""
    left = [reduced(each) for each in options if each.get("type") != "null"]
    if len(left) > 1:
        made: Schema = {"anyOf": left}
    else:
        made = left[0]
    if "description" in schema and "$ref" not in made:
        made = {**made, "description": schema["description"]}
    return _with_definitions({**made, **({"$defs": schema["$defs"]} if "$defs" in schema else {})})


def _undescribed(schema: Schema) -> Schema:
    """A definition without what it is for: its name and its fields tell that, and every request carries it."""
    return {key: value for key, value in schema.items() if key != "description"}


def _with_definitions(schema: Schema) -> Schema:
    if "$defs" in schema:
        schema["$defs"] = {name: _undescribed(reduced(each)) for name, each in schema["$defs"].items()}
    return schema
