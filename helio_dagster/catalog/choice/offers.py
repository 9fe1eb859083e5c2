"""What the catalog offers for a quantity of a mission, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from helio_dagster.catalog.choice.costs import is_too_sparse, offer_cost
from helio_dagster.catalog.choice.modes import MODE_WORDS, is_in_mode, of_high_resolution
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offer_making import aligned, offer_by_hand, offer_of
from helio_dagster.catalog.choice.parameter_reading import find_axis, find_kind, is_itself, likely_kind, may_be
from helio_dagster.catalog.choice.parameter_words import A_LENGTH
from helio_dagster.catalog.choice.quantities import (
    INDICES,
    MOMENTS,
    OF_THE_ORBIT,
    QUANTITIES,
    UNCATALOGUED,
    VECTORS,
    WHEREABOUTS,
)
from helio_dagster.catalog.choice.weights import OFFER, OfferWeights
from helio_dagster.catalog.deriving import without_remarks
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.fleets import member_of
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch, Facets, Hit
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.hapi_servers import qualified
from helio_dagster.domain.planetary import PDS_ARCHIVE, archive_of, is_planetary
from helio_dagster.domain.time_range import TimeRange

_LOOKED_AT, _ALL = 40, 1000
"""Datasets of a mission that are looked at, the best by the search; and all of them."""
_INSTRUMENTS_FOR: dict[Quantity, tuple[str, ...]] = {
    "magnetic_field": ("mag",),
    "electric_field": ("efield",),
    **dict.fromkeys(MOMENTS, ("plasma",)),
}
"""Kinds of instruments that measure a quantity, by the catalog's words."""
_RECEIVERS = ("waves", "radio_and_plasma_waves")
"""Instruments whose files tell where a source or a ray is, too: no position is taken from them."""
_FRAME_ORDER = ("GSE", "RTN", "GSM", "MSO", "VSO", "DSL", "SM")


class Offers:
    """The offers of one archive.

    Parameters
    ----------
    catalog
        The entries made by hand, and the snapshot behind them.
    search
        Finds datasets of the snapshot.
    archive
        Where pipelines fetch from; the snapshot is `cdaweb`'s.
    weights
        What speaks against an offer; other than the usual only where their effect is measured.
    """

    def __init__(self, catalog: KnownCatalog, search: CatalogSearch, archive: str, *, weights: OfferWeights = OFFER) -> None:
        self.catalog = catalog
        self.archive = archive
        self._search = search
        self._weights = weights
        self._searches: dict[str, CatalogSearch] = {}

    def find(
        self, asked: Asked, *, span: TimeRange | None = None, beyond: bool = True, all_datasets: bool = False
    ) -> list[Offer]:
        """The offers, the best first: those made by hand, then what the snapshot has, unless it is not to be looked into.

        Datasets of the PDS count where no other has data in the range, and those of HAPI servers where the PDS has none either.
        What is said not to be there must be looked for with `all_datasets`: else only the first of a mission are looked at.
        """
        return [offer for offer in self._all(asked, span, beyond, all_datasets) if not offer.is_silent]

    def silent(self, asked: Asked) -> list[Offer]:
        """What would be offered, had its instrument ever given data."""
        found = self._all(asked, None, beyond=True, all_datasets=True)
        return [offer for offer in found if offer.is_silent]

    def _all(self, asked: Asked, span: TimeRange | None, beyond: bool, all_datasets: bool) -> list[Offer]:
        if asked.parameter is not None:
            return list(self._named(asked, asked.parameter))
        by_hand = list(self._by_hand(asked))
        count = _ALL if all_datasets else _LOOKED_AT
        found = self._found(asked, span, count) if self.archive == "cdaweb" and beyond else []
        is_held = any(span is None or offer.share(span) > 0 for offer in (*by_hand, *found))
        if self.archive == "cdaweb" and beyond and not is_held:
            more = self._found(asked, span, count, planetary=True)
            is_held = any(span is None or offer.share(span) > 0 for offer in more)
            found = [*found, *more, *([] if is_held else self._on_servers(asked, span, count))]
        if asked.quantity in WHEREABOUTS and any(offer.nature == "orbit" for offer in found):
            by_hand = []  # they are carried along in files of measurements
        known = {(offer.dataset, offer.parameter) for offer in by_hand}
        offers = [*by_hand, *(offer for offer in found if (offer.dataset, offer.parameter) not in known)]
        offers.sort(key=lambda offer: is_too_sparse(offer.cadence, span) and offer.cadence != asked.cadence)
        return of_high_resolution(offers) if asked.mode == "high" else offers

    def likely(self, asked: Asked, *, span: TimeRange | None = None) -> list[Offer]:
        """What may be asked for, where `find` has nothing that surely is; the catalog's words alone tell."""
        if self.archive != "cdaweb" or asked.quantity in (*INDICES, *WHEREABOUTS) or asked.parameter is not None:
            return []
        ranked: list[tuple[float, int, Offer]] = []
        for name in QUANTITIES[asked.quantity].catalogued:
            ranked += self._ranked(asked, span, name, _ALL, is_sure=False)
        return [offer for _, _, offer in sorted(ranked, key=lambda each: each[:2])]

    def _named(self, asked: Asked, name: str) -> Iterator[Offer]:
        """The parameter of this name."""
        entry = self.catalog.dataset(self.archive, asked.dataset or "")
        if entry is not None and (by_hand := [each for each in entry.parameters if each.name == name]):
            yield offer_by_hand(entry, by_hand[0], self.archive)
            return
        facts = self._facts(asked.dataset or "")
        parameter = facts.parameter(name) if facts is not None and facts.is_fetchable else None
        if facts is not None and parameter is not None:
            yield aligned(offer_of(facts, parameter, asked.quantity, likely_kind(parameter)), entry)

    def last_known(self, offer: Offer) -> datetime | None:
        """The last data of an offer's dataset that the catalog's snapshot knows of; None where it tells none.

        Later ones may have come since, where the dataset still goes on.
        """
        facts = self._facts(offer.dataset)
        return facts.stop if facts is not None else None

    def unread(self, asked: Asked, span: TimeRange | None) -> list[DatasetFacts]:
        """Datasets that may hold what is asked for and whose parameters the catalog does not know."""
        kinds = _INSTRUMENTS_FOR.get(asked.quantity, ())
        if self.archive != "cdaweb" or not kinds:
            return []
        facets = Facets(mission=asked.mission, span=span)
        hits = self._search.search(f"{asked.mission} {' '.join(kinds)}", facets=facets, count=_ALL).hits
        found = [hit.dataset for hit in hits if not hit.dataset.parameters and hit.dataset.instrument_type in kinds]
        by_it = [each for each in found if asked.instrument is None or is_by(asked.instrument, each.dataset, each.instrument)]
        return [each for each in by_it if self._is_wanted(each, asked)]

    def unlabelled(self, mission: str, words: str, span: TimeRange | None) -> list[DatasetFacts]:
        """Planetary datasets called by a word of what is asked for, which are not offered: no label says what they hold.

        Words count by their first four letters, as labels shorten them: `Elec & Mag Wave Spectra`.
        """
        beginnings = {word[:4] for word in words.casefold().split() if len(word) >= 4}
        facets = Facets(mission=mission, span=span, everything=True)
        hits = (
            self._search.search(f"{mission} {words}", facets=facets, count=_LOOKED_AT).hits if self.archive == "cdaweb" else ()
        )
        unknown = [hit.dataset for hit in hits if hit.dataset.archive == PDS_ARCHIVE and not hit.dataset.is_fetchable]
        return [each for each in unknown if any(begun in each.label.casefold() for begun in beginnings)]

    def listed(self, mission: str, quantity: Quantity) -> list[DatasetFacts]:
        """The datasets that the catalog lists, of other archives too, whether or not they can be fetched."""
        found: list[DatasetFacts] = []
        for name in QUANTITIES[quantity].catalogued if self.archive == "cdaweb" else ():
            facets = Facets(mission=mission, quantity=name, everything=True)
            found += [hit.dataset for hit in self._search.search(f"{mission} {name}", facets=facets, count=5).hits]
        return found

    def found_by(self, words: str, facets: Facets) -> list[Hit]:
        """The datasets that words find, the best first, as far as they can be fetched."""
        found = self._search.search(words, facets=facets, count=_LOOKED_AT).hits if self.archive == "cdaweb" else ()
        return [hit for hit in found if hit.dataset.is_fetchable]

    def _by_hand(self, asked: Asked) -> Iterator[Offer]:
        if asked.species in ("electrons", "alphas") or asked.member:
            return
        entries = self.catalog.find(self.archive, mission=asked.mission, quantity=asked.quantity)
        if not entries and asked.quantity == "speed":
            entries = self.catalog.find(self.archive, mission=asked.mission, quantity="velocity")
        for dataset, parameter in entries:
            if asked.dataset not in (None, dataset.dataset):
                continue
            described = (dataset.dataset, dataset.instrument, parameter.name)
            is_meant = asked.mode is None or is_in_mode(asked.mode, dataset.dataset, f"{dataset.label} {parameter.name}")
            if is_meant and (asked.instrument is None or is_by(asked.instrument, *described)):
                yield offer_by_hand(dataset, parameter, self.archive)

    def _found(self, asked: Asked, span: TimeRange | None, count: int, *, planetary: bool = False) -> list[Offer]:
        ranked: list[tuple[float, int, Offer]] = []
        for name in QUANTITIES[asked.quantity].catalogued:
            ranked += self._ranked(asked, span, name, count, planetary=planetary)
        ranked.sort(key=lambda each: each[:2])
        by_hand = {dataset.dataset: dataset for dataset in self.catalog.datasets(self.archive)}
        return [aligned(offer, by_hand.get(offer.dataset)) for _, _, offer in ranked]

    def _on_servers(self, asked: Asked, span: TimeRange | None, count: int) -> list[Offer]:
        """What the snapshots of HAPI servers have of a mission."""
        ranked: list[tuple[float, int, Offer]] = []
        for archive in self.catalog.servers_of_missions.get(asked.mission, ()):
            search = self._searches.setdefault(archive, CatalogSearch(self.catalog.servers[archive]))
            for name in QUANTITIES[asked.quantity].catalogued:
                ranked += self._ranked(asked, span, name, count, server=(archive, search))
        return [offer for _, _, offer in sorted(ranked, key=lambda each: each[:2])]

    def _ranked(
        self,
        asked: Asked,
        span: TimeRange | None,
        name: str,
        count: int,
        *,
        is_sure: bool = True,
        planetary: bool = False,
        server: tuple[str, CatalogSearch] | None = None,
    ) -> Iterator[tuple[float, int, Offer]]:
        """What is catalogued as a quantity, by a HAPI server where one is given, with what speaks against it."""
        archive, search = server or ("", self._search)
        facets = Facets(mission=asked.mission, quantity=None if name == UNCATALOGUED else name)
        name_in_words = asked.quantity if name == UNCATALOGUED else name
        about = (
            asked.species or "proton" if asked.quantity in MOMENTS else "ephemeris" if asked.quantity in OF_THE_ORBIT else ""
        )
        words = " ".join([asked.mission, about, name_in_words, *([MODE_WORDS[asked.mode]] if asked.mode else [])])
        for rank, hit in enumerate(search.search(words, facets=facets, count=count).hits):
            if is_planetary(hit.dataset.dataset) != planetary:
                continue
            facts = self._facts(qualified(archive, hit.dataset.dataset) if archive else hit.dataset.dataset)
            if facts is None or not self._is_wanted(facts, asked):
                continue
            entry = self.catalog.dataset(self.archive, facts.dataset)
            is_for_else = entry is not None and all(each.kind == "spectrogram" for each in entry.parameters)
            more = self._weights.for_spectrograms * is_for_else + self._weights.rank * rank
            found = _offers(facts, name, asked, span, self._weights, is_sure=is_sure)
            yield from ((cost + more, rank, offer) for cost, offer in found)

    def _facts(self, dataset: str) -> DatasetFacts | None:
        return self.catalog.facts(archive_of(dataset, self.archive), dataset)

    def _is_wanted(self, facts: DatasetFacts, asked: Asked) -> bool:
        name = facts.dataset.upper()
        if not facts.is_fetchable or asked.dataset not in (None, facts.dataset):
            return False
        if facts.nature == "events" or (asked.quantity in WHEREABOUTS and facts.instrument_type in _RECEIVERS):
            return False
        return not asked.member or asked.member.lstrip("0") == member_of(name, facts.label)


def _offers(
    facts: DatasetFacts, name: str, asked: Asked, span: TimeRange | None, weights: OfferWeights, *, is_sure: bool
) -> Iterator[tuple[float, Offer]]:
    """The parameters of a dataset that measure what is asked for, or may, each with what speaks against it."""
    fits = is_itself if is_sure else may_be
    for place, parameter in enumerate(facts.parameters):
        if str(parameter.quantity) != name:
            continue
        described = (facts.dataset, facts.instrument, parameter.name)
        if asked.instrument is not None and not is_by(asked.instrument, *described):
            continue
        words = f"{facts.label} {parameter.name} {parameter.description}"
        if asked.mode is not None and not is_in_mode(asked.mode, facts.dataset, words):
            continue
        kind = find_kind(parameter, asked.quantity)
        if kind is None or not fits(facts, parameter, asked.quantity, asked.species):
            continue
        text = f"{parameter.name} {without_remarks(parameter.description)}"
        axis = find_axis(parameter, asked.quantity) if kind == "series" else None
        if (
            is_sure
            and kind == "series"
            and axis is None
            and asked.quantity in VECTORS
            and not _is_number(asked, parameter, text)
        ):
            continue
        if kind == "series" and axis is not None and asked.quantity == "speed":
            continue
        if asked.quantity == "speed" and name == "velocity" and kind == "series":
            continue
        quantity: Quantity = "velocity" if kind == "vector" and asked.quantity == "speed" else asked.quantity
        offer = offer_of(facts, parameter, quantity, kind, axis)
        yield offer_cost(offer, parameter, asked, span, weights) + weights.place * place, offer


def _is_number(asked: Asked, parameter: ParameterFacts, text: str) -> bool:
    """Whether a number stands for a vector: its length, or the electric field that OMNI computes."""
    return A_LENGTH.search(text) is not None or (asked.quantity == "electric_field" and parameter.name == "E")


def overlapping(offers: Sequence[Offer], span: TimeRange | None) -> list[Offer]:
    """Those that have data in a range; all of them where none has, or no range is named.

    Where none has, one of which is known why there are none comes first: it tells the most.
    """
    found = [offer for offer in offers if span is None or offer.share(span) > 0]
    return found or sorted(offers, key=lambda each: not each.silences)


def rank_of(offers: Sequence[Offer]) -> Callable[[Offer], tuple[bool, int, int]]:
    """How vectors are ranked: made by hand first, then the usual frames, then the catalog's order."""

    def rank(offer: Offer) -> tuple[bool, int, int]:
        frame = _FRAME_ORDER.index(offer.frame) if offer.frame in _FRAME_ORDER else len(_FRAME_ORDER)
        return not offer.is_by_hand, frame, offers.index(offer)

    return rank


def in_usual_order(offers: Sequence[Offer], quantity: Quantity) -> list[Offer]:
    """The offers as a plan takes them where nothing is said of shape and frame: of a vector quantity the vectors first."""
    vectors = [offer for offer in offers if offer.kind == "vector"] if quantity in VECTORS else []
    by_hand = [offer for offer in offers if offer.is_by_hand]
    if by_hand and not any(offer.kind == "vector" for offer in by_hand):
        vectors = []
    ranked = sorted(vectors, key=rank_of(offers))
    return [*ranked, *(offer for offer in offers if offer not in ranked)]
