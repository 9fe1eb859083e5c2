"""What would have to be computed, and nothing here does: `thermal speed converted to temperature`, `AL as absolute values`."""

from __future__ import annotations

import re
from itertools import pairwise

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Filler, Shape
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded, without
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.quantities import INDICES, QUANTITY_WORDS, VECTORS


def ask_about_conversions(reading: Reading) -> None:
    """Ask where a quantity is to be made of another that was measured.

    Raises
    ------
    OpenQuestion
        It is; both were measured, and either can be had as it was.
    """
    meaningful = [each for each in reading.mentions if not isinstance(each.meaning, Filler)]
    for first, second in pairwise(meaningful):
        if not isinstance(first.meaning, Measured) or not isinstance(second.meaning, Measured):
            continue
        if set(first.meaning.quantities) & set(second.meaning.quantities):
            continue  # a magnitude is computed of its vector
        between = reading.request[first.last : second.first]
        is_ordered = form("conversions.order").search(reading.request[: first.first]) is not None
        is_into = form("conversions.into_ordered" if is_ordered else "conversions.into").fullmatch(between) is not None
        if is_into or form("conversions.out_of").fullmatch(between) is not None:
            raise _question(reading, (first, second) if is_into else (second, first), (first, second))


def ask_about_absolute_values(reading: Reading) -> None:
    """Ask where the sign of a number is to be dropped, which only the magnitude of a vector has not.

    Raises
    ------
    OpenQuestion
        A component or an index is to be without its sign.
    """
    said = [each for each in reading.of(Shape) if re.search("absolute|modul", each.words, re.IGNORECASE)]
    measured = reading.all(Measured)
    are_vectors = any(each.axis is None and {*each.quantities} & VECTORS for each in measured)
    if said and not are_vectors and any(each.axis or {*each.quantities} & INDICES for each in measured):
        text = f"I compute the magnitude of a vector, and keep the sign of a single number, though {said[0].words!r} is said."
        raise OpenQuestion(f"{text} Do you want it as it is?", [without(reading, said)])


def _question(reading: Reading, made: tuple[Mention, Mention], words: tuple[Mention, Mention]) -> OpenQuestion:
    """`made` is what it is made of, and what it would be; `said` are the two in their order."""
    source, wanted = (_name(each) for each in made)
    text = f"I make no {wanted} of {source}. Do you want the {wanted} that was measured, or the {source}?"
    whole = Mention(Filler(), words[0].first, words[1].last, reading.request[words[0].first : words[1].last])
    before = form("conversions.order").search(reading.request[: whole.first])
    if before is not None and re.match(r"convert|turn|transform|translate|change|recast", before[0], re.IGNORECASE):
        verb = before.start() + len(before[0].split()[0])
        order = Mention(Filler(), before.start(), verb, reading.request[before.start() : verb])
        return OpenQuestion(text, [reworded(reading, {order: "", whole: each.words}) for each in (made[1], made[0])])
    return OpenQuestion(text, [reworded(reading, {whole: each.words}) for each in (made[1], made[0])])


def _name(mention: Mention) -> str:
    assert isinstance(mention.meaning, Measured)  # noqa: S101 - chosen so
    return " and ".join(QUANTITY_WORDS.get(each, mention.words) for each in mention.meaning.quantities)
