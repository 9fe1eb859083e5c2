"""Parameters of the catalog that may be meant by words that say no quantity known here. Offered, never taken unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import shorten

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.questions import NothingMeasured
from helio_dagster.agent.offline.meanings import Dataset, Filler, Instrument, Mission, Unclear
from helio_dagster.agent.offline.named_parameters import telling_parameters
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.targets import Measured
from helio_dagster.agent.treatments import Pairing
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_reading import find_kind
from helio_dagster.catalog.choice.quantities import QUANTITIES
from helio_dagster.catalog.facts import ParameterFacts
from helio_dagster.catalog.fleets import member_of
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.searching import Facets, Hit
from helio_dagster.domain.catalog_entry import Quantity

_LOOKED_AT, _MOST = 12, 3
_LONGEST = 80
_SHORT, _STEM = 3, 5
"""So many first letters of each word must stand in what is offered for it."""
_TWO_KINDS = ("proton", "electron")
_OF_QUALITY = re.compile(r"\b(?:quality|flags?)\b", re.IGNORECASE)
_JOINS = re.compile(r",|,?\s*(?:and|&|plus)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def with_suggestions(asked: OpenQuestion, reading: Reading, offers: Offers) -> OpenQuestion:
    """The question with parameters of the catalog as further choices, each of another dataset, and notes on what these are."""
    hits = _hits(asked, reading, offers)
    named = [(hit, name) for hit in hits if (name := _parameter(hit, asked, reading, offers))][:_MOST]
    choices = [_instead(reading, f"{name} of {hit.dataset.dataset}") for hit, name in named]
    asked.question = asked.question.model_copy(update={"choices": [*asked.question.choices, *choices]})
    asked.remarks |= {choice: described(hit, name) for choice, (hit, name) in zip(choices, named, strict=True)}
    return asked


def named_exactly(asked: OpenQuestion, reading: Reading, offers: Offers) -> Iterator[tuple[str, str]]:
    """The request with each parameter that is called as the only words not understood are, and what to say of it.

    `O7/O6` is `O7to6`, described as `O+7/O+6 ratio`. None where there is no such parameter, or where more was not understood.
    """
    weighty = [each for each in reading.unknown if is_weighty(each, reading, offers.catalog)]
    if len(weighty or reading.unknown) != 1:
        return
    (unknown,) = weighty or reading.unknown
    if unknown.words.isalpha() and len(reading.unknown) > 1:
        return
    words = _letters(unknown.words)
    wanted = _quantities_behind(unknown, reading)
    by = [each.name for each in reading.all(Instrument)]
    alone = replace(reading, unknown=(unknown,))
    hits = _hits(asked, alone, offers) if len(words) > 1 else ()
    for hit in (each for each in hits if all(is_by(name, each.dataset.dataset, each.dataset.instrument) for name in by)):
        for each in hit.parameters:
            is_called = words in (_letters(each.name), _letters(each.description.split(" ")[0]))
            if is_called and each.quantity is not None and (not wanted or any(_is_a(each, quantity) for quantity in wanted)):
                noted = f"{unknown.words!r} is taken as {described(hit, each.name)}"
                yield _instead(alone, f"{each.name} of {hit.dataset.dataset}"), f"{noted}."


def _quantities_behind(unknown: Mention, reading: Reading) -> tuple[Quantity, ...]:
    """What a word that is not understood stands directly before, as `oxygen` before `density`."""
    for each in reading.mentions:
        if isinstance(each.meaning, Measured) and not reading.request[unknown.last : max(each.first, unknown.last)].strip():
            return each.meaning.quantities if each.first >= unknown.last else ()
    return ()


def _is_a(parameter: ParameterFacts, quantity: Quantity) -> bool:
    """Whether a parameter is a quantity in its usual shape: a phase space density is catalogued as a density, too."""
    return str(parameter.quantity) in QUANTITIES[quantity].catalogued and find_kind(parameter, quantity) is not None


def _letters(words: str) -> str:
    return re.sub(r"[^a-z0-9]", "", words.casefold())


def _instead(reading: Reading, words: str) -> str:
    """The request with a parameter in place of the words that were searched for; what is listed beside them stays."""
    if apart := _listed_apart(reading):
        return reworded(reading, {**dict.fromkeys(apart, ""), apart[0]: words})
    known = reading.of(Mission, Instrument, Measured)
    searched = sorted([*known, *_unclear(reading)], key=lambda each: each.first)
    beside = [each for each in reading.of(Filler, Pairing) if _is_among(each, searched, reading)]
    return reworded(reading, {**dict.fromkeys([*searched, *beside], ""), searched[0]: words})


def _listed_apart(reading: Reading) -> list[Mention]:
    """The words that are not understood, with the small ones before them, where a list joins them to what is; else none."""
    unclear = sorted(_unclear(reading), key=lambda each: each.first)
    wanted = reading.of(Measured)
    if not unclear or any(unclear[0].first < each.first < unclear[-1].last for each in wanted):
        return []
    small = [each for each in reading.of(Filler) if not _JOINS.fullmatch(each.words)]
    first = unclear[0].first
    lead: list[Mention] = []
    for each in sorted(small, key=lambda each: -each.first):
        if each.last <= first and not reading.request[each.last : first].strip():
            first, lead = each.first, [each, *lead]
    last = unclear[-1].last
    gaps = [reading.request[each.last : first] for each in wanted if each.last <= first]
    gaps += [reading.request[last : each.first] for each in wanted if each.first >= last]
    is_listed = any(_JOINS.fullmatch(gap.strip()) for gap in gaps)
    return [*lead, *unclear] if is_listed else []


def _is_among(mention: Mention, searched: Sequence[Mention], reading: Reading) -> bool:
    """Whether a mention stands among the words that were searched for, or next to them as a part of them."""
    if isinstance(mention.meaning, Pairing) or searched[0].first < mention.first < searched[-1].first:
        return True
    return not reading.request[mention.last : searched[0].first].strip() and mention.first < searched[0].first


def _hits(asked: OpenQuestion, reading: Reading, offers: Offers) -> list[Hit]:
    """The datasets that are found by what was said, and have every word of it that was not understood."""
    unknown = _not_understood(asked, reading)
    if re.search(r"(?<![^\W\d_])\d", unknown) or reading.all(Dataset) or reading.named:
        return []
    stems = _stems(unknown)
    is_named_in = bool(reading.all(Mission) or reading.all(Instrument) or reading.all(Measured))
    is_named_in = is_named_in or any(word[:1].isupper() for word in _WORD.findall(unknown))
    has_numbers = re.search(r"\d", unknown) is not None
    if not (stems or has_numbers) or (len(stems) < 2 and not is_named_in):
        return []  # one word alone finds something of everything
    missions = list(dict.fromkeys(each.name for each in reading.all(Mission)))
    known = reading.of(Mission, Instrument, Measured)
    words = [*known, *_unclear(reading)]
    query = " ".join(each.words for each in sorted(words, key=lambda each: each.first))
    facets = Facets(mission=missions[0] if len(missions) == 1 else None, span=reading.span)
    found = offers.found_by(query, facets)
    members = {each.member.lstrip("0") for each in reading.all(Mission) if each.member}
    found = [hit for hit in found if not members or member_of(hit.dataset.dataset.upper(), hit.dataset.label) in members]
    found = [hit for hit in found if hit.parameters or stems]  # by numbers, as in O7/O6, only the search itself can tell
    return [hit for hit in found[:_LOOKED_AT] if hit.covers is not False and all(stem.search(_text(hit)) for stem in stems)]


def _unclear(reading: Reading) -> list[Mention]:
    """The words that are not understood, or may mean two things."""
    return [*reading.unknown, *reading.of(Unclear)]


def _not_understood(asked: OpenQuestion, reading: Reading) -> str:
    """What is looked for: the quantity that a mission has not, else the words that are not understood."""
    return asked.words if isinstance(asked, NothingMeasured) else " ".join(each.words for each in _unclear(reading))


def _stems(words: str) -> list[re.Pattern[str]]:
    """How the words begin that must be found."""
    return [_stem(word.casefold()) for word in _WORD.findall(words) if _tells(word)]


def _tells(word: str) -> bool:
    """Whether a word must be found: not a short one that is not an abbreviation, nor one for how things are drawn."""
    is_name = len(word) > _SHORT or (word[:1].isupper() and len(word) > 1)
    return is_name and not re.search(r"\d", word) and word.casefold() not in ("spectrogram", "magnitude", "vector")


def _stem(word: str) -> re.Pattern[str]:
    """How a word may begin another one; a short one must stand alone."""
    stem = re.escape(word.removesuffix("s")[:_STEM])
    return re.compile(rf"(?<![a-z]){stem}" + ("" if len(word) >= _STEM else "s?(?![a-z])"))


def _text(hit: Hit) -> str:
    """All that tells what was found."""
    of_parameters = [_text_of(each) for each in hit.parameters]
    return " ".join([hit.dataset.dataset, hit.dataset.label, hit.dataset.instrument, *of_parameters]).casefold()


def _text_of(parameter: ParameterFacts) -> str:
    return f"{parameter.name} {parameter.description}".casefold()


def _parameter(hit: Hit, asked: OpenQuestion, reading: Reading, offers: Offers) -> str | None:
    """The parameter that fits best, else the first that tells what the dataset is for; never one that is of something else."""
    fitting = [each.name for each in hit.parameters if each.quantity is not None]
    names = [*fitting, *telling_parameters(offers.catalog, offers.archive, hit.dataset.dataset)]
    facts = offers.catalog.facts(offers.archive, hit.dataset.dataset) or hit.dataset
    noted = {each.name: each for each in facts.parameters}
    return next((name for name in names if name in noted and _can_be_asked(hit, noted[name], asked, reading)), None)


def _can_be_asked(hit: Hit, parameter: ParameterFacts, asked: OpenQuestion, reading: Reading) -> bool:
    """Whether a parameter may be what is asked for: of the quantity that is missing, or described with a word not understood.

    Words in the name of its dataset tell of all its parameters. A flag is meant only where one is said.
    """
    if isinstance(asked, NothingMeasured):
        if _is_of_others(asked.words, f"{hit.dataset.dataset} {_text_of(parameter)}".casefold()):
            return False
        if parameter.quantity is not None:
            return str(parameter.quantity) in QUANTITIES[asked.quantity].catalogued
        return all(stem.search(_text_of(parameter)) for stem in _stems(asked.words))
    if str(parameter.quantity) == "quality":
        return _OF_QUALITY.search(reading.request) is not None
    stems = _stems(_not_understood(asked, reading))
    of_all = f"{hit.dataset.dataset} {hit.dataset.label} {hit.dataset.instrument}".casefold()
    return not stems or any(stem.search(_text_of(parameter)) for stem in stems) or all(stem.search(of_all) for stem in stems)


def _is_of_others(wanted: str, found: str) -> bool:
    """Whether one is of protons and the other of electrons alone."""
    return any(one in wanted and other in found and one not in found for one, other in (_TWO_KINDS, _TWO_KINDS[::-1]))


def described(hit: Hit, name: str, known: ParameterFacts | None = None) -> str:
    """What a parameter is, in the archive's words."""
    parameter = known or hit.dataset.parameter(name)
    description = shorten(parameter.description, _LONGEST, placeholder=" …") if parameter else ""
    label = shorten(hit.dataset.label, _LONGEST, placeholder=" …")
    return f"{name} of {hit.dataset.dataset}: {description or 'no description'} ({label})"
