"""Questions of the drafter: what is missing, and which words of the request would have to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.domain.catalog_entry import Quantity

Part = Literal[
    "mission", "quantity", "shape", "frame", "cadence", "average", "sum", "unit", "layout", "dataset", "time", "level"
]
"""What a word of a request names."""


@dataclass(frozen=True)
class Remedy:
    """An answer to a question: `words` in place of those that name a part, or added if none does.

    `which` is the mission, quantity or unit meant, where a request may name several; empty words leave the part out.
    """

    part: Part
    words: str = ""
    which: str = ""


class DraftQuestion(OpenQuestion):
    """The drafter needs an answer. The planner, who knows the person's words, turns the remedies into choices."""

    def __init__(self, text: str, remedies: Sequence[Remedy] = (), *, is_small: bool = False, reason: str = "") -> None:
        super().__init__(text, reason=reason)
        self.is_small = is_small
        self.remedies = tuple(remedies)
        self.is_about_time = any(each.part == "time" for each in remedies)


class AlongAndAcross(DraftQuestion):
    """A mission has no temperature as one number, but that along the field and that across it."""


class NothingMeasured(DraftQuestion):
    """A mission has nothing of what is asked for; `words` are what people call that, `quantity` its name here.

    `missing` are all the quantities that are missing, where these are several.
    """

    def __init__(
        self,
        text: str,
        remedies: Sequence[Remedy],
        mission: str,
        quantity: Quantity,
        words: str,
        also: tuple[Quantity, ...] = (),
        reason: str = "",
    ) -> None:
        super().__init__(text, remedies, reason=reason)
        self.mission = mission
        self.quantity = quantity
        self.words = words
        self.missing = also or (quantity,)
