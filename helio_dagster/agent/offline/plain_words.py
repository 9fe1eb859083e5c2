"""Words around a request that change nothing, and those for what is not made: they ask, and offer what is. No quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from helio_dagster.agent.offline.event_times import SUPERPOSED
from helio_dagster.agent.offline.meanings import Filler, Meaning, Measured, Pairing, Radial, Unclear
from helio_dagster.agent.offline.mission_words import mission_pattern
from helio_dagster.agent.offline.unit_words import UNIT_WORDS

Read = Callable[[re.Match[str]], Meaning]

FILLERS = (
    "show(?: me)?|plot|draw|display|make|give(?: me)?|create|produce|get|fetch|find|please|can you|could you|would you|kindly",
    "i(?:'d| would)? (?:want|like|need|love)|i would like|(?:want|like|need|love) to see|to see|look at|see|take a look at",
    "i(?:'d| would) (?:be|very much) (?:grateful|glad|happy|thankful|appreciate)(?: (?:for|to see|if you could))?",
    "the|an?|of|for|in|at|on|from|by|with|and|as|its|their|this|that|using|during|over|me|to|is|was|were|what|how|&|some|us|our",
    "data|measurements?|values?|observations?|time[- ]?series|plots?|graphs?|figures?|charts?|panels?|spacecraft|satellites?",
    "probes?|missions?|solar[- ]wind|observed|measured|recorded|seen|taken|both|coordinates?|system|archive|cdaweb|hello|hi",
    "colou?r[- ]coded|in colou?r|quick[- ]?look|curves?|profiles?|variations?|evolution|interplanetary|near[- ]earth",
    "cent(?:red|ered)(?= )|aboard|on ?board|thanks?(?: you)?|(?:as a function of|versus|vs\\.?|over) time",
    "(?:everything|anything|all|whatever)(?: (?:the )?(?:data|quantities))?(?: (?:you have|there is|available|known))*"
    " (?:about|concerning|regarding|on|of|from|for)",
)
_AT = "(?:near|around|by|close to|in the vicinity of|along|inside|via|with)"
_NUMBER = r"[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_BOUND = (
    r"(?:above|below|over|under|exceeding|(?:greater|larger|higher|less|lower|smaller) than|more than|at least|at most|[<>]=?)"
)
_PASSAGE = (
    "(?:first|second|third|fourth|fifth|last|closest|\\d+(?:st|nd|rd|th))(?: [a-z-]+){0,2}"
    " (?:pass(?:age)?|perihelion|encounter|orbit|fly-?by|perigee|apogee|approach|crossing|phase|solstice)"
)
_SCATTER = "I draw curves over time and no scatter plots. Are both wanted in panels, or their correlation in a moving window?"
_ENERGY = "I choose no single energies: what there is, is drawn as a spectrogram over all of them. Do you want that?"
_BEYOND = "I pick out no values and draw no threshold lines, so {0!r} is not done. Is it wanted without?"
_NO_DATES = "I know no dates of {0!r}. From when to when is it?"
_NOT_SCALED = "I do not know what {0!r} is taken relative to. Is it wanted as it is?"
_ANOTHER = "In which frame do you want it?"
_ALONE = "I draw what is made alone; what it is made of can be added afterwards. Do you want that?"
_V = "Is the speed or the velocity meant by {0!r}?"


def plain_terms() -> Iterator[tuple[str, Read]]:
    """Pattern and meaning of each."""
    for pattern in FILLERS:
        yield pattern, lambda _match: Filler()
    yield "(?:from|to) the sun", lambda _match: Filler()
    yield rf"{_AT}(?=\s+(?:the\s+)?(?:{mission_pattern()}|wind\b|omni\b))", lambda _match: Filler()
    yield r"imf(?=\s+(?:b[xyzrtn]|\|b\|)(?!\w))", lambda _match: Filler()
    energy = r"[kMG]?eV(?:/n(?:uc)?)?"
    yield rf"(?:of |at |between |from |(?:{_BOUND}) )?{_NUMBER}(?: ?(?:-|to|and) ?{_NUMBER})? ?{energy}", _unclear(_ENERGY)
    yield rf"(?:with )?(?:values? )?{_BOUND} {_NUMBER} ?{UNIT_WORDS}", _unclear(_BEYOND)
    yield rf"(?:with )?(?:values? )?(?:{_BOUND} {_NUMBER}|(?:above|below|under|over) (?:average|zero|threshold))", _bound
    yield rf"(?:during |in |for |at |of )?(?:its |the |their |his )?{_PASSAGE}(?: \d{{1,3}})?", _unclear(_NO_DATES)
    made = "derivatives?|rate of change|(?:power )?spectr(?:um|a)|spectrograms?|wavelets?|(?:hourly|daily)"
    yield f"(?:and|with) (?:its|their)(?: own)?(?= (?:{made}))", _unclear(_ALONE)
    events = "(?:over |of |for |around |at |during |in )?(?:the |these |all |several )*(?:geomagnetic |magnetic |strong )*"
    yield f"{events}(?:storms|events|onsets|shocks)", _events
    yield "scatter(?:[- ]?plots?|[- ]?graphs?)?(?: (?:of|between))?", _unclear(_SCATTER, "correlation of", "")
    yield "normali[sz]ed|relative|scaled|anomal(?:y|ies)(?: of)?", _unclear(_NOT_SCALED, "")
    yield (
        "(?:in |into |to )?(?:another|a different|some other|other) frames?(?: of reference)?",
        _unclear(_ANOTHER, "in GSM", "in GSE", "in RTN", "in SM"),
    )
    yield "correlat(?:ions?|ed?)(?: coefficients?)?(?: (?:of|between|with))?", lambda _match: Pairing("rolling_correlation")
    yield (
        "cross[- ]correlations?(?: (?:of|between))?",
        _unclear("Correlations here are without delay. Do you want that in a moving window?", "correlation of"),
    )
    yield "(?:the )?(?:angles?|shear)(?: between)?", lambda _match: Pairing("angle_between")
    radial = "radial(?: direction| vector| line)?|sun[- ]earth line|sun direction|direction (?:of|to) the sun|x[- ]axis"
    yield f"(?:and |with |to |from |against |relative to )*(?:the )?(?:{radial})", lambda _match: Radial()
    yield "(?-i:V)", _unclear(_V, "speed", "velocity")


def by(match: re.Match[str]) -> Meaning:
    """`by` is By beside another component, before a frame or with a capital; else it says who measured."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    component = r"\W*(?:(?:and|&|,|/)\s*)*"
    is_listed = re.search(rf"\bb_?[xzrtn]{component}$", before, re.IGNORECASE) is not None
    is_listed = is_listed or re.match(rf"{component}b_?[xz]\b", after, re.IGNORECASE) is not None
    is_followed = (
        re.match(r"\s*(?:component|(?:in )?(?:gse|gsm|sm|rtn|geo)\b|of\b|from\b|at\b)", after, re.IGNORECASE) is not None
    )
    is_capital = match[0][:1] == "B" and match.string != match.string.upper()
    if match[0].lower() != "by" or is_listed or is_followed or is_capital:
        return Measured(("magnetic_field",), axis="y")
    return Filler()


def _unclear(question: str, *options: str) -> Read:
    """A question about the words; without other options the request without them is offered."""
    return lambda match: Unclear(question.format(" ".join(match[0].split())), options or ("",))


def _events(match: re.Match[str]) -> Meaning:
    """Events without their times: what a superposed epoch is taken around, and no time range."""
    if SUPERPOSED.search(match.string):
        return Filler()
    return Unclear(f"I have no list of {match[0].split()[-1]}. From when to when is it?", ("",))


def _bound(match: re.Match[str]) -> Meaning:
    return Unclear(f"In which unit is {' '.join(match[0].split())!r}, and what shall be done with it?", ("",))
