"""A pipeline's YAML text: read, write, change one value, hash, describe."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from pydantic import ValidationError

from helio_dagster.domain.errors import PipelineError, Problem
from helio_dagster.domain.pipeline import EventWindows, Pipeline, Step
from helio_dagster.domain.time_range import format_duration, format_time
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import Path, Value, YamlDocument, YamlFault, format_path, parse_path, read_yaml
from helio_dagster.domain.yaml.edit import remove_value, set_value
from helio_dagster.domain.yaml.style import render_block

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class PipelineFile:
    """A pipeline together with its text.

    Parameters
    ----------
    file
        Name of the file as errors print it.
    pipeline
        What the text says.
    document
        The text and the place of every value in it.
    """

    file: str
    pipeline: Pipeline
    document: YamlDocument

    @property
    def text(self) -> str:
        """The text, byte for byte as read or edited."""
        return self.document.text

    def problem(self, path: Path, problem: str, hint: str = "", *, line: int = 0) -> Problem:
        """A fault at `path`; its line is looked up where not given."""
        return Problem(self.file, line or self.document.line(path), format_path(path), problem, hint)

    def with_value(self, path: str, value: Value) -> PipelineFile:
        """The file with one value changed or added: a one-line difference where the value is one line.

        Parameters
        ----------
        path
            Place such as `steps[2].compute.options.window`; a new key or the index after a list's last adds.
        value
            Plain value as it would be written in YAML.

        Raises
        ------
        KeyError
            There is no such place.
        PipelineError
            The file would no longer hold a valid pipeline.
        """
        return _validated(set_value(self.document, parse_path(path), value), file=self.file)

    def renamed(self, name: str, *, file: str) -> PipelineFile:
        """The file under another name: one line differs, and one for each reference to an own step by the old name.

        An approval that fitted fits again, for nothing else was changed: its hash is another line.

        Raises
        ------
        InputError
            The text is written in a way that cannot be edited safely.
        """
        renamed = _validated(set_value(self.document, ("name",), name), file=file)
        return self._approval_carried_to(renamed.retargeted(self.pipeline.name, name))

    def retargeted(self, old: str, new: str) -> PipelineFile:
        """The file with every reference `old/step` made `new/step`; an approval that fitted fits again.

        Raises
        ------
        InputError
            The text is written in a way that cannot be edited safely.
        """
        document = self.document
        for path, reference in self.references_to(old):
            document = set_value(document, parse_path(path), f"{new}/{reference.partition('/')[2]}")
        return self._approval_carried_to(self.with_document(document)) if document is not self.document else self

    def references_to(self, name: str) -> list[tuple[str, str]]:
        """References to steps of a pipeline by its name, as (path, reference)."""
        found = [
            (f"steps[{index}].{path}", reference)
            for index, step in enumerate(self.pipeline.steps)
            for path, reference in step.references
        ]
        windows = self.pipeline.partitions
        listed = [("partitions.events", windows.events)] if isinstance(windows, EventWindows) else []
        return [(path, reference) for path, reference in [*listed, *found] if reference.startswith(f"{name}/")]

    def without_approval(self) -> PipelineFile:
        """The file without its approval; the same where it has none."""
        return self.with_document(remove_value(self.document, ("approved",))) if self.pipeline.approved else self

    @property
    def is_as_approved(self) -> bool:
        """Whether there is an approval, and it is of just this pipeline."""
        approved = self.pipeline.approved
        return approved is not None and approved.sha == pipeline_sha(self.pipeline)

    def _approval_carried_to(self, changed: PipelineFile) -> PipelineFile:
        """The changed file with a hash that fits it, where the one before the change did."""
        return changed.with_value("approved.sha", pipeline_sha(changed.pipeline)) if self.is_as_approved else changed

    def with_document(self, document: YamlDocument) -> PipelineFile:
        """The file with another text; PipelineError where that is not a valid pipeline."""
        return _validated(document, file=self.file)


def parse_pipeline(text: str, *, file: str) -> PipelineFile:
    """Read a pipeline from its YAML text.

    Parameters
    ----------
    text
        The text of the file.
    file
        Its name, for errors; where it has the suffix of a pipeline file, the pipeline must have its name.

    Raises
    ------
    PipelineError
        With every fault found: line, path, what is wrong and what to do.
    """
    try:
        document = read_yaml(text)
    except YamlFault as fault:
        raise PipelineError([Problem(file, fault.line, fault.path, fault.problem, fault.hint)]) from None
    return _validated(document, file=file)


def _validated(document: YamlDocument, *, file: str) -> PipelineFile:
    if document.value is None:
        raise PipelineError([Problem(file, 0, "", "the file is empty", "Begin with `version: 1` and `name:`.")])
    if not isinstance(document.value, dict):
        raise PipelineError([Problem(file, 1, "", "a pipeline is a mapping of keys", "Begin with `version: 1` and `name:`.")])
    misnamed = _misnamed(document, file=file)
    try:
        pipeline = Pipeline.model_validate(document.value)
    except ValidationError as error:
        faults = plain_faults(error, Pipeline)
        found = [Problem(file, document.line(at.path), format_path(at.path), at.problem, at.hint) for at in faults]
        raise PipelineError(sorted([*misnamed, *found], key=lambda problem: problem.line)) from None
    if misnamed:
        raise PipelineError(misnamed)
    return PipelineFile(file, pipeline, document)


def _misnamed(document: YamlDocument, *, file: str) -> list[Problem]:
    """The fault that the pipeline has not the name of its file."""
    leaf = file.replace("\\", "/").rsplit("/", 1)[-1]
    suffix = next((suffix for suffix in SUFFIXES if leaf.endswith(suffix)), None)
    name = document.value.get("name") if isinstance(document.value, dict) else None
    if suffix is None or not isinstance(name, str) or name == leaf.removesuffix(suffix):
        return []
    hint = f"Write name: {leaf.removesuffix(suffix)}, or rename the file to {name}.yaml."
    return [Problem(file, document.line(("name",)), "name", f"the pipeline {name!r} stands in {leaf!r}", hint)]


def pipeline_to_document(pipeline: Pipeline) -> dict[str, Value]:
    """The pipeline as the plain mapping that its file holds, without keys that say the default."""
    plain = plain_value(pipeline.model_dump(exclude_defaults=True))
    if not isinstance(plain, dict):
        raise TypeError("a pipeline is a mapping")
    plain["steps"] = [step_to_document(step) for step in pipeline.steps]
    ordered: dict[str, Value] = {}
    for key in Pipeline.model_fields:
        if key == "partitions":
            ordered[key] = plain.get(key, pipeline.grain.value)
        elif key in plain:
            ordered[key] = plain[key]
    return ordered


def step_to_document(step: Step) -> dict[str, Value]:
    """A step as the plain mapping that a pipeline's file holds, without keys that say the default."""
    plain = plain_value(step.model_dump(exclude_defaults=True))
    if not isinstance(plain, dict):
        raise TypeError("a step is a mapping")
    compute = plain.get("compute")
    if isinstance(compute, dict) and "code" in compute:
        compute["code"] = compute.pop("code")  # last: it is the longest
    return plain


def pipeline_steps(document: Mapping[str, Value]) -> list[dict[str, Value]]:
    """The steps of a pipeline's plain mapping."""
    steps = document.get("steps")
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []


def dump_pipeline(pipeline: Pipeline) -> str:
    """A new file's text: keys in the order of the model, one step a paragraph of lines, small mappings on one line."""
    return render_block(pipeline_to_document(pipeline), is_block=is_block)


def is_block(path: Path) -> bool:
    """Whether a place of a pipeline has lines of its own in the house layout, although one line would hold it."""
    match path:
        case ("steps",) | ("steps", int()) | ("steps", int(), "figure" | "table"):
            return True
        case ("steps", int(), "figure", "panels") | ("steps", int(), "figure", "panels", int()):
            return True
    return False


def pipeline_sha(pipeline: Pipeline) -> str:
    """Sha256 of what the pipeline says, without its approval; layout, comments and spelled-out defaults do not count."""
    document = pipeline_to_document(pipeline)
    document.pop("approved", None)
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def pipeline_schema() -> dict[str, Any]:
    """The JSON schema of a pipeline file, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Pipeline.model_json_schema(mode="validation")}


def plain_value(value: object) -> Value:
    """A value of the model as it would be written in YAML; TypeError for what cannot."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str) or value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    if isinstance(value, Sequence):
        return [plain_value(item) for item in value]
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, timedelta):
        return format_duration(value)
    raise TypeError(f"{type(value).__name__} is not allowed in a pipeline")
