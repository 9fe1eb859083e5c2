"""What is known of a parameter by the others of its dataset: a cadence of its own, the unit of spectra that go together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.catalog.deriving import find_lengths, read_length
from helio_dagster.catalog.facts import ParameterFacts

_LAST_WORDS = re.compile(r"[(\[]([^()\[\]]{1,30})[)\]]\s*$")
_SPECTRUM = re.compile(r"_(?:energyspectr|pitchangdist)_", re.IGNORECASE)
_OVER_ALL = re.compile(r"_energyspectr_omni_", re.IGNORECASE)
"""MMS FPI writes the unit of its energy flux with the omnidirectional spectrum alone; the others are in the same."""


_FGM_MODE = re.compile(r"th[a-e]_fg(?P<mode>[slh])_")
_FGM_CADENCES = {"s": timedelta(seconds=3), "l": timedelta(seconds=1 / 4), "h": timedelta(seconds=1 / 128)}
"""THEMIS FGM: spin fits, low and high rate (Auster et al., 2008, Space Sci. Rev. 141), which the archive does not write."""


def spectrum_unit(rows: Iterable[tuple[str, str]]) -> str:
    """The unit that a dataset gives its omnidirectional spectrum, out of its parameters' names and units; else nothing."""
    return next((unit for name, unit in rows if unit and _OVER_ALL.search(name)), "")


def given_by(name: str, unit: str, shared: str) -> str:
    """The unit of a parameter: its own, or for a spectrum without one the one that the dataset's spectra share."""
    return unit or (shared if _SPECTRUM.search(name) else "")


def with_cadences(label: str, parameters: Sequence[ParameterFacts]) -> tuple[ParameterFacts, ...]:
    """The parameters of a dataset, each with the cadence in its last words where the label names several cadences.

    `3 sec, 1 min, and hourly` and a field `(1 hour)`: that field is hourly.
    """
    lengths = find_lengths(label)
    if any(_FGM_MODE.match(each.name) for each in parameters):
        return tuple(replace(each, cadence=_of_mode(each.name) or each.cadence) for each in parameters)
    if len(lengths) < 2:
        return tuple(parameters)
    return tuple(replace(each, cadence=_own_cadence(each, lengths)) for each in parameters)


def _own_cadence(parameter: ParameterFacts, lengths: frozenset[timedelta]) -> timedelta | None:
    found = _LAST_WORDS.search(parameter.description)
    length = read_length(found[1]) if found else None
    return length if length in lengths else None


def _of_mode(name: str) -> timedelta | None:
    found = _FGM_MODE.match(name)
    return _FGM_CADENCES[found["mode"]] if found else None
