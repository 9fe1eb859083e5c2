"""Descriptions of fields from the text below them. The oracle is pydantic's own reading of the same class."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.domain.described import Described, field_texts
from helio_dagster.domain.pipeline import Step


class OwnPart(BaseModel):
    """A part."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    length: float = 1
    """How long it is,
    in two lines."""
    plain: int = 0


class Own(OwnPart):
    """A whole."""

    part: OwnPart = OwnPart()
    """What it is made of."""
    named: Annotated[int, Field(description="said otherwise")] = 1
    """Not this."""
    other: Annotated[int, Field(alias="otherName")] = 2
    """Has another name outside."""


class Part(Described):
    """A part."""

    length: float = 1
    """How long it is,
    in two lines."""
    plain: int = 0


class Whole(Part):
    """A whole."""

    part: Part = Part()
    """What it is made of."""
    named: Annotated[int, Field(description="said otherwise")] = 1
    """Not this."""
    other: Annotated[int, Field(alias="otherName")] = 2
    """Has another name outside."""


def test_a_schema_says_what_stands_below_each_field() -> None:
    """Of inherited fields, nested models and aliases, too; a description that is given explicitly wins."""
    ours, theirs = Whole.model_json_schema(), Own.model_json_schema()
    ours["title"], ours["$defs"] = "Own", {"OwnPart": {**ours["$defs"]["Part"], "title": "OwnPart"}}
    ours["properties"]["part"]["$ref"] = "#/$defs/OwnPart"
    for schema in (ours, theirs):
        schema["properties"]["part"].pop("default")
    assert ours == theirs
    assert ours["properties"]["named"]["description"] == "said otherwise"


def test_a_class_without_source_has_no_descriptions() -> None:
    """It is made in a session, say; its schema is made all the same."""
    scope: dict[str, type[Described]] = {}
    exec("class Made(Described):\n    x: int = 1\n    '''Text.'''\n", {"Described": Described, "__name__": "nowhere"}, scope)  # noqa: S102
    assert field_texts(scope["Made"]) == {}
    assert scope["Made"].model_json_schema()["properties"] == {"x": {"default": 1, "title": "X", "type": "integer"}}


def test_the_parts_of_a_pipeline_are_described() -> None:
    """An editor that completes a file shows them."""
    described = [each for each in Step.model_json_schema()["properties"].values() if each.get("description")]
    assert len(described) > 3
