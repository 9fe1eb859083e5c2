"""Kinds of fields in what a model submits, in forms that every provider's schemas allow.

Providers take no objects with keys of any name, and some make every field required: a mapping is therefore written as a list of
pairs, and a value that may be missing has a neutral value that means the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from helio_dagster.domain.pipeline import ResultKind
from helio_dagster.domain.pipeline_fields import Name, Reference

Schema = dict[str, Any]
_OVER_TIME = ("series", "vector", "spectrogram")
_NEUTRAL: tuple[Any, ...] = ("", "auto", [], 0)


@dataclass(frozen=True)
class Pairs:
    """Marks a mapping that a model writes as a list of pairs; one written as an object is understood too.

    Parameters
    ----------
    name, value
        Keys of a pair.
    schema
        What the values are.
    description
        What the pairs are, for the model, where the names do not say it.
    """

    name: str
    value: str
    schema: Schema
    description: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read pairs before the mapping is checked."""
        return core_schema.no_info_before_validator_function(self._mapping, handler(source))

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> Schema:
        """The list of pairs."""
        properties = {self.name: {"type": "string"}, self.value: self.schema}
        pair = {"type": "object", "properties": properties, "required": [self.name, self.value]}
        return {"type": "array", "items": pair, **({"description": self.description} if self.description else {})}

    def _mapping(self, given: Any) -> Any:
        if not isinstance(given, list):
            return {} if given is None else given
        made: dict[str, Any] = {}
        for pair in given:
            if not isinstance(pair, dict) or pair.keys() != {self.name, self.value} or not isinstance(pair[self.name], str):
                raise ValueError(f"each item must be an object with {self.name} and {self.value}")
            if pair[self.name] in made:
                raise ValueError(f"{pair[self.name]!r:.80} is given twice")
            made[pair[self.name]] = pair[self.value]
        return made


@dataclass(frozen=True)
class Missable:
    """Marks a value that may be missing: left out, null, empty text, `auto`, an empty list or 0, all of which become None."""

    schema: Schema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read a neutral value as None."""
        return core_schema.no_info_before_validator_function(_without_neutral, handler(source))

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> Schema:
        """The schema without null."""
        return dict(self.schema)


@dataclass(frozen=True)
class KindOrKinds:
    """Marks what code returns: the kind of its result, or several results, written as `name: kind, name: kind`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read the text before the kinds are checked."""
        return core_schema.no_info_before_validator_function(_kinds_in, handler(source))

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> Schema:
        """A text."""
        return dict(_TEXT)


def _events_around(value: Any) -> Any:
    """`storms P1D P3D`, a step of events with lengths before and after, as a pipeline file writes it."""
    words = value.split() if isinstance(value, str) else []
    if not words:
        return value
    if len(words) != 3:
        raise ValueError("write a step of events and the lengths before and after each, as storms P1D P3D")
    return dict(zip(("events", "before", "after"), words, strict=True))


def _kinds_in(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _kind_in(kind) for name, kind in value.items()}
    if not isinstance(value, str) or ":" not in value:
        return _kind_in(value)
    pairs = [[text.strip() for text in part.split(":")] for part in value.split(",")]
    names = [pair[0] for pair in pairs]
    if any(len(pair) != 2 for pair in pairs) or len(set(names)) < len(names):
        raise ValueError("write several results as name: kind, name: kind, each name once")
    return {name: _kind_in(kind) for name, kind in pairs}


def _kind_in(value: Any) -> Any:
    return None if value in _OVER_TIME else _without_neutral(value)


def _without_neutral(value: Any) -> Any:
    return None if not isinstance(value, bool) and value in _NEUTRAL else value


_SCALARS: list[Schema] = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
_NUMBERS: Schema = {"type": "array", "items": {"type": "number"}}
ANY_VALUE: Schema = {"anyOf": [*_SCALARS, {"type": "array", "items": {"anyOf": [*_SCALARS, _NUMBERS]}}]}
"""A value of an option or of an edit: text, number, truth value, or a list of these or of rows of numbers."""
_TEXT: Schema = {"type": "string"}

OptionalText = Annotated[str | None, Missable(_TEXT)]
OptionalStep = Annotated[Reference | None, Missable(_TEXT)]
OptionalNumber = Annotated[float | None, Missable({"type": "number"})]
OptionalWidth = Annotated[Annotated[float, Field(gt=0, le=10)] | None, Missable({"type": "number", "description": "Pixels."})]
TimeWords = Annotated[Annotated[str, Field(max_length=200)] | None, Missable(_TEXT)]
OptionalName = Annotated[Annotated[str, Field(max_length=80)] | None, Missable(_TEXT)]
OptionalEnds = Annotated[
    Annotated[list[float], Field(min_length=2, max_length=2)] | None,
    Missable({"type": "array", "items": {"type": "number"}, "description": "Lower and upper end."}),
]
OptionalScale = Annotated[Literal["linear", "log"] | None, Missable({"type": "string", "enum": ["auto", "linear", "log"]})]
OptionalDrawing = Annotated[
    Literal["line", "points", "spectrogram"] | None,
    Missable({"type": "string", "enum": ["auto", "line", "points", "spectrogram"]}),
]
OptionalOver = Annotated[
    Literal["partition", "range"] | None,
    Missable({"type": "string", "enum": ["auto", "partition", "range"]}),
]
EventsAround = Annotated[dict[str, str] | None, BeforeValidator(_events_around), Missable(_TEXT)]
StatedResult = Annotated[ResultKind | dict[Name, ResultKind | None] | None, KindOrKinds()]
Units = Annotated[dict[str, str], Pairs("column", "unit", _TEXT, "Of single columns; of several results, as r or r.column.")]
Inputs = Annotated[dict[str, Reference], Field(min_length=1), Pairs("name", "step", _TEXT)]
Options = Annotated[dict[str, Any], Pairs("name", "value", ANY_VALUE, "Durations as PT10M.")]
Changes = Annotated[
    dict[str, Any],
    Pairs(
        "path",
        "value",
        ANY_VALUE,
        "Places in the step, such as compute.options.window or figure.panels[0].traces[+].data, where [+] appends.",
    ),
]
