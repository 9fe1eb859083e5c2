"""How dates, times and ranges of them are written in sentences, as patterns."""

from __future__ import annotations

import re

MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_D = r"\d{1,2}(?:st|nd|rd|th)?(?![\d:.])"
YEAR = r"(?:1[89]|20|21)\d\d(?!\d|:\d)"
CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:\s*(?:z|utc?)\b)?"
_DATE_FORMS = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]|,?\s+(?:at\s+)?){CLOCK}",
    r"\d{4}-\d{1,2}-\d{1,2}(?!\d)",
    r"\d{4}/\d{1,2}/\d{1,2}(?!\d)",
    r"\d{1,2}[/.]\d{1,2}[/.]\d{4}(?!\d)",
    r"\d{4}-\d{3}(?!\d)",
    r"\d{4}-\d{2}(?!\d)",
    rf"{MONTH}\s+{_D}(?:\s*,\s*|\s+(?:of\s+)?){YEAR}",
    rf"{_D}\s+(?:of\s+)?{MONTH}\s*,?\s*{YEAR}",
    rf"{MONTH}(?:\s+of)?\s*,?\s*{YEAR}",
    rf"{YEAR}\s+{MONTH}\s+{_D}",
    rf"{YEAR}\s+{_D}\s+{MONTH}",
    rf"{YEAR}\s+{MONTH}(?!\s+\d)",
    YEAR,
    r"today\b|yesterday\b",
)
_FULL = "(?:" + "|".join(_DATE_FORMS) + ")"
OPEN_DATE = rf"(?:{MONTH}\s+{_D}|{_D}\s+(?:of\s+)?{MONTH})"
LEAD = (
    r"(?:(?:for|on|in|during|over|of|from|between|covering)\s+)?(?:the\s+)?(?:(?:whole\s+)?(?:day|month|year)s?\s+(?:of\s+)?)?"
)
_SEP = r"\s*(?P<sep>\bto\b|\buntil\b|\btill\b|\bup to\b|\bthrough\b|\bthru\b|\band\b|–|—|-|/)\s*(?:the\s+)?"
_TAIL = r"(?:\s*,?\s*(?P<inclusive>inclusive|included)\b)?"
INCLUSIVE = frozenset({"through", "thru", "–", "—", "-"})

_PAIRS = (
    rf"(?P<a>{_FULL}){_SEP}(?P<b>{_FULL})",
    r"(?P<a>\d{4}-\d{2}-\d{2}) (?P<sep>and) (?P<next>\d{1,2})(?![\d:.-])",
    rf"(?P<month>{MONTH})\s+(?P<day>{_D}){_SEP}(?P<day2>{_D})(?:\s*,\s*|\s+)(?P<year>{YEAR})",
    rf"(?P<day>{_D}){_SEP}(?P<day2>{_D})\s+(?:of\s+)?(?P<month>{MONTH})\s*,?\s*(?P<year>{YEAR})",
    rf"(?P<a>{OPEN_DATE}){_SEP}(?P<b>{OPEN_DATE})(?:\s*,\s*|\s+)(?P<year>{YEAR})",
    rf"(?P<a>{MONTH}){_SEP}(?P<b>{MONTH})(?:\s*,\s*|\s+)(?P<year>{YEAR})",
    rf"(?P<a>{OPEN_DATE}){_SEP}(?P<b>{OPEN_DATE})",
    rf"(?P<month>{MONTH})\s+(?P<day>{_D}){_SEP}(?P<day2>{_D})",
    rf"(?P<date>{_FULL})\s*,?\s*(?:from\s+|between\s+)?(?P<clock>{CLOCK}){_SEP}(?P<clock2>{CLOCK})",
    rf"(?P<clock>{CLOCK}){_SEP}(?P<clock2>{CLOCK})\s+(?:on\s+|of\s+)?(?P<date>{_FULL})",
)
_PART = (
    r"(?P<which>first|last|second|third|fourth)\s+(?P<share>half|quarter|week|(?:\d{1,2}|[a-z]+)\s+days?|day)\s+(?:of|in)\s+(?:the\s+)?"
    r"(?:(?:year|month)\s+(?:of\s+)?)?"
)
_SINGLES = (
    rf"{_PART}(?P<a>{_FULL})",
    rf"(?:around|about|near)\s+(?P<around>{_FULL})",
    rf"since\s+(?P<since>{_FULL})",
    rf"(?P<a>{_FULL})",
    rf"(?P<open>{OPEN_DATE})",
)
_RECENT = r"(?P<recent>(?:last|past)\s+(?:(?:\d+|[a-z]+)\s+)?(?:minute|hour|day|week|month|year)s?\b)"
_BEFORE = r"(?<![\w./:-])"
_AFTER = r"(?!\w|[/:]\w|-\d|\.\d)"
PATTERNS = tuple(
    re.compile(_BEFORE + LEAD + pattern + _TAIL + _AFTER, re.IGNORECASE) for pattern in (*_PAIRS, *_SINGLES, _RECENT)
)
