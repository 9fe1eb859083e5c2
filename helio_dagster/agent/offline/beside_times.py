"""Words right beside a year or a month, which belong to the time: misspelt ones are corrected, others are asked about."""

from __future__ import annotations

import calendar
import re
from difflib import SequenceMatcher

from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.catalog.times.vocabulary import COUNTED, MONTHS, SEASONS
from helio_dagster.domain.did_you_mean import near_names

_NAMES = (*(name.lower() for name in calendar.month_name if name), *SEASONS)
_ALIKE = 0.75
_SHORTEST = 4
_YEAR = r"(?:1[89]|20)\d{2}(?![-/:T\d])"
_PERIOD = re.compile(rf"(?:{_YEAR}|{'|'.join(sorted(map(re.escape, MONTHS), key=len, reverse=True))})\b", re.IGNORECASE)
_PERIOD_END = re.compile(rf"(?:(?<![\d-]){_YEAR}|\b(?:{'|'.join(map(re.escape, MONTHS))}))$", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Za-zäöüéèû'’]+")
_PART_OF = re.compile(r"\s+(?:half|weeks?|quarter|third|decade)\s+of\s+(?:the\s+)?", re.IGNORECASE)


def stands_beside_time(mention: Mention, reading: Reading) -> bool:
    """Whether a word stands right before or after a year or a month, as in `autmn 2007`."""
    if _LETTERS.fullmatch(mention.words) is None:
        return False
    return _before(mention, reading) or _after(mention, reading)


def near_time_word(mention: Mention, reading: Reading) -> str:
    """The season, month or ordinal that a misspelt word beside a year or a month is like; empty if it is like none."""
    words, time = mention.words, reading.time
    if time is None or _LETTERS.fullmatch(words) is None or len(words) < _SHORTEST:
        return ""
    known: tuple[str, ...] = ()
    if stands_beside_time(mention, reading):
        known = _NAMES
    elif _PART_OF.fullmatch(reading.request[mention.last : time.first]):
        known = COUNTED
    near = near_names(words, known, count=1)
    is_alike = bool(near) and SequenceMatcher(None, near[0], words.casefold()).ratio() >= _ALIKE
    return near[0].capitalize() if is_alike and near[0] not in (*SEASONS, *COUNTED) else near[0] if is_alike else ""


def _before(mention: Mention, reading: Reading) -> bool:
    time = reading.time
    if time is None or time.first < mention.last:
        return False
    words = reading.request[mention.last : time.last].lstrip()
    return _PERIOD.match(re.sub(r"^of\s+", "", words)) is not None and words.endswith(time.words.strip())


def _after(mention: Mention, reading: Reading) -> bool:
    time = reading.time
    if time is None or time.last > mention.first or _PERIOD_END.search(time.words.rstrip()) is None:
        return False
    is_right_behind = not reading.request[time.last : mention.first].strip()
    return is_right_behind and re.match(r"\s*(?:$|[,.;!?])", reading.request[mention.last :]) is not None
