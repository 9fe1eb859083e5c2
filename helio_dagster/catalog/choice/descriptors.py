"""Words that describe a dataset or parameter as the catalog does: `fast`, `MIT`, `VIM`, `zonal`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.known import KnownCatalog

_LEAST = 3
_TOKENS = re.compile(r"[a-z]+|[0-9]+")


def describing(words: Sequence[str], offers: Sequence[Offer], catalog: KnownCatalog, archive: str) -> list[str]:
    """Those of the words that the catalog uses for one of the offers."""
    texts = [offer_text(offer, catalog, archive) for offer in offers]
    return [word for word in words if any(is_named_in(word, text) for text in texts)]


def best_described(words: Sequence[str], offers: Sequence[Offer], catalog: KnownCatalog, archive: str) -> list[Offer]:
    """The offers that hold the most of the words, in their order; all of them where none holds any."""
    texts = [offer_text(offer, catalog, archive) for offer in offers]
    held = [sum(is_named_in(word, text) for word in words) for text in texts]
    most = max(held, default=0)
    return [offer for offer, count in zip(offers, held, strict=True) if count == most]


def offer_text(offer: Offer, catalog: KnownCatalog, archive: str) -> str:
    """What the catalog says of an offer: id, label, instrument, and the parameter."""
    facts = catalog.facts(archive, offer.dataset)
    parameter = facts.parameter(offer.parameter) if facts else None
    description = f"{facts.label} {facts.instrument}" if facts else f"{offer.label} {offer.instrument}"
    return f"{offer.dataset} {description} {offer.parameter} {parameter.description if parameter else ''}"


def is_named_in(word: str, text: str) -> bool:
    """Whether a text has a word: a part of it that begins so, or, of a short word or one with a digit, that is just that."""
    folded, description = word.casefold(), text.casefold()
    parts = _TOKENS.findall(folded)
    if len(folded) < _LEAST or any(part.isdigit() for part in parts):
        return bool(parts) and re.search(rf"(?<![a-z0-9]){re.escape(folded)}(?![a-z0-9])", description) is not None
    stems = [part.removesuffix("s") if len(part) > _LEAST else part for part in parts]
    return bool(stems) and all(re.search(rf"(?<![a-z]){stem}", description) for stem in stems)
