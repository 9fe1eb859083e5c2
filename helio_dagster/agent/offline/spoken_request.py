"""A request said again in a sentence made of what was understood: what questions offer. What is asked stands elsewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from helio_dagster.agent.offline.meanings import (
    Compare,
    Dataset,
    Derived,
    Filler,
    Frame,
    Instrument,
    Measured,
    Mission,
    Pairing,
    Shape,
    Transform,
    Unclear,
    Unit,
)
from helio_dagster.agent.offline.mission_words import mission_names
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.did_you_mean import near_names

_FIXABLE = (
    "magnetic", "field", "magnitude", "vector", "components", "speed", "velocity", "density", "temperature", "plasma",
    "spectrogram", "smoothed", "running", "mean", "average", "compare", "strength", "electron", "proton", "hourly",
    "maximum", "minimum", "median", "daily", "correlation", "superposed", "pressure", "position", "spacecraft",
)  # fmt: skip
_TURNING = frozenset(
    ("without", "no", "not", "except", "excluding", "minus", "before", "after", "around", "until", "or", "if", "when", "where")
)
"""Words that turn the meaning of what follows: a request is another one without them."""
_ALIKE = 0.75
"""How much alike a word and the one that it is taken for must be."""
_LINKED = re.compile(
    r"(?:on|in|for|during|over|of|from|between|since|covering|around|about|near|(?:the )?(?:last|past)|today|yesterday)\b",
    re.IGNORECASE,
)


def say(reading: Reading, leave: Collection[Mention] = (), *, first: str = "", more: str = "") -> str | None:
    """The request in a plain sentence; None where the sentence would be understood otherwise.

    Parameters
    ----------
    reading
        What was understood; words that were not are left out.
    leave
        Mentions that are left out, too.
    first
        Words put before all others, as a spacecraft.
    more
        Words put behind them, before the time.
    """
    heard = reading.heard or reading.mentions
    said = [each for each in heard if not isinstance(each.meaning, Filler) and each not in leave]
    if sum(_kind(each) in "MQ" for each in said) < 2:
        said = [each for each in said if not isinstance(each.meaning, Compare)]
    if said and isinstance(said[-1].meaning, Compare):
        said = said[:-1]
    if not said:
        return None
    for plain in (True, False):
        words = _sentence(said, first, is_plain=plain)
        is_apart = not more and said[-1] != said[0] and _kind(said[-1]) == "T"
        text = " ".join(f"{words}{' ' if more else ''}{more}{spoken_time(reading.time, is_apart=is_apart)}".split())
        again = read_request(text, reading.now, reading.named)
        meant = [each.meaning for each in again.mentions if not isinstance(each.meaning, Filler)]
        is_whole = meant == [each.meaning for each in said] or (bool(first or more) and _holds(meant, said))
        spans = [time.span if time else None for time in (again.time, reading.time)]
        if is_whole and not again.unknown and spans[0] == spans[1]:
            return text
    return None


def understood(reading: Reading) -> list[str]:
    """Requests that may be meant by one with unknown words: these corrected where known ones are near, or left out."""
    if any(mention.words.lower() in _TURNING for mention in reading.unknown):
        return []
    corrected, is_near = reading.request, False
    for mention in reversed(reading.unknown):
        near = _near(mention.words)
        is_near = is_near or bool(near)
        corrected = f"{corrected[: mention.first]}{near}{corrected[mention.last :]}"
    found = [reading]
    choices: list[str | None] = []
    if is_near:
        again = read_request(corrected, reading.now, reading.named)
        is_whole = not again.unknown and all(_near(mention.words) for mention in reading.unknown)
        choices.append(" ".join(corrected.split()) if is_whole else None)
        found = [again, reading]
    choices += [say(each) for each in found if any(_kind(mention) in "QD" for mention in each.mentions)]
    return [each for each in dict.fromkeys(choices) if each]


def with_time(reading: Reading, words: str) -> str | None:
    """The request with other words for its time."""
    time = read_request(words, reading.now).time
    return say(replace(reading, time=time)) if time is not None else None


def _near(word: str) -> str:
    """The known word that a misspelt one is like; of missions only where it is written like a name."""
    is_name = word[:1].isupper() or any(letter.isdigit() for letter in word)
    known = [*_FIXABLE, *(mission_names() if is_name else ()), *QUANTITY_WORDS.values()]
    near = near_names(word, known, count=1) if len(word) > 3 or is_name else []
    is_form = bool(near) and (near[0].casefold().startswith(word.casefold()) or near[0].casefold() in word.casefold())
    is_alike = bool(near) and not is_form and SequenceMatcher(None, near[0].casefold(), word.casefold()).ratio() >= _ALIKE
    return near[0] if is_alike else ""


def _holds(meant: Sequence[object], said: Sequence[Mention]) -> bool:
    """Whether all that was said is meant, in its order, among more that is clear."""
    left = iter(meant)
    is_clear = all(not isinstance(each, Unclear) or any(each == mention.meaning for mention in said) for each in meant)
    return is_clear and all(each.meaning in left for each in said)


def _sentence(said: Sequence[Mention], first: str, *, is_plain: bool) -> str:
    """The mentions in their order, with the words between them that a person would say."""
    text, before = first, "M" if first else ""
    for place, mention in enumerate(said):
        kind = _kind(mention)
        follows = _kind(said[place + 1]) if place + 1 < len(said) else ""
        words = _words(mention, is_plain=is_plain)
        is_further = kind == "Q" and before in ("F", "T") and any(_kind(each) == "Q" for each in said[:place])
        link = " and " if is_further else _link(before, kind, words, is_last=follows != kind)
        text += f"{link}{words}"
        before = "U" if kind == "T" and words.lower().endswith("ly") else kind
    return text


def _words(mention: Mention, *, is_plain: bool) -> str:
    meaning = mention.meaning
    if isinstance(meaning, Mission):
        name = f"{meaning.name} {meaning.member}".strip()
        return name if is_plain or name != "Wind" else "the Wind spacecraft"
    return meaning.name if isinstance(meaning, Frame) else " ".join(mention.words.split())


def _kind(mention: Mention) -> str:
    """M of who measures, Q of what is measured, S of its shape, F of its frame, U of its unit, P of what joins two.

    D is what is made of each, T what is done besides.
    """
    for kind, types in (
        ("M", (Mission, Dataset)),
        ("I", (Instrument,)),
        ("Q", (Measured, Derived)),
        ("S", (Shape,)),
        ("F", (Frame,)),
        ("P", (Pairing, Compare)),
        ("D", (Transform,)),
        ("U", (Unit,)),
    ):
        if isinstance(mention.meaning, types):
            return kind
    return "T"


def _link(before: str, kind: str, words: str, *, is_last: bool) -> str:
    if not before:
        return ""
    if before == kind and kind in "MQ":
        return " and " if is_last else ", "
    if kind == "F" and before != "":
        return " in "
    if kind in "QM" and before in "QISFD" and (kind == "M" or before == "D"):
        return " of "
    if before == "T" and kind in "QM":
        return " of "
    if kind == "D" and re.match(r"\d|with\b", words):
        return " with " if words[0].isdigit() else " "
    if before == "P":
        return " " if words.startswith(("of ", "between ")) else " of " if kind == "D" else " "
    return ", " if kind == "T" and before in "MQSF" else " "


def spoken_time(time: FoundSpan | None, *, is_apart: bool = False) -> str:
    """The words for a time as they follow a request: with a preposition, or behind a comma; empty for none."""
    if time is None:
        return ""
    words = time.words.strip(" ,")
    if is_apart:
        return f", {words}"
    if _LINKED.match(words):
        return f" {words}"
    if re.match(r"(?:the\b|[a-z' ]*storm|[a-z' ]*event)", words, re.IGNORECASE):
        return f" during {words}"
    is_day = time.span is not None and time.span.duration.days == 1 and not re.search(r"\bto\b", words)
    return f" {'on' if is_day else 'in' if re.fullmatch(r'[A-Za-z]*[ ,]*[0-9]{4}', words) else 'for'} {words}"
