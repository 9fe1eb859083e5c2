"""Events that a limit makes, as a request says them, become part of its treatment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.limited_events import EventWords
from helio_dagster.agent.offline.meanings import Asks, Dataset, Instrument, LimitedEvents, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.whole_results import read_whole_result
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import AnyTarget, Derived, Measured, Target
from helio_dagster.agent.treatments import Detected, Transform, Treatment, WholeResult
from helio_dagster.catalog.mission_words import mission_pattern, read_mission
from helio_dagster.domain.errors import InputError

_EPOCH = "superposed_epoch"
_OF_STORMS = ("dst", "sym_h")
_MISSIONS = rf"(?<!\w)(?:{mission_pattern()}|omni)(?!\w)"
_TWICE = "More than one limit makes events here. Which one do you want?"
_EXAMPLE = "as in: around each storm with Dst below -100 nT, 2 days before to 4 days after"


def names_data(reading: Reading) -> bool:
    """Whether a request names data beside the events that a limit makes."""
    return reading.has(Measured, Derived, Dataset)


def is_only_a_list(reading: Reading) -> bool:
    """Whether nothing is asked for around the events, so that their list is wanted: `find every time AE exceeded 1000 nT`."""
    has_window = any(each.operation == _EPOCH for each in reading.all(Transform))
    return not (names_data(reading) or has_window or any(each.events.before for each in reading.all(LimitedEvents)))


def as_intervals(text: str, reading: Reading) -> str:
    """The request for the list of intervals in the place of that for events: `intervals where AE exceeded 1000 nT in 2003`."""
    mention = reading.of(LimitedEvents)[0]
    words = reading.all(LimitedEvents)[0].events
    quantity = words.quantity or ("Dst" if words.are_storms else "")
    if words.found != "intervals" or not quantity or words.condition not in mention.words:
        return text
    return f"{text[: mention.first]}intervals where {_as_number(quantity)} {words.condition}{text[mention.last :]}"


def of_the_limit(reading: Reading) -> Reading:
    """The reading in which data are of the spacecraft that the limit names, where no other is named."""
    if reading.has(Mission, Dataset, Instrument, Unclear) or reading.named:
        return reading
    first = next(iter(reading.of(Measured, Derived)), None)
    named = [re.search(_MISSIONS, each.events.quantity, re.IGNORECASE) for each in reading.all(LimitedEvents)]
    found = read_mission(named[0][0]) if len(named) == 1 and named[0] is not None else None
    if first is None or found is None or found.several:
        return reading
    words = " ".join(first.words.split()).removeprefix("the ")
    note = f"The {words} is taken from {found.name}, which the limit names."
    mission = replace(first, meaning=Mission(found.name, found.member, note=note), last=first.first)
    mentions = tuple(part for each in reading.mentions for part in ((mission, each) if each is first else (each,)))
    return reading.rewritten(mentions)


def with_detected(
    reading: Reading,
    targets: Sequence[AnyTarget],
    treatment: Treatment,
    *,
    read: Callable[[str, datetime], Reading],
    find: Callable[[Reading], list[AnyTarget]],
) -> Treatment:
    """The treatment with the events that a limit makes.

    Parameters
    ----------
    reading
        With `LimitedEvents`.
    targets
        What is wanted around them; empty where that is what has the limit.
    treatment
        Everything else that is done.
    read
        Reads the words of a limit as a request, and brings together what belongs together.
    find
        Finds what a reading asks for; raises for words that it does not understand.

    Raises
    ------
    OpenQuestion
        The limit is not understood, or something is asked of each event that is not planned from words.
    """
    found = reading.all(LimitedEvents)
    if len(found) > 1:
        raise OpenQuestion(_TWICE)
    words = found[0].events
    statistics, treatment = _of_each(words, treatment)
    _ask_about_others(reading, treatment, is_answered=bool(statistics))
    detected = _resolved(words, targets, reading.now, read, find)
    epochs = [each for each in treatment.transforms if each.operation == _EPOCH]
    window = {name: str(value) for each in epochs for name, value in each.options.items() if name in ("before", "after")}
    window |= {name: value for name, value in (("before", words.before), ("after", words.after)) if value}
    others = tuple(each for each in treatment.transforms if each.operation != _EPOCH)
    if words.is_superposed:
        others = (*others, Transform(_EPOCH, "superposed epoch", window))
    detected = replace(detected, before=window.get("before", ""), after=window.get("after", ""), statistics=statistics)
    return replace(treatment, transforms=others, detected=detected)


def one_limit(
    words: str, now: datetime, read: Callable[[str, datetime], Reading], find: Callable[[Reading], list[AnyTarget]]
) -> tuple[AnyTarget | None, WholeResult | None]:
    """The quantity that a limit in words is of, and the limit; neither where it is not one limit of one quantity."""
    try:
        reading = read(words, now)
        limited, limit = find(reading), read_whole_result(reading)
    except (OpenQuestion, InputError):
        return None, None
    is_one = limit is not None and len(limited) == 1 and "each" not in limit.options
    return (limited[0], limit) if is_one else (None, None)


def _of_each(words: EventWords, treatment: Treatment) -> tuple[tuple[str, ...], Treatment]:
    """The numbers that are wanted of each event, and the treatment without them; none where the events are superposed."""
    whole = treatment.whole
    if whole is None or whole.kind != "facts" or words.is_superposed:
        return (), treatment
    return tuple(whole.options["statistics"]), replace(treatment, whole=None)


def _ask_about_others(reading: Reading, treatment: Treatment, *, is_answered: bool) -> None:
    """Ask about results of each event that are not numbers, and about what does not go together with events."""
    if reading.all(Asks) and not is_answered:
        asked = reading.of(Asks)
        words = " and ".join(repr(each.words) for each in asked)
        text = f"One result for each event is not planned from words: {words}. Do you want the curves around the events?"
        raise OpenQuestion(text, [without(reading, asked)])
    if treatment.excluded is not None:
        raise OpenQuestion(
            "The request leaves out times, and a limit makes events. Say one of them first, the other afterwards."
        )
    if treatment.pairing is not None or treatment.is_orbit:
        raise OpenQuestion("Around events I plan curves of single quantities. Which ones do you want, each by itself?")


def _resolved(
    phrase: EventWords,
    targets: Sequence[AnyTarget],
    now: datetime,
    read: Callable[[str, datetime], Reading],
    find: Callable[[Reading], list[AnyTarget]],
) -> Detected:
    for words, target in _ways(phrase, targets, now, read):
        limited, limit = one_limit(words, now, read, find)
        if limited is None or limit is None or limit.kind not in ("intervals", "crossings"):
            continue
        if phrase.are_storms and not phrase.quantity and not float(limit.options.get("below", 0)) < 0:
            continue  # a storm is a Dst below a limit
        return Detected(
            phrase.words,
            target or limited,
            limit,
            phrase.found,
            is_superposed=phrase.is_superposed,
            is_said=phrase.is_said,
            are_storms=phrase.are_storms,
            is_index_named=bool(phrase.quantity) or target is not None,
            merge=phrase.merge,
        )
    text = f"I do not understand the limit that makes the events: {phrase.words!r}."
    raise OpenQuestion(f"{text} Say one limit of one quantity, with its unit, {_EXAMPLE}.")


def _ways(
    words: EventWords, targets: Sequence[AnyTarget], now: datetime, read: Callable[[str, datetime], Reading]
) -> Iterator[tuple[str, AnyTarget | None]]:
    """Requests that ask for the limit, the likeliest first; with what has it, where that is a target of the request itself."""

    def asked(quantity: str) -> str:
        return (
            f"{quantity} {words.condition}" if words.found == "crossings" else f"intervals where {quantity} {words.condition}"
        )

    if not words.quantity:
        if words.are_storms:
            own = next((each for each in targets if isinstance(each, Target) and each.quantity in _OF_STORMS), None)
            yield asked(own.words if own else "Dst"), own
        return
    plain = asked(_as_number(words.quantity))
    try:
        is_whose = bool(read(plain, now).all(Mission) or read(plain, now).all(Dataset))
    except (OpenQuestion, InputError):
        is_whose = False
    if targets and not is_whose:
        yield asked(f"{targets[0].who} {_as_number(words.quantity)}"), None
    yield plain, None


def _as_number(words: str) -> str:
    """What has the limit as one number: `the solar wind V` is a speed, `ACE B` a magnitude."""
    words = re.sub(r"^(?:the|its)\s+", "", words, flags=re.IGNORECASE)
    return re.sub(r"(?<!\S)B$", "|B|", re.sub(r"(?<!\S)V(?:_?sw)?$", "speed", words))
