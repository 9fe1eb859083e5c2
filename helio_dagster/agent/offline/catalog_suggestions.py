"""Parameters of the catalog that may be meant by words that say no quantity known here. Offered, never taken unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import shorten

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.questions import NothingMeasured
from helio_dagster.agent.intent import Measured, Pairing
from helio_dagster.agent.offline.meanings import Dataset, Filler, Heading, Instrument, Mission, Unclear
from helio_dagster.agent.offline.named_parameters import telling_parameters
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.searching import Facets, Hit

_LOOKED_AT, _MOST = 12, 3
_LONGEST = 80
_SHORT, _STEM = 3, 5
"""So many first letters of each word must stand in what is offered for it."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def with_suggestions(asked: OpenQuestion, reading: Reading, offers: Offers) -> OpenQuestion:
    """The question with parameters of the catalog as further choices, each of another dataset, and notes on what these are."""
    hits = _hits(asked, reading, offers)
    named = [(hit, name) for hit in hits if (name := _parameter(hit, offers))][:_MOST]
    choices = [_instead(reading, f"{name} of {hit.dataset.dataset}") for hit, name in named]
    asked.question = asked.question.model_copy(update={"choices": [*asked.question.choices, *choices]})
    asked.told |= {choice: _described(hit, name) for choice, (hit, name) in zip(choices, named, strict=True)}
    return asked


def named_exactly(asked: OpenQuestion, reading: Reading, offers: Offers) -> Iterator[tuple[str, str]]:
    """The request with each parameter that is called as the only words not understood are, and what to say of it.

    `O7/O6` is `O7to6`, described as `O+7/O+6 ratio`. None where there is no such parameter, or where more was not understood.
    """
    if len(reading.unknown) != 1 or isinstance(reading.unknown[0].meaning, Heading):
        return
    said = _letters(reading.unknown[0].words)
    for hit in _hits(asked, reading, offers) if len(said) > 1 else ():
        for each in hit.parameters:
            if said in (_letters(each.name), _letters(each.description.split(" ")[0])) and each.quantity is not None:
                told = f"{reading.unknown[0].words!r} is taken as {_described(hit, each.name)}"
                yield _instead(reading, f"{each.name} of {hit.dataset.dataset}"), f"{told}."


def _letters(words: str) -> str:
    return re.sub(r"[^a-z0-9]", "", words.casefold())


def _instead(reading: Reading, words: str) -> str:
    """The request with a parameter in place of the words that were searched for."""
    known = [each for each in reading.mentions if isinstance(each.meaning, Mission | Instrument | Measured)]
    unclear = [*reading.unknown, *(each for each in reading.mentions if isinstance(each.meaning, Unclear))]
    searched = sorted([*known, *unclear], key=lambda each: each.first)
    beside = [
        each for each in reading.mentions if isinstance(each.meaning, Filler | Pairing) and _is_among(each, searched, reading)
    ]
    return reworded(reading, {**dict.fromkeys([*searched, *beside], ""), searched[0]: words})


def _is_among(mention: Mention, searched: Sequence[Mention], reading: Reading) -> bool:
    """Whether a mention stands among the words that were searched for, or next to them as a part of them."""
    if isinstance(mention.meaning, Pairing) or searched[0].first < mention.first < searched[-1].first:
        return True
    return not reading.request[mention.last : searched[0].first].strip() and mention.first < searched[0].first


def _hits(asked: OpenQuestion, reading: Reading, offers: Offers) -> list[Hit]:
    """The datasets that are found by what was said, and have every word of it that was not understood."""
    unclear = [*reading.unknown, *(each for each in reading.mentions if isinstance(each.meaning, Unclear))]
    unknown = asked.words if isinstance(asked, NothingMeasured) else " ".join(each.words for each in unclear)
    if re.search(r"(?<![^\W\d_])\d", unknown) or reading.all(Dataset) or reading.named:
        return []
    stems = [_stem(word.casefold()) for word in _WORD.findall(unknown) if _tells(word)]
    is_told = bool(reading.all(Mission) or reading.all(Instrument) or reading.all(Measured))
    is_told = is_told or any(word[:1].isupper() for word in _WORD.findall(unknown))
    has_numbers = re.search(r"\d", unknown) is not None
    if not (stems or has_numbers) or (len(stems) < 2 and not is_told):
        return []  # one word alone finds something of everything
    missions = list(dict.fromkeys(each.name for each in reading.all(Mission)))
    known = [each for each in reading.mentions if isinstance(each.meaning, Mission | Instrument | Measured)]
    words = [*known, *unclear]
    query = " ".join(each.words for each in sorted(words, key=lambda each: each.first))
    facets = Facets(mission=missions[0] if len(missions) == 1 else None, span=reading.time.span if reading.time else None)
    found = offers.told_by(query, facets)[:_LOOKED_AT]
    found = [hit for hit in found if hit.parameters or stems]  # by numbers, as in O7/O6, only the search itself can tell
    return [hit for hit in found if hit.covers is not False and all(stem.search(_text(hit)) for stem in stems)]


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
    of_parameters = [f"{each.name} {each.description}" for each in hit.parameters]
    return " ".join([hit.dataset.dataset, hit.dataset.label, hit.dataset.instrument, *of_parameters]).casefold()


def _parameter(hit: Hit, offers: Offers) -> str | None:
    """The parameter that fits best, else the first that tells what the dataset is for."""
    fitting = [each.name for each in hit.parameters if each.quantity is not None]
    names = [*fitting, *telling_parameters(offers.catalog, offers.archive, hit.dataset.dataset)]
    return names[0] if names else None


def _described(hit: Hit, name: str) -> str:
    """What a parameter is, in the archive's words."""
    parameter = hit.dataset.parameter(name)
    description = shorten(parameter.description, _LONGEST, placeholder=" …") if parameter else ""
    label = shorten(hit.dataset.label, _LONGEST, placeholder=" …")
    return f"{name} of {hit.dataset.dataset}: {description or 'no description'} ({label})"
