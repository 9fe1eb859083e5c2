"""Data that an instrument and words of the catalog name where no quantity known here does: `SWAVES HFR`, `tha peir`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.operation_order import SPECTRAL
from helio_dagster.agent.drafting.questions import NothingMeasured
from helio_dagster.agent.offline.catalog_suggestions import described
from helio_dagster.agent.offline.clauses import clauses, measured_in
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Asks, Dataset, Filler, Heading, Instrument, Length, Mission, Unclear
from helio_dagster.agent.offline.named_parameters import ASIDE, telling_parameters
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import NoQuantity
from helio_dagster.agent.offline.vocabulary import weighty_words
from helio_dagster.agent.offline.weight import in_circumstance
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.descriptors import is_named_in
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_words import OF_ALL_DIRECTIONS
from helio_dagster.catalog.choice.quantities import INDICES, MOMENTS, QUANTITIES
from helio_dagster.catalog.facts import ParameterFacts
from helio_dagster.catalog.fleets import member_of
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.searching import Facets, Hit
from helio_dagster.domain.catalog_entry import Quantity

_LOOKED_AT = 3
_MOST_LINES = 12
"""Channels that are drawn in one panel."""
_MOST_OFFERED = 5
_FIELD_SPECTRA: dict[str, Quantity] = {"electric_field": "electric_spectrum", "magnetic_field": "magnetic_spectrum"}
_MINOR = frozenset(("count rate", "charge state", "image"))
"""Quantities that are not meant where a dataset has another one."""
_QUIET = frozenset(
    re.findall("[a-z]+", "spectrogram spectrograms spectra spectrum flux fluxes data energy dynamic omni channel channels")
)
_PARTICLES = {
    word: re.compile(pattern, re.IGNORECASE)
    for word, pattern in (
        ("electron", r"electron|(?<![a-z])e-|^d?e"),
        ("proton", r"proton|(?<![a-z])h\+|ion"),
        ("ion", "ion|proton"),
        ("alpha", "alpha|helium|he"),
    )
}
"""How parameters of these particles are called or described."""


@dataclass(frozen=True)
class _Choice:
    """A dataset, and its parameters that fit equally well."""

    hit: Hit
    parameters: Sequence[ParameterFacts]


def with_picked_data(asked: OpenQuestion, reading: Reading, offers: Offers) -> tuple[str, str] | None:
    """The request with the parameter that the catalog has for its words, and what to say of it; None where none is clear.

    Raises
    ------
    OpenQuestion
        One dataset answers, with several parameters that may be meant.
    """
    replaced = _replaced(asked, reading)
    if not replaced:
        return None
    choice = _choice(reading, replaced, offers)
    if choice is None:
        return None
    dataset, words = choice.hit.dataset.dataset, " ".join(each.words for each in replaced)
    again = [_instead(reading, replaced, f"{each.name} of {dataset}") for each in choice.parameters]
    leading = [described(choice.hit, each.name, each) for each in choice.parameters]
    if any(each.display.value != "spectrogram" for each in choice.parameters[1:]):
        if asked.sort == "particles":
            return None
        if all_of_it := form("picked.all_channels").search(reading.request):
            channels, rest = _of_one_kind(choice.parameters)
            listed = " and ".join(f"{each.name} of {dataset}" for each in channels)
            taken = f"{channels[0].name} to {channels[-1].name} of {dataset}"
            words = f"{all_of_it[0].strip(' ,')!r} are taken as {taken}, in one panel."
            words += f" There are also {', '.join(each.name for each in rest[:_MOST_OFFERED])}." if rest else ""
            whole = form("picked.all").sub("", form("picked.all_channels").sub("all", _instead(reading, replaced, listed)))
            return f"{whole}, in one panel", words
        text = f"{dataset} has several parameters for {words!r}. Which one do you want?"
        question = OpenQuestion(text, again[:_MOST_OFFERED])
        question.remarks = dict(zip(question.question.choices, leading, strict=False))
        raise question
    others = [each.name for each in choice.parameters[1 : _MOST_OFFERED + 1]]
    also = f" The dataset has {', '.join(others)}, too." if others else ""
    return again[0], f"{words!r} is taken as {leading[0]}.{also}"


def _of_one_kind(parameters: Sequence[ParameterFacts]) -> tuple[Sequence[ParameterFacts], Sequence[ParameterFacts]]:
    """The parameters that are described as the first one is, where they are too many for one panel, and the others."""
    if len(parameters) <= _MOST_LINES:
        return parameters, ()
    kinds = [form("picked.parts").split(each.description.casefold())[1:2] for each in parameters]
    of_it = [each for each, kind in zip(parameters, kinds, strict=True) if kind == kinds[0]][:_MOST_LINES]
    return of_it, [each for each in parameters if each not in of_it]


def _replaced(asked: OpenQuestion, reading: Reading) -> list[Mention]:
    """The words that name the data: spacecraft, instrument, one quantity, what is not understood; none if that is not clear."""
    named = reading.of(Mission, Instrument)
    missions = reading.all(Mission)
    others = (Dataset, Derived, Asks, Pairing, Length)
    spectra = reading.of(Transform)
    particles = reading.of(Unclear)
    wanted = [
        each
        for each in reading.mentions
        if isinstance(each.meaning, Measured) and not set(each.meaning.quantities) <= set(INDICES)
    ]
    unknown = [each for each in reading.unknown if not isinstance(each.meaning, Heading) and not in_circumstance(each, reading)]
    if len(missions) != 1 or any(map(reading.all, others)) or reading.named:
        return []
    if len(wanted) + len(particles) > 1:
        return _in_its_clause(asked, reading) if isinstance(asked, NothingMeasured) else []
    if any(each.meaning.operation not in SPECTRAL for each in spectra if isinstance(each.meaning, Transform)):
        return []
    if any(isinstance(each.meaning, Unclear) and each.meaning.sort != "particles" for each in particles) or not _may_be_picked(
        asked, unknown, reading
    ):
        return []
    if any(isinstance(each.meaning, Measured) and (each.meaning.axis or each.meaning.shape) for each in wanted):
        return []
    fillers = reading.of(Filler)
    found = sorted([*named, *wanted, *particles, *spectra, *unknown], key=lambda each: each.first)
    inside = [each for each in fillers if found and found[0].first < each.first < found[-1].first]
    joins = [each for each in inside if re.search(r"\band\b|[&+]", each.words)]
    return [] if joins and not reading.all(Measured) else found


def _in_its_clause(asked: NothingMeasured, reading: Reading) -> list[Mention]:
    """The quantity that is missing and the instrument beside it, where every other quantity has its own instrument."""
    kinds = (Instrument, Measured)
    parts = [[each for each in clause if isinstance(each.meaning, kinds)] for clause in clauses(reading)]
    parts = [each for each in parts if each]
    if any(len(each) != 2 or {type(one.meaning) for one in each} != set(kinds) for each in parts):
        return []
    return next((each for each in parts if any(asked.quantity in measured_in([one]) for one in each)), [])


def _may_be_picked(asked: OpenQuestion, unknown: Sequence[Mention], reading: Reading) -> bool:
    """Whether the words are names of data and nothing else: no number, negation or limit among them."""
    known = weighty_words() - _QUIET
    if any(part in known for each in unknown for part in re.split("[-/]", each.words.casefold())):
        return False
    if any(re.match(r"[\d.<>=±~+-]", each.words) for each in unknown):
        return False
    if isinstance(asked, NothingMeasured):
        return not asked.is_about_time and bool(reading.all(Instrument))
    is_open = isinstance(asked, NoQuantity | NotUnderstood) or asked.sort == "particles"
    return is_open and (bool(reading.all(Instrument)) or bool(unknown))


def _choice(reading: Reading, replaced: Sequence[Mention], offers: Offers) -> _Choice | None:
    """The first dataset that is by each instrument, covers the time and has each word, and its parameters that fit best."""
    mission = reading.all(Mission)[0]
    facets = Facets(mission=mission.name, span=reading.span)
    names = [each.meaning.name for each in replaced if isinstance(each.meaning, Instrument)]
    words = [
        each.words
        for each in replaced
        if isinstance(each.meaning, Filler)
        and each.words.casefold() not in _QUIET
        and not form("picked.spectrum").fullmatch(each.words)
    ]
    found: list[_Choice] = []
    for hit in offers.found_by(" ".join([mission.name, *(each.words for each in replaced)]), facets)[:_LOOKED_AT]:
        dataset = hit.dataset
        if hit.covers is False or (mission.member and member_of(dataset.dataset.upper(), dataset.label) != mission.member):
            continue
        of_dataset = f"{dataset.dataset} {dataset.label} {dataset.instrument}"
        if any(not is_by(each, dataset.dataset, dataset.instrument) and not is_named_in(each, of_dataset) for each in names):
            continue
        fitting = _fitting(reading, replaced, words, of_dataset, _known(dataset.dataset, offers))
        names_of = {
            part for each in fitting[:1] for part in form("picked.parts").split(f"{dataset.dataset} {each.name}".casefold())
        }
        if fitting and (names or any(word.replace("-", "").casefold() in names_of for word in words)):
            found.append(_Choice(hit, fitting))
    of_moments = any(isinstance(each.meaning, Measured) and MOMENTS & set(each.meaning.quantities) for each in replaced)
    if of_moments and len({each.parameters[0].name for each in found}) > 1:
        return None  # a temperature of one level, and another of the next: which one is not for the search to say
    return found[0] if found else None


def _known(dataset: str, offers: Offers) -> list[ParameterFacts]:
    """The parameters that hold what a dataset is for and are known by what they are."""
    facts = offers.catalog.facts(offers.archive, dataset)
    leading = [facts.parameter(name) for name in telling_parameters(offers.catalog, offers.archive, dataset)] if facts else []
    return [each for each in leading if each is not None and each.quantity is not None and str(each.quantity) not in ASIDE]


def _fitting(
    reading: Reading, replaced: Sequence[Mention], words: Sequence[str], of_dataset: str, parameters: Sequence[ParameterFacts]
) -> list[ParameterFacts]:
    """The parameters that have each word not told of their dataset, of the quantity and kind that is said."""
    is_spectrum = form("picked.spectrum").search(reading.request) is not None
    special = [
        each for each in words if not is_named_in(each.replace("-", ""), of_dataset) and not is_named_in(each, of_dataset)
    ]
    found = [each for each in parameters if all(is_named_in(word, f"{each.name} {each.description}") for word in special)]
    wanted = [quantity for each in replaced if isinstance(each.meaning, Measured) for quantity in each.meaning.quantities]
    if wanted:
        wanted = [_FIELD_SPECTRA.get(each, each) if is_spectrum else each for each in wanted]
        kinds = {kind for each in wanted for kind in QUANTITIES[each].catalogued}
        kinds |= {"speed"} if "velocity" in wanted else set()  # of its components
        found = [each for each in found if str(each.quantity) in kinds]
    found = [each for each in found if str(each.quantity) not in _MINOR] or found
    if is_spectrum:
        found = [each for each in found if each.display.value == "spectrogram"] or found
    for word, pattern in _PARTICLES.items():
        if re.search(rf"\b{word}s?\b", reading.request, re.IGNORECASE):
            found = [each for each in found if pattern.search(f"{each.name} {each.description} {each.quantity}")]
            if not form("picked.mixed").search(reading.request):
                found = [each for each in found if not form("picked.mixed").search(each.description)]
    names = [each.name for each in found]
    found = [each for each in found if not any(re.match(rf"{re.escape(other)}(?:_|Q$)", each.name) for other in names)]
    whole = [each for each in found if OF_ALL_DIRECTIONS.search(each.description)] if is_spectrum else []
    return sorted(found, key=lambda each: (each.display.value != "spectrogram", each not in whole))


def _instead(reading: Reading, replaced: Sequence[Mention], words: str) -> str:
    """The request with a parameter in place of the words that name it."""
    return reworded(reading, {**dict.fromkeys(replaced, ""), replaced[0]: words})
