"""Finds datasets by what a scientist would type."""

from __future__ import annotations

import heapq
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, lru_cache

from helio_dagster.catalog.choice.weights import SEARCH, SearchWeights
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.deriving import is_predicted
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.reading import Asked, read_query
from helio_dagster.catalog.spelling import mend
from helio_dagster.domain.time_range import TimeRange

_CANDIDATES = 250
_MOST_PARAMETERS = 4
_MINOR = re.compile(
    r"_K\d_|_K\d$|_PP_|_SP_|PRELIM|_PREDICTED|_QL|_BROWSE|_LL-|_KP|_L1_|_L1-|_R0_|_RATES|KEY.?PARAM", re.IGNORECASE
)


@dataclass(frozen=True)
class Facets:
    """Hard limits of a search; None limits nothing. `everything` also finds what is not science, and what only is listed."""

    mission: str | None = None
    quantity: str | None = None
    frame: str | None = None
    longest_cadence: timedelta | None = None
    span: TimeRange | None = None
    everything: bool = False


@dataclass(frozen=True)
class Hit:
    """A dataset that was found, how well it fits, and those of its parameters that fit best."""

    dataset: DatasetFacts
    score: float
    parameters: tuple[ParameterFacts, ...]
    covers: bool | None = None


@dataclass(frozen=True)
class Found:
    """The hits, best first; `instead` maps misspelt words to what was looked for instead."""

    hits: tuple[Hit, ...]
    instead: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Standing:
    """What ranking knows of a dataset."""

    mission: str
    category: str
    archive: str
    cadence_s: float | None
    is_current: int
    start: str
    stop: str
    frames: Sequence[str]
    quantities: dict[str, int]
    parameters: int


class CatalogSearch:
    """Search over one catalog; `weights` are other than the usual only where their effect is measured."""

    def __init__(self, database: CatalogDatabase, weights: SearchWeights = SEARCH) -> None:
        self._database = database
        self._weights = weights
        self._searched = lru_cache(maxsize=256)(self._search)  # a plan, and the choices of a question, ask the same often

    def search(self, query: str, *, facets: Facets | None = None, count: int = 10) -> Found:
        """The datasets that fit a query best.

        Parameters
        ----------
        query
            Free words, names of missions, instruments, datasets or parameters, cadences and frames. Nothing in it is syntax.
        facets
            What every hit must fulfil.
        count
            How many hits at most.
        """
        return self._searched(query, facets or Facets(), count)

    def _search(self, query: str, facets: Facets, count: int) -> Found:
        text, instead = mend(query, self._database.connection)
        asked = read_query(text)
        scored = []
        for number, name, standing, relevance in self._candidates(asked, facets):
            if _is_allowed(standing, asked, facets):
                scored.append((_score(name, standing, asked, relevance, facets, self._weights), name, number))
        best = sorted(scored, key=lambda each: (-each[0], each[1]))[:count]
        return Found(tuple(self._hit(number, score, asked, facets) for score, _, number in best), instead)

    def _hit(self, number: int, score: float, asked: Asked, facets: Facets) -> Hit:
        dataset = self._database.numbered(number, [*asked.plain, *asked.words])
        ranked = sorted(dataset.parameters, key=lambda one: -_fit(one, asked))
        fitting = tuple(one for one in ranked if _fit(one, asked) > 0)[:_MOST_PARAMETERS]
        return Hit(dataset, round(score, 2), fitting, covers(dataset, facets.span) if facets.span else None)

    def _candidates(self, asked: Asked, facets: Facets) -> Iterator[tuple[int, str, Standing, float]]:
        """The datasets that hold the rarest of the words, each with how well it does."""
        relevance = self._relevance(asked)
        names = [*asked.missions, *([facets.mission] if facets.mission else [])]
        if names:
            theirs = self._holding("mission : (" + " OR ".join(_all_of(name) for name in names) + ")")
            relevance = {number: relevance.get(number, 0.0) for number in theirs}
        best = heapq.nlargest(_CANDIDATES, relevance, key=lambda number: relevance[number])
        marks = ",".join("?" * len(best))
        query = f"SELECT number, id, ranking FROM dataset WHERE number IN ({marks})"  # noqa: S608 - question marks alone
        for number, name, ranking in self._database.connection.execute(query, best):
            yield number, name, Standing(*json.loads(ranking)), relevance[number]

    def _relevance(self, asked: Asked) -> dict[int, float]:
        """Dataset to the sum over the words it holds: a rare word counts for more, and most in a short text that names it."""
        found: dict[int, float] = {}
        for word in asked.words:
            share = 1.0 if word in asked.own and word not in asked.common else self._weights.of_the_glossary
            named = self._holding(f'{{id label instrument}} : "{word}"')
            described = self._holding(f'{{names descriptions quantities}} : "{word}"')
            if not named and not described:
                continue
            rarity = share * math.log(1 + self._count / (len(named | described)))
            for number in named:
                found[number] = found.get(number, 0.0) + rarity * self._weights.named * self._worth[2 * number]
            for number in described - named:
                found[number] = found.get(number, 0.0) + rarity * self._weights.described * self._worth[2 * number + 1]
        return found

    @cached_property
    def _worth(self) -> list[float]:
        """What a word is worth in each text by the text's length, as in BM25."""
        lengths = self._database.lengths
        means = [max(1.0, sum(lengths[part::2]) / max(1, len(lengths[part::2]))) for part in (0, 1)]
        least, share = 1 - self._weights.length, self._weights.length
        return [2.2 / (1 + 1.2 * (least + share * length / means[place % 2])) for place, length in enumerate(lengths)]

    def _holding(self, expression: str) -> set[int]:
        rows = self._database.connection.execute("SELECT rowid FROM words WHERE words MATCH ?", [expression])
        return {number for (number,) in rows}

    @cached_property
    def _count(self) -> int:
        return int(self._database.meta["datasets"])


def covers(dataset: DatasetFacts, span: TimeRange) -> bool:
    """Whether a dataset may have data in all of a range, as far as the catalog knows; one that goes on is not over yet."""
    begins = dataset.start is None or dataset.start <= span.start
    return begins and (dataset.stop is None or dataset.is_current or dataset.stop >= span.stop)


def _all_of(name: str) -> str:
    return "(" + " AND ".join(f'"{word}"' for word in re.findall(r"[a-z0-9]+", name.casefold())) + ")"


def _is_allowed(standing: Standing, asked: Asked, facets: Facets) -> bool:
    hidden = standing.category != "science" and not facets.everything and standing.category not in asked.categories
    if hidden and not (standing.category == "ephemeris" and "position" in asked.quantities):
        return False
    if facets.mission and standing.mission.casefold() != facets.mission.casefold():
        return False
    if facets.quantity and facets.quantity not in standing.quantities:
        return False
    if facets.frame and facets.frame.upper() not in standing.frames:
        return False
    if facets.longest_cadence and (standing.cadence_s is None or standing.cadence_s > facets.longest_cadence.total_seconds()):
        return False
    return facets.span is None or (bool(standing.start) and _covering(standing, facets.span) > 0)


def _score(name: str, standing: Standing, asked: Asked, relevance: float, facets: Facets, weights: SearchWeights) -> float:
    score = relevance
    if asked.missions:
        score += weights.mission if standing.mission in asked.missions else -weights.mission
    else:
        score += _renown(standing.mission)
    for quantity in asked.quantities[:4]:
        share = standing.quantities.get(quantity, 0) / max(1, standing.parameters)
        share = max(share, weights.index_share) if share and quantity.endswith(" index") else share
        held = weights.quantity + weights.quantity_share * math.sqrt(share) if share else weights.no_quantity
        score += held * (1 if quantity == asked.quantities[0] else weights.later_quantity)
    score += _cadence(standing, asked, weights)
    score += weights.frame * len(asked.frames & set(standing.frames))
    score += weights.id_met * any(_squeezed(part) == _squeezed(name) for part in asked.ids)
    score += weights.id_word * min(2, len(set(re.split(r"[_.:-]", name.casefold())).intersection(asked.own)))
    score += weights.id_part * any(_squeezed(part) in _squeezed(name) for part in asked.ids)
    score += weights.not_science * (standing.category != "science" and standing.category not in asked.categories)
    score += weights.not_fetchable * (standing.archive != "cdaweb")
    score += weights.minor * bool(_MINOR.search(name)) * (not asked.wants_minor)
    score += weights.predicted * (standing.category == "ephemeris" and is_predicted(name)) * (not asked.wants_predicted)
    is_burst = "BRST" in name.upper() or "BURST" in name.upper()
    score += is_burst * (weights.burst if asked.wants_burst else weights.burst_unasked)
    score += weights.current * standing.is_current + min(weights.most_for_years, _years(standing) / 12)
    if facets.span or asked.span:
        score += weights.covered * _covering(standing, facets.span or asked.span)
    return score


def _cadence(standing: Standing, asked: Asked, weights: SearchWeights) -> float:
    if asked.is_high_resolution:
        return weights.high_resolution * (standing.cadence_s is not None and standing.cadence_s <= 1.1)
    if asked.cadence_s is None:
        return weights.usual_cadence * (standing.cadence_s is not None and 1 <= standing.cadence_s <= 3600)
    if standing.cadence_s is None:
        return 0.0
    distance = abs(math.log10(standing.cadence_s / asked.cadence_s))
    return weights.cadence_met if distance < 0.05 else weights.cadence_near - weights.cadence_decade * min(distance, 2.0)


def _renown(mission: str) -> float:
    """What a person means who names no mission: the monitors near the Earth, then the fleets of today."""
    first = {"OMNI": 4.0, "ACE": 3.0, "Wind": 3.0, "DSCOVR": 2.0, "Van Allen Probe A": 1.5, "MMS1": 1.5, "THEMIS-A": 1.5}
    return first.get(mission, 0.0)


def _covering(standing: Standing, span: TimeRange | None) -> float:
    """Share of a range that a dataset covers, as far as the catalog knows."""
    if span is None or not standing.start:
        return 1.0
    begins = max(standing.start, span.start.date().isoformat())
    stops = (
        span.stop.date().isoformat()
        if standing.is_current or not standing.stop
        else min(standing.stop, span.stop.date().isoformat())
    )
    covered = (datetime.fromisoformat(stops) - datetime.fromisoformat(begins)) / timedelta(days=1)
    return max(0.0, min(1.0, (covered + 1) / max(1.0, span.duration / timedelta(days=1))))


def _fit(parameter: ParameterFacts, asked: Asked) -> float:
    """How well a parameter answers the words themselves."""
    text = f"{parameter.name.replace('_', ' ')} {parameter.description}".casefold()
    quantity = str(parameter.quantity or "")
    fit = 3.0 * (quantity in asked.quantities) + sum(word in text for word in asked.plain)
    fit += 2.0 * (parameter.frame is not None and parameter.frame.value in asked.frames)
    fit += 0.5 * (parameter.quantity is not None and parameter.quantity.certainty == "likely" and fit > 0)
    return fit - 2.0 * (quantity in ("quality", "uncertainty"))


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def _years(standing: Standing) -> float:
    if not standing.start or not standing.stop:
        return 0.0
    return (datetime.fromisoformat(standing.stop) - datetime.fromisoformat(standing.start)) / timedelta(days=365)
