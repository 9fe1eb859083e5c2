"""Years relative to the present one: `February this year`, `octobre de l'année dernière`, `last March`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.catalog.times.dates import Date, read_dates
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.catalog.times.vocabulary import AND, MONTHS, NEEDS_DAY, OF, SEASONS, THROUGH, TO
from helio_dagster.domain.time_range import TimeRange

_YEARS = {
    **dict.fromkeys(("this year", "dieses jahres", "dieses jahr", "cette année", "este año"), 0),
    **dict.fromkeys(("last year", "letzten jahres", "letztes jahr", "l'année dernière", "l’année dernière"), -1),
    **dict.fromkeys(("año pasado", "previous year", "vorigen jahres"), -1),
}
"""What is said after a month, a season or a day, to how far the year is from this one."""
_BEFORE = frozenset({*MONTHS, *SEASONS, "half", "quarter", "week", "weeks", "q", "doy"})
_LEADS_OF_YEARS = frozenset({"in", "during", "since", "throughout", "from", "between", "of"})
_LAST_DAY = 31
_LAST = frozenset({"last", "past", "letzten", "letzter", "letztem"})
_THIS = frozenset({"this", "diesen", "dieser", "diesem"})


def with_years(tokens: Sequence[Token], now: datetime) -> list[Token]:
    """The tokens with `this year` and `'03` after a part of a year as its number; `last year` alone is up to now, and kept."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        if _is_short_year(tokens, at) and (_is_part_of_year(found) or _is_year_alone(tokens, at, found, now)):
            century = now.year // 100 * 100
            year = century + tokens[at + 1].number
            found.append(Token("number", str(year if year <= now.year else year - 100), tokens[at].first, tokens[at + 1].last))
            at += 2
            continue
        offset = _YEARS.get(" ".join(token.text for token in tokens[at : at + 2]))
        if offset is None or not _is_part_of_year(found):
            found.append(tokens[at])
            at += 1
            continue
        found.append(Token("number", str(now.year + offset), tokens[at].first, tokens[at + 1].last))
        at += 2
    return found


def _is_short_year(tokens: Sequence[Token], at: int) -> bool:
    """Whether `'03` stands at a place: the mark and two digits, written together."""
    two = tokens[max(at, 0) : at + 2]
    return (
        len(two) == 2
        and two[0].text in ("'", "’")
        and two[1].text.isdecimal()
        and len(two[1].text) == 2
        and two[0].last == two[1].first
    )


def _is_year_alone(tokens: Sequence[Token], at: int, before: Sequence[Token], now: datetime) -> bool:
    """Whether `'98` is a year by itself and not the start of a quotation.

    It is one of the last century after `in` and the like, or at the end, and any that such a year leads to: `from '97 to '03`.
    """
    is_apart = at == 0 or tokens[at - 1].last < tokens[at].first
    after = range(at + 1, len(tokens))
    if not is_apart or any(tokens[place].text == tokens[at].text and not _is_short_year(tokens, place) for place in after):
        return False
    word = before[-1].text if before else ""
    if word in TO | THROUGH | AND and len(before) > 1 and before[-2].text.isdecimal() and _is_short_year(tokens, at - 3):
        return len(before[-2].text) == 4
    is_last = at + 2 == len(tokens)
    return (is_last or word in _LEADS_OF_YEARS) and tokens[at + 1].number > max(_LAST_DAY, now.year % 100)


def _is_part_of_year(before: Sequence[Token]) -> bool:
    """Whether tokens stop with a month, season or the like, a number after it, and words such as `of`."""
    left = [token for token in before[-5:] if token.text not in OF | {"in", "."}]
    if left and left[-1].kind == "number":
        left.pop()
    return bool(left) and left[-1].text in _BEFORE


def last_or_this(tokens: Sequence[Token], at: int, sentence: str, now: datetime) -> list[tuple[int, Date]]:
    """`last March`, which is the latest one that is over, and `this March`, which is that of this year; so of seasons.

    `this may` needs its capital: else it begins something else.
    """
    if at + 1 >= len(tokens) or tokens[at].text not in _LAST | _THIS:
        return []
    name = tokens[at + 1]
    if name.text not in {*MONTHS, *SEASONS} - NEEDS_DAY or (name.text == "may" and sentence[name.first].islower()):
        return []
    found: list[tuple[int, Date]] = []
    for after, date in read_dates(tokens, at + 1, needs_year=False):
        if date.year is None:
            words = sentence[tokens[at].first : tokens[after - 1].last]
            found.append((after, _of_now(date, words, now, is_last=tokens[at].text in _LAST)))
    return found


def _of_now(date: Date, words: str, now: datetime, *, is_last: bool) -> Date:
    dated = replace(date, year=now.year)
    while is_last and dated.period(words).stop > now and dated.year is not None:
        dated = replace(dated, year=dated.year - 1)
    period = dated.period(words)
    return replace(dated, note=f"{words[0].upper()}{words[1:]} is taken as {TimeRange(period.start, period.stop)}.")
