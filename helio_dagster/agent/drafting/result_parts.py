"""What the results of a whole range are drafted from: curves, the steps so far, and parts of panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from helio_dagster.agent.drafting.assumptions import Topic, open_options
from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.treatments import WholeResult
from helio_dagster.domain.yaml.document import Value

Panel = dict[str, Value]


@dataclass(frozen=True)
class DraftedResult:
    """The panels of a result, what is added to the title, and what the figure draws."""

    panels: tuple[Panel, ...]
    words: str
    intent: str


@dataclass
class Made:
    """What is being drafted: the steps so far, the curves, and what is wanted of them."""

    draft: StepDraft
    curves: Sequence[Curve]
    whole: WholeResult
    options: dict[str, Any] = field(default_factory=dict)

    def step(self, name: str, intent: str, operation: str, inputs: Mapping[str, str], **options: Any) -> str:
        """The id of a step that is added."""
        return self.draft.compute(name, intent, operation, dict(inputs), **options)

    def assume(self, words: str, operation: str = "", *is_open: str) -> None:
        """Note what was decided, of a step of an operation where it is of one, and of options of it that are left open."""
        about = [Topic("operation", operation)] if operation else []
        self.draft.assumptions.say(words, *about, *open_options(operation, *is_open))


def panel_of(data: str, *facts: str, x: str = "", y: str = "", component: str = "", draw: str = "") -> Panel:
    """A panel of a result, facts beside it; `x` and `y` are the titles of its axes."""
    given = {"component": component, "draw": draw}
    first: Panel = {"data": data, **{key: value for key, value in given.items() if value}}
    beside: list[Value] = [{"data": each} for each in facts]
    panel: Panel = {"traces": [first, *beside]}
    titles: Panel = {axis: {"title": words} for axis, words in (("x", x), ("y", y)) if words}
    return {**panel, **titles}


def series_of(curve: Curve) -> dict[str, str]:
    """A curve as the one input of an operation."""
    return {"series": curve.step}


def two_of(made: Made, words: str) -> tuple[Curve, Curve]:
    """The two curves that a result is of; DraftQuestion where there are not two."""
    lines = lines_of(made, words)
    if len(lines) != 2:
        shown = " and ".join(whose(each) for each in lines[:4])
        raise DraftQuestion(f"A {words} is of two quantities; there is {shown}. Of which two do you want it?")
    return lines[0], lines[1]


def lines_of(made: Made, words: str) -> list[Curve]:
    """The curves, each of one number; DraftQuestion where one has several."""
    for curve in made.curves:
        if not curve.is_line:
            raise no_line(curve, words)
    return list(made.curves)


def vectors_of(made: Made, words: str) -> list[Curve]:
    """The curves, each a vector; DraftQuestion where one is none."""
    for curve in made.curves:
        if curve.kind != "vector":
            raise DraftQuestion(f"A {words} is of a vector; {whose(curve)} is none. Of which vector do you want it?")
    return list(made.curves)


def no_line(curve: Curve, words: str) -> DraftQuestion:
    """The question where a result is of one number and a curve has several."""
    text = f"The {words} is taken of one number, and {whose(curve)} has several. Which component, or the magnitude?"
    return DraftQuestion(text, [Remedy("shape", "magnitude")] if curve.kind == "vector" else [])


def whose(curve: Curve) -> str:
    """Whose curve it is, and of what."""
    return f"{curve.choice.target.who} {curve.choice.target.words}"


def title_of(curve: Curve) -> str:
    """What an axis calls a curve."""
    return f"{curve.choice.target.who} {curve.axis}" if curve.symbol else whose(curve)
