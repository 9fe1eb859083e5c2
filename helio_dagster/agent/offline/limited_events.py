"""Words of a request for events that a limit makes: `each storm (Dst < -150)`, `around every time AE exceeded 1000 nT`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from helio_dagster.agent.offline.forms import form, ways
from helio_dagster.catalog.times.lengths import LONGEST, find_length, read_length
from helio_dagster.catalog.times.spoken_events import SUPERPOSED
from helio_dagster.domain.time_range import format_duration

Found = Literal["intervals", "crossings", "minima", "maxima"]
_MOST_LETTERS = 2000
_KINDS: dict[str, Found | None] = {"extrema": None, "crossings": "crossings", "intervals": "intervals"}
"""What the ways of saying events find, in the order in which they are tried; the words tell minima from maxima."""


@dataclass(frozen=True)
class EventWords:
    """Events that a limit makes, as a request says them.

    Parameters
    ----------
    found
        What the events are: intervals beyond a limit, crossings of a value, minima or maxima beyond a limit.
    quantity
        The words for what has the limit; empty where none are said.
    condition
        The words of the limit, or of a crossing: `below -100 nT`, `crosses 0 nT downwards`.
    noun
        What the events are called, such as `storms`.
    words
        All of it as it is said.
    is_superposed
        Whether they are laid over one another; else each is drawn by itself.
    is_said
        Whether the request says which of both.
    before, after
        How far around each, an ISO 8601 duration; empty where it is not said here.
    merge
        Intervals up to so far apart are one event, an ISO 8601 duration; empty where it is not said.
    """

    found: Found
    quantity: str
    condition: str
    noun: str
    words: str
    is_superposed: bool
    is_said: bool
    before: str = ""
    after: str = ""
    merge: str = ""

    @property
    def are_storms(self) -> bool:
        """Whether they are called storms."""
        return re.fullmatch(r"(?:super)?storms?", self.noun, re.IGNORECASE) is not None


@dataclass(frozen=True)
class FoundEvents:
    """Said events, and the stretches `[first, last)` of the request that say them; the first of these is the limit's."""

    events: EventWords
    places: tuple[tuple[int, int], ...]


def find_limited_events(request: str) -> FoundEvents | None:
    """The events that a limit makes, around which something is asked for, or for each of which; None where there are none."""
    if len(request) > _MOST_LETTERS:
        return None
    has_window = form("limited_events.before_and_after").search(request) is not None or bool(_window(request)[0])
    is_epoch = SUPERPOSED.search(request) is not None or form("limited_events.epochs").search(request) is not None
    found = ((name, match) for name in _KINDS for way in ways(f"limited_events.{name}") for match in way.finditer(request))
    for name, match in found:
        is_around = form("limited_events.around").search(match["lead"]) or request[: match.start()].rstrip().endswith("after")
        is_each = form("limited_events.each").search(match["all"])
        if is_epoch or has_window or is_around or (is_each and (match["lead"].strip() or _leads(request, match))):
            if match.groupdict().get("noun", "").casefold() in ("when", "whenever", "where") and not is_epoch:
                continue
            return _found(request, _KINDS[name], match, is_epoch=is_epoch, is_around=bool(is_around))
    return None


def _leads(request: str, match: re.Match[str]) -> bool:
    """Whether the request begins with the events: `every storm with Dst < -150: Bz`, `find every time AE exceeded 1000 nT`."""
    return form("limited_events.listing").fullmatch(request[: match.start()]) is not None


def _found(request: str, kind: Found | None, match: re.Match[str], *, is_epoch: bool, is_around: bool) -> FoundEvents:
    part = {name: words or "" for name, words in match.groupdict().items()}
    places = [(match.start(), match.end())]
    if part.get("between"):  # the time between is still to be read
        places = [(match.start(), match.start("between")), (match.start("which"), match.end())]
    if request[places[-1][1] :].lstrip()[:1] == ")" and "(" in request[match.start() : match.end()]:
        places[-1] = (places[-1][0], request.index(")", places[-1][1]) + 1)
    if (zero := form("limited_events.epoch_zero").search(request, 0, match.start())) is not None:
        places.append((zero.start(), zero.end()))
    rest = _blanked(request, places)
    before, after, around = _window(rest)
    places += [around] if around else []
    if kind == "intervals" and (extreme := form("limited_events.at_extreme").search(rest)) is not None:
        part["peak"] = extreme["peak"] if "below" not in part["limit"] and "<" not in part["limit"] else "minima"
        kind = None
        places.append(extreme.span("words"))
    if kind == "intervals" and (last := form("limited_events.extreme_last").search(part["quantity"])) is not None:
        part |= {"peak": last["peak"], "quantity": part["quantity"][: last.start()]}
        kind = None
    merge = ""
    apart = form("limited_events.apart").search(rest)
    if apart is not None:
        places.append((apart.start(), apart.end()))
    if (distant := form("limited_events.distant").search(rest)) is not None:
        merge = format_duration(read_length(distant))
        places.append((distant.start(), distant.end()))
    is_about = is_epoch or is_around or bool(before) or form("limited_events.before_and_after").search(rest) is not None
    together = form("limited_events.epochs").search(rest) or (_together(rest) if is_about else None)
    if together is not None:
        places.append((together.start(), together.end()))
    is_apart = apart is not None or bool(re.fullmatch(r"(?:for|during|in|of)\s*", part["lead"], re.IGNORECASE))
    phrase = EventWords(
        kind or ("minima" if re.match("min|dip", part["peak"], re.IGNORECASE) else "maxima"),
        form("limited_events.extreme").sub("", " ".join((part.get("before") or part.get("quantity") or "").split())),
        _condition(part),
        part.get("noun") or part.get("peak") or "crossings",
        request[match.start() : match.end()].strip(" ,;:"),
        is_superposed=is_epoch or together is not None or (is_around and not is_apart),
        is_said=is_epoch or together is not None or not is_around,
        before=before,
        after=after,
        merge=merge,
    )
    return FoundEvents(phrase, tuple(places))


def _condition(part: dict[str, str]) -> str:
    """The limit in words that are read again."""
    if part.get("limit"):
        limit = f"{part['limit']} {part.get('lasting', '')}"
        return " ".join(form("limited_events.signs").sub(r"\g<sign> ", limit).replace("≤", "<=").replace("≥", ">=").split())
    value = "0" if part.get("value", "").casefold() in ("", "zero") else part["value"]
    way = part.get("way", "").casefold()
    down, up = way.startswith(("below", "under", "down", "south")), way.startswith(("above", "over", "up", "north"))
    return " ".join(["crosses", value, part.get("unit", "").strip(), "downwards" if down else "upwards" if up else ""]).rstrip()


def _both_sides(text: str) -> list[re.Match[str]]:
    """Lengths that are said of both sides of events."""
    found = [each for each in form("limited_events.both_sides").finditer(text) if each["sign"] or each["sides"]]
    return [each for each in found if timedelta(0) < read_length(each) <= LONGEST]


def _window(text: str) -> tuple[str, str, tuple[int, int] | None]:
    """How far before and after events is said, ISO 8601 durations, and where; the words before and after are read elsewhere."""
    for side in _both_sides(text):
        reach = format_duration(read_length(side))
        return reach, reach, (side.start(), side.end())
    signed = form("limited_events.signed").search(text)
    if signed is None:
        return "", "", None
    lengths = [find_length(signed[name]) or timedelta(0) for name in ("before", "after")]
    if not all(timedelta(0) < each <= LONGEST for each in lengths):
        return "", "", None
    before, after = map(format_duration, lengths)
    return before, after, (signed.start(), signed.end())


def _together(text: str) -> re.Match[str] | None:
    """The word by which all events are brought together; means of stretches of time are none."""
    of_time = form("limited_events.of_time")
    words = form("limited_events.together").finditer(text)
    return next((each for each in words if not of_time.search(text[: each.start()])), None)


def _blanked(text: str, places: list[tuple[int, int]]) -> str:
    for first, last in places:
        text = f"{text[:first]}{' ' * (last - first)}{text[last:]}"
    return text
