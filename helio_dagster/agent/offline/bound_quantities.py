"""The quantities that a reading asks for, each with the shape that the words around it give it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Shape
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.quantities import MOMENTS, VECTORS


def names_only_shape(reading: Reading) -> Shape | None:
    """The shape a request names, for a quantity that follows from its dataset."""
    shapes = reading.all(Shape)
    return shapes[0] if len(shapes) == 1 else None


def bound_quantities(reading: Reading) -> list[tuple[int, Measured]]:
    """The quantities asked for with their position, each with the shape that the words around it give it.

    A shape word belongs to the vector before it, else to the one after it.
    """
    found: list[tuple[int, Measured]] = []
    pending: Shape | None = None
    last: Mention | None = None
    for mention in reading.mentions:
        meaning = mention.meaning
        if isinstance(meaning, Measured):
            meaning = _of_the_same(meaning, mention, last, reading.request)
            last = replace(mention, meaning=meaning)
            if pending is not None and _is_vector(meaning) and meaning.axis is None and meaning.shape is None:
                meaning, pending = replace(meaning, shape=pending.shape), None
            found.append((mention.first, meaning))
        elif isinstance(meaning, Shape) and not (form("bound.loose").fullmatch(mention.words) and _is_named(reading)):
            if found and _is_vector(found[-1][1]) and found[-1][1].axis is not None and meaning.shape == "vector":
                continue  # `By and Bz components`
            if found and _is_vector(found[-1][1]) and found[-1][1].axis is None:
                position, before = found[-1]
                is_beside = (
                    last is not None and form("bound.beside").fullmatch(reading.request, last.last, mention.first) is not None
                )
                shape = meaning.shape if before.shape in (None, meaning.shape) and not is_beside else "both"
                found[-1] = (position, replace(before, shape=shape))
            else:
                pending = meaning
    if form("bound.of_both").search(reading.request):
        found = [(at, replace(each, shape="magnitude") if _is_bare(each) else each) for at, each in found]
    whole = _without_repeats(_without_wholes(found, reading.request), reading.request)
    return [each for place, each in enumerate(whole) if all(each[1] != other for _, other in whole[:place])]


def _is_named(reading: Reading) -> bool:
    """Whether a request names what is to be seen by itself: several quantities, a magnitude or a component."""
    named = [each.meaning for each in reading.mentions if isinstance(each.meaning, Measured | Derived)]
    shapes = [each for each in reading.of(Shape) if not form("bound.loose").fullmatch(each.words)]
    return len(named) > 1 or bool(shapes) or any(isinstance(each, Measured) and (each.shape or each.axis) for each in named)


def _without_wholes(found: Sequence[tuple[int, Measured]], request: str) -> list[tuple[int, Measured]]:
    """The quantities without the vector that a component is said to be of: `the Bz component of the ACE magnetic field`."""
    kept: list[tuple[int, Measured]] = []
    for position, measured in found:
        is_whole = measured.shape in (None, "vector") and measured.axis is None
        if kept and is_whole and kept[-1][1].axis and kept[-1][1].quantities == measured.quantities:
            between = request[kept[-1][0] : position]
            if re.search(r"\bof\b", between) and not form("bound.joins").search(between):
                kept[-1] = (kept[-1][0], replace(kept[-1][1], species=measured.species))
                continue
        kept.append((position, measured))
    return kept


def _without_repeats(found: Sequence[tuple[int, Measured]], request: str) -> list[tuple[int, Measured]]:
    """The quantities without those that are said again in the same phrase: `MAG field magnitude`, `imf by and bz`."""

    def is_repeated(position: int, measured: Measured) -> bool:
        if measured.shape is not None or measured.axis is not None or not _is_vector(measured):
            return False
        return any(
            (other == replace(measured, shape=other.shape, axis=other.axis) and (other.shape or other.axis))
            and not form("bound.joins").search(request, position, later)
            for later, other in found
            if later > position
        )

    return [each for each in found if not is_repeated(*each)]


def _of_the_same(measured: Measured, mention: Mention, before: Mention | None, request: str) -> Measured:
    """`electron density and temperature`: a moment after another one, joined to it, is that of the same particles."""
    if before is None or not isinstance(before.meaning, Measured) or measured.species or not before.meaning.species:
        return measured
    joined = re.fullmatch(r"\s*(?:,|and|,\s*and|&)\s*", request[before.last : mention.first]) is not None
    if not joined or not MOMENTS & set(measured.quantities):
        return measured
    return replace(measured, species=before.meaning.species)


def _is_bare(measured: Measured) -> bool:
    """Whether it is a vector of which nothing is said."""
    return _is_vector(measured) and measured.shape is None and measured.axis is None


def _is_vector(measured: Measured) -> bool:
    return measured.quantities[0] in VECTORS or measured.quantities[0] == "other"
