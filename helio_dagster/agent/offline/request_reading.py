"""A request read word by word: what it mentions, and which words are not understood."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TypeVar

from helio_dagster.agent.offline.asides import find_circumstances, without_model_years
from helio_dagster.agent.offline.excluded_intervals import find_exclusions
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.limited_events import find_limited_events
from helio_dagster.agent.offline.meanings import Dataset, Filler, Heading, LeftOut, LimitedEvents, Meaning, Unclear
from helio_dagster.agent.offline.request_times import blank, blanked, named_time, time_and_wider
from helio_dagster.agent.offline.vocabulary import Term, vocabulary, weighty_words
from helio_dagster.agent.targets import Measured
from helio_dagster.agent.treatments import Exclusions, Transform
from helio_dagster.catalog.times.left_out import LeftOutTimes
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.catalog.times.spoken_events import SpokenEvents, events_csv, find_events
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

_WORD = re.compile(r"(?:[^\s,;.!?()\[\]\"]|\.(?=\d)|(?<=\d),(?=\d{3}(?!\d)))+")
"""A word; a number is never split: `K=0.11`, `0.1-0.5`."""
_A_DATASET = re.compile(r"[A-Za-z0-9-]+_[A-Za-z0-9-]+_[A-Za-z0-9]|[A-Za-z]+\d*_[HLK]\d", re.ASCII)
_IN_A_FRAME = re.compile(r"\b([Bb]|[Vv])_(?=(?:RTN|GSE|GSM|SM|GEO|GEI|MSO|VSO)\b)", re.IGNORECASE)
_HEAD = re.compile(r"[^:;!]{1,80}[:;!](?=\s+\S)")
_PANEL = re.compile(r"\s*(?:the\s+)?(?:top|upper)(?:\s+panel)?:", re.IGNORECASE)
_STARTS = re.compile(r"(?<![\w|])[\w|]")
_TELLING = frozenset(
    re.findall(
        "[a-z]+",
        "while when where before after until till last first next early late night morning afternoon"
        " evening tomorrow start starts second seconds minute minutes hour hours day days week weeks month months year years"
        " more most less least",
    )
)
"""Weighty words that turn nothing in a clause that only tells why."""
_JOINED_WORD = re.compile(
    r"[a-z]+-(?:aligned|like|driven|induced|related|dominated|resolved|corrected|weighted|perpendicular|parallel)(?![\w-])",
    re.IGNORECASE,
)
"""Words of two parts that mean something else than their parts: `field-aligned` is no field."""
_GAP = re.compile(r"(?:[\s,;!?()\[\]\":]|\.(?!\d))+")
MeaningT = TypeVar("MeaningT", bound=Meaning)


@dataclass(frozen=True)
class Mention:
    """Words of the request at character positions `[first, last)`, and what they mean."""

    meaning: Meaning
    first: int
    last: int
    words: str


@dataclass(frozen=True)
class Reading:
    """A request taken apart: its time phrase, what it mentions in order, and the words nobody understands; `now` is when.

    `heard` are the mentions as they were, where some were brought together since. `named` are words that mean something in
    this request alone: names of parameters. `dates` are its times where it names several, said in the places `dated`; `time`
    is one of them.
    """

    request: str
    time: FoundSpan | None
    mentions: tuple[Mention, ...]
    unknown: tuple[Mention, ...]
    now: datetime
    heard: tuple[Mention, ...] = ()
    named: Mapping[str, Measured] = field(default_factory=dict)
    dates: tuple[TimeRange, ...] = ()
    dated: tuple[tuple[int, int], ...] = ()

    def with_meanings(self, found: Sequence[Mention], kept: Sequence[Mention] | None = None) -> Reading:
        """The reading with mentions in the place of words that were not understood, beside those that are `kept`."""
        places = {each.first for each in found}
        mentions = [each for each in (self.mentions if kept is None else kept) if each.first not in places]
        unknown = tuple(each for each in self.unknown if each.first not in places)
        return replace(self, mentions=_in_order([*mentions, *found]), unknown=unknown)

    def rewritten(self, mentions: Iterable[Mention]) -> Reading:
        """The reading with other mentions; those that were heard are kept."""
        return replace(self, mentions=tuple(mentions), heard=self.heard or self.mentions)

    @property
    def span(self) -> TimeRange | None:
        """The range of its time; None where it names none, or none that is clear."""
        return self.time.span if self.time else None

    def unread(self, known: Collection[str]) -> list[Mention]:
        """The words that nothing understands, but those that are known otherwise."""
        return [each for each in self.unknown if each.words.casefold() not in known]

    def of(self, *kinds: type) -> list[Mention]:
        """The mentions of some kinds, in order."""
        return [each for each in self.mentions if isinstance(each.meaning, kinds)]

    def has(self, *kinds: type) -> bool:
        """Whether anything of some kinds is mentioned."""
        return any(isinstance(each.meaning, kinds) for each in self.mentions)

    def all(self, kind: type[MeaningT]) -> list[MeaningT]:
        """What the mentions of a kind mean, in order, each once."""
        found = [mention.meaning for mention in self.mentions if isinstance(mention.meaning, kind)]
        return list(dict.fromkeys(found))


def _in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted(mentions, key=lambda each: each.first))


def read_request(
    request: str, now: datetime, named: Mapping[str, Measured] | None = None, *, has_events: bool = False
) -> Reading:
    """Take a request apart; every word belongs to the time phrase, to a term, to `named`, or to what is not understood.

    With `has_events`, words such as `around every time AE exceeded 1000 nT` are events that a limit makes.

    Raises
    ------
    InputError
        It names a time that cannot be.
    """
    plain = without_model_years(_with_frames_apart(request))
    plain = " " * (heading := _heading(plain, now)) + plain[heading:]
    condition = form("request_reading.condition").search(plain)
    plain = plain if condition is None else blank(plain, *condition.span())
    limited = find_limited_events(plain) if has_events else None
    for first, last in limited.places if limited else ():
        plain = blank(plain, first, last)
    asides = find_circumstances(plain, lambda words: _names_nothing(words, now))
    for first, last in asides:
        plain = blank(plain, first, last)
    left_out = find_exclusions(plain, now)
    plain = plain if left_out is None else blank(plain, left_out.first, left_out.last)
    events = None if limited else find_events(plain)
    time, wider = (events.time, None) if events else time_and_wider(plain, now)
    text = plain
    for each in (time, wider):
        text = text if each is None else blanked(text, each)
    if time is None and left_out is not None:
        time = _day_of(left_out)
    around = find_span(text, now) if events else None
    if events and around and around.span and around.span.start <= events.times[0] <= events.times[-1] < around.span.stop:
        text = blanked(text, around)
    mentions: list[Mention] = []
    unknown: list[Mention] = []
    at = 0
    while at < len(text):
        gap = _GAP.match(text, at)
        if gap:
            at = gap.end()
            continue
        name = next((name for name in named or {} if re.match(re.escape(name) + r"(?![\w-])", text[at:])), None)
        if named and name is not None:
            mentions.append(Mention(named[name], at, at + len(name), name))
            at += len(name)
            continue
        if text[at] == "/" and mentions and mentions[-1].last == at and isinstance(mentions[-1].meaning, Dataset):
            at += 1  # `AC_H0_MFI/BGSEc`
            continue
        best = _best_at(text, at)
        joined = _JOINED_WORD.match(text, at)
        if joined is not None and (best is None or joined.end() > best[0].end()):
            unknown.append(Mention(Filler(), at, joined.end(), joined[0]))
            at = joined.end()
            continue
        if best is not None:
            match, term = best
            meaning = _with_events(term.meaning(match), events)
            place = unknown if isinstance(meaning, Heading) else mentions
            words = match[0].rstrip()
            place.append(Mention(meaning, at, at + len(words), words))
            at += len(words)
            continue
        word = _WORD.match(text, at)
        last = word.end() - len(word[0]) + len(word[0].rstrip(":")) if word else at + 1
        unknown.append(Mention(Filler(), at, last, text[at:last]))
        at = last
    for first, last in asides:
        title = Mention(Heading(), first, last, request[first:last])
        unknown.append(replace(title, words=title.words.strip(" ,;:.!?")))
    if wider is not None:
        unknown.append(Mention(Heading(), wider.first, wider.last, wider.words.strip(" ,")))
    unknown.sort(key=lambda each: each.first)
    apart: list[tuple[Meaning, int, int]] = []
    if left_out is not None:
        apart.append((LeftOut(Exclusions(left_out.spans, left_out.file)), left_out.first, left_out.last))
    if condition is not None:
        apart.append((LeftOut(Exclusions(condition=" ".join(condition["clause"].split()))), *condition.span()))
    if limited is not None:
        apart.append((LimitedEvents(limited.events), *limited.places[0]))
    mentions += [Mention(each, first, last, request[first:last].strip(" ,;")) for each, first, last in apart]
    if heading:
        unknown.insert(0, Mention(Heading(), 0, heading, request[:heading].rstrip(" :!")))
    return Reading(request, time, _in_order(mentions), tuple(unknown), now, named=named or {})


def _day_of(left_out: LeftOutTimes) -> FoundSpan | None:
    """The day that hours are left out of, as the time of a request that names no other: `excluding 12-14 UT, 2001-03-31`."""
    days = {Grain.DAILY.floor(each.start) for each in left_out.spans}
    day = days.pop() if len(days) == 1 else None
    if day is None or any(each.duration >= timedelta(days=1) or each.stop > day + timedelta(days=1) for each in left_out.spans):
        return None
    span = TimeRange(day, day + timedelta(days=1))
    note = f"The range is {span}, the day that hours are left out of."
    return FoundSpan(left_out.last, left_out.last, "", span, note)


def _heading(text: str, now: datetime) -> int:
    """The length of what stands before a colon, semicolon or exclamation mark and names nothing: `type III bursts! …`."""
    match = _HEAD.match(text)
    if match is None or _PANEL.match(text) or named_time(match[0], now) is not None:
        return 0
    return match.end() if _names_nothing(match[0], now) else 0


def _names_nothing(words: str, now: datetime) -> bool:
    """Whether words name no data, no time and nothing done to them, and turn nothing: a length of time may stand there."""
    if find_span(words, now) is not None or (weighty_words() - _TELLING) & set(re.findall("[a-z]+", words.lower())):
        return False
    terms = [best[1].meaning(best[0]) for at in _STARTS.finditer(words) if (best := _best_at(words, at.start())) is not None]
    return all(isinstance(each, Filler | Heading) or (isinstance(each, Unclear) and each.sort == "length") for each in terms)


@lru_cache(maxsize=4096)
def _best_at(text: str, at: int) -> tuple[re.Match[str], Term] | None:
    """The term that has the most of the words at a place; an answer reads the same request several times."""
    return max(
        ((match, term) for term in vocabulary() if (match := term.pattern.match(text, at))),
        key=lambda found: len(found[0][0].rstrip()),
        default=None,
    )


def _with_frames_apart(text: str) -> str:
    """`B_RTN` as `B RTN`, unless datasets are named, whose parameters are called so."""
    return text if _A_DATASET.search(text) else _IN_A_FRAME.sub(r"\1 ", text)


def _with_events(meaning: Meaning, events: SpokenEvents | None) -> Meaning:
    """A superposed epoch with the given events."""
    if events is None or not isinstance(meaning, Transform) or meaning.operation != "superposed_epoch":
        return meaning
    return replace(meaning, options={**meaning.options, "events": events_csv(events.times)})
