"""A follow-up without courtesy and without what it says of things that stay, in the words that its readers know."""

from __future__ import annotations

import re
from datetime import timedelta

from helio_dagster.agent.offline.short_forms import OF_CHANGES, written_out
from helio_dagster.domain.time_range import TimeRange

_POLITE = re.compile(
    r"^(?:(?:please|pls|plz|ok(?:ay)?|now|then|hm+|can (?:yo)?u|could (?:yo)?u|would (?:yo)?u|let's|let|and now|"
    r"do exactly|exactly|maybe|"
    r"actually|go ahead and)[,\s]+"
    r"|(?:oops|no|nah|oops no|too [a-z]+),\s*|no (?=(?:leave|keep|make|put|only|just|wait)\b))+"
    r"|(?:[,\s]+(?:please|pls|plz))$",
    re.IGNORECASE,
)
_THE_REST = re.compile(
    r"(?:\s*,\s*|\s+)(?:(?:and|but)\s+)?(?:keep|leave)\s+"
    r"(?:(?:the rest|(?:everything|all|anything) else|the others?|the other \w+)"
    r"(?:\s+(?:as (?:it is|they are|before)|alone|unchanged|the same|untouched))?"
    r"|(?:the )?[\w|]+(?: [\w|]+)?\s+(?:as (?:it is|they are)|alone|unchanged|untouched))$",
    re.IGNORECASE,
)
"""What is not named stays as it is anyway."""
_AS_IT_IS = re.compile(
    r",\s+(?:and |but )?(?:with |on |in )?(?:the )?same (?:frame|coordinates?|panels|axes|scales?|times?|dates?|range|"
    r"colou?rs?|units?|"
    r"limits|layout|settings|quantit(?:y|ies)|cadence)(?: (?:if (?:it|they) (?:has|have) (?:it|that|one)|if possible|"
    r"as before))?$",
    re.IGNORECASE,
)
_TAKEN_OUT = re.compile(
    r"^(?:take|leave|get)\s+(?P<what>(?!(?:it|that|this|them)\b)[\w| -]+?)\s+(?:out|away|off)(?:\s+again)?$", re.IGNORECASE
)
_DAY_ALONE = re.compile(r"\b(on|of) the (\d{1,2})(?:st|nd|rd|th)(?! of)\b", re.IGNORECASE)
_DAYS = timedelta(days=62)


def with_dates(text: str, span: TimeRange) -> str:
    """A sentence in which `on the 12th` is the one such day of the range on the table, and `that year` its year."""
    text = re.sub(r"\b(?:of |in )?(?:the same|that) year\b", f"{span.start:%Y}", text, flags=re.IGNORECASE)
    if span.duration > _DAYS:
        return text
    days = [span.start + timedelta(days=each) for each in range(span.duration.days + 1)]

    def dated(match: re.Match[str]) -> str:
        meant = [each for each in days if each.day == int(match[2]) and each < span.stop]
        return f"{match[1]} {meant[0]:%Y-%m-%d}" if len(meant) == 1 else match[0]

    return _DAY_ALONE.sub(dated, text)


def without_courtesy(request: str) -> str:
    """A sentence without words such as `please` and `could you` around it."""
    return _POLITE.sub("", request.strip(" .!?"))


def in_plain_words(request: str) -> str:
    """A sentence in the words that the readers of changes know."""
    text = re.sub(r"^(?:and|with) (?!now\b)", "also ", " ".join(request.split()).strip(" .!?"), flags=re.IGNORECASE)
    text = _AS_IT_IS.sub("", text)
    text = _THE_REST.sub("", _POLITE.sub("", text).strip(" .!?,"))
    text = written_out(text, OF_CHANGES)
    return _TAKEN_OUT.sub(r"remove \g<what>", text)
