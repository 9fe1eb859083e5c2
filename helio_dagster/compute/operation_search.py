"""Finds operations by words and by what they accept."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from helio_dagster.compute.operations.contract import Operation
from helio_dagster.domain.catalog_entry import unnamed_columns
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.table import Kind, TableMeta
from helio_dagster.domain.units import normalize_unit

_WEIGHTS = (6.0, 3.0, 2.5, 1.5, 0.5)
"""What a word counts in an id, a summary, the words on when to use it, on inputs and output, and in the formula."""
_LITTLE_WORDS = frozenset(
    re.findall("[a-z]+", "a an and as at by do for from get how i in is it me model of on or out show that the to what with")
)
_ALSO = {
    **dict.fromkeys(("smooth", "smoothed", "smoothing"), "mean rolling"),
    **dict.fromkeys(("running", "moving", "boxcar"), "rolling"),
    **dict.fromkeys(("average", "averaged", "averages"), "mean"),
    **dict.fromkeys(("strong", "strength", "length", "norm", "|b|", "total"), "magnitude vector"),
    **dict.fromkeys(("convert", "conversion", "calibrate", "unit", "units"), "scale"),
    **dict.fromkeys(("spectrum", "spectra", "psd", "fft", "fourier"), "power spectral"),
    **dict.fromkeys(("subtract", "minus"), "difference"),
    **dict.fromkeys(("divide", "divided"), "ratio"),
    **dict.fromkeys(("despike", "spikes", "outliers"), "median despike"),
    **dict.fromkeys(("bin", "bins", "binned", "downsample", "cadence"), "resample"),
    **dict.fromkeys(("mva", "lmn"), "minimum variance"),
    **dict.fromkeys(("rms", "fluctuation", "variability"), "standard deviation rolling"),
    **dict.fromkeys(("slope", "rate", "gradient"), "derivative"),
    **dict.fromkeys(("trend", "background"), "detrend"),
    **dict.fromkeys(("lowpass", "highpass", "bandpass", "noise"), "filter"),
    **dict.fromkeys(("ram",), "dynamic pressure"),
}
"""What else a word is called in the operations' own texts."""
_ALIKE = 6
"""Letters that words share which begin alike."""
_MOST_WORDS, _LONGEST = 40, 2000
_WORTH_SHOWING = 0.6
"""Minimum score of an operation, relative to the best match."""
_LEAST_PER_WORD = 4.3
"""Minimum score of the best match, per word of the search; below it the words name something that no operation does."""
_ENDINGS = re.compile(r"(?:ies|ing|ed|es|s)$")
_COUNTS: dict[Kind, int] = {
    "series": 1,
    "vector": 3,
    "spectrogram": 8,
    "events": 1,
    "curve": 1,
    "map": 1,
    "points": 2,
    "facts": 1,
    "nd": 1,
}


@dataclass(frozen=True)
class Given:
    """A table that an operation should accept; None means any."""

    kind: Kind | None = None
    unit: str | None = None
    frame: str | None = None


@dataclass(frozen=True)
class FoundOperation:
    """An operation, how well it fits the words, and the names of its inputs that accept what is given."""

    operation: Operation[Any]
    score: float
    accepts: tuple[str, ...]


def search_operations(known: Iterable[Operation[Any]], words: str, given: Given | None = None) -> list[FoundOperation]:
    """Operations that hold any of the words, best first; without words all of them.

    Parameters
    ----------
    known
        Among which.
    words
        Free words; nothing in them is syntax.
    given
        What one of the inputs must accept.
    """
    typed = re.findall(r"[a-z0-9|]+", words.casefold()[:_LONGEST])
    asked = [each for word in typed for each in (word, *_ALSO.get(word, "").split())]
    wanted = list(dict.fromkeys(_stem(word) for word in asked if word not in _LITTLE_WORDS))[:_MOST_WORDS]
    operations = list(known)
    texts = [_texts(operation) for operation in operations]
    rarity = {word: _rarity(word, texts) for word in wanted}
    found = []
    for operation, held in zip(operations, texts, strict=True):
        score = _score(held, rarity)
        accepts = accepting_inputs(operation, given or Given())
        if (score > 0 or not wanted) and accepts:
            found.append(FoundOperation(operation, round(score, 2), accepts))
    return sorted(found, key=lambda each: (-each.score, each.operation.id))


def count_words(words: str) -> int:
    """The number of words that a search goes by: all but the little ones, known to any operation or not."""
    return len(set(re.findall(r"[a-z0-9|]+", words.casefold()[:_LONGEST])) - _LITTLE_WORDS)


def fitting_operations(known: Iterable[Operation[Any]], words: str, given: Given | None = None) -> list[FoundOperation]:
    """The operations that come near what the words name, best first; none where no operation does that."""
    found = search_operations(known, words, given)
    best = found[0].score if found else 0.0
    return (
        [] if best < _LEAST_PER_WORD * count_words(words) else [each for each in found if each.score >= _WORTH_SHOWING * best]
    )


def accepting_inputs(operation: Operation[Any], given: Given) -> tuple[str, ...]:
    """Names of the inputs that accept such a table."""
    return tuple(name for name, demanded in operation.inputs.items() if _accepts(demanded, given, name, operation.id))


def _accepts(demanded: Any, given: Given, name: str, operation_id: str) -> bool:
    unit = normalize_unit(given.unit) if given.unit is not None else demanded.unit or ""
    for kind in (given.kind,) if given.kind is not None else demanded.kinds:
        meta = TableMeta(kind=kind, columns=unnamed_columns(_COUNTS[kind], unit), unit=unit, frame=given.frame)
        try:
            demanded.check(meta, name=name, operation_id=operation_id)
        except HelioError:
            continue
        return True
    return False


def _texts(operation: Operation[Any]) -> list[set[str]]:
    """The words of an operation's texts, in the order of `_WEIGHTS`."""
    inputs = " ".join(f"{each.meaning} {' '.join(each.quantity)} {each.unit or ''}" for each in operation.inputs.values())
    texts = (operation.id, operation.summary, operation.when, f"{inputs} {operation.output}", operation.reference)
    return [{_stem(word) for word in re.findall(r"[a-z0-9|]+", text.casefold())} for text in texts]


def _rarity(word: str, texts: list[list[set[str]]]) -> float:
    holding = sum(_held(word, held) > 0 for held in texts)
    return math.log(1 + len(texts) / holding) if holding else 0.0


def _score(held: list[set[str]], rarity: Mapping[str, float]) -> float:
    return sum(share * _held(word, held) for word, share in rarity.items())


def _held(word: str, held: list[set[str]]) -> float:
    """What a word counts that is in the texts as it is, or half as much for one that begins alike."""
    as_it_is = max(weight * (word in text) for weight, text in zip(_WEIGHTS, held, strict=True))
    if as_it_is or len(word) < _ALIKE:
        return as_it_is
    begin = word[:_ALIKE]
    return 0.5 * max(weight * any(one.startswith(begin) for one in text) for weight, text in zip(_WEIGHTS, held, strict=True))


def _stem(word: str) -> str:
    return _ENDINGS.sub("", word) if len(word) > 4 else word
