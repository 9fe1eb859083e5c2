"""Spacecraft of a fleet that are listed after its name: `THEMIS A, D and E`, `MMS1 and 2`, `Cluster 1-4`."""

from __future__ import annotations

import re

from helio_dagster.domain.time_words import NUMBER_WORDS

_FLEETS = {
    "themis": "[A-Ea-e]",
    "(?:themis|artemis)": "[Pp][1-5]",
    "stereo": "[ABab]",
    "(?:van allen probes?|rbsp)": "[ABab]",
    "(?:mms|cluster)": "[1-4]",
    "(?:voyager|helios)": "[12]",
    "pioneer": r"1[01]|[6-9]",
    "goes": r"\d{1,2}",
}
_ENDS = r"(?![\w|-])(?![:.]\d)"
_DAYS = r"(?:(?:\s*(?:,|&|-|–|and|to|through|until)\s*)+\d{1,2})*(?:st|nd|rd|th)?"
_MONTH = _DAYS + r"\s*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|UT|h\b)"
"""What makes numbers after a name days or hours: `GOES 13, 7 to 10 March`."""
_UNIT = r"[\s-]*(?:s|sec\w*|min\w*|h|hours?|d|days?|m?hz|[kmg]?ev|nt|km)\b"
_AND = r"(?:\s*,)?\s*(?:&|/|\+|and\b|vs\.?|versus\b|against\b|compared (?:to|with)\b)\s*"
_AGAINST = re.compile(r"\b(?:vs|versus|against|compared)\b", re.IGNORECASE)
_OR_COMMA = rf"(?:{_AND}|\s*,\s*)"
"""What stands before the last letter of a list; before the last number it must be `and`, for it could be a day."""
_LISTED = [
    re.compile(
        rf"(?<![\w-])(?P<fleet>(?i:{fleet})s?[- ]?)(?:(?i:probes?|spacecraft|satellites?)\s+)?(?P<first>{member}){_ENDS}"
        rf"(?P<more>(?:\s*,\s*(?:{member}){_ENDS})*{_OR_COMMA if 'A' in member or 'P' in member else _AND}"
        rf"(?:{member}){_ENDS}{rf'(?!(?i:{_MONTH}|{_UNIT}))' if 'd' in member or member[1].isdigit() else ''})"
    )
    for fleet, member in _FLEETS.items()
]
_MEMBERS = {"mms": "1234", "cluster": "1234", "themis": "ABCDE", "stereo": "AB", "van allen probe": "AB", "voyager": "12"}
_WHOLE = re.compile(
    r"\b(?:all|both|each)\s+(?:of\s+)?(?:the\s+)?(?:(?:two|four|five|\d)\s+)?"
    rf"(?P<fleet>{'|'.join(_MEMBERS)})s?(?:\s+(?:spacecraft|probes?|satellites?))?(?![\w|-])"
    rf"|\b(?:the\s+)?(?:two|four|five|\d)\s+(?P<counted>{'|'.join(_MEMBERS)})s?\s+(?:spacecraft|probes?|satellites?)(?![\w|-])",
    re.IGNORECASE,
)
"""A whole fleet: `all four MMS spacecraft`, `both STEREO`."""
_SPELT = re.compile(r"\b(?P<fleet>cluster|mms|voyager|helios)[ -](?P<number>one|two|three|four)\b", re.IGNORECASE)
_TO = r"(?P<to>\s?[-–]\s?|\s+(?:to|through|thru)\s+)"
_RANGED = [
    re.compile(
        rf"(?<![\w-])(?P<fleet>(?i:{fleet})[- ]?)(?P<first>{member}){_TO}(?P<again>(?i:{fleet})[- ]?)?(?P<last>{member})"
        rf"{_ENDS}(?!(?i:{_MONTH}|{_UNIT}))"
    )
    for fleet, member in (("mms|cluster", "[1-4]"), ("c", "[1-4]"), ("themis", "[A-E]"), ("th", "[A-Ea-e]"))
]
_OF_TWO = re.compile(
    r"\b(?:compar\w*|distances?|separations?|lags?|delays?|differences?|from|between|baselines?)\b", re.IGNORECASE
)
"""Words beside which `MMS1 to MMS4` are these two and not the four."""


def with_members_named(request: str) -> str:
    """The request with the name of the fleet before each of its listed spacecraft."""
    request = _SPELT.sub(lambda match: f"{match['fleet']} {NUMBER_WORDS[match['number'].lower()]}", request)
    for ranged in _RANGED:
        request = ranged.sub(_each, request)
    request = _WHOLE.sub(_whole, request)
    for listed in _LISTED:
        request = listed.sub(_named, request)
    return request


def _named(match: re.Match[str]) -> str:
    members = re.findall(r"[Pp][1-5]\b|[A-Za-z]\b|\d+", re.sub(r"[a-z]{2,}", ",", match["more"]))
    fleet = match["fleet"].removesuffix("s ") + " " if match["fleet"].casefold().endswith("probes ") else match["fleet"]
    names = [f"{fleet}{member}" for member in (match["first"], *members)]
    return " versus ".join(names) if _AGAINST.search(match["more"]) else _list(names)


def _whole(match: re.Match[str]) -> str:
    fleet = match["fleet"] or match["counted"]
    return _list([f"{fleet} {member}" for member in _MEMBERS[fleet.lower()]])


def _each(match: re.Match[str]) -> str:
    is_by_word = not re.fullmatch(r"\s?[-–]\s?", match["to"])
    if is_by_word and match["again"] and _OF_TWO.search(match.string):
        return match[0]
    members = range(ord(match["first"].upper()), ord(match["last"].upper()) + 1)
    fleet = "THEMIS-" if match["fleet"].casefold() == "th" else match["fleet"]  # `THE` is an article, too
    return _list([f"{fleet}{chr(member)}" for member in members]) or match[0]


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
