"""How steps, axes and missions are called in a draft."""

from __future__ import annotations

import re
from collections.abc import Collection

from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.catalog.choice.quantities import QUANTITIES

_LONGEST_ID = 70


def free_id(wanted: str, taken: Collection[str]) -> str:
    """The id of a new step, with a number behind it if it is taken."""
    found, number = wanted[:_LONGEST_ID], 2
    while found in taken:
        found, number = f"{wanted[:_LONGEST_ID]}_{number}", number + 1
    return found


def is_numbered(step_id: str, wanted: str) -> bool:
    """Whether an id is the wanted one, as it is or with a number."""
    return re.fullmatch(rf"{re.escape(wanted[:_LONGEST_ID])}(?:_\d+)?", step_id) is not None


def symbol_of(choice: Choice) -> str:
    """What a panel's axis is called, without the unit."""
    symbol, offer = QUANTITIES[choice.target.quantity].symbol, choice.offer
    is_other = choice.target.quantity == "other"
    if choice.target.called:
        return choice.target.name if is_other else symbol
    if is_other:
        return choice.target.words if choice.target.axis else choice.target.name
    if choice.target.species in ("electrons", "alphas"):
        symbol = f"{symbol} {choice.target.species}"
    if choice.part == "component" or offer.axis:
        return f"{symbol}{choice.target.axis or offer.axis} {choice.frame or ''}".strip()
    if offer.kind == "vector" and choice.part == "as_is":
        return f"{symbol} {choice.frame or ''}".strip()
    return f"|{symbol}|" if choice.target.quantity == "magnetic_field" else symbol


def short_of(choice: Choice) -> str:
    """The beginning of the ids of a choice's steps; that of a parameter of which only the name is known is that name."""
    return QUANTITIES[choice.target.quantity].short if choice.target.quantity != "other" else slug(choice.target.name)


def capital(words: str) -> str:
    """The words with a capital at their beginning."""
    return words[:1].upper() + words[1:]


def slug(mission: str) -> str:
    """The beginning of ids of a mission's steps."""
    return {
        "Parker Solar Probe": "psp",
        "Van Allen Probe A": "rbspa",
        "Van Allen Probe B": "rbspb",
        "Solar Orbiter": "solo",
    }.get(mission, re.sub(r"[^a-z0-9]+", "_", mission.lower()).strip("_"))


def slug_of_unit(unit: str) -> str:
    """The part of an id that tells a unit: `m_s`, `per_m3`, `ev`."""
    words = re.sub(r"\b([A-Za-z_]+)\^-(\d+)", r"per_\1\2", unit).replace("^", "")
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
