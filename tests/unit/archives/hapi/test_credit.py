"""Whom a HAPI answer names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helio_dagster.archives.hapi.credit import read_hapi_credit
from helio_dagster.domain.errors import CorruptFile

SAID = {
    "description": "Magnetic field",
    "contact": "N. Ness",
    "citation": "Smith et al. 1998, https://doi.org/10.1023/A:1005092216668.",
    "parameters": [],
}


def test_contact_and_citation_are_the_credit(tmp_path: Path) -> None:
    """As the header says them, with the DOI found in it."""
    path = tmp_path / "chunk"
    path.write_bytes(f"#{json.dumps(SAID)}\n2020Z,1\n".encode())
    credit = read_hapi_credit(path)
    assert (credit.title, credit.pi, credit.doi) == ("Magnetic field", "N. Ness", "10.1023/A:1005092216668")
    assert credit.acknowledgement == SAID["citation"]


@pytest.mark.parametrize("body", [None, b"2020Z,1\n", b"#{\n", b""])
def test_an_answer_that_says_nothing_is_no_credit(tmp_path: Path, body: bytes | None) -> None:
    """Not here, without header, or torn."""
    path = tmp_path / "chunk"
    if body is not None:
        path.write_bytes(body)
    with pytest.raises(CorruptFile):
        read_hapi_credit(path)
