"""Search: what a scientist types finds what is meant; nothing that is typed is syntax."""

from __future__ import annotations

import fnmatch
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from helio_dagster.catalog.reading import read_query
from helio_dagster.catalog.searching import CatalogSearch, Facets
from helio_dagster.domain.time_range import TimeRange
from tests.shipped_catalog import shipped_database


@pytest.fixture(scope="module")
def catalog() -> CatalogSearch:
    """Search over the catalog that ships with the package."""
    return CatalogSearch(shipped_database())


def names(found: Any) -> list[str]:
    """Ids of the hits."""
    return [hit.dataset.dataset for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "accept"),
    [
        ("ACE interplanetary magnetic field", "AC_H?_MFI"),
        ("IMF Wind", "WI_H?_MFI"),
        ("solar wind speed 1 minute", "OMNI_HRO*_1MIN"),
        ("Dst", "OMNI2_H0_MRG1HR"),
        ("SYM-H", "OMNI_HRO*"),
        ("PSP magnetic field RTN", "PSP_FLD_L2_MAG_RTN*"),
        ("RBSP-A HOPE", "RBSPA_*HOPE*"),
        ("THA fgm", "THA_L2_FGM"),
        ("AC_H0_MFI", "AC_H0_MFI"),
        ("ac_h0_mfi", "AC_H0_MFI"),
        ("mms1_fgm_srvy", "MMS1_FGM_SRVY_L2"),
    ],
)
def test_the_first_hit_is_what_is_meant(catalog: CatalogSearch, query: str, accept: str) -> None:
    """Synonyms, nicknames, ids in any case."""
    assert fnmatch.fnmatchcase(names(catalog.search(query))[0], accept)


def test_solar_wind_is_not_the_spacecraft() -> None:
    """Wind is the mission where it stands for one."""
    assert read_query("solar wind speed").missions == ()
    assert read_query("Wind magnetic field").missions == ("Wind",)
    assert read_query("solar wind density from Wind").missions == ("Wind",)


def test_the_best_parameters_stand_with_a_hit(catalog: CatalogSearch) -> None:
    """Those of the quantity that was asked for, in the frame that was named first."""
    hit = catalog.search("ACE magnetic field GSM 16 second").hits[0]
    assert hit.dataset.dataset == "AC_H0_MFI"
    assert hit.parameters[0].name == "BGSM"


def test_ephemeris_and_housekeeping_are_hidden_unless_asked_for(catalog: CatalogSearch) -> None:
    """A word that asks for them, or `everything`, shows them."""
    hidden = catalog.search("Wind definitive", count=50)
    assert "WI_OR_DEF" not in names(hidden)
    assert "WI_OR_DEF" in names(catalog.search("Wind definitive orbit", count=20))
    assert "WI_OR_DEF" in names(catalog.search("Wind definitive", facets=Facets(everything=True), count=50))


@pytest.mark.parametrize(
    ("facets", "holds"),
    [
        (Facets(mission="Ulysses"), lambda facts: facts.mission == "Ulysses"),
        (Facets(quantity="density"), lambda facts: any(str(one.quantity) == "density" for one in facts.parameters)),
        (Facets(frame="gsm"), lambda facts: any(str(one.frame) == "GSM" for one in facts.parameters)),
        (Facets(longest_cadence=timedelta(minutes=1)), lambda facts: facts.cadence <= timedelta(minutes=1)),
    ],
)
def test_facets_hold_for_every_hit(catalog: CatalogSearch, facets: Facets, holds: Any) -> None:
    """Held to the whole facts of each dataset, not to what ranking keeps."""
    database = shipped_database()
    found = names(catalog.search("magnetic field plasma density", facets=facets, count=30))
    assert len(found) > 3
    assert all(holds(database.dataset(name)) for name in found)


def test_a_range_is_covered_by_every_hit(catalog: CatalogSearch) -> None:
    """Datasets that began later or were over before are left out; what covers all of it is told."""
    span = TimeRange(datetime(1976, 1, 1, tzinfo=UTC), datetime(1976, 2, 1, tzinfo=UTC))
    hits = catalog.search("magnetic field", facets=Facets(span=span), count=30).hits
    assert hits
    for dataset in (hit.dataset for hit in hits):
        assert dataset.start is not None
        assert dataset.start <= span.stop
        assert dataset.is_current or (dataset.stop is not None and dataset.stop >= span.start)
    assert {"HELIOS2_COHO1HR_MERGED_MAG_PLASMA"} & {hit.dataset.dataset for hit in hits if hit.covers}


def test_misspelt_words_are_looked_for_as_what_was_meant(catalog: CatalogSearch) -> None:
    """And the replacement is told."""
    found = catalog.search("ulyses magnetc field")
    assert found.instead == {"ulyses": "ulysses", "magnetc": "magnetic"}
    assert names(found)[0].startswith("UY_")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "\x00\x07\n\t",
        '"',
        "'; DROP TABLE words; --",
        'magnetic AND (field OR "',
        "id : AC_H0_MFI",
        "NEAR(a b)",
        "-- * ^ { } : + -",
        "\u202e\ufeff\U0001f600",
        "magnetic " * 2000,
        "x" * 10_000,
        "a_" * 5_000,
        "2003-99-99",
    ],
)
def test_whatever_is_typed_is_words(catalog: CatalogSearch, query: str) -> None:
    """No query is an error, and none is syntax."""
    assert len(catalog.search(query).hits) <= 10


def test_what_is_not_there_is_not_found(catalog: CatalogSearch) -> None:
    """No hit is better than any hit."""
    assert catalog.search("xyzzyq").hits == ()
