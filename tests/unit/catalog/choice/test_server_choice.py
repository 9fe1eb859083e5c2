"""Which dataset of a HAPI server words mean: data in the range first, and every word is held by what is found."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.server_choice import find_on_server, owner_of
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.domain.hapi_servers import split_qualified
from helio_dagster.domain.planetary import archive_of, id_in_archive
from helio_dagster.domain.time_range import TimeRange
from tests.shipped_catalog import shipped_database

SERVERS = HapiSnapshots(Path("none")).databases


def year(first: int, years: int = 1) -> TimeRange:
    """Whole years."""
    return TimeRange(datetime(first, 1, 1, tzinfo=UTC), datetime(first + years, 1, 1, tzinfo=UTC))


def found(server: str, words: str, span: TimeRange) -> tuple[str, str, int | None]:
    """Dataset, parameter and component that words mean."""
    pick = find_on_server(f"hapi:{server}", SERVERS[f"hapi:{server}"], words, span)
    assert pick.sort == "found", pick
    assert pick.facts is not None
    return pick.facts.dataset.removeprefix(f"hapi:{server}/"), pick.parameter, pick.component


def test_what_covers_the_range_comes_first() -> None:
    """The instrument's own values where it measured, the model where no instrument of the server did."""
    assert found("lisird", "TSI", year(2010)) == ("sorce_tsi_24hr_l3", "tsi_1au", None)
    assert found("lisird", "total solar irradiance", year(2021)) == ("nrl2_tsi_P1D", "irradiance", None)
    assert found("lisird", "Lyman-alpha", year(1960)) == ("composite_lyman_alpha", "LymanAlpha", None)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("H Boulder", ("bou/definitive/PT1M/hdzf", "Field_Vector", 0)),
        ("north component Boulder", ("bou/definitive/PT1M/xyzf", "Field_Vector", 0)),
        ("declination Eskdalemuir", ("esk/definitive/PT1M/hdzf", "Field_Vector", 1)),
        ("F KIR", ("kir/best-avail/PT1M/xyzf", "Field_Magnitude", None)),
        ("magnetic field Dourbes", ("dou/definitive/PT1M/xyzf", "Field_Vector", None)),
    ],
)
def test_elements_of_observatories(words: str, expected: tuple[str, str, int | None]) -> None:
    """The orientation that has the element; definitive data where their dates are known to cover the range."""
    assert found("intermagnet", words, year(2015)) == expected


def test_definitive_data_that_end_before_the_range_are_passed_over() -> None:
    """Those of Boulder are listed to 2022; the best available ones go on."""
    assert found("intermagnet", "H Boulder", year(2024))[0] == "bou/best-avail/PT1M/hdzf"


def test_words_that_nothing_holds_are_named() -> None:
    """So that a person sees which one it was."""
    pick = find_on_server("hapi:intermagnet", SERVERS["hapi:intermagnet"], "H Atlantis", year(2015))
    assert (pick.sort, pick.missed) == ("nothing", ("Atlantis",))


def test_a_dataset_without_parameters_in_the_snapshot_is_not_made_up() -> None:
    """ISWA lists Dst; the snapshot does not know its parameters."""
    pick = find_on_server("hapi:iswa", SERVERS["hapi:iswa"], "Dst", year(2022))
    assert pick.sort == "no parameters"
    assert pick.facts is not None
    assert pick.facts.dataset == "hapi:iswa/dst_quicklook"


@pytest.mark.slow
def test_every_observatory_of_the_snapshot_is_found_by_its_name() -> None:
    """And by its code: whatever is listed can be asked for."""
    database = SERVERS["hapi:intermagnet"]
    names = {name.partition("/")[0]: name for name in database.names() if name.endswith("PT1M/xyzf")}
    assert len(names) > 140
    for code, name in names.items():
        facts = database.dataset(name)
        assert facts is not None
        place = owner_of(facts, "hapi:intermagnet")
        for words in (f"X {place}", f"X {code.upper()}"):
            assert found("intermagnet", words, year(2010))[0].partition("/")[0] == code


def test_a_mission_that_only_a_server_has_is_offered_from_there() -> None:
    """Swarm's field in axes of the Earth before that of the sensor; a mission of CDAWeb is not taken from a server."""
    catalog = KnownCatalog(shipped_database, lambda: SERVERS)
    offers = Offers(catalog, CatalogSearch(shipped_database()), "cdaweb")
    best = offers.find(Asked("Swarm A", "magnetic_field"), span=year(2020))[0]
    fetch = best.fetch("cdaweb")
    assert (fetch.archive, fetch.dataset, fetch.parameter) == ("hapi:vires", "SW_OPER_MAGA_LR_1B", "B_NEC")
    assert all(
        each.fetch("cdaweb").archive == "cdaweb" for each in offers.find(Asked("ACE", "magnetic_field"), span=year(2020))
    )


@pytest.mark.parametrize(
    ("name", "archive", "dataset"),
    [
        ("hapi:vires/GRACE_A_MAG", "hapi:vires", "GRACE_A_MAG"),
        ("hapi:intermagnet/bou/definitive/PT1M/xyzf", "hapi:intermagnet", "bou/definitive/PT1M/xyzf"),
        ("hapi:http://127.0.0.1:8000/hapi/a/b", "hapi:http://127.0.0.1:8000/hapi", "a/b"),
        ("AC_H0_MFI", "", "AC_H0_MFI"),
    ],
)
def test_one_name_for_a_servers_dataset(name: str, archive: str, dataset: str) -> None:
    """It leads to the archive and the id there."""
    assert split_qualified(name) == (archive, dataset)
    assert (archive_of(name, "cdaweb"), id_in_archive(name)) == (archive or "cdaweb", dataset)
