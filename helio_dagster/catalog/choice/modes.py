"""Modes in which an instrument takes data, or files give them: burst, survey, averages over a spin, high resolution."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from helio_dagster.catalog.choice.offer import Mode, Offer

MODE_WORDS: dict[Mode, str] = {
    "burst": "burst mode",
    "survey": "survey mode",
    "fast": "fast survey",
    "slow": "slow survey",
    "spin": "averages over a spin",
    "high": "high resolution",
}
_IN_IDS: dict[Mode, re.Pattern[str]] = {
    "burst": re.compile("BRST|BURST"),
    "survey": re.compile("SRVY|SVY|SURV(?!PRO)|^MMS.*_(?:FAST|SLOW)_"),
    "fast": re.compile(r"_FAST_|^MMS\d_FGM_SRVY_"),
    "slow": re.compile(r"_SLOW_|^MMS\d_FGM_SRVY_"),
    "spin": re.compile("SPIN"),
}
_IN_WORDS: dict[Mode, re.Pattern[str]] = {
    "survey": re.compile(r"\bsurvey\b", re.IGNORECASE),
    "spin": re.compile(r"\bspin[- ]?(?:averag|resol|fit|period)|(?<![a-z])fgs(?![a-z])", re.IGNORECASE),
}
_HIGH = re.compile(r"\b(?:high|full)[- ](?:time[- ])?resolution|HIRES", re.IGNORECASE)
_FINE = timedelta(seconds=1)


def is_in_mode(mode: Mode, dataset: str, words: str) -> bool:
    """Whether data are of a mode, by the id of their dataset, or by the words for dataset and parameter."""
    if mode == "high":
        return True
    if mode == "survey" and _IN_IDS["burst"].search(dataset.upper()):
        return False
    in_words = _IN_WORDS.get(mode)
    return _IN_IDS[mode].search(dataset.upper()) is not None or (in_words is not None and in_words.search(words) is not None)


def of_high_resolution(offers: Sequence[Offer]) -> list[Offer]:
    """The offers called so, or of a second or less; else those of a burst mode, else those of the shortest cadence."""
    named = [each for each in offers if _HIGH.search(f"{each.dataset} {each.label}") or (each.cadence or _FINE * 2) <= _FINE]
    bursts = [each for each in offers if _IN_IDS["burst"].search(each.dataset.upper())]
    shortest = min((each.cadence for each in offers if each.cadence is not None), default=None)
    return named or bursts or [each for each in offers if each.cadence == shortest] or list(offers)
