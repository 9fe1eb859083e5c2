"""Whom to credit for a HAPI answer: contact and citation in its header, as the server says them."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.archives.cdf.credit import Credit, find_doi
from helio_dagster.archives.hapi.messages import printable
from helio_dagster.archives.hapi.records import split_header
from helio_dagster.domain.errors import CorruptFile


def read_hapi_credit(path: Path) -> Credit:
    """The credit that a stored answer gives.

    Raises
    ------
    CorruptFile
        It cannot be read, or has no header.
    """
    try:
        header, _ = split_header(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CorruptFile(f"not a readable HAPI answer ({type(error).__name__})", where=path.name) from error
    if header is None:
        raise CorruptFile("the answer has no header", where=path.name)
    return Credit(
        title=printable(header.description),
        pi=printable(header.contact),
        doi=find_doi(f"{header.citation} {header.resource}"),
        acknowledgement=printable(header.citation),
    )
