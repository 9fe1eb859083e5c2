"""Split a sentence into the tokens that time phrases are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from helio_dagster.catalog.times.vocabulary import MONTHS

Kind = Literal["ymd", "dmy", "spoken", "year_day", "year_month", "clock", "number", "word", "id", "mark"]

_MONTH = f"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_TOKEN = re.compile(
    rf"(?P<spoken>(?<!\w)(?<!\d\.)\d{{1,2}}(?:{_MONTH}|(?<![-/]\d)(?<![-/]\d\d)-{_MONTH}-)\d{{4}}"
    rf"(?:\b(?!-\w)|(?=T\d\d)|(?=-\d{{1,2}}{_MONTH}\d{{4}}\b)))"
    r"|(?P<short_ymd>(?<![\w./:+-])(?:3[2-9]|[4-9]\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\d-]|[./:]\d))"
    r"|(?P<ymd>\d{4}(?P<sign>[-/.])\d{1,2}(?P=sign)\d{1,2}(?!\d)|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d))"
    r"|(?P<dmy>\d{1,2}[/.]\d{1,2}[/.]\d{4}(?!\d))"
    r"|(?P<month_year>(?<![\w/.,:+*^])(?:0?[1-9]|1[0-2])/(?:19|20)\d\d(?![\w/]))"
    r"|(?P<year_day>\d{4}[-/]\d{3}(?!\d))"
    r"|(?P<year_month>\d{4}-\d{2}(?![\d:-]))"
    r"|(?P<glue>(?<=\d)T(?=\d{2}))"
    r"|(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?!:?\d))"
    r"|(?P<number>\d{1,9}(?!(?!\.\.+\d)[\d.]*\d)(?:(?:st|nd|rd|th|er|º)\b)?(?!_))"
    r"|(?P<id>\w*[_\d]\w*|\d[\d.]*)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)"
    r"|(?P<mark>\.\.+|[^\w\s])",
    re.IGNORECASE,
)
_GLUED = re.compile(r"(?P<lead>Q|CR|DOY)(?P<number>\d{1,9})", re.IGNORECASE)
"""Letters and a number written together, which are two tokens: `Q1`, `CR2010`, `DOY131`."""
_SPOKEN = re.compile(r"(\d{1,2})-?([^\W\d_]+)-?(\d{4})")
"""A day, a month and a year written together, which are one token: `26feb2008`, `26-Feb-2008`."""


@dataclass(frozen=True)
class Token:
    """A piece of a sentence at the characters `[first, last)`; `text` is in lower case."""

    kind: Kind
    text: str
    first: int
    last: int

    @property
    def number(self) -> int:
        """The value of a number, without the letters of an ordinal."""
        return int(re.sub(r"\D", "", self.text))


def split(sentence: str) -> list[Token]:
    """The tokens of a sentence, without white space."""
    return [token for match in _TOKEN.finditer(sentence) for token in _pieces(match)]


def _pieces(match: re.Match[str]) -> list[Token]:
    kind, text, first = (
        next(name for name, value in match.groupdict().items() if value and name != "sign"),
        match[0],
        match.start(),
    )
    if kind == "spoken" and (parts := _SPOKEN.fullmatch(text)):
        month = MONTHS.get(parts[2].lower())  # a dotless i matches one, and is none
        date = f"{parts[3]}-{month}-{parts[1]}"
        return [Token("spoken", date, first, match.end()) if month else Token("id", text, first, match.end())]
    if kind == "short_ymd":  # a first part above 31 is not a day, and no year of this century that has data
        return [Token("ymd", f"19{text}", first, match.end())]
    if kind == "month_year":
        number, _, year = text.partition("/")
        return [Token("year_month", f"{year}-{int(number):02d}", first, match.end())]
    glued = _GLUED.fullmatch(text) if kind == "id" else None
    if glued is not None:
        middle = first + len(glued["lead"])
        return [Token("word", glued["lead"].lower(), first, middle), Token("number", glued["number"], middle, match.end())]
    return [Token("word" if kind == "glue" else kind, text.lower(), first, match.end())]  # type: ignore[arg-type]  # groups are kinds
