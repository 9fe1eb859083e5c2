"""What the catalog adds to datasets of the PDS, and where the archive finds them."""

from __future__ import annotations

import pytest

from helio_dagster.archives.pds.places import place_of
from helio_dagster.catalog.assembling import parameter_facts
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.planetary import with_vectors
from helio_dagster.domain.errors import UnknownDataset
from helio_dagster.domain.planetary import archive_of, is_planetary
from tests.shipped_catalog import shipped_database


def _joined(*names: str, unit: str = "nT", description: str = "magnetic field") -> list[str]:
    rows = [{"name": name, "description": f"{description} {name}", "units": unit} for name in names]
    return [one.name for one in with_vectors([parameter_facts(row) for row in rows]) if one.size == (3,)]


_VECTORS = ("BX,BY,BZ", "B_R,B_T,B_N", "BR,BTHETA,BPHI", "BX GSE,BY GSE,BZ GSE", "Bx,By,Bz")
_NO_VECTORS = ("BX,BZ,BY", "BX,BY GSE,BZ", "BX,BY", "B1,B2,B3", "BR,BY,BPHI")


@pytest.mark.parametrize("names", _VECTORS)
def test_components_in_a_row_are_a_vector(names: str) -> None:
    """Named by them, in every way that labels write axes."""
    assert _joined("TEMP", *names.split(","), "NPTS") == [names]


@pytest.mark.parametrize("names", _NO_VECTORS)
def test_what_is_no_vector(names: str) -> None:
    """Another order, names that differ in more than the axis, two alone."""
    assert _joined(*names.split(",")) == []


@pytest.mark.slow
def test_all_datasets_have_a_place_and_say_why_they_are_not_offered() -> None:
    """1,171 ids; 717 with parameters are offered, the rest say why not."""
    database = shipped_database()
    names = [name for name in database.names() if is_planetary(name)]
    assert len(names) == 1171
    assert all(place_of(name).folder.startswith(("/data/", "/annex/")) for name in names)
    facts = [found for name in names if (found := database.dataset(name))]
    assert len([one for one in facts if one.is_fetchable]) == 717
    assert all("no label" in one.why_not for one in facts if not one.is_fetchable)


def test_where_datasets_are() -> None:
    """By the rule, by the exceptions, and with a kind of files."""
    assert place_of("urn:nasa:pds:maven.mag.calibrated:data.ss").folder == "/data/maven-mag-calibrated/data/ss/"
    assert (
        place_of("pds3:CO-E/J/S/SW-CAPS-2-UNCALIBRATED-V1.0:DATA").folder == "/data/CO-E_J_S_SW-CAPS-2-UNCALIBRATED-V1.0/DATA/"
    )
    assert place_of("urn:nasa:pds:mess-mag-calibrated:data-mso").folder == "/data/mess-mag-calibrated/data/mso/"
    assert place_of("urn:nasa:pds:vg1-pls-jup:data-ion-l-mode-96s").folder == "/data/vg1-pls-jupiter/data-ion-l-mode-96s/"
    assert place_of("pds3:JNO-J-3-FGM-CAL-V1.0:DATA@PC_r1s").kind == "pc_r1s"
    for wrong in ("AC_H0_MFI", "urn:nasa:pds:one", "pds3:../../etc", "pds3:A:B/../C"):
        with pytest.raises(UnknownDataset):
            place_of(wrong)


def test_what_checks_ask_of_the_catalog() -> None:
    """A dataset with a kind is known as the one without; only as the PDS's; its parameters are not all there may be."""
    known = KnownCatalog(shipped_database)
    dataset, vector = "pds3:JNO-J-3-FGM-CAL-V1.0:DATA@ss_r1s", "BX PLANETOCENTRIC,BY PLANETOCENTRIC,BZ PLANETOCENTRIC"
    assert known.has("pds", dataset)
    assert not known.has("cdaweb", dataset)
    assert not known.knows_all_parameters("pds", dataset)
    meta = known.meta("pds", dataset, vector)
    assert meta is not None
    assert (meta.kind, meta.unit, meta.frame) == ("vector", "nT", "PC")
    assert archive_of(dataset, "cdaweb") == "pds"
    assert archive_of("AC_H0_MFI", "cdaweb") == "cdaweb"
