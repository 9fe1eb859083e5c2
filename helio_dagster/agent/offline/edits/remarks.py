"""Parts of a follow-up that change nothing: `noisy. smooth over 5 minutes`, `drop the title, the caption will say it`."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise

from helio_dagster.agent.offline.edits.slots import tokens_of
from helio_dagster.agent.offline.meanings import Filler, Layout, Unclear
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.domain.errors import InputError

_PARTED = re.compile(
    r"\s*[.!?;:]+(?:\s+|$)|\s*,\s+|\s+[-–—]+\s+|\s*[()]\s*"
    r"|\s+(?=(?:so that|because|cos|otherwise|or else|since (?:it|this|that|they|the)|as (?:it|they) (?:is|are|cuts?|hides?)"
    r"|so (?:it|they|i|we|you|he|she|that)|(?:to )?see (?:if|whether|how)|if (?:it|that|you|possible))\b)",
    re.IGNORECASE,
)
_NOUN = r"(?:(?:the|my|our|your|his|her|a|an|this|that)\s+)(?:[a-z-]+\s+){0,2}?[a-z-]+|captions?|reviewer \d|referee \d"
_SUBJECT = rf"(?:it|this|that|these|those|they|there|he|she|you|we|i|nobody|no one|everyone|everybody|people|one|{_NOUN})"
_VERB = (
    r"(?:is|are|was|were|am|isn['’]?t|aren['’]?t|will|won['’]?t|would|wouldn['’]?t|can|can['’]?t|cannot|could|"
    r"couldn['’]?t|might|"
    r"may|does|do|did|don['’]?t|doesn['’]?t|didn['’]?t|has|have|had|looks?|takes?|cuts?|hides?|hates?|likes?|says?|"
    r"gets?|seems?|"
    r"helps?|comes?|goes|covers?|shows?|prefers?|asks?|asked|thinks?|thought|complains?|complained|wastes?|crosses|fits?|"
    r"trust|guess|believe|know|see|forgot|love|overlaps?|disappears?)"
)
_TO_SEE = (
    r"(?:(?:just|only|also|really)\s+)?(?:want|wanted|need|['’]d like|would like)\s+to\s+"
    r"(?:see|check|compare|know|look|find out|show)"
)
_ADVERBS = r"(?:too|so|very|way|far|rather|pretty|quite|still|really|much|kinda|(?:a )?(?:bit|little))"
_IT_IS = r"(?:(?:it|that|this|they|these)\s?(?:['’]?s|['’]?re|\sis|\sare|\slooks?)\s+)?"
_REMARK = re.compile(
    rf"(?:(?:because|cos|otherwise|or else|since|as|so(?: that)?|and|but|well)\s+)*(?:"
    rf"(?:{_SUBJECT}\s+(?:(?:just|really|still|also|only)\s+)?{_VERB}|(?:it|that|there|this|they|what|he|she)['’]?(?:s|"
    rf"re|ll|d))\b(?!\s+to\b).*"
    rf"|so (?:that )?(?:it|they|we|i|you|he|she|one|everyone)\b.*|i\s+{_TO_SEE}\b.*"
    rf"|(?:to )?see (?:if|whether|how)\b.*|if (?:it|that|you|possible)\b.*"
    r"|(?:it )?would be (?:nice|interesting|good|great|helpful|useful|nicer|better|cool)\b.*"
    rf"|{_IT_IS}(?:{_ADVERBS}\s+)+[a-z-]+(?:\s+(?:data|noise|detail|space|clutter|stuff|for me|to me))?"
    rf"|{_IT_IS}(?:noisy|ugly|crowded|busy|squashed|cluttered|unreadable|confusing|messy|spiky|hard to read|tiny)"
    r"|(?:can['’]?t|cannot|couldn['’]?t|hard to|difficult to|impossible to) (?:see|read|tell|make out|compare)\b.*"
    r"|(?:my|that was my) (?:mistake|bad|fault|error)"
    r")",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"(?:(?:hi|hello|hey|ok(?:ay)?|h+m+|great|nice|good|perfect|cool|thx|thanks|thank you|cheers|sorry|oops|ah|oh|well|"
    r"wait|yes|yeah|"
    r"looks? (?:good|great|nice)|pls|plz|please|that['’]?s what i was after|much better|lovely|fine|actually|almost|"
    r"of course|if possible|if you can)[\s,.!]*)+",
    re.IGNORECASE,
)
_FAULTY = re.compile(
    r"(?:because |since |as )?[\w-]+(?: [\w-]+)? (?:has|have|had) (?:too many |many |a |big |"
    r"lots of )?(?:data )?(?:gaps?|spikes|outliers|no data|"
    r"problems|bad data)(?: (?:there|then|in it|here))?",
    re.IGNORECASE,
)
"""Why other data are wanted: `ACE has gaps`."""
_ORDERED = re.compile(
    r"\b(?:should|must|needs?|not needed|panels?|lines?(?! up)|curves?|traces?|ax[ei]s|titles?|legends?|labels?|spacecraft|"
    r"scale|range|gaps? (?:shorter|longer))\b"
    r"|['’]d (?:like|want|rather|prefer)|i want (?!to see)",
    re.IGNORECASE,
)
"""What could be wanted changed."""
_NUMBERED = re.compile(r"\b(?:reviewer|referee|figure|fig\.?|section|chapter) \d+", re.IGNORECASE)
_A_WIND = re.compile(r"\b(?:the|a|quiet|slow|fast|solar|ambient|upstream)\s+(?:[a-z]+\s+)?$", re.IGNORECASE)
"""Before which `wind` is no spacecraft."""
_LOOKS = frozenset(("color", "width", "thick", "thin", "dash", "scale", "range", "height", "apart", "together", "steps"))


def without_remarks(request: str, now: datetime) -> tuple[str, list[str]]:
    """A follow-up without the parts that change nothing, and those of them that say something."""
    ends = [match.span() for match in _PARTED.finditer(request)]
    bounds = [(0, 0), *ends, (len(request), len(request))]
    kept, told = "", list[str]()
    for (before, first), (last, _) in pairwise(bounds):
        part = request[first:last]
        if _CHAT.fullmatch(part.strip()) is not None:
            continue
        if part.strip() and is_remark(part, now):
            told.append(part.strip())
        elif part.strip():
            kept += (request[before:first] if kept else "") + part
    kept = kept.strip(" ,;:.!?-")
    return kept + ")" * (kept.count("(") - kept.count(")")), told


def is_remark(words: str, now: datetime) -> bool:
    """Whether words only tell why: a clause with its own verb that names no data, time, number or look."""
    if _FAULTY.fullmatch(words.strip()) is not None:
        return True
    said = _NUMBERED.sub("", words.strip())
    if _REMARK.fullmatch(words.strip()) is None or re.search(r"\d", said) or _ORDERED.search(said):
        return False
    placed = {"apart", "together"} if re.match(r"(?:it )?would be\b", said, re.IGNORECASE) else set()
    if (_LOOKS - placed) & {token.kind for token in tokens_of(said)}:
        return False
    try:
        reading = read_request(said, now)
    except InputError:
        return False
    is_time = reading.time is not None and re.search(r"\d", reading.time.words) is not None
    known = [each for each in reading.mentions if each.words != "wind" or _A_WIND.search(said[: each.first]) is None]
    named = [each for each in known if not isinstance(each.meaning, Filler | Layout | Unclear)]
    return not is_time and not named
