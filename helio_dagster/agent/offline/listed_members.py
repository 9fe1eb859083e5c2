"""Spacecraft of a fleet that are listed after its name: `THEMIS A, D and E`, `MMS1 and 2`, `Cluster 1-4`, `both Voyagers`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from helio_dagster.catalog.fleets import fleets
from helio_dagster.domain.time_words import NUMBER_WORDS

_SERIES: Mapping[str, str] = {"goes": r"\d{1,2}", "noaa|poes": r"1\d", "themis": "[Pp][1-5]"}
"""Spacecraft that are no missions of their own in the catalog, and what they are numbered by."""
_ENDS = r"(?![\w|-])(?![:.]\d)"
_DAYS = r"(?:(?:\s*(?:,|&|-|–|and|to|through|until)\s*)+\d{1,2})*(?:st|nd|rd|th)?"
_MONTH = _DAYS + r"\s*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|UT|h\b)"
"""What makes numbers after a name days or hours: `GOES 13, 7 to 10 March`."""
_UNIT = r"[\s-]*(?:s|sec\w*|min\w*|h|hours?|d|days?|m?hz|[kmg]?ev|nt|km)\b"
_AND = r"(?:\s*,)?\s*(?:&|/|\+|and\b|vs\.?|versus\b|against\b|compared (?:to|with)\b)\s*"
_AGAINST = re.compile(r"\b(?:vs|versus|against|compared)\b", re.IGNORECASE)
_OR_COMMA = rf"(?:{_AND}|\s*,\s*)"
"""What stands before the last letter of a list; before the last number it must be `and`, for it could be a day."""
_CRAFT = r"(?i:probes?|spacecraft|satellites?)"
_TO = r"(?P<to>\s?[-–]\s?|\s+(?:to|through|thru)\s+)"
_OF_TWO = re.compile(
    r"\b(?:compar\w*|distances?|separations?|lags?|delays?|differences?|from|between|baselines?)\b", re.IGNORECASE
)
"""Words beside which `MMS1 to MMS4` are these two and not the four."""
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "both": 2}


def with_members_named(request: str) -> str:
    """The request with the name of the fleet before each of its listed spacecraft."""
    request = _spelt().sub(lambda match: f"{match['fleet']} {NUMBER_WORDS[match['number'].lower()]}", request)
    for ranged in _ranged():
        request = ranged.sub(_each, request)
    for whole in _whole():
        request = whole.sub(_all_of, request)
    for listed in _listed():
        request = listed.sub(_named, request)
    return request


@cache
def _called() -> Mapping[str, tuple[str, ...]]:
    """How each fleet is written, to patterns of what its spacecraft are called by: numbers, capitals, or lower-case letters."""
    found: dict[str, tuple[str, ...]] = {}
    for fleet, members in fleets().items():
        numbers = [each for each in members if each.isdecimal()]
        letters = [each for each in members if each.isalpha()]
        others = [each for each in members if not (each.isdecimal() or each.isalpha())]
        kinds = ["|".join(sorted(numbers, key=len, reverse=True)), "|".join(letters), "|".join(letters).lower()]
        kinds += ["|".join(others), "|".join(others).lower()]
        found[re.sub("[ -]", "[- ]?", fleet)] = tuple(f"(?:{each})" for each in kinds if each)
    return {fleet: (*found.get(fleet, ()), *([_SERIES[fleet]] if fleet in _SERIES else [])) for fleet in {**found, **_SERIES}}


@cache
def _listed() -> tuple[re.Pattern[str], ...]:
    """Patterns of lists such as `THEMIS A, D and E`."""
    return tuple(_list_of(fleet, member) for fleet, kinds in _called().items() for member in kinds)


def _list_of(fleet: str, member: str) -> re.Pattern[str]:
    is_number = member.strip("(?:")[0] in r"\0123456789"
    join, last = (_AND, rf"(?!(?i:{_MONTH}|{_UNIT}))") if is_number else (_OR_COMMA, "")
    return re.compile(
        rf"(?<![\w-])(?P<fleet>(?i:{fleet})s?[- ]?)(?:{_CRAFT}\s+)?(?P<first>{member}){_ENDS}"
        rf"(?P<more>(?:\s*,\s*{member}{_ENDS})*{join}{member}{_ENDS}{last})"
    )


@cache
def _ranged() -> tuple[re.Pattern[str], ...]:
    """Patterns of ranges such as `Cluster 1-4`, of fleets of more than two."""
    found = [
        (fleet, kind) for fleet, kinds in _called().items() for kind in kinds if re.fullmatch(r"\(\?:\w(?:\|\w){2,}\)", kind)
    ]
    return tuple(
        re.compile(
            rf"(?<![\w-])(?P<fleet>(?i:{fleet})[- ]?)(?P<first>{member}){_TO}(?P<again>(?i:{fleet})[- ]?)?(?P<last>{member})"
            rf"{_ENDS}(?!(?i:{_MONTH}|{_UNIT}))"
        )
        for fleet, member in (*found, ("c", "[1-4]"), ("th", "[A-Ea-e]"))
    )


@cache
def _whole() -> tuple[re.Pattern[str], ...]:
    """Patterns of whole fleets: `all four MMS spacecraft`, `both STEREO`, `Van Allen Probes both`."""
    name = rf"(?P<fleet>{'|'.join(_called())})"
    fleet = rf"{name}s?(?:\s+{_CRAFT})?(?![\w|-])"
    count = r"(?P<count>two|three|four|five|\d)"
    return (
        re.compile(rf"\b(?:all|(?P<both>both)|each)\s+(?:of\s+)?(?:the\s+)?(?:{count}\s+)?{fleet}", re.IGNORECASE),
        re.compile(rf"\b(?:the\s+)?{count}\s+{name}(?:s|s?\s+{_CRAFT})(?![\w|-])", re.IGNORECASE),
        re.compile(rf"\b(?:the\s+)?{fleet},?\s+(?:(?P<both>both)|all\s+(?:of\s+them|{count}))(?![\w|-])", re.IGNORECASE),
    )


@cache
def _spelt() -> re.Pattern[str]:
    fleet = "|".join(name for name, kinds in _called().items() if "1" in kinds[0])
    return re.compile(rf"\b(?P<fleet>{fleet})[ -](?P<number>one|two|three|four)\b", re.IGNORECASE)


def _named(match: re.Match[str]) -> str:
    members = re.findall(r"[Pp][1-5]\b|[A-Za-z]\b|\d+", re.sub(r"[a-z]{2,}", ",", match["more"]))
    fleet = match["fleet"].removesuffix("s ") + " " if match["fleet"].casefold().endswith("probes ") else match["fleet"]
    names = [f"{fleet}{member}" for member in (match["first"], *members)]
    return " versus ".join(names) if _AGAINST.search(match["more"]) else _list(names)


def _all_of(match: re.Match[str]) -> str:
    """All spacecraft of a fleet by their names, where it has as many as is said."""
    groups = match.groupdict()
    names = list(dict.fromkeys(_members_of(groups["fleet"])))
    said = (groups.get("count") or groups.get("both") or "").casefold()
    count = int(said) if said.isdecimal() else _COUNTS.get(said, len(names))
    return _list(names) if names and count == len(names) else match[0]


def _members_of(words: str) -> Iterator[str]:
    for fleet, members in fleets().items():
        if re.fullmatch(re.sub("[ -]", "[- ]?", fleet), words, re.IGNORECASE):
            yield from members.values()


def _each(match: re.Match[str]) -> str:
    is_by_word = not re.fullmatch(r"\s?[-–]\s?", match["to"])
    if is_by_word and match["again"] and _OF_TWO.search(match.string):
        return match[0]
    members = range(ord(match["first"].upper()), ord(match["last"].upper()) + 1)
    fleet = "THEMIS-" if match["fleet"].casefold() == "th" else match["fleet"]  # `THE` is an article, too
    return _list([f"{fleet}{chr(member)}" for member in members]) or match[0]


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
