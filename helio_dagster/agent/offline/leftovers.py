"""Words of a request that nothing understands: ignored, corrected, or asked about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, islice, repeat

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.offline.beside_times import near_time_word
from helio_dagster.agent.offline.languages import language_of
from helio_dagster.agent.offline.meanings import Asks, Compare, Dataset, Filler, Heading, Mission, Statistic, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.several_dates import times_of
from helio_dagster.agent.offline.term_readers import without_links
from helio_dagster.agent.offline.unknown_operations import NoOperation, unknown_operation
from helio_dagster.agent.offline.vocabulary import ordinary_words, weighty_words, words_of_quantities
from helio_dagster.agent.offline.weight import is_a_name, is_remark, is_weighty
from helio_dagster.agent.offline.wording import near_word, one_edit_away, reworded, without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.errors import InputError

MOST_SHOWN = 8
"""Words not understood that a question names."""
_MOST_IGNORED = 12
_STEM = 5
_TOLD = re.compile(r"\d|[A-Z]|[/*^=<>%±]")
_ONE_PASS = timedelta(days=1)
"""A range as short as this is named for where the spacecraft was in it."""
_ASKING = re.compile(r"\s*(?:which|what|when|where|why|who|how|is|are|does|do|did|has|have|should)\b", re.IGNORECASE)
"""How a question begins; no word of it is left out."""
_LEAD = re.compile(r"^(?:on|in|for|during)\s+", re.IGNORECASE)
_SAME = re.compile(r"(?:with |to )?(?:that|those|this|the same)", re.IGNORECASE)
"""What stands for the same quantity at another time."""


@dataclass(frozen=True)
class Corrected:
    """A request with misspelt words corrected, and which."""

    request: str
    notes: tuple[str, ...]


def corrected(reading: Reading) -> Corrected | None:
    """The request with each word that is not understood replaced by the known one it is like; None if none is like any."""
    is_open = not any(isinstance(each.meaning, Mission | Dataset | Unclear) for each in reading.mentions)
    unread = [each for each in reading.unknown if not isinstance(each.meaning, Heading) and not _is_form_of_weighty(each.words)]
    near = {each: word for each in unread if (word := near_time_word(each, reading) or near_word(each.words, is_open=is_open))}
    return _with_words(reading, near)


def corrected_closely(reading: Reading, catalog: KnownCatalog) -> Corrected | None:
    """The request with each word that would be asked about replaced by the one word that is a letter away; None without it."""
    unread = [each for each in reading.unknown if not isinstance(each.meaning, Heading) and is_weighty(each, reading, catalog)]
    near = {each: one_edit_away(each.words) for each in unread}
    return _with_words(reading, near) if all(near.values()) else None


def _with_words(reading: Reading, near: Mapping[Mention, str]) -> Corrected | None:
    if not near or language_of(reading.request):
        return None
    return Corrected(reworded(reading, near), tuple(f"{each.words!r} is read as {word!r}." for each, word in near.items()))


def _is_form_of_weighty(word: str) -> bool:
    """Whether a word is another form of one that turns a request: `correction` is not a misspelt `correlation`."""
    return any(len(each) > _STEM and word.casefold().startswith(each) for each in weighty_words())


def settle_leftovers(reading: Reading, catalog: KnownCatalog) -> tuple[str, ...]:
    """The words to ignore.

    Raises
    ------
    OpenQuestion
        A word is not understood that could change what is wanted, or words can mean two things.
    """
    first = {each: each.meaning for each in reading.mentions if isinstance(each.meaning, Unclear) and each.meaning.is_first}
    if first:
        raise _asked_for_all(reading, first)
    _ask_about_times(reading)
    _ask_about_places(reading)
    if (operation := unknown_operation(reading)) is not None:
        raise NoOperation(operation, reading)
    phrases = _phrases(reading)
    is_asking = _ASKING.match(reading.request) is not None and reading.time is None
    weighty = [
        each
        for phrase in phrases
        if is_asking or (not is_remark(phrase, reading) and any(is_weighty(one, reading, catalog) for one in phrase))
        for each in phrase
    ]
    weighty = weighty or _all_of_it(reading)
    language = language_of(reading.request)
    if weighty or (language and reading.unknown):
        unread = weighty or reading.unknown
        unread = [each for each in unread if each.words.casefold() not in ordinary_words()] or unread
        tongue = f"This looks {language}, and I read English. " if language else ""
        besides = _asked_besides(reading)
        nowhere = _nowhere(unread, reading, catalog)
        stated, asked = _not_understood(unread, nowhere)
        text = " ".join([f"{tongue}{stated}{asked}", *besides])
        reason, choices = ("", []) if besides else (f"{tongue}{stated}", _choices(reading, weighty, catalog))
        found = NotUnderstood(text, choices, reason=reason, about=[each.words for each in unread])
        found.is_plain = not tongue and not nowhere
        raise found
    for mention in reading.mentions:
        if isinstance(mention.meaning, Unclear):
            raise _asked_for(reading, mention, mention.meaning)
    if reading.time is not None and reading.time.question:
        choices = [reading.request.replace(reading.time.words, choice, 1) for choice in reading.time.choices]
        raise OpenQuestion(reading.time.question, choices)
    return tuple(" ".join(each.words for each in phrase) for phrase in phrases)


def _nowhere(unread: Sequence[Mention], reading: Reading, catalog: KnownCatalog) -> list[Mention]:
    """The names that are nowhere in the catalog, where no spacecraft is named."""
    names = [each for each in unread if is_a_name(each.words)] if not reading.all(Mission) else []
    return [each for each in names if not catalog.describes(each.words, with_datasets=True)]


def _not_understood(unread: Sequence[Mention], nowhere: Sequence[Mention]) -> tuple[str, str]:
    """That words are not understood, and which names are nowhere; and a question."""
    others = [each for each in unread if each not in nowhere]
    named = (
        f"The catalog has nothing called {_quoted(nowhere)}; `helio catalog missions` lists whose data it has."
        if nowhere
        else ""
    )
    stated = f"{named} {f'I do not understand {_quoted(others)}.' if others else ''}".strip()
    return stated, " What do you mean?" if others else ""


def _quoted(mentions: Sequence[Mention]) -> str:
    shown = list(dict.fromkeys(repr(mention.words[:40]) for mention in mentions))
    return ", ".join(shown[:MOST_SHOWN]) + (" …" if len(shown) > MOST_SHOWN else "")


def _asked_besides(reading: Reading) -> list[str]:
    """The questions that words which can mean two things and the time lead to, too."""
    unclear = [each.meaning.question for each in reading.mentions if isinstance(each.meaning, Unclear)]
    of_time = [reading.time.question] if reading.time is not None and reading.time.question else []
    return list(dict.fromkeys([*unclear, *of_time]))


def _ask_about_places(reading: Reading) -> None:
    """Ask where a spacecraft's place would pick out a part of a long range; of at most a day it only tells about it.

    Raises
    ------
    OpenQuestion
        No data are picked out so.
    """
    span = reading.time.span if reading.time else None
    named = [each for each in reading.unknown if isinstance(each.meaning, Heading) and each.meaning.is_place]
    picked = [
        each for each in named if span is None or span.duration > _ONE_PASS or re.search(r"\b(?:only|just|alone)\b", each.words)
    ]
    if picked:
        words = " and ".join(repr(each.words) for each in picked)
        text = f"I pick out no data by where the spacecraft was: {words}. Do you want all of the range, or which times?"
        raise OpenQuestion(text, [without(reading, picked)])


def _all_of_it(reading: Reading) -> list[Mention]:
    """All words that are not understood, if they are most of the request or name what is wanted of a mission.

    Where data and their time are understood, more words may only tell about them.
    """
    is_named_in = any(isinstance(each.meaning, Measured | Derived | Dataset) for each in reading.mentions)
    phrases = [each for each in _phrases(reading) if not is_remark(each, reading)]
    unknown = [one for each in phrases for one in each if not isinstance(one.meaning, Heading)]
    unknown = [each for each in unknown if each.words.casefold() not in ordinary_words()]
    most = _MOST_IGNORED if reading.time is not None else sum(not isinstance(each.meaning, Filler) for each in reading.mentions)
    return [] if is_named_in and len(unknown) <= most else unknown


def _choices(reading: Reading, weighty: list[Mention], catalog: KnownCatalog) -> list[str]:
    """The request without the words, where those that bear meaning only make another quantity of one: `neutral density`.

    Nor is it offered where a number follows, which belongs to the word, or where a question is asked.
    """
    bearing = [each for each in weighty if is_weighty(each, reading, catalog)]
    if not bearing or any(each.words.casefold() not in words_of_quantities() for each in bearing):
        return []
    has_number = any(re.match(r"\s*#?\d", reading.request[each.last :]) for each in weighty)
    return [] if has_number or _ASKING.match(reading.request) else [without(reading, weighty)]


def _phrases(reading: Reading) -> list[list[Mention]]:
    """The words that are not understood, those that stand together as one phrase."""
    found: list[list[Mention]] = []
    for mention in reading.unknown:
        if found and not reading.request[found[-1][-1].last : mention.first].strip():
            found[-1].append(mention)
        else:
            found.append([mention])
    return found


def _ask_about_times(reading: Reading) -> None:
    """Ask which of several times is meant, if what is left over is a time."""
    if reading.time is None:
        return
    others = _other_times(reading)
    times = [each.words.strip(" ,") for each in others]
    if not times:
        return
    found = [reading.time.words.strip(" ,"), *times]
    named = f"{', '.join(repr(each) for each in found[:-1])} and {found[-1]!r}"
    if any(isinstance(each.meaning, Compare | Pairing) for each in reading.mentions):
        text = f"One figure has one time range, and there are {named}: two times are not compared in it."
        if any(isinstance(each.meaning, Asks | Statistic) for each in reading.mentions):  # one result of the whole range
            text = f"{text} Which one first? The plan can be run again for the other one."
            raise OpenQuestion(text, _one_of_each(reading, others))
        raise OpenQuestion(f"{text} Do you want a figure of each?", _figure_of_each(reading, others))
    text = f"A plan has one time range, and there are {named}. Which one first? It can be run again for another afterwards."
    rest = reworded(reading, dict.fromkeys(reading.unknown, ""))
    are_whole = all(re.search(r"\d{4}|(?:encounter|perijove) \d", words, re.IGNORECASE) for words in found)
    raise OpenQuestion(text, [rest.replace(reading.time.words.strip(" ,"), words, 1) for words in found if are_whole])


def _figure_of_each(reading: Reading, others: Sequence[FoundSpan]) -> list[str]:
    """The request with all its times in a list instead of compared."""
    bare, times = _without_comparison(reading, others)
    return [f"{bare} {' and '.join([times[0], *(_LEAD.sub('', each) for each in times[1:])])}"] if bare else []


def _one_of_each(reading: Reading, others: Sequence[FoundSpan]) -> list[str]:
    """The request for one of its times alone."""
    bare, times = _without_comparison(reading, others)
    return (
        [f"{bare.rstrip(' ,')} {each}" for each in times] if bare and all(re.search(r"\d{4}", each) for each in times) else []
    )


def _without_comparison(reading: Reading, others: Sequence[FoundSpan]) -> tuple[str, list[str]]:
    """The request without its times and what compares them, and these times; empty where series are paired."""
    if reading.time is None or any(isinstance(each.meaning, Pairing) for each in reading.mentions):
        return "", []
    compared = [each for each in reading.mentions if isinstance(each.meaning, Compare)]
    times = [Mention(Filler(), each.first, each.last, each.words) for each in (reading.time, *others)]
    whose = [each for each in reading.mentions if isinstance(each.meaning, Filler) and _SAME.fullmatch(each.words)]
    bare = reworded(reading, dict.fromkeys([*compared, *times, *whose], ""))
    return bare, [each.words.strip(" ,") for each in times]


def _other_times(reading: Reading) -> list[FoundSpan]:
    """The times, with their years, that words name which are not understood."""
    places = {each.first for each in reading.unknown if not isinstance(each.meaning, Heading)}
    try:
        found = times_of(reading)
    except InputError:
        return []
    return [
        each
        for each in found
        if each is not reading.time
        and re.search(r"\d{4}", each.words)
        and any(each.first <= place < each.last for place in places)
    ]


def _asked_for_all(reading: Reading, unclear: Mapping[Mention, Unclear]) -> OpenQuestion:
    """The questions for all unclear words as one, each sentence once; its choices have an option in the place of each.

    Words that nothing can stand for are left out: what then is missing is asked with the choices there are for it.
    """
    words: dict[str, list[str]] = {}
    for mention, each in unclear.items():
        words.setdefault(each.kind or each.question, []).append(repr(without_links(mention.words)))
    kinds = {each.kind for each in unclear.values()}
    text = " ".join(each.format(" and ".join(said)) if each in kinds else each for each, said in words.items())
    options = [each.options or ("",) for each in unclear.values()]
    chosen = zip(*(islice(chain(each, repeat(each[-1])), max(map(len, options))) for each in options), strict=True)
    choices = [reworded(reading, dict(zip(unclear, each, strict=True))) for each in chosen]
    return OpenQuestion(text, [each for each in dict.fromkeys(choices) if each])


def _asked_for(reading: Reading, mention: Mention, unclear: Unclear) -> OpenQuestion:
    """The question for unclear words; each choice is the request with an option in their place, or without them."""
    options = [reworded(reading, {mention: option}) for option in unclear.options]
    return OpenQuestion(unclear.question, [each for each in options if each], sort=unclear.sort)
