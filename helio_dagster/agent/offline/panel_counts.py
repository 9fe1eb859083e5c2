"""How many panels a request says that there shall be, against those that are drawn."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.meanings import Frame, Layout, Shape
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.time_words import NUMBER_WORDS

_COUNT = re.compile(rf"\b(?P<count>[2-9]|{'|'.join(NUMBER_WORDS)})\b(?=.*\b(?:panels|subplots)\b)", re.IGNORECASE)


def ask_about_panels(reading: Reading, plan: Plan) -> None:
    """Ask what else is wanted, where a request counts panels and others are drawn.

    Raises
    ------
    OpenQuestion
        Its choice is the number that is drawn.
    """
    plotted = _drawn(plan)
    for mention, words in _panel_words(reading).items() if plotted else ():
        if words != plotted:
            panels = "1 panel" if plotted == 1 else f"{plotted} panels"
            instead = "in one panel" if plotted == 1 else f"in {panels}"
            text = f"The request says {words} panels, and what it names makes {panels}. What else is in the figure?"
            raise OpenQuestion(f"{text} Or do you want {panels}?", [reworded(reading, {mention: instead})])


def with_components_apart(reading: Reading, plan: Plan) -> str | None:
    """The request with the components of its one vector by their names, where that makes as many panels as it says."""
    vectors = [each for each in reading.mentions if isinstance(each.meaning, Shape) and each.meaning.shape == "vector"]
    vectors = vectors or [each for each in reading.of(Measured) if each.meaning == Measured(("magnetic_field",))]
    frames = {each.name for each in reading.all(Frame)}
    if len(vectors) != 1 or not any(words == _drawn(plan) + 2 for words in _panel_words(reading).values()):
        return None
    if reading.all(Measured) and not any("magnetic_field" in each.quantities for each in reading.all(Measured)):
        return None
    return reworded(reading, {vectors[0]: "Br, Bt and Bn" if frames == {"RTN"} else "Bx, By and Bz"})


def _drawn(plan: Plan) -> int:
    """How many panels the one figure of a plan has; none where it has several."""
    figures = [step.figure for step in plan.pipeline.steps if step.figure is not None]
    return len(figures[0].panels) if len(figures) == 1 else 0


def _panel_words(reading: Reading) -> dict[Mention, int]:
    """The numbers of panels that are said."""
    found: dict[Mention, int] = {}
    for mention in reading.mentions if not reading.dates else ():
        match = _COUNT.search(mention.words) if isinstance(mention.meaning, Layout) else None
        if match is not None:
            found[mention] = int(NUMBER_WORDS.get(match["count"].lower(), 0) or match["count"])
    return found
