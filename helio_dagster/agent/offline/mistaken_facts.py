"""Parameters that the catalog's snapshot takes for error bars because they are said to come without: put right by their words.

What is offered of a dataset is decided in `offers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from helio_dagster.catalog.facts import DatasetFacts, Derived, ParameterFacts

MISTAKEN = "uncertainty"
"""What the snapshot takes them for."""
_WITHOUT = re.compile(r"\s*\((?:w/o error bars|no error bars displayed)\)\s*", re.IGNORECASE)
_QUANTITIES = (
    ("density", re.compile("density", re.IGNORECASE)),
    ("velocity", re.compile("velocity", re.IGNORECASE)),
    ("temperature", re.compile("temperature", re.IGNORECASE)),
)
_FRAME = re.compile("_(GSE|GSM|RTN)$")


def mended(facts: DatasetFacts) -> DatasetFacts:
    """The dataset with only those parameters that were mistaken, as what they are.

    A unit stays as it was read: what a file says of it is not known to be better.
    """
    return replace(facts, parameters=tuple(_mended(facts)))


def _mended(facts: DatasetFacts) -> Iterator[ParameterFacts]:
    for parameter in facts.parameters:
        if str(parameter.quantity) != MISTAKEN or not _WITHOUT.search(parameter.description):
            continue
        description = _WITHOUT.sub(" ", parameter.description).strip()
        quantity = next((name for name, pattern in _QUANTITIES if pattern.search(description)), None)
        if quantity is None:
            continue
        frame = _FRAME.search(parameter.name)
        yield replace(
            parameter,
            description=description,
            quantity=Derived(quantity, "description", "guess"),
            frame=parameter.frame or (Derived(frame[1], "name", "likely") if frame else None),
        )
