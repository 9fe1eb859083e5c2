"""A saved operation as a YAML file: reading, writing, comparing."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, create_model, model_validator

from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example
from helio_dagster.domain.code_check import NotPython, parse_body
from helio_dagster.domain.described import Described
from helio_dagster.domain.errors import InputError, OperationFileError, Problem
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.pipeline_fields import Duration, Name, Text
from helio_dagster.domain.table import Kind
from helio_dagster.domain.time_range import parse_duration
from helio_dagster.domain.units import normalize_unit
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import Path, Value, YamlFault, format_path, read_yaml
from helio_dagster.domain.yaml.style import render_block

SAME = "same"
"""Unit or frame of an output that is that of the first input."""
_REACH = re.compile(r"([a-z][a-z0-9_]*)(?:\s*([*/])\s*([0-9]+))?")
_TYPES: dict[str, Any] = {"number": float, "integer": int, "duration": Duration, "text": str, "boolean": bool}


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("a few words are needed")
    return value


Words = Annotated[Text, AfterValidator(_not_blank)]


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class InputSpec(_Strict):
    """What an input must be."""

    meaning: Words
    """What it is, in a few words."""
    kinds: Annotated[list[Kind], Field(min_length=1)] = ["series"]
    """Kinds of tables that it accepts."""
    quantity: list[str] = []
    """Words for the physical quantity; any where not given."""
    unit: str | None = None
    """Unit that its values are converted to; left as they are where not given."""
    columns: Annotated[int, Field(ge=1, le=4096)] | None = None
    """How many columns it must have, three of a vector being its Cartesian components."""
    frames: list[str] = []
    """Coordinate frames it may be in; any where not given."""


class OptionSpec(_Strict):
    """An option, a further local name of the code."""

    meaning: Words
    """What it does."""
    type: Literal["number", "integer", "duration", "text", "boolean"] = "number"
    """A duration reaches the code as ISO 8601 text, for `pd.Timedelta`."""
    unit: str = ""
    """Unit of a number."""
    default: float | bool | str | None = None
    """A pipeline must give it where there is none."""
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = []
    """What a text may be."""


class OutputSpec(_Strict):
    """What comes out."""

    meaning: Words
    """Kind, times, and where it is NaN."""
    unit: str = SAME
    """Its unit, or `same` for that of the first input."""
    frame: str | None = None
    """Its coordinate frame, or `same` for that of the first input."""
    columns: list[str] = []
    """Names of its columns; one alone, which bears the step's id, where not given; `[same]` for those of the first input."""


class OperationFile(_Strict):
    """A saved operation: everything that is known of it, and its code."""

    id: Name
    version: Annotated[int, Field(ge=1, le=9999)] = 1
    """Counts up with every change; a saved version never changes."""
    summary: Words
    when: Words
    """When to use it, and when another."""
    inputs: Annotated[dict[Name, InputSpec], Field(min_length=1)]
    """Input name to what it must be; the first gives the time axis."""
    options: dict[Name, OptionSpec] = {}
    output: OutputSpec
    lookback: str = "PT0S"
    """How far before a partition it reads: an ISO 8601 duration, a duration option, or that times or over a number."""
    lookahead: str = "PT0S"
    """How far after a partition it reads, given in the same way."""
    reference: Words
    """Formula and its source."""
    origin: Literal["saved", "generated"] = "saved"
    examples: Annotated[list[Example], Field(min_length=1)]
    """Small inputs and what must come of them, from a source that is not the code; run before it is saved."""
    code: Text
    """A function body over the inputs and options."""

    @model_validator(mode="after")
    def _fits_together(self) -> OperationFile:
        shared = set(self.inputs) & set(self.options)
        if shared:
            raise ValueError(f"{min(shared)} is an input and an option")
        for text in (self.lookback, self.lookahead):
            _check_reach(text, self.options)
        self.options_model().model_validate(
            {name: _sample(each) for name, each in self.options.items() if each.default is None}
        )
        return self

    @property
    def reference_name(self) -> str:
        """How a pipeline names it: `id@version`."""
        return f"{self.id}@{self.version}"

    def options_model(self) -> type[Options]:
        """The model that checks options as a pipeline gives them."""
        fields: dict[str, Any] = {name: _field(spec) for name, spec in self.options.items()}
        return create_model(f"{self.id}_options", __base__=Options, **fields)

    def reach(self, text: str, options: Options) -> timedelta:
        """The duration that `lookback` or `lookahead` means with these options."""
        match = _REACH.fullmatch(text.strip())
        if match is None:
            return parse_duration(text)
        length: timedelta = getattr(options, match[1])
        count = int(match[3] or 1)
        return length * count if match[2] != "/" else timedelta(microseconds=-(-duration_ns(length) // (1000 * count)))

    def sha(self) -> str:
        """Sha256 of all that a result depends on: code, names, units, reach; words and examples do not count."""
        document = self.model_dump(mode="json", exclude={"summary", "when", "reference", "origin", "examples"})
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()

    def code_sha(self) -> str:
        """Sha256 of what the code does: comments, layout, and what the inputs are called do not count."""
        names = {name: f"input_{place}" for place, name in enumerate(self.inputs)}
        try:
            tree = _Renamed(names).visit(parse_body(self.code))
            text = ast.dump(tree)
        except (NotPython, RecursionError):
            text = self.code
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Renamed(ast.NodeTransformer):
    """Gives inputs the names of their places; column names stay, being text."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """A name, renamed where it is an input's."""
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def parse_operation(text: str, *, file: str) -> OperationFile:
    """Read a saved operation from its YAML text.

    Raises
    ------
    OperationFileError
        With every fault found: line, path, what is wrong and what to do.
    """
    try:
        document = read_yaml(text)
    except YamlFault as fault:
        raise OperationFileError([Problem(file, fault.line, fault.path, fault.problem, fault.hint)]) from None
    if not isinstance(document.value, dict):
        raise OperationFileError(
            [Problem(file, 1, "", "an operation is a mapping of keys", "Begin with `id:` and `summary:`.")]
        )
    try:
        return OperationFile.model_validate(document.value)
    except ValidationError as error:
        faults = plain_faults(error, OperationFile)
        found = [Problem(file, document.line(at.path), format_path(at.path), at.problem, at.hint) for at in faults]
        raise OperationFileError(sorted(found, key=lambda problem: problem.line)) from None


def dump_operation(operation: OperationFile) -> str:
    """The text of a saved operation's file: what says the default is left out, the code comes last."""
    given = operation.model_dump(mode="json", exclude_defaults=True)
    given["version"] = operation.version
    ordered: dict[str, Value] = {name: given[name] for name in OperationFile.model_fields if name in given}
    return render_block(ordered, is_block=_is_block)


def _is_block(path: Path) -> bool:
    match path:
        case ("inputs" | "options" | "output" | "examples",) | ("examples", int()) | ("examples", int(), "inputs"):
            return True
    return False


def _field(spec: OptionSpec) -> tuple[Any, Any]:
    kind = Literal[tuple(spec.choices)] if spec.choices else _TYPES[spec.type]
    limits: dict[str, Any] = {} if spec.type not in ("number", "integer") else {"ge": spec.minimum, "le": spec.maximum}
    default: Any = ... if spec.default is None else spec.default
    meaning = f"{spec.meaning} ({spec.unit})" if spec.unit else spec.meaning
    return kind, Field(default, description=meaning, validate_default=True, **limits)


def _sample(spec: OptionSpec) -> Any:
    """A value that an option without default may have."""
    if spec.choices:
        return spec.choices[0]
    number = spec.minimum if spec.minimum is not None else spec.maximum if spec.maximum is not None else 1
    return {"number": number, "integer": int(number), "duration": "PT1M", "text": "", "boolean": False}[spec.type]


def _check_reach(text: str, options: Mapping[str, OptionSpec]) -> None:
    match = _REACH.fullmatch(text.strip())
    if match is None:
        try:
            parse_duration(text)
        except InputError as error:
            raise ValueError(f"{error.problem}. {error.hint}") from None
    elif match[1] not in options or options[match[1]].type != "duration":
        raise ValueError(f"the reach {text!r} names no option that is a duration")
    elif match[3] is not None and int(match[3]) == 0:
        raise ValueError(f"the reach {text!r} is not a length")


def normalized_unit(text: str) -> str:
    """The unit of an output, as tables have it; `same` stays."""
    return text if text == SAME else normalize_unit(text)
