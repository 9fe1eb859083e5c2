"""Whom a CDF file names."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.archives.cdf.credit import credit_from_attributes, read_credit
from helio_dagster.archives.cdf.fast_file import PycdfppFile


def test_real_files_name_their_investigators(shared_data: Path) -> None:
    """As one reads it in the files with another tool: ACE in three entries, OMNI with a DOI as URL, Geotail."""
    ace = read_credit(PycdfppFile(next(shared_data.rglob("ac_h0_mfi_20230102_v07.cdf"))))
    assert (ace.pi, ace.affiliation, ace.doi) == ("N. Ness", "Bartol Research Institute", "")
    assert ace.title == "H0 - ACE Magnetic Field 16-Second Level 2 Data"
    assert ace.acknowledgement.startswith("Please acknowledge the Principal Investigator, N. Ness of Bartol Research Institute")
    omni = read_credit(PycdfppFile(next(shared_data.rglob("omni_coho1hr_merged_mag_plasma_20240901_v01.cdf"))))
    assert (omni.doi, omni.rules_of_use) == ("10.48322/6ffx-3441", "Public")
    geotail = read_credit(PycdfppFile(next(shared_data.rglob("ge_k0_cpi_19921231_v02.cdf"))))
    assert (geotail.pi, geotail.affiliation) == ("L. Frank", "U. Iowa")


@pytest.mark.parametrize("given", ["10.48322/e0dc-0h53", "doi:10.48322/e0dc-0h53", "https://doi.org/10.48322/e0dc-0h53."])
def test_a_doi_is_found_however_it_is_written(given: str) -> None:
    """Bare, with its scheme, as a URL."""
    assert credit_from_attributes({"DOI": [given]}).doi == "10.48322/e0dc-0h53"


def test_names_of_attributes_are_found_in_any_spelling() -> None:
    """Other case, a blank behind the name, the American spelling."""
    credit = credit_from_attributes({"pi_name ": ["A. Person"], "ACKNOWLEDGMENT": ["Thank ", "them."]})
    assert (credit.pi, credit.acknowledgement) == ("A. Person", "Thank them.")
