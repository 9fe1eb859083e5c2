"""Models whose fields are described by the text below them, read only where a JSON schema is made.

Pydantic's own `use_attribute_docstrings` reads the source of every class when it is defined: a quarter of starting `helio`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Described(BaseModel):
    """A model whose schema says of each field what stands below it in the source."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        """The schema that pydantic makes, with descriptions."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in field_texts(cls).items():
            field = cls.model_fields.get(name)
            for each in (name, field.alias if field else None):
                if each in properties:
                    properties[each].setdefault("description", text)
        return schema


@cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Field of a model to the text below it, inherited ones too; empty where there is no source to read."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, Described) and owner is not Described:
            found |= _texts_in(owner)
    return found


def _texts_in(owner: type) -> dict[str, str]:
    try:
        (body,) = ast.parse(dedent(inspect.getsource(owner))).body
    except (OSError, TypeError, SyntaxError):
        return {}
    if not isinstance(body, ast.ClassDef):
        return {}
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(body.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
