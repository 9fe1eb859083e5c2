"""Clauses that only tell why something is wanted: `we lost two days of beacon data`, `for a figure in chapter 3`."""

from __future__ import annotations

import re
from collections.abc import Callable

_PERSON, _NOUN = "(?:i|we|they|he|she|you)", r"(?:the|my|our|a|an|some|this|that)(?:\s+[a-z'-]+){1,4}?"
_BE = "am|is|are|was|were|have|has|had|don't|doesn't|didn't|can't|cannot|couldn't|haven't|hasn't"
_DO = (
    "lost|lose|wait|waits|complain(?:s|ed)?|ask(?:s|ed)?|said|says?|told|tells?|claim(?:s|ed)?|"
    "think|thinks|thought|heard|hear|read|saw|wrote|write|writes|work|works|worked|prepar(?:e|es|ed|ing)|teach|teaches|"
    "study|studies|wonder(?:s|ed)?|believe[sd]?|insist(?:s|ed)?|found|broke|failed|crashed|went|came|got|brews?|drink|"
    "finish(?:es|ed)?|submit(?:s|ted)?|miss(?:ed)?|discuss(?:es|ed)?|argue[sd]?|know|knows|knew|learn(?:ed|t)?|start(?:s|ed)?|"
    "ran"
)
_WHEN = r"(?:because|since|while|whilst|as|when|whenever|although|though|given that|seeing that|now that|before|after|until)"
_ADVERBS = r"(?:['’](?:m|re|ve|d|ll|s))?\s+(?:[a-z]+ly\s+|just\s+|also\s+|have\s+|had\s+|am\s+|are\s+)*"
_HAS_VERB = rf"(?:{_WHEN}\s+)?(?:{_PERSON}{_ADVERBS}(?:{_BE}|{_DO})|(?:it|{_NOUN}){_ADVERBS}(?:{_DO}))\b"
_WRITINGS = (
    r"figures?|fig\.?|chapters?|sections?|slides?|papers?|posters?|talks?|thesis|dissertation|lectures?|class(?:es)?|courses?|reports?|"
    r"proposals?|presentations?|homework|exercises?|assignments?|exams?|manuscripts?|newsletters?|websites?|meetings?|workshops?|"
    r"reviewers?|referees?|advisors?|advisers?|supervisors?|boss|students?|colleagues?|blog|posts?|book|article"
)
_CLAUSES = re.compile(
    rf"(?:(?<=^)|(?<=[.!?;:,])\s*|(?<=\()|\s(?={_WHEN}\s))(?:(?:ok|okay|so|and|but|well|hi|hello|hey)[,\s]+)*{_HAS_VERB}"
    r"[^,;.!?:()]*(?:[,;:!?]|\.(?=\s|$))?",
    re.IGNORECASE,
)
_PURPOSES = re.compile(
    rf"\b(?:for|in|as part of|to (?:go|put|include) in(?:to)?)\s+"
    r"(?:(?:a|an|the|my|our|his|her|their|some|next)\s+)?(?:[a-z'-]+\s+){0,2}"
    rf"(?:{_WRITINGS})(?:\s*\d+(?:\.\d+)*\b)?"
    r"(?:\s+(?:of|in|for|on|with)\s+(?:(?:a|an|the|my|our)\s+)?(?:[a-z'-]+\s+){0,2}"
    rf"(?:{_WRITINGS})(?:\s*\d+(?:\.\d+)*\b)?)*",
    re.IGNORECASE,
)
_DAYS = re.compile(r"\bon the (?:day|date|morning|night) (?:that |when |of |on which )?[^,;:.()]{3,70}(?=,)", re.IGNORECASE)
_ASIDES = re.compile(
    r",?\s*(?:\bor|\band)\s+(?:whatever|whichever|anything)\s+"
    r"(?:you (?:have|can (?:get|find))|there is|is (?:\w+)|comes closest)\b"
    r"|,?\s*\b(?:as soon as possible|when you (?:have|get) (?:a |the )?(?:time|minute|moment)"
    r"|if (?:that is |it is |that's |it's )?possible|if you (?:can|could|have (?:it|them)))\b",
    re.IGNORECASE,
)

Span = tuple[int, int]


def find_circumstances(text: str, is_free: Callable[[str], bool]) -> list[Span]:
    """Where the clauses stand that only tell why, from first to last.

    Parameters
    ----------
    text
        The request.
    is_free
        Whether words name no data, no time and nothing that is done to them: what names any is never left out.
    """
    found = [match.span() for match in _ASIDES.finditer(text)]
    for pattern in (_CLAUSES, _PURPOSES, _DAYS):
        found += [span for match in pattern.finditer(text) if is_free(match[0]) for span in [match.span()]]
    return _merged(found)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged
