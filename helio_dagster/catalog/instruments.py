"""What instruments are called: by the parts of dataset ids and parameter names, and by the synonyms of `instruments.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_PARTS = re.compile(r"[_ /,.@-]+")
_LOUD_WORDS = """
step radio winds sweep see vis sep sem sis moments mom static sta pla rap rapid hyd tim cam bai epi glg swp fld wav waves let
pls
"""
_LOUD = frozenset(_LOUD_WORDS.split())
"""Names that are taken for one only in capitals."""


def instruments_of(dataset: str) -> list[str]:
    """The instruments that the parts of an id name."""
    return list(dict.fromkeys(name for _, name, _ in _rows_of(dataset)))


def called_as(dataset: str) -> list[str]:
    """All that the instruments which the parts of an id name are called."""
    return [word for _, name, others in _rows_of(dataset) for word in (name, *others)]


@cache
def instrument_words() -> frozenset[str]:
    """The single words that name instruments, in upper case: as in ids, and as people say them."""
    names = [word for row, name, _ in _rows() for word in (row.rpartition("_")[2], name)]
    return frozenset(name.upper() for name in names if name.isalnum() and name != "moments")


def instrument_names() -> Iterable[tuple[str, tuple[str, ...]]]:
    """Each instrument's name, and what else it is called."""
    return [(name, others) for _, name, others in _rows()]


@cache
def instrument_pattern() -> str:
    """A pattern of all that instruments are called, the longest first."""
    names = {word.casefold() for row, name, others in _rows() for word in (row.rpartition("_")[2], name, *others)}
    forms = sorted(names, key=lambda name: (-len(name), name))
    quiet = "|".join(re.escape(name).replace("\\ ", " ") for name in forms if name not in _LOUD)
    loud = "|".join(name.upper() for name in forms if name in _LOUD)
    return rf"{quiet}|(?-i:{loud})"


def is_loud(name: str) -> bool:
    """Whether a name is that of an instrument in capitals only: `let me see`."""
    return name.casefold() in _LOUD


def is_magnetometer(name: str) -> bool:
    """Whether an instrument measures the magnetic field and nothing else."""
    return any(name.upper() == each.upper() and "magnetometer" in " ".join(others) for _, each, others in _rows())


def is_by(wanted: str, dataset: str, instrument: str, parameter: str = "") -> bool:
    """Whether data come from an instrument: `MFI`, `faraday cup`, or `CIS-HIA`, of which each part must be found.

    Parameters
    ----------
    wanted
        What it is called.
    dataset, instrument, parameter
        An id, the instruments that the catalog gives it, and the name of a parameter, which may say more than the id.
    """
    names = {*_names_of(dataset, instrument), *_PARTS.split(parameter.upper())}
    folded = wanted.upper()
    return folded in names or all(part in names for part in folded.split("-"))


def id_parts(datasets: Iterable[str]) -> frozenset[str]:
    """The parts of ids behind the mission, in upper case: what an archive calls its instruments, and their products."""
    return frozenset(part for dataset in datasets for part in _PARTS.split(dataset.upper())[1:])


@cache
def _names_of(dataset: str, instrument: str) -> frozenset[str]:
    called = [word for _, name, others in _rows_of(dataset) for word in (name, *name.split(), *others)]
    return frozenset([*_PARTS.split(f"{dataset} {instrument}".upper()), *(word.upper() for word in called)])


def _rows_of(dataset: str) -> list[tuple[str, str, tuple[str, ...]]]:
    first, *parts = re.split(r"[_.-]", dataset.upper())
    known = {row: (row, name, others) for row, name, others in _rows()}
    found = [known.get(f"{first}_{part}") or known.get(part) for part in parts]
    return [row for row in found if row is not None]


@cache
def _rows() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    text = files(__package__).joinpath("instruments.txt").read_text(encoding="utf-8")
    rows = [[part.strip() for part in line.split("|")] for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((word, name, tuple(each.strip() for each in other.split(",") if each.strip())) for word, name, other in rows)
