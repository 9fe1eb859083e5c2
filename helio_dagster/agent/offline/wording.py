"""A request in other words: parts of it replaced, added or left out, everything else as the person wrote it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import SequenceMatcher

from helio_dagster.agent.drafting.questions import Remedy
from helio_dagster.agent.offline.meanings import Cadence, Dataset, Frame, Layout, Level, Mission, Per, Shape, Statistic, Unit
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import known_words, ordinary_words, sound_words, spelt_words
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.mission_words import mission_names
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.did_you_mean import near_names
from helio_dagster.domain.frames import FRAMES

_PARTS: dict[str, tuple[type, ...]] = {
    "mission": (Mission,),
    "quantity": (Measured, Derived),
    "shape": (Shape,),
    "frame": (Frame,),
    "cadence": (Cadence,),
    "average": (Averaging, Smoothing, Statistic, Per),
    "sum": (Averaging, Statistic, Per),
    "unit": (Unit,),
    "layout": (Layout,),
    "dataset": (Dataset,),
    "level": (Level,),
}
_LINKS = "with|to|of|in|at|on|by|for|from|over|as|using|the|an?"
_LISTS = r"(?:,\s*)?(?:\b(?:and|or|vs|versus|against)\b\.?|&)|,"
_LIST_END, _LIST_START = re.compile(rf"\s*(?:{_LISTS})$", re.IGNORECASE), re.compile(rf"(?:{_LISTS})\s*", re.IGNORECASE)
_LAST_OF_LIST = re.compile(r",\s*([\w-]+(?: \d+)?)$")
_LINK_END = re.compile(rf"(?:^|\s+)(?:{_LINKS})$", re.IGNORECASE)
_LINK_START = re.compile(rf"(?:{_LINKS})\s+", re.IGNORECASE)
_FRAME = re.compile(rf"\s*(?:\((?:in )?(?:{'|'.join(FRAMES)})\)|\b(?:in )?(?:{'|'.join(FRAMES)})\b)", re.IGNORECASE)
_ALIKE = 0.75
"""How much alike a misspelt word and the one it is taken for must be."""
_LINKED = re.compile(
    r"(?:on|in|for|during|over|of|from|between|since|covering|around|about|near|at|(?:the )?(?:last|past)|today|yesterday)\b",
    re.IGNORECASE,
)


def reworded(reading: Reading, parts: Mapping[Mention, str], *, add: str = "", first: str = "") -> str:
    """The request with other words for some mentions, empty ones leaving them out, and with words added.

    `add` stands before the time where that ends the request, else at the end.
    """
    text, time = reading.request.rstrip(" .?!"), reading.time
    at = len(text)
    if add and time is not None and time.last >= at:
        at = time.first
    edits = [*((each.first, each.last, words) for each, words in parts.items()), *([(at, at, f" {add} ")] if add else [])]
    for start, last, words in sorted(edits, key=lambda each: each[:2], reverse=True):
        text = f"{text[:start]}{words}{text[last:]}" if words else f"{text[:start]}\0{text[last:]}"
    return tidy(f"{first} {text}")


def tidy(text: str) -> str:
    """The text without the small words and commas that a gap, marked by a zero byte, leaves alone."""
    while "\0" in text:
        left, _, right = text.partition("\0")
        left, right = left.rstrip(), right.lstrip()
        while True:
            before, after = _LIST_END.search(left), _LIST_START.match(right)
            link, linked = _LINK_END.search(left), _LINK_START.match(right)
            if before and after:
                left = left[: before.start()]
            elif after and (link or not right[after.end() :] or _is_bare(left)):
                right = right[after.end() :]
            elif before:
                left = _LAST_OF_LIST.sub(r" and \1", left[: before.start()]) if "," not in before[0] else left[: before.start()]
            elif link and (not right or linked or right.startswith("\0")):
                left = left[: link.start()]
            elif linked and _is_bare(left):
                right = right[linked.end() :]
            else:
                break
        text = f"{left} {right}"
    return re.sub(r"\s+,", ",", " ".join(text.split())).strip(" ,")


def is_named_before(words: str, before: str) -> bool:
    """Whether all words for something stand in what was said before: it is named again, to say more of it."""
    return {*words.casefold().split()} - {"the"} <= {*re.findall(r"[^\s,;]+", before.casefold())}


def without_frame(words: str) -> str:
    """Words for data without their frame, which names them no closer in a figure: `Bz in GSM`, `ACE Bz (GSM)`."""
    return _FRAME.sub("", words)


def _is_bare(words: str) -> bool:
    """Whether words only ask for something: `Show the`."""
    return all(each.casefold().strip(",") in ordinary_words() for each in words.split())


def remedied(reading: Reading, remedy: Remedy) -> str | None:
    """The request as a remedy changes it; None where nothing in it can be replaced."""
    if remedy.part == "time":
        time = reading.time
        return f"{reading.request[: time.first]} {remedy.words} {reading.request[time.last :]}" if time else None
    heard = reading.heard or reading.mentions
    found = [each for each in heard if isinstance(each.meaning, _PARTS[remedy.part]) and _is(each, remedy.which)]
    if not found:
        is_first = remedy.part == "mission"
        if not remedy.words:
            return None
        return reworded(reading, {}, first=remedy.words) if is_first else reworded(reading, {}, add=remedy.words)
    if remedy.part in ("average", "sum", "unit", "layout", "cadence", "frame"):
        return reworded(reading, {**dict.fromkeys(found, ""), found[0]: remedy.words})
    words, before = remedy.words, reading.request[: found[0].first].rstrip().casefold()
    family, _, member = words.partition(" ")
    if remedy.part == "mission" and member and before.endswith(family.casefold()):
        words = member  # `Cluster C4` becomes `Cluster 1`
    return reworded(reading, {found[0]: words})


def _is(mention: Mention, which: str) -> bool:
    meaning = mention.meaning
    if not which or isinstance(meaning, Shape):
        return True
    if isinstance(meaning, Mission):
        return meaning.name == which
    if isinstance(meaning, Measured):
        return which in meaning.quantities
    if isinstance(meaning, Derived):
        return any(which in each.quantities for _, each in meaning.inputs)
    return isinstance(meaning, Unit) and meaning.unit == which


def without(reading: Reading, leave: Collection[Mention]) -> str:
    """The request without some mentions."""
    return reworded(reading, dict.fromkeys(leave, ""))


def near_word(word: str, *, is_open: bool = False) -> str:
    """The known word that a misspelt one is like; of missions only if it is written like a name.

    Where it `is_open` which mission is meant, one with a letter doubled is it, however it is written.
    """
    if word.casefold() in sound_words():
        return ""
    single = re.sub(r"(.)\1", r"\1", word.casefold())
    if is_open and single.isalpha() and len(single) > 2:
        alike = [name for name in mission_names() if name.isalpha() and _is_typo(single, word.casefold(), name.casefold())]
        if alike:
            return alike[0]
    is_name = word[:1].isupper() or any(letter.isdigit() for letter in word)
    digits = re.sub(r"\D", "", word)
    known = [*spelt_words(), *(mission_names() if is_name else ()), *QUANTITY_WORDS.values()]
    near = near_names(word, known, count=1) if len(word) > 3 or is_name else []
    is_form = bool(near) and (near[0].casefold().startswith(word.casefold()) or near[0].casefold() in word.casefold())
    is_form = is_form or not near or near[0][0].casefold() != word[:1].casefold()  # `helicity` is not `velocity`
    is_alike = not is_form and SequenceMatcher(None, near[0].casefold(), word.casefold()).ratio() >= _ALIKE
    is_same_member = not near or re.sub(r"\D", "", near[0]) == digits  # there is no MMS5, which is not MMS4 misspelt
    return near[0] if is_alike and is_same_member else ""


def one_edit_away(word: str) -> str:
    """The one known word with a letter more, less or other, or two turned; empty where none or several are, or a form of it."""
    plain = word.casefold()
    less = _shorter(plain)
    near = {
        each
        for each in known_words()
        if each in less or plain in (one := _shorter(each)) or (less & one and len(each) == len(plain))
    }
    found = {each for each in near if each[0] == plain[0] and not each.startswith(plain) and not plain.startswith(each)}
    return found.pop() if len(found) == 1 and len(plain) > 3 and plain.isalpha() else ""


def _shorter(word: str) -> set[str]:
    """A word without one of its letters."""
    return {word[:at] + word[at + 1 :] for at in range(len(word))}


def _is_typo(single: str, word: str, name: str) -> bool:
    """Whether a word is a name with a letter doubled, or with two that stand in each other's place."""
    return name == single if single != word else name[0] == word[0] and name != word and sorted(name) == sorted(word)


def spoken_time(time: FoundSpan | None) -> str:
    """The words for a time as they follow a request, with a preposition; empty for none."""
    if time is None:
        return ""
    words = time.words.strip(" ,")
    if _LINKED.match(words):
        return f" {words}"
    if re.match(r"(?:the\b|[a-z' ]*storm|[a-z' ]*event)", words, re.IGNORECASE):
        return f" during {words}"
    is_day = time.span is not None and time.span.duration.days == 1 and not re.search(r"\bto\b", words)
    return f" {'on' if is_day else 'in' if re.fullmatch(r'[A-Za-z]*[ ,]*[0-9]{4}', words) else 'for'} {words}"


def likely_requests(reading: Reading) -> list[str]:
    """What most people want of a time, or of the spacecraft that is named then; none without a time."""
    missions = [each.name for each in reading.all(Mission)]
    what = ("magnetic field", "density", "speed") if missions else ("solar wind speed", "IMF Bz", "Dst")
    when = spoken_time(reading.time)
    return [f"{whose} {each}{when}".strip() for whose in missions or [""] for each in what] if when else []
