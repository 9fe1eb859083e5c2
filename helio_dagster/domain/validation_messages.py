"""What a validating model found wrong, in plain words with a remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from helio_dagster.domain.did_you_mean import near_names, remedy, suggestion
from helio_dagster.domain.pipeline import EventWindows, ProjectAsset
from helio_dagster.domain.pipeline_fields import (
    ARCHIVE_PATTERN,
    ASSET_PATTERN,
    DATASET_PATTERN,
    LIST_PATTERN,
    NAME_PATTERN,
    OPERATION_PATTERN,
    REFERENCE_PATTERN,
)
from helio_dagster.domain.yaml.document import Path

_PATTERNS = {
    NAME_PATTERN: ("is not a name", "Names begin with a small letter and hold small letters, digits and underscores."),
    REFERENCE_PATTERN: ("refers to no step", "Give a step's id, or other_pipeline/step."),
    ASSET_PATTERN: ("is not an asset's key", "Join its parts with /, such as ground/station."),
    OPERATION_PATTERN: ("names no operation", "Write a shipped operation's id, or id@version of a saved one."),
    LIST_PATTERN: (
        "is not a list in the folder of pipelines",
        "Name a file below their folder, such as lists/storms.csv (or .json, .txt, .tsv, .dat, .xml, .vot).",
    ),
    DATASET_PATTERN: ("is not a dataset id", "Ids hold letters, digits and _ . @ + - : /, such as AC_H0_MFI."),
    ARCHIVE_PATTERN: (
        "is not an archive",
        "Give cdaweb, demo for the embedded archive, hapi: and a server, such as hapi:amda, or for positions spice or "
        "hapi:sscweb.",
    ),
}
_WANTED = {
    "string": ("text", "Put it in quotes."),
    "int": ("a whole number", ""),
    "float": ("a number", ""),
    "bool": ("true or false", ""),
    "dict": ("a mapping (key: value)", ""),
    "model": ("a mapping (key: value)", ""),
    "list": ("a list", "Write [a, b], or one item a line after a dash."),
    "tuple": ("a list of two numbers", "Write [lower, upper]."),
}
_WORD, _MAPPING = "str-enum[Grain]", EventWindows.__name__
"""What pydantic calls the two kinds of `partitions`."""
_STEP, _ASSET = "constrained-str", ProjectAsset.__name__
"""And the two kinds of inputs."""
_ONE_OF = "literal["
"""How pydantic begins what it calls a list of allowed words that is one of several."""
_KIND_NAMES = {str: "text", bool: "a truth value", int: "a number", float: "a number", dict: "a mapping", list: "a list"}


@dataclass(frozen=True)
class PlainFault:
    """A fault at a path of the validated value."""

    path: Path
    problem: str
    hint: str


def plain_faults(error: ValidationError, model: type[BaseModel]) -> list[PlainFault]:
    """Every fault that pydantic found in a value of the model; a key that is only misspelt is not missing too."""
    schema = schema_of(model)
    details = _with_lists_joined([each for each in error.errors(include_url=False) if _is_of_the_kind_given(each)])
    unknown = {_path(detail) for detail in details if detail["type"] == "extra_forbidden"}
    found = []
    for detail in details:
        path = _path(detail)
        if detail["type"] == "missing" and any(other[:-1] == path[:-1] and _is_near(other, path) for other in unknown):
            continue
        problem, hint = _in_plain_words(detail, path, schema)
        found.append(PlainFault(path, problem, hint))
    return found


def _with_lists_joined(details: list[ErrorDetails]) -> list[ErrorDetails]:
    """The faults, those of several lists of allowed words for one value as one fault of all these words."""
    found: dict[Path, ErrorDetails] = {}
    others: list[ErrorDetails] = []
    for detail in details:
        path = _path(detail)
        if detail["type"] != "literal_error" or path == tuple(detail["loc"]):
            others.append(detail)
        elif path in found:
            expected = f"{found[path]['ctx']['expected']}, {detail['ctx']['expected']}"
            found[path] = {**found[path], "ctx": {"expected": expected}}
        else:
            found[path] = detail
    return [*others, *found.values()]


def _is_of_the_kind_given(detail: ErrorDetails) -> bool:
    """False for what pydantic says of the other kind of `partitions` or input: a mapping is not text, nor text a mapping."""
    parts = [str(part) for part in detail["loc"]]
    if _WORD in parts or parts[-1:] == [_STEP]:
        return not isinstance(detail["input"], dict)
    return not (parts[-1:] in ([_MAPPING], [_ASSET]) and detail["type"] == "model_type")


def _path(detail: ErrorDetails) -> Path:
    named = (part for part in detail["loc"] if part not in ("[key]", _WORD, _MAPPING, _STEP, _ASSET))
    return tuple(part for part in named if not str(part).startswith(_ONE_OF))


def _is_near(written: Path, missing: Path) -> bool:
    return bool(near_names(str(written[-1]), [str(missing[-1])]))


def _in_plain_words(detail: ErrorDetails, path: Path, schema: dict[str, Any]) -> tuple[str, str]:
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(str(path[-1]), keys_at(schema, path[:-1]))
    if kind == "missing":
        return _missing_key(path[-1], schema, path)
    if kind == "value_error":
        return _own_words(str(context["error"]))
    if kind == "string_pattern_mismatch":
        problem, hint = _PATTERNS.get(context["pattern"], ("is not of the right form", ""))
        return f"{given!r} {problem}", hint
    if kind in ("literal_error", "enum"):
        return _not_one_of(given, str(context["expected"]))
    if kind in _BOUNDS:
        return _BOUNDS[kind](given, context)
    wanted, hint = _WANTED.get(kind.split("_")[0], ("", ""))
    if wanted:
        return f"{_shown(given)}, but should be {wanted}", hint or _keys_hint(schema, path)
    message = detail["msg"]
    return f"{message[:1].lower()}{message[1:]}", ""


def _keys_hint(schema: dict[str, Any], path: Path) -> str:
    """What a mapping is written like, where the schema names its keys; the needed ones are shown, the others listed."""
    place = _field_at(schema, path)
    keys, needed = list(place.get("properties", {})), place.get("required", [])
    if not keys:
        return ""
    optional = ", ".join(key for key in keys if key not in needed)
    example = "{" + ", ".join(f"{key}: ..." for key in needed or keys[:1]) + "}"
    return f"Write {example}" + (f"; further keys: {optional}." if needed and optional else ".")


def _own_words(message: str) -> tuple[str, str]:
    """A message of our own model, split into problem and hint at its first full stop."""
    problem, _, hint = message.partition(". ")
    return problem, hint


def _unknown_key(key: str, known: list[str]) -> tuple[str, str]:
    return f"unknown key {key!r}", remedy(key, known, what="known keys")


def _missing_key(key: str | int, schema: dict[str, Any], path: Path) -> tuple[str, str]:
    if isinstance(key, int):
        return f"item {key + 1} of the list is missing", ""
    described = _field_at(schema, path).get("description", "")
    return f"the key {key!r} is missing", f"{key}: {described}" if described else f"Add {key}."


def _not_one_of(given: object, expected: str) -> tuple[str, str]:
    words = [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]
    allowed = f"It must be {' or '.join([', '.join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]}."
    near = suggestion(given, words) if isinstance(given, str) and near_names(given, words) else ""
    return f"{given!r} is not allowed here", near or allowed


def _shown(given: object) -> str:
    if given is None:
        return "nothing is given"
    if isinstance(given, (dict, list, tuple)):
        return f"this is {_KIND_NAMES.get(type(given), 'a list')}"
    return f"{str(given)[:60]!r} is {_KIND_NAMES.get(type(given), 'no such value')}"


def _counted(given: object, words: str) -> tuple[str, str]:
    return (f"{_shown(given)}, but {words}" if not isinstance(given, (dict, list)) else words), ""


_BOUNDS: dict[str, Callable[[object, dict[str, Any]], tuple[str, str]]] = {
    "too_short": lambda _given, context: (f"at least {context['min_length']} must be given here", ""),
    "too_long": lambda _given, context: (f"at most {context['max_length']} may be given here", ""),
    "string_too_short": lambda _given, _context: ("the text is empty", ""),
    "string_too_long": lambda _given, context: (f"the text is longer than {context['max_length']} characters", "Shorten it."),
    "greater_than": lambda given, context: (f"{given} must be greater than {context['gt']:g}", ""),
    "greater_than_equal": lambda given, context: (f"{given} must not be less than {context['ge']:g}", ""),
    "less_than_equal": lambda given, context: (f"{given} must not be greater than {context['le']:g}", ""),
}


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model, made once: that takes longer than to check a file. Not to be changed."""
    return model.model_json_schema()


def keys_at(schema: dict[str, Any], path: Path) -> list[str]:
    """The keys that the JSON schema of a model knows at `path`."""
    return list(_field_at(schema, path).get("properties", {}))


def _field_at(schema: dict[str, Any], path: Path) -> dict[str, Any]:
    """The JSON schema of the value at `path`; empty where the path leaves the schema."""
    place = schema
    for part in path:
        place = _resolved(schema, place)
        place = place.get("items", {}) if isinstance(part, int) else _value_of(place, part)
        if not isinstance(place, dict):
            return {}
    described = place.get("description")
    resolved = _resolved(schema, place)
    return {**resolved, "description": described} if described else resolved


def _value_of(place: dict[str, Any], key: str) -> Any:
    """The schema of a key's value, also where keys may have any name, as those of results and inputs."""
    of_any_name = [*place.get("patternProperties", {}).values(), place.get("additionalProperties", {})]
    return place.get("properties", {}).get(key, of_any_name[0])


def _resolved(schema: dict[str, Any], place: dict[str, Any]) -> dict[str, Any]:
    options = [_followed(schema, option) for option in place.get("anyOf", []) if option.get("type") != "null"]
    if options:
        return next((option for option in options if "properties" in option), options[0])
    return _followed(schema, place)


def _followed(schema: dict[str, Any], place: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in place:
        return place
    resolved: dict[str, Any] = schema["$defs"][place["$ref"].rsplit("/", 1)[-1]]
    return resolved
