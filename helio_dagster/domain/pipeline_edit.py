"""Edits of a pipeline, merged by step id into its text. What an edit should be is decided by a person or a planner."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.domain.pipeline import Name, Step
from helio_dagster.domain.pipeline_text import PipelineFile


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class EditStep(_Strict):
    """Change values of one step."""

    kind: Literal["edit_step"]
    step: Name
    """Id of the step."""
    changes: Annotated[dict[str, Any], Field(min_length=1)]
    """Path inside the step to its new value, as `compute.options.window: PT5M` or `figure.panels[0].traces[0].color: red`; null
    removes what stands there."""


class AddStep(_Strict):
    """Add a step."""

    kind: Literal["add_step"]
    step: Step
    """The whole step."""
    before: Name | None = None
    """Id of the step it stands before; at the end where not given."""


class RemoveStep(_Strict):
    """Remove a step that no other refers to."""

    kind: Literal["remove_step"]
    step: Name
    """Id of the step."""


class EditPipeline(_Strict):
    """Change values of the pipeline that stand outside its steps."""

    kind: Literal["edit_pipeline"]
    changes: Annotated[
        dict[Literal["title", "description", "assumptions", "start", "schedule", "lag"], Any], Field(min_length=1)
    ]
    """Key to its new value; null removes it."""


Edit = Annotated[EditStep | AddStep | RemoveStep | EditPipeline, Field(discriminator="kind")]


def apply_edits(file: PipelineFile, edits: list[Edit]) -> PipelineFile:
    """The file with the edits merged in; every other line stays byte for byte as it is.

    Raises
    ------
    InputError
        An edit names a step or a place that is not there; the hint names the nearest.
    PipelineError
        The file would no longer hold a valid pipeline.
    """
    raise NotImplementedError
