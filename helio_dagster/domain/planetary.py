"""Names of datasets of several archives in one catalog: those of the PDS and of HAPI servers show where they are from."""

from __future__ import annotations

from helio_dagster.domain.hapi_servers import split_qualified

PDS_ARCHIVE = "pds"
_PREFIXES = ("pds3:", "urn:")


def is_planetary(dataset: str) -> bool:
    """Whether an id is one of the PDS."""
    return dataset.startswith(_PREFIXES)


def archive_of(dataset: str, archive: str) -> str:
    """The archive that a dataset of a catalog is fetched from; `archive` is that of all ids but the PDS's and of servers."""
    if server := split_qualified(dataset)[0]:
        return server
    return PDS_ARCHIVE if is_planetary(dataset) and archive == "cdaweb" else archive


def id_in_archive(dataset: str) -> str:
    """A dataset's id as its archive has it: without the server that a name such as `hapi:vires/GRACE_A_MAG` begins with."""
    return split_qualified(dataset)[1]


def without_kind(dataset: str) -> str:
    """A dataset's id without the kind of files that is chosen after an `@`."""
    return dataset.partition("@")[0] if is_planetary(dataset) else dataset
