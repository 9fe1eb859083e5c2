"""Words of a request for events that a limit makes: `each storm (Dst < -150)`, `around every time AE exceeded 1000 nT`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from helio_dagster.catalog.times.lengths import LENGTH, LONGEST, UNIT_NAMES, read_length
from helio_dagster.catalog.times.spoken_events import SUPERPOSED
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.time_words import NUMBER_WORDS
from helio_dagster.domain.unit_words import UNIT_WORDS

Found = Literal["intervals", "crossings", "minima", "maxima"]
_MOST_LETTERS = 2000
_NUMBER = r"[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT = rf"(?:\s*{UNIT_WORDS}(?:\s*(?:/|per)\s*(?:s(?:ec(?:ond)?)?|min(?:ute)?|h(?:r|our)?|day)\b)?(?!\w))"
_BOUND = (
    r"(?:\b(?:above|below|over|under|beyond|exceed(?:s|ed|ing)?|surpass(?:es|ed)?|at least|at most|(?:greater|larger|higher|"
    r"less|lower|smaller|more|faster|slower|stronger|weaker|hotter|colder|denser|worse) than)\b|[<>]=?|[≤≥])"
)
_MOVED = (
    r"(?:\b(?:is|was|are|were|be|being|goes|go|going|went|rises?|rose|rising|falls?|fell|falling|drops?|dropped|dropping|dips?|"
    r"dipped|gets?|got|stays?|stayed|remains?|remained|climbs?|climbed|sinks?|sank|reach(?:es|ed)?|lies|lay|first|values?)\b\s*)"
    r"{0,3}"
)
_COUNT = rf"(?:\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)}|an?|half an?)"
_LASTING = (
    rf"(?:\s*,?\s*(?:for|lasting)\s+(?:(?:at least|more than|longer than|over)\s+)?{_COUNT}[\s-]*(?:{UNIT_NAMES})\b"
    r"(?:\s+or\s+(?:more|longer))?)?"
)
_QUANTITY = r"(?P<quantity>[^,;:()<>=≤≥]{0,40}?)"
_STOPS = (
    r"(?=\s*(?:$|[,;.)?!:]|\b(?:in|on|for|during|from|between|since|of|at|over|with|and|using|as|lasting|around|show|plot|draw)\b"
    r"|\d))"
)
_BEYOND = rf"{_MOVED}{_BOUND}\s*{_NUMBER}(?![\d.]*\d)"
_LIMIT = rf"{_QUANTITY}\s*(?P<limit>{_BEYOND}(?:{_UNIT}|{_STOPS}){_LASTING})"
_VALUE = rf"(?P<value>{_NUMBER}|zero)(?P<unit>{_UNIT})?"
_LEAD = (
    r"(?P<lead>(?:\b(?:around|about|for|during|over|at|on|of|in|to|across|surrounding|near|relative to|with respect to"
    r"|cent(?:red|ered) (?:on|at|around)|aligned (?:on|to|with)|(?<=after )|(?<=before ))\s*)?)"
    r"(?P<all>(?:\b(?:each|every|all|any|the|those|these)\b\s*(?:of\b\s*)?){0,3})"
)
_KIND = r"(?:\b(?:geomagnetic|magnetic|intense|strong|great|severe|moderate|major|large|big|solar wind|isolated)\s+){0,3}"
_NOUN = (
    r"\b(?P<noun>(?:super)?storms?|substorms?|events?|times?|intervals?|periods?|occasions?|moments?|instances?|cases?|episodes?"
    r"|excursions?|occurrences?|occurrence|(?:(?:high[- ]speed|fast)(?: solar wind)? )?streams?|enhancements?)\b"
)
_TIME = r"(?P<between>\s+(?:of|in|during|from|since|between)\s+[^,;()]{3,40}?)"
_WHICH = (
    r"(?:(?:with|where|when|whenever|in which|for which|at which|during which|whose|having|(?:that|which) (?:have|has|had)|that"
    r"|of|in)\b\s*)"
)
_THE = r"(?:(?:the|an?|values? of)\s+){0,2}"
_NOT_OF_NOUN = "".join(f"(?<!{each} )(?<!{each} a )" for each in ("with", "whose", "where", "when", "having"))
"""`each storm with a Dst minimum below -100` is of storms."""
_CROSSED = (
    r"(?P<how>cross(?:es|ed|ing)?|turn(?:s|ed|ing)?|flip(?:s|ped)?|chang(?:es|ed) sign|revers(?:es|ed)(?: sign)?)"
    rf"(?:\s+(?:(?:through|to|below|above)\s+)?(?P<value>{_NUMBER}|zero)(?P<unit>{_UNIT})?)?"
    r"(?:\s+(?P<way>(?:up|down|north|south)(?:wards?)?))?"
)
_WORDS: tuple[tuple[Found | None, str], ...] = (
    (None, rf"{_LEAD}\b(?P<peak>minim(?:um|a)|maxim(?:um|a)|peaks?|dips?)\s+(?:of|in)\s+{_THE}{_LIMIT}"),
    (
        None,
        rf"{_LEAD}{_NOT_OF_NOUN}\b(?!(?:with|the|of|when|where|at|an?|for|each|every|all)\b)(?P<before>[\w|-]{{1,12}})\s+"
        rf"(?P<peak>minim(?:um|a)|maxim(?:um|a)|peaks?|dips?)\s+{_LIMIT}",
    ),
    (
        "crossings",
        rf"{_LEAD}\b(?:zero[- ])?(?:level )?crossings?\s+of\s+{_THE}(?P<quantity>[^,;:()<>=]{{1,30}}?)\s+"
        rf"(?P<way>below|above|through|at|of|past|under|over|across)\s+{_VALUE}",
    ),
    (
        "crossings",
        rf"{_LEAD}\b(?:level )?crossings?\s+(?:of|through|at)\s+{_VALUE}\s+(?:by|of|in)\s+{_THE}"
        rf"(?P<quantity>[^,;:()<>=]{{1,30}}?){_STOPS}",
    ),
    (
        "crossings",
        rf"{_LEAD}\b(?:zero[- ]crossings?|sign changes?|polarity (?:reversals?|changes?)"
        rf"|(?P<way>north|south)ward[- ]turnings?)\s+(?:of|in)\s+{_THE}(?P<quantity>[^,;:()<>=]{{1,30}}?){_STOPS}",
    ),
    ("crossings", rf"{_LEAD}(?P<quantity>[\w|-]{{1,12}})\s+zero[- ]crossings?"),
    ("crossings", rf"{_LEAD}{_KIND}{_NOUN}\s+{_WHICH}?{_THE}(?P<quantity>[^,;:()<>=]{{1,30}}?)\s+\b{_CROSSED}{_STOPS}"),
    ("intervals", rf"{_LEAD}{_KIND}{_NOUN}{_TIME}(?P<which>\s+{_WHICH}|\s*\(){_THE}{_LIMIT}"),
    ("intervals", rf"{_LEAD}{_KIND}{_NOUN}(?P<which>\s*[,(:]?\s*){_WHICH}{{0,2}}{_THE}{_LIMIT}"),
    ("intervals", rf"{_LEAD}(?P<quantity>[\w|-]{{1,12}}?)\s*(?P<limit>{_BEYOND}{_UNIT}?)\s+{_NOUN}(?P<lasting>{_LASTING})"),
    ("intervals", rf"(?P<lead>\b)(?P<all>)(?P<noun>whenever|when|where)\s+{_THE}{_LIMIT}"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WORDS)
_BOTH_SIDES = re.compile(
    rf"(?:,\s*)?(?:\bfrom\s+)?(?:\bwithin\s+)?(?P<sign>±\s*|\+/?-\s*|\bplus[- ](?:or[- ])?minus\s+)?{LENGTH}\b"
    r"(?P<sides>\s+(?:on\s+|to\s+|at\s+)?(?:the\s+)?(?:either|both|each)\s+sides?|\s+before\s+and\s+after)?"
    r"(?:\s+(?:of\s+)?(?:them|each|it|the events?)\b)?(?:\s+window)?",
    re.IGNORECASE,
)
_UNNAMED = re.sub(r"\?P<\w+>", "?:", LENGTH)
_SIGNED = re.compile(
    rf"(?:,\s*)?(?:\bfrom\s+)?[-−](?P<before>{_UNNAMED})\s+(?:to|until)\s+\+(?P<after>{_UNNAMED})\b", re.IGNORECASE
)
"""`-24h to +72h`."""
_LENGTH = re.compile(LENGTH, re.IGNORECASE)
_BEFORE_AND_AFTER = re.compile(rf"\bbefore\b[^.;]{{1,30}}?\b(?:{UNIT_NAMES})?\s*after", re.IGNORECASE)
_TOGETHER = re.compile(
    r"(?<![\w-])(?:the\s+)?(?:epoch[- ])?(?:averaged?|mean|median|stack(?:ed)?|composite|superposed?|superposition)(?![\w-])"
    r"(?!\s+(?:epoch|over|of\s+\d))(?:\s+of\b)?(?:\s+the\b)?",
    re.IGNORECASE,
)
_OF_TIME = re.compile(
    r"(?:hourly|daily|seconds?|minutes?|min|hours?|hr?|days?|running|moving|rolling|sliding)[\s-]*$", re.IGNORECASE
)
_EPOCHS = re.compile(
    r"(?<!superposed )(?<!superposed-)\bepoch[- ](?:averaged?|means?|medians?|analysis|plots?)\b(?:\s+of\b)?", re.IGNORECASE
)
_APART = re.compile(
    r"(?:,\s*)?(?:\b(?:and|each|all|drawn|plotted|shown)\s+)*\b(?:in\s+)?(?:(?:an?|one|its|their)\s+)?"
    r"(?:own\s+|separate\s+|single\s+)?"
    r"panels?\s+(?:of\s+(?:its|their)\s+own|each|(?:per|for each|for every)\s+(?:storm|event|interval|one))\b"
    r"|(?:,\s*)?\b(?:as|in)\s+small multiples\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"([<>]=?|[≤≥])\s*")
_AS_ASCII = {"≤": "<=", "≥": ">="}
_EXTREME = re.compile(
    r"^(?:an?\s+)?(?:minim(?:um|al)|maxim(?:um|al)|min|max|peak|lowest|highest)\b\s*(?:values? of\s+)?", re.IGNORECASE
)
_EXTREME_LAST = re.compile(r"\s+(?:values?\s+)?(?P<peak>minim(?:um|a)|maxim(?:um|a)|min|max|peaks?)$", re.IGNORECASE)
"""`Dst min` of `each storm with Dst min < -150`."""
_EPOCH_ZERO = re.compile(
    r"(?:,\s*)?(?:\b(?:with|and)\s+)?\b(?:(?:epoch[- ]zero|zero[- ]epoch|epoch time|key time|t\s?=\s?0)(?:\s+(?:is|being|at))*"
    r"|(?<!\d )(?<!days )(?<!hours )(?<!day )(?<!hour )(?<!h )before and after)\s*$",
    re.IGNORECASE,
)
_AT_EXTREME = re.compile(
    r"\b(?:before|after|around|from|of|to|at|relative to|cent(?:red|ered) (?:on|at))\s+(?P<words>(?:the |their |its |each )*"
    r"(?:(?:dst|sym-?h|storm)\s+)?(?P<peak>minim(?:um|a)|maxim(?:um|a)|peaks?))\b",
    re.IGNORECASE,
)
_DISTANT = re.compile(rf"(?:,\s*)?\b(?:at least|more than|merged within)\s+{LENGTH}\b(?:\s+apart)?", re.IGNORECASE)
_LISTING = re.compile(r"\s*(?:(?:please|list|find|show|give|get|identify|tell|me)\s+)*", re.IGNORECASE)
_EACH = re.compile(r"\b(?:each|every)\b", re.IGNORECASE)
_AROUND = re.compile(
    r"around|about|near|relative|respect|surround|cent(?:red|ered)|aligned|\b(?:at|on|over|across)\b", re.IGNORECASE
)


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
    has_window = _BEFORE_AND_AFTER.search(request) is not None or bool(_window(request)[0])
    is_epoch = SUPERPOSED.search(request) is not None or _EPOCHS.search(request) is not None
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(request):
            is_around = bool(_AROUND.search(match["lead"])) or request[: match.start()].rstrip().endswith("after")
            is_each = bool(_EACH.search(match["all"]))
            if is_epoch or has_window or is_around or (is_each and bool(match["lead"].strip() or _leads(request, match))):
                if match.groupdict().get("noun", "").casefold() in ("when", "whenever", "where") and not is_epoch:
                    continue
                return _found(request, kind, match, is_epoch=is_epoch, is_around=is_around)
    return None


def _leads(request: str, match: re.Match[str]) -> bool:
    """Whether the request begins with the events: `every storm with Dst < -150: Bz`, `find every time AE exceeded 1000 nT`."""
    return _LISTING.fullmatch(request[: match.start()]) is not None


def _found(request: str, kind: Found | None, match: re.Match[str], *, is_epoch: bool, is_around: bool) -> FoundEvents:
    part = {name: words or "" for name, words in match.groupdict().items()}
    places = [(match.start(), match.end())]
    if part.get("between"):  # the time between is still to be read
        places = [(match.start(), match.start("between")), (match.start("which"), match.end())]
    if request[places[-1][1] :].lstrip()[:1] == ")" and "(" in request[match.start() : match.end()]:
        places[-1] = (places[-1][0], request.index(")", places[-1][1]) + 1)
    if (zero := _EPOCH_ZERO.search(request, 0, match.start())) is not None:
        places.append((zero.start(), zero.end()))
    rest = _blanked(request, places)
    before, after, around = _window(rest)
    places += [around] if around else []
    if kind == "intervals" and (extreme := _AT_EXTREME.search(rest)) is not None:
        part["peak"] = extreme["peak"] if "below" not in part["limit"] and "<" not in part["limit"] else "minima"
        kind = None
        places.append(extreme.span("words"))
    if kind == "intervals" and (last := _EXTREME_LAST.search(part["quantity"])) is not None:
        part |= {"peak": last["peak"], "quantity": part["quantity"][: last.start()]}
        kind = None
    merge = ""
    apart = _APART.search(rest)
    if apart is not None:
        places.append((apart.start(), apart.end()))
    distant = next((each for each in _DISTANT.finditer(rest) if re.search("apart|merged", each[0], re.IGNORECASE)), None)
    if distant is not None:
        merge = format_duration(read_length(distant))
        places.append((distant.start(), distant.end()))
    is_about = is_epoch or is_around or bool(before) or _BEFORE_AND_AFTER.search(rest) is not None
    together = _EPOCHS.search(rest) or (_together(rest) if is_about else None)
    if together is not None:
        places.append((together.start(), together.end()))
    is_apart = apart is not None or bool(re.fullmatch(r"(?:for|during|in|of)\s*", part["lead"], re.IGNORECASE))
    phrase = EventWords(
        kind or ("minima" if re.match("min|dip", part["peak"], re.IGNORECASE) else "maxima"),
        _EXTREME.sub("", " ".join((part.get("before") or part.get("quantity") or "").split())),
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
        return " ".join(_SIGNS.sub(lambda sign: f"{_AS_ASCII.get(sign[1], sign[1])} ", limit).split())
    value = "0" if part.get("value", "").casefold() in ("", "zero") else part["value"]
    way = part.get("way", "").casefold()
    down, up = way.startswith(("below", "under", "down", "south")), way.startswith(("above", "over", "up", "north"))
    return " ".join(["crosses", value, part.get("unit", "").strip(), "downwards" if down else "upwards" if up else ""]).rstrip()


def _both_sides(text: str) -> list[re.Match[str]]:
    """Lengths that are said of both sides of events."""
    found = [each for each in _BOTH_SIDES.finditer(text) if each["sign"] or each["sides"]]
    return [each for each in found if timedelta(0) < read_length(each) <= LONGEST]


def _window(text: str) -> tuple[str, str, tuple[int, int] | None]:
    """How far before and after events is said, ISO 8601 durations, and where; the words before and after are read elsewhere."""
    for side in _both_sides(text):
        reach = format_duration(read_length(side))
        return reach, reach, (side.start(), side.end())
    signed = _SIGNED.search(text)
    if signed is None:
        return "", "", None
    lengths = [read_length(length) for name in ("before", "after") if (length := _LENGTH.fullmatch(signed[name]))]
    if not all(timedelta(0) < each <= LONGEST for each in lengths):
        return "", "", None
    before, after = map(format_duration, lengths)
    return before, after, (signed.start(), signed.end())


def _together(text: str) -> re.Match[str] | None:
    """The word by which all events are brought together; means of stretches of time are none."""
    return next((each for each in _TOGETHER.finditer(text) if not _OF_TIME.search(text[: each.start()])), None)


def _blanked(text: str, places: list[tuple[int, int]]) -> str:
    for first, last in places:
        text = f"{text[:first]}{' ' * (last - first)}{text[last:]}"
    return text
