"""Whom to credit for a CDF file: investigator, DOI, acknowledgement, from its ISTP global attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helio_dagster.archives.cdf.raw import RawFile

_DOI = re.compile(r"10\.\d{4,9}/\S+")


@dataclass(frozen=True)
class Credit:
    """What a file says of those who made it, as it says it; empty where it says nothing.

    `doi` begins with `10.`; `text` is the file's own description, often with references to the instrument's paper.
    `data_version` is of the file alone: two credits that differ in it are equal.
    """

    title: str = ""
    pi: str = ""
    affiliation: str = ""
    doi: str = ""
    acknowledgement: str = ""
    rules_of_use: str = ""
    text: str = ""
    data_version: str = field(default="", compare=False)


def read_credit(file: RawFile) -> Credit:
    """The credit that an opened CDF file gives."""
    return credit_from_attributes(file.global_texts())


def credit_from_attributes(attributes: Mapping[str, Sequence[str]]) -> Credit:
    """The credit in ISTP global attributes, whose names are compared without regard to case and blanks."""
    found = {name.strip().casefold(): " ".join(" ".join(entries).split()) for name, entries in attributes.items()}
    return Credit(
        title=found.get("logical_source_description") or found.get("title", ""),
        pi=found.get("pi_name", ""),
        affiliation=found.get("pi_affiliation", ""),
        doi=find_doi(found.get("doi", "")),
        acknowledgement=next((found[name] for name in _ACKNOWLEDGEMENT if found.get(name)), ""),
        rules_of_use=found.get("rules_of_use", ""),
        text=found.get("text", ""),
        data_version=found.get("data_version", ""),
    )


def find_doi(text: str) -> str:
    """The first DOI in a text, from `10.` on; empty where there is none."""
    doi = _DOI.search(text)
    return doi[0].rstrip(".,;") if doi else ""


_ACKNOWLEDGEMENT = ("acknowledgement", "acknowledgment", "acknowledgements", "acknowledgments")
