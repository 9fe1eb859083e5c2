"""Parts of a follow-up that change nothing: `noisy. smooth over 5 minutes`, `drop the title, the caption will say it`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.edits.slots import tokens_of
from helio_dagster.agent.offline.meanings import Filler, Layout, Unclear
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.domain.errors import InputError

_LOOKS = frozenset(("color", "width", "thick", "thin", "dash", "scale", "range", "height", "apart", "together", "steps"))


def without_remarks(request: str, now: datetime) -> tuple[str, list[str]]:
    """A follow-up without the parts that change nothing, and those of them that say something."""
    ends = [match.span() for match in form("remarks.parted").finditer(request)]
    bounds = [(0, 0), *ends, (len(request), len(request))]
    kept, remarks = "", list[str]()
    for (before, first), (last, _) in pairwise(bounds):
        part = request[first:last]
        if matched("remarks.chat", part.strip()) is not None:
            continue
        if (wish := form("remarks.wish").match(part)) is not None:  # `the reviewer wants gsm`
            remarks.append(wish[0].strip())
            part = part[wish.end() :]
        if part.strip() and is_remark(part, now):
            remarks.append(part.strip())
        elif part.strip():
            kept += (request[before:first] if kept else "") + part
    kept = kept.strip(" ,;:.!?-")
    return kept + ")" * (kept.count("(") - kept.count(")")), remarks


def of_its_subject(rest: str, remarks: Sequence[str], drawn: PlottedFigure) -> str:
    """What is left beside remarks, `it` written out as what one of them is about: `the speed is noisy, smooth it`."""
    for remark in remarks:
        subject = form("remarks.subject").match(remark)
        if subject is not None and drawn.named(subject["what"]):
            named = f"the {subject['what']}"
            if re.search(r"\bits?\b", rest, re.IGNORECASE) is None:
                return f"{rest} for {named}" if any(token.kind == "computed" for token in tokens_of(rest)) else rest
            return re.sub(r"\bit\b", named, re.sub(r"\bits (\w+)", rf"the \1 of {named}", rest, flags=re.I), flags=re.I)
    return rest


def is_remark(words: str, now: datetime) -> bool:
    """Whether words only tell why: a clause with its own verb that names no data, time, number or look."""
    if matched("remarks.faulty", words.strip()) is not None:
        return True
    phrase = form("remarks.numbered").sub("", words.strip())
    if matched("remarks.remark", words.strip()) is None or re.search(r"\d", phrase) or form("remarks.ordered").search(phrase):
        return False
    placed = {"apart", "together"} if re.match(r"(?:it )?would be\b", phrase, re.IGNORECASE) else set()
    if (_LOOKS - placed) & {token.kind for token in tokens_of(phrase)}:
        return False
    try:
        reading = read_request(phrase, now)
    except InputError:
        return False
    is_time = reading.time is not None and re.search(r"\d", reading.time.words) is not None
    known = [
        each for each in reading.mentions if each.words != "wind" or form("remarks.a_wind").search(phrase[: each.first]) is None
    ]
    named = [each for each in known if not isinstance(each.meaning, Filler | Layout | Unclear)]
    return not is_time and not named
