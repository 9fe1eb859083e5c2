"""Words of a request for times that are left out by a condition."""

from __future__ import annotations

import re
from dataclasses import dataclass

from helio_dagster.domain.unit_words import UNIT_WORDS

_LEAVE = (
    r"(?:skip(?:ping)?|exclud(?:e|ing)|omit(?:ting)?|leav(?:e|ing) out|ignor(?:e|ing)|discard(?:ing)?|without|except(?: for)?"
    r"|drop(?:ping)?|remov(?:e|ing)|mask(?:ing)?(?: out)?)"
)
_TIMES = r"(?:times?|periods?|intervals?|samples?|values?|data|points?|hours?|days?|records?|measurements?)"
_BOUND = (
    r"(?:\b(?:above|below|over|under|exceed(?:s|ed|ing)?|at least|at most"
    r"|(?:greater|larger|higher|less|lower|smaller|more|faster|slower|stronger|weaker|hotter|colder|denser) than)\b|[<>]=?)"
)
_RATE = r"(?:\s*(?:/|per)\s*(?:s(?:ec(?:ond)?)?|min(?:ute)?|h(?:r|our)?|day)\b)?"
_CONDITION = re.compile(
    rf"(?:^|[,;]\s*|\s+)(?:but |and )?\b{_LEAVE}\s+(?:(?:(?:the|all|any|those|of)\s+)*{_TIMES}\s+"
    rf"(?:where|when|with|in which|for which|at which|during which)|where|when|whenever)\s+(?:the\s+)?"
    rf"(?P<clause>[^,;]*?{_BOUND}\s*[-+−]?\d+(?:\.\d+)?(?:\s*{UNIT_WORDS}{_RATE})?)"
    r"(?=\s*(?:$|[,;]|\.(?:\s|$)|\b(?:on|in|for|during|from|between)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ConditionWords:
    """A condition in words; the characters `[first, last)` say that such times are left out."""

    clause: str
    first: int
    last: int


def find_condition(request: str) -> ConditionWords | None:
    """The condition by which a request leaves out times; None where there is none."""
    match = _CONDITION.search(request)
    return ConditionWords(" ".join(match["clause"].split()), match.start(), match.end()) if match else None
