"""Parameters that a request names as the archive does: `Proton_W_nonlin of WI_H1_SWE`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Dataset, Filler
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.quantities import QUANTITIES, VECTORS
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.did_you_mean import near_names

_JOINED = re.compile(r"[\s,]*(?:and|&)?\s*(?:of|from|in)?\s*", re.IGNORECASE)
_MOST_NEAR = 3
ASIDE = frozenset(("None", "quality", "uncertainty", "position"))
"""What the catalog calls parameters that are beside what a dataset is for."""


@dataclass(frozen=True)
class _Named:
    """A dataset that the request names, and the names of its parameters."""

    mention: Mention
    dataset: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class _Parameter(Mention):
    """Where the request names a parameter."""

    meaning: Measured


def with_named_parameters(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading with the names of parameters of its datasets understood; such a dataset is then no target by itself.

    Words that mean something without the dataset keep their meaning, as `Np` and `magnitude` do.

    Raises
    ------
    OpenQuestion
        What stands there like a name is none of a dataset named, nor a dataset.
    """
    datasets = list(_datasets(reading, catalog, archive))
    if not datasets:
        return reading
    free = [*reading.unknown, *reading.of(Dataset)]
    free = [each for each in free if each not in [one.mention for one in datasets]]
    found: list[_Parameter] = []
    used: list[Mention] = []
    for mention in free:
        for owner, name in _owners(mention, datasets, reading.request):
            quantity = _quantity_of(catalog, archive, owner.dataset, name)
            meaning = Measured((quantity,), dataset=owner.dataset, parameter=name)
            found.append(_Parameter(meaning, mention.first, mention.last, mention.words))
            used.append(owner.mention)
        if isinstance(mention.meaning, Dataset) and all(mention.first != each.first for each in found):
            raise _no_such_parameter(mention, datasets[-1], reading)
    if not found:
        return reading
    places = {each.first for each in found}
    kept = [replace(each, meaning=Filler()) if each in used else each for each in reading.mentions]
    heard = [each for each in reading.mentions if each.first not in places]
    names: dict[str, Measured] = {}
    for each in found:
        names.setdefault(each.words, each.meaning)
    heard = sorted([*heard, *found], key=lambda each: each.first)
    return replace(reading.with_meanings(found, kept), named=names, heard=tuple(heard))


def telling_parameters(catalog: KnownCatalog, archive: str, dataset: str) -> list[str]:
    """The parameters of a dataset that hold what it is for: those made by hand first, quality and the like left out."""
    entry, facts = catalog.dataset(archive, dataset), catalog.facts(archive, dataset)
    by_hand = [parameter.name for parameter in entry.parameters] if entry else []
    leading = [one.name for one in facts.parameters if str(one.quantity) not in ASIDE] if facts else []
    return list(dict.fromkeys([*by_hand, *leading]))


def _datasets(reading: Reading, catalog: KnownCatalog, archive: str) -> Iterator[_Named]:
    for mention in reading.mentions:
        if isinstance(mention.meaning, Dataset) and catalog.has(archive, mention.meaning.name):
            name = mention.meaning.name
            yield _Named(mention, name, tuple(catalog.parameter_names(archive, name)))


def _owners(mention: Mention, datasets: Sequence[_Named], request: str) -> list[tuple[_Named, str]]:
    """The datasets with a parameter of this name, and its name there: those next behind it, joined by `and`, else before it."""
    having = [(each, name) for each in datasets if (name := _same_name(mention.words, each.parameters)) is not None]
    before = [one for one in having if one[0].mention.first < mention.first]
    found: list[tuple[_Named, str]] = []
    for one in having[len(before) :]:
        if found and not _JOINED.fullmatch(request[found[-1][0].mention.last : one[0].mention.first]):
            break
        found.append(one)
    return found or before[-1:]


def _same_name(words: str, names: Sequence[str]) -> str | None:
    """The parameter of this name; capitals make no difference, unless two names differ in them only."""
    if words in names:
        return words
    alike = [name for name in names if name.casefold() == words.casefold()]
    return alike[0] if len(alike) == 1 and len(words) > 1 else None


def _quantity_of(catalog: KnownCatalog, archive: str, dataset: str, name: str) -> Quantity:
    """What a parameter is: as its entry made by hand says, else one of the vectors, else just itself."""
    entry = catalog.dataset(archive, dataset)
    by_hand = [each.quantity for each in entry.parameters if each.name == name] if entry else []
    if by_hand:
        return by_hand[0]
    facts = catalog.facts(archive, dataset)
    leading = facts.parameter(name) if facts else None
    if leading is None or leading.size != (3,) or leading.display.value != "time_series":
        return "other"
    return next((each for each in VECTORS if str(leading.quantity) in QUANTITIES[each].catalogued), "other")


def _no_such_parameter(mention: Mention, named: _Named, reading: Reading) -> OpenQuestion:
    near = near_names(mention.words, named.parameters, count=_MOST_NEAR)
    text = f"{named.dataset} has no parameter {mention.words!r}, and there is no such dataset. Which one do you mean?"
    return OpenQuestion(text, [reworded(reading, {mention: name}) for name in near])
