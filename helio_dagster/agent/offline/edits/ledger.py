"""Account for every word of a follow-up: it is used, shown as ignored, or asked about.

A word is used if the change would be another one without it, or with an unknown word in its place; two words together, if it
would be another one without them. This holds whichever reader of changes has understood the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import pairwise, takewhile

from helio_dagster.agent.answers import Answer, Edits, Fork, OpenQuestion, Replay
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import Form, form, matched
from helio_dagster.agent.offline.edits.plain_words import without_old_time
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.edits.said import is_length
from helio_dagster.agent.offline.edits.slots import tokens_of
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Asks, Filler, Frame, Layout, Mission, Statistic, Unit
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.offline.vocabulary import ordinary_words, weighty_words, words_of_occasions
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.planner import Current
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_edit import EditStep, apply_edits
from helio_dagster.domain.units import normalize_unit

_WORD = re.compile(r"[^\s,;:.!?()\[\]\"“”'‘’`]+(?:[.:'’][^\s,;:.!?()\[\]\"“”'‘’`]+)*")
_JOINTS = re.compile(r"^(?:[\s,;]|\b(?:and|but|then)\b)+|(?:[\s,;]|\b(?:and|but|then)\b)+$", re.IGNORECASE)
_HARMLESS = ("small", "use", "all", "add", "instead", "only", "fork")
"""Classes of words whose loss turns nothing where the change is the same without them."""
_LOOKS = ("color", "thick", "thin", "dash", "scale", "range")
"""Slots of words that are asked about where they are not used: they say how a line shall look."""
_UNKNOWN = "zzqx"
"""A word that no reader knows: where a word was read, this one in its place is asked about, noted, or makes another change."""


@dataclass(frozen=True)
class Unused:
    """Words that a change does not use: those that could turn it, and those that only tell about it."""

    weighty: tuple[str, ...]
    others: tuple[str, ...]


def unused_words(
    request: str, answer: Answer, current: Current, again: Callable[[str], Answer | None], offers: Offers, now: datetime
) -> Unused:
    """The words without which a change is the same, but those that have no meaning of their own or that it states.

    Parameters
    ----------
    request
        The follow-up.
    answer
        The change that it was understood as.
    current
        What is on the table.
    again
        Understands other words in the same way.
    offers, now
        To weigh the words by.
    """
    done, notes = outcome_of(answer, current), " ".join(getattr(answer, "notes", ()))
    drawn = PlottedFigure(current.file, offers, now)
    when = time_of(request, now)
    found = [each for each in _WORD.finditer(request) if not _is_harmless(each[0]) and each[0] not in notes]
    found = [each for each in found if not _is_twice(each[0], request) and len(drawn.named(each[0])) < len(drawn.lines)]
    if when is not None and not _comes_to(done, _with(request, (when,)), current, again):
        found = [each for each in found if not when.start() <= each.start() < when.end()]
    gone = matched("ledger.gone", request)
    if gone is not None and current.span is not None and not without_old_time(f"not {gone['time']}", current.span, now):
        found = [each for each in found if not gone.span("old")[0] <= each.start() < gone.span("old")[1]]
    if (told := matched("ledger.of_a_filter", request)) is not None:
        found = [each for each in found if not told.span("told")[0] <= each.start() < told.span("told")[1]]
    found = [each for each in found if not _is_said_to_stay(request, each) and not _tells_how_it_lies(each[0], answer)]
    if any("figure.panels" in each.changes for each in getattr(answer, "edits", ()) if isinstance(each, EditStep)):
        named = {line.path for each in _WORD.finditer(request) for line in drawn.named(each[0])}
        is_all = named == {line.path for line in drawn.lines}  # `merge Kp and Dst, Dst on the right`
        found = [each for each in found if not is_all or not (drawn.named(each[0]) or _is_of(request, each, "together"))]
    if isinstance(answer, Replay):
        found = [each for each in found if matched("ledger.moving", each[0]) is None]
    turning = _turning(request, answer, current, drawn, now)
    unused = [
        each
        for each in found
        if _comes_to(done, _with(request, (each,)), current, again)
        and (turning(each) or _comes_to(done, _with(request, (each,), _other(each[0])), current, again))
    ]
    for pair in pairwise(found):
        is_limit = any(each[0].strip("-+−<>=").isdecimal() or each[0].casefold() in weighty_words() for each in pair)
        is_new = not {*pair} & {*unused} and not any(drawn.named(each[0]) for each in pair)
        is_beside = all(_is_harmless(each[0]) for each in _WORD.finditer(request, pair[0].end(), pair[1].start()))
        if is_limit and is_new and is_beside and _comes_to(done, _with(request, pair), current, again):
            unused += pair
    unused.sort(key=lambda each: each.start())
    old = matched("ledger.old", request)
    first = old.span("mark" if is_length(old["old"]) else "old")[0] if old is not None else 0
    weighty = [
        each
        for each in unused
        if (
            _could_turn(request, each, offers.catalog, now)
            or _is_of(request, each, *_LOOKS)
            or is_an_order(request, each, drawn)
        )
        and not (old and first <= each.start() < old.span("old")[1])
    ]
    others = [each for each in unused if each not in weighty and not (old and _is_old_frame(each, old, drawn, now))]
    return Unused(_phrases(request, weighty), _phrases(request, others))


def _is_old_frame(word: re.Match[str], old: Form, drawn: PlottedFigure, now: datetime) -> bool:
    """Whether a word names a frame that data on the table are in, which is said to go: `GSM instead of GSE`."""
    frames = {drawn.frame(each.fetch) for each in drawn.pipeline.steps if each.fetch is not None}
    return old.span("old")[0] <= word.start() < old.span("old")[1] and any(
        each.name in frames for each in read_request(word[0], now).all(Frame)
    )


def without_idle_words(
    request: str, current: Current, again: Callable[[str], Answer | None], offers: Offers, now: datetime
) -> Answer | None:
    """The change that a follow-up says without one of its words that bear no meaning, or all of them; None where it says none.

    A word stays that a change may be made of: one that has a slot, names what is drawn, tells what is to be done or to what.
    """
    drawn = PlottedFigure(current.file, offers, now)
    slots, has_time = [each for each in tokens_of(request) if each.kind], time_of(request, now) is not None
    idle = [
        each
        for each in _WORD.finditer(request)
        if not _is_harmless(each[0])
        and not any(slot.first < each.end() and slot.last > each.start() for slot in slots)
        and not drawn.named(each[0])
        and not is_an_order(request, each, drawn)
        and matched("ledger.of_data", each[0]) is None
        and not (_is_a_thing(request, each, drawn) and not (has_time and each[0].casefold() in words_of_occasions()))
        and not _could_turn(request, each, offers.catalog, now)
        and not _tells_of_a_method(request, each, now)
    ]
    kept = [each for each in _WORD.finditer(request) if each[0] not in {one[0] for one in idle} and not _is_harmless(each[0])]
    tries = dict.fromkeys([*((each,) for each in idle), tuple(idle)] if 0 < len(idle) <= len(kept) else [])
    for words in tries:
        with suppress(OpenQuestion, InputError):
            answer = again(_with(request, words))
            if isinstance(answer, Edits | Replay | Fork):
                notes = [f"{each!r} is ignored." for each in _phrases(request, list(words))]
                return replace(answer, notes=tuple(dict.fromkeys((*answer.notes, *notes))))
    return None


def is_an_order(request: str, word: re.Match[str], drawn: PlottedFigure) -> bool:
    """Whether a word is all that tells what is to be done to something: `nuke the speed`."""
    behind = _WORD.search(request, word.end())
    if behind is None or matched("ledger.begun", request[: word.start()]) is None:
        return False
    if matched("ledger.determined", behind[0]) is None and not drawn.named(behind[0]):
        return False
    of_the_clause = takewhile(lambda each: each.kind != "joint", tokens_of(request[word.end() :]))
    return not any(each.kind not in ("", *_HARMLESS) for each in of_the_clause)


def _tells_of_a_method(request: str, word: re.Match[str], now: datetime) -> bool:
    """Whether a word stands before what is computed, and may be a kind of it: `weighted averages`, `cubic detrend`."""
    with suppress(InputError, OpenQuestion):
        behind = [each for each in read_request(request, now).mentions if each.first >= word.end()]
        first = min(behind, key=lambda each: each.first, default=None)
        is_beside = first is not None and not request[word.end() : first.first].strip()
        return is_beside and first is not None and isinstance(first.meaning, Averaging | Smoothing | Statistic | Transform)
    return True


def _is_of(request: str, word: re.Match[str], *kinds: str) -> bool:
    """Whether a word is in a slot of one of some kinds."""
    slots = (each for each in tokens_of(request) if each.kind in kinds)
    return any(each.first < word.end() and each.last > word.start() for each in slots)


def _is_said_to_stay(request: str, word: re.Match[str]) -> bool:
    """Whether a word is of what a sentence leaves as it is: `leave the pressure as it is`."""
    stays = form("plain_words.the_rest").search(request.strip(" .!?"))
    return stays is not None and stays.start() <= word.start() < stays.end()


def _tells_how_it_lies(word: str, answer: Answer) -> bool:
    """Whether a word only tells how the lines lie that a change draws: `horizontal` of one at a value."""
    edits = [each for each in getattr(answer, "edits", ()) if isinstance(each, EditStep)]
    marks = [
        mark for edit in edits for path, mark in edit.changes.items() if path.endswith("marks[+]") and isinstance(mark, dict)
    ]
    kinds = [axis for axis, name in (("y", "ledger.level"), ("x", "ledger.mark")) if matched(name, word) is not None]
    return bool(marks) and bool(kinds) and all(kinds[0] in mark for mark in marks)


def _is_a_thing(request: str, word: re.Match[str], drawn: PlottedFigure) -> bool:
    """Whether a word is what something is done to or is true of: `convert the blimps`, `for the blimp`."""
    behind = _WORD.search(request, word.end())
    is_told = behind is not None and (bool(drawn.named(behind[0])) or matched("ledger.things", behind[0]) is not None)
    return not is_told and matched("ledger.object", request[: word.start()]) is not None


def _turning(
    request: str, answer: Answer, current: Current, drawn: PlottedFigure, now: datetime
) -> Callable[[re.Match[str]], bool]:
    """Whether a word turns what it stands beside: a negation, or what neither the pipeline nor the change has anything of."""
    reading: Reading | None = None
    text = current.file.text
    with suppress(InputError, OpenQuestion):
        reading = read_request(request, now)
        text += apply_edits(current.file, list(answer.edits)).text if isinstance(answer, Edits) else str(answer)
    units = {normalize_unit(unit) for line in drawn.lines if (unit := unit_of(line.trace.data, drawn))}

    def turns(word: re.Match[str]) -> bool:
        if matched("ledger.negation", word[0]) is not None:
            return word.start() > 0  # `no, leave the density`
        known = [each for each in reading.mentions if each.first < word.end() and each.last > word.start()] if reading else []
        is_known = any(isinstance(each.meaning, Unit | Asks | Frame | Measured | Derived | Mission) for each in known)
        is_known = is_known and all(each.words == word[0] for each in known)
        return is_known and word[0].casefold() not in text.casefold() and normalize_unit(word[0]) not in units

    return turns


def _other(word: str) -> str:
    """Another word in the place of one: another colour, which every reader knows, or one that none knows."""
    others = [each for each in words_of("color") if each != word.casefold() and " " not in each]
    return others[-1] if word.casefold() in words_of("color") else _UNKNOWN


def time_of(request: str, now: datetime) -> re.Match[str] | None:
    """Where a sentence names a time, which is read as a whole."""
    with suppress(InputError, OpenQuestion):
        if (found := find_span(request, now)) is not None and found.words.strip():
            return re.compile(re.escape(request[found.first : found.last].strip())).search(request, found.first)
    return None


def _phrases(request: str, words: list[re.Match[str]]) -> tuple[str, ...]:
    """Words that stand beside each other, together."""
    found = list[tuple[int, int]]()
    for first, last in (each.span() for each in words):
        is_beside = bool(found) and not request[found[-1][1] : first].strip()
        found[-1:] = [(found[-1][0], last)] if is_beside else [*found[-1:], (first, last)]
    return tuple(request[first:last] for first, last in found)


def _with(request: str, words: tuple[re.Match[str], ...], other: str = "") -> str:
    """The sentence with other words in the place of some."""
    for each in reversed(words):
        request = f"{request[: each.start()]}{other}{request[each.end() :]}"
    return request if other else _JOINTS.sub("", " ".join(request.split()))


def _comes_to(done: object, words: str, current: Current, again: Callable[[str], Answer | None]) -> bool:
    """Whether other words come to the same change, with nothing said about the unknown one among them."""
    if not words:
        return False
    try:
        answer = again(words)
    except (OpenQuestion, InputError):
        return False
    if answer is None or outcome_of(answer, current) != done:
        return False
    return not any(_UNKNOWN in each for each in getattr(answer, "notes", ()))


def outcome_of(answer: Answer, current: Current) -> object:
    """What an answer comes to, however it was said."""
    match answer:
        case Edits():
            with suppress(InputError, OpenQuestion):
                return apply_edits(current.file, list(answer.edits)).pipeline, answer.span or current.span
            return answer.edits  # what cannot be carried out is answered where it is carried out
        case Replay() | Fork():
            return replace(answer, notes=())
    return answer


def _is_twice(word: str, request: str) -> bool:
    """Whether a word that is no number stands twice in a sentence: a unit behind each of two limits."""
    return not word[0].isdigit() and request.casefold().split().count(word.casefold()) > 1


@cache
def _harmless() -> frozenset[str]:
    return frozenset(part for kind in _HARMLESS for words in words_of(kind) for part in words.casefold().split())


def _is_harmless(word: str) -> bool:
    return word.casefold().replace("’", "'") in _harmless() | ordinary_words() or matched("ledger.things", word) is not None


def _could_turn(request: str, match: re.Match[str], catalog: KnownCatalog, now: datetime) -> bool:
    """Whether a word means something by itself, or is one that could turn what is beside it."""
    try:
        reading = read_request(request, now)
    except (InputError, OpenQuestion):
        return True
    at = (each for each in reading.mentions if each.first < match.end() and each.last > match.start())
    mention = next(at, None)
    if mention is not None:
        return not isinstance(mention.meaning, Filler | Layout)
    unknown = Mention(Filler(), match.start(), match.end(), match[0])
    others = tuple(each for each in reading.unknown if each.last <= match.start() or each.first >= match.end())
    return is_weighty(unknown, replace(reading, unknown=(*others, unknown)), catalog)
