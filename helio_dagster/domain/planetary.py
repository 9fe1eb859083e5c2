"""Datasets of planetary missions at the PDS: how their ids are told from those of other archives."""

from __future__ import annotations

PDS_ARCHIVE = "pds"
_PREFIXES = ("pds3:", "urn:")


def is_planetary(dataset: str) -> bool:
    """Whether an id is one of the PDS."""
    return dataset.startswith(_PREFIXES)


def archive_of(dataset: str, archive: str) -> str:
    """The archive that a dataset of a catalog is fetched from; `archive` is that of all ids but the PDS's."""
    return PDS_ARCHIVE if is_planetary(dataset) and archive == "cdaweb" else archive


def without_kind(dataset: str) -> str:
    """A dataset's id without the kind of files that is chosen after an `@`."""
    return dataset.partition("@")[0] if is_planetary(dataset) else dataset
