"""What a request leaves open before any word of it is looked at: which events, or everything."""

from __future__ import annotations

import re
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.draft_titles import listed
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Asks, Condition, Dataset, Filler, Heading, Instrument, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import counting_words, ordinary_words, weighty_words
from helio_dagster.agent.offline.wording import likely_requests, reworded, spoken_time
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.times.named_times import storm_names

_OF_THEM = "list of the Dst minima below -200 nT"
"""What finds the strongest storms of a time."""
_LONGEST = timedelta(days=31)
"""An event in a longer time needs its days."""
_EXAMPLE = "ACE magnetic field from 29 to 31 October 2003"


def ask_which_storm(reading: Reading) -> None:
    """Ask which storm is meant, where one without its days is all that is said of the time, or it is the largest of a time.

    Raises
    ------
    OpenQuestion
        Its choices are the storms that have a name, of that time; where no data are named, their Dst, or a limit in it.
    """
    match, time = form("vague.the_storm").search(reading.request), reading.time
    if match is None or not any(match.start() <= each.first < match.end() for each in reading.unknown):
        return
    is_long = time is None or (time.span is not None and time.span.duration > _LONGEST)
    if not match["rank"] and not (match["one"] and is_long and (time is None or match["lead"])):
        return
    storm = Mention(Filler(), match.start(), match.end(), match[0])
    if time is None:
        text = "Which storm do you mean? Name it, or give its days."
        lead = match["lead"] or "during "
        raise OpenQuestion(text, [reworded(reading, {storm: f"{lead}the {name}"}) for name in storm_names()])
    called = match[0].removeprefix(match["lead"] or "")
    text = f"I do not rank storms, so I cannot tell {called!r}. Which one do you mean? Name it, or give its days."
    text = text if match["rank"] else f"Which storm {time.words.strip()} do you mean? Name it, or give its days."
    names = [f"during the {name}" for name in storm_names(time.span)]
    when = Mention(Filler(), time.first, time.last, time.words)
    if not {each.casefold() for each in re.findall(r"\w+", reworded(reading, {storm: "", when: ""}))} <= ordinary_words():
        raise OpenQuestion(text, [reworded(reading, {storm: each, when: ""}) for each in names])
    raise OpenQuestion(text, [*(f"Dst {each}" for each in names), f"{_OF_THEM}{spoken_time(time)}"])


def ask_about_epochs(reading: Reading) -> None:
    """Ask which events a superposed epoch is around, where a limit is named that says it in no known way.

    Raises
    ------
    OpenQuestion
        Neither their times nor a limit that makes them are understood.
    """
    epochs = [each for each in reading.all(Transform) if each.operation == "superposed_epoch"]
    if not epochs or any("events" in each.options for each in epochs) or not reading.all(Condition):
        return
    limit = next(each.words.strip() for each in reading.of(Condition))
    raise OpenQuestion(
        f"A superposed epoch is around events, and I do not understand which ones {limit!r} makes. Say it as in: superposed "
        "epoch of Dst around all storms with Dst below -100 nT. Or name their times or a list: around the events in storms.csv."
    )


def ask_about_nothing(reading: Reading) -> None:
    """Ask for what is missing, where a request names no quantity and only an event or anything at all.

    Raises
    ------
    OpenQuestion
        It says which of spacecraft, quantity and time are to be named.
    """
    wanted = (Measured, Derived, Dataset, Asks, Transform)
    if any(map(reading.all, wanted)) or reading.all(Instrument):
        return
    text = reading.request
    unread = [each.words for each in reading.unknown if not isinstance(each.meaning, Heading)]
    if {each.casefold() for each in unread} & (weighty_words() - counting_words()):
        return
    missions = reading.all(Mission)
    span = reading.span
    is_long = span is None or span.duration > _LONGEST or form("vague.vague_time").search(text) is not None
    is_event = form("vague.events").search(text) is not None and (is_long or not missions)
    if not form("vague.anything").search(text) and not is_event:
        return
    fleets = [each for each in reading.all(Unclear) if each.sort == "spacecraft"]
    others = [
        each
        for each in reading.mentions
        if not isinstance(each.meaning, Mission | Filler | Heading) and each.meaning not in fleets
    ]
    if others or (is_event and reading.time is not None and span is None):
        return
    missing = [
        *([] if missions else [f"which spacecraft ({' or '.join(fleets[0].options)})"] if fleets else ["which spacecraft"]),
        "which quantity",
        *(["from when to when"] if is_long else []),
    ]
    unknown = f" (I do not understand {', '.join(repr(each) for each in unread)}.)" if unread else ""
    text = f"I choose no event and no data by myself. Please say {listed(missing)}, as in: {_EXAMPLE}.{unknown}"
    raise OpenQuestion(text, [] if is_long else likely_requests(reading))
