"""Format a citation as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping

from helio_dagster.launch.credit.citation import Citation, DatasetCredit

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\^{}",
    "~": r"\~{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
}
_ARCHIVES = {
    "cdaweb": "NASA Space Physics Data Facility, CDAWeb",
    "demo": "synthetic data of helio_dagster",
    "pds": "NASA Planetary Data System, Planetary Plasma Interactions node",
}


def to_bibtex(citation: Citation) -> str:
    """BibTeX entries for datasets, tables, operations and the software, as one text."""
    entries = [_dataset_entry(dataset) for dataset in citation.datasets]
    entries += [
        _entry("misc", f"table_{table.step}", {"title": f"Table {table.step}", "note": table.source})
        for table in citation.tables
    ]
    entries += [
        _entry(
            "misc",
            f"operation_{each.operation}",
            {"title": f"Operation {each.operation} of helio_dagster", "note": each.reference},
        )
        for each in citation.operations
    ]
    name, version = citation.software["name"], citation.software["version"]
    entries.append(_entry("misc", name, {"title": name, "note": f"Software, version {version}"}))
    return "\n\n".join(entries) + "\n"


def _dataset_entry(dataset: DatasetCredit) -> str:
    credit = dataset.credits[0] if dataset.credits else None
    notes = [f"Parameters {', '.join(dataset.parameters)}"]
    if credit is not None and not dataset.is_synthetic:
        notes += [credit.affiliation, credit.acknowledgement, credit.rules_of_use]
    return _entry(
        "misc",
        dataset.dataset,
        {
            "author": credit.pi if credit and not dataset.is_synthetic else "",
            "title": (credit.title if credit else "") or dataset.label or dataset.dataset,
            "howpublished": f"{_ARCHIVES.get(dataset.archive, dataset.archive)}, dataset {dataset.dataset}",
            "doi": (credit.doi if credit else "") or dataset.catalog_doi,
            "note": ". ".join(note.rstrip(". ") for note in notes if note),
        },
    )


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """One entry; an author is kept as a single name, as the archive writes it."""
    lines = [f"@{kind}{{{re.sub(r'[^A-Za-z0-9_:.-]', '_', key)},"]
    for name, value in fields.items():
        if value:
            text = value if name == "doi" else "".join(_SPECIAL.get(letter, letter) for letter in value)
            lines.append(f"  {name} = {{{{{text}}}}}," if name in ("author", "title") else f"  {name} = {{{text}}},")
    return "\n".join([*lines, "}"])
