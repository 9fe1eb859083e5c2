"""A refresh takes what the archive and its masters say, and nothing twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import cdflib
import numpy as np
import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.domain.errors import UnknownDataset

from .conftest import MASTERS, NOW, MakeData, Refresher

_DOUBLES, _INTEGERS = (21, 22, 44, 45), (1, 2, 4, 8, 11, 12, 14, 41)


def _said_by_cdflib(path: Path) -> dict[str, dict[str, Any]]:
    cdf = cdflib.CDF(path)
    info = cdf.cdf_info()
    said = {}
    for name in [*info.rVariables, *info.zVariables]:
        about, inquiry = cdf.varattsget(name), cdf.varinq(name)
        if about.get("VAR_TYPE") == "data" and inquiry.Data_Type in _DOUBLES + _INTEGERS:
            said[name] = about | {"size": tuple(inquiry.Dim_Sizes), "type": inquiry.Data_Type}
    return said


@pytest.mark.parametrize("name", MASTERS)
def test_facts_are_those_of_the_master(name: str, real_masters: Path, refresher: Refresher) -> None:
    """Parameters, descriptions, units, sizes, types, fills, axes are those that an independent reader finds."""
    refresher([name.upper()])
    facts = refresher.known().dataset(name)
    assert facts is not None
    said = _said_by_cdflib(real_masters / f"{name}_00000000_v01.cdf")
    assert {parameter.name for parameter in facts.parameters} == set(said)
    for parameter in facts.parameters:
        about = said[parameter.name]
        assert parameter.description == " ".join(about["CATDESC"].replace("--->", "").split())
        assert parameter.given_unit == about.get("UNITS", "nT" if name.startswith("thg") else "").strip()
        assert parameter.size == about["size"]
        assert parameter.kind == ("integer" if about["type"] in _INTEGERS else "double")
        assert parameter.depend_1 == about.get("DEPEND_1")
        if "FILLVAL" in about:
            assert parameter.fill is not None
            np.testing.assert_array_equal(np.float32(parameter.fill), np.float32(about["FILLVAL"]))
        word = about.get("DISPLAY_TYPE", "").split(">")[0]
        if word in ("time_series", "spectrogram", "stack_plot"):
            assert (parameter.display.value, parameter.display.source, parameter.display.certainty) == (
                word,
                "master",
                "stated",
            )


def test_frame_cadence_and_terms_are_stated(real_masters: Path, refresher: Refresher) -> None:
    """What the master of a ground station states is marked as stated by it."""
    refresher(["THG_L2_MAG_MEK"])
    facts = refresher.known().dataset("THG_L2_MAG_MEK")
    assert facts is not None
    field = facts.parameter("thg_mag_mek")
    assert field is not None
    assert field.frame is not None
    assert (field.frame.value, field.frame.source, field.frame.certainty) == ("HEZ", "master", "stated")
    assert facts.cadence == timedelta(seconds=10)
    assert facts.cadence_from is not None
    assert facts.cadence_from.certainty == "stated"
    assert facts.doi == "10.48322/0x54-sg48"
    assert "Finnish Meteorological Institute" in facts.acknowledgement
    assert "without any additional promises" in facts.acknowledgement


def test_everything_listed_is_taken(real_masters: Path, refresher: Refresher, server: CdasServer) -> None:
    """All datasets of the archive are added beside those known, by at most three requests at once."""
    report = refresher()
    assert report.added == report.with_master == tuple(name.upper() for name in MASTERS)
    assert report.failures == ()
    assert len(refresher.told) == report.listed == 4
    assert refresher.told[-1].done == refresher.told[-1].total == 4
    assert server.most_at_once <= 3
    assert len(refresher.known().names()) == 6
    assert not list((refresher.home / "masters").glob("*.cdf"))


def test_unchanged_archive_gives_equal_bytes(real_masters: Path, refresher: Refresher, server: CdasServer) -> None:
    """A second refresh asks for the listing alone, and writes the same file."""
    refresher()
    first, asked = refresher.path.read_bytes(), sum(server.requests.values())
    report = refresher()
    assert (report.added, report.changed, report.with_master) == ((), (), ())
    assert sum(server.requests.values()) == asked + 1
    assert refresher.path.read_bytes() == first


def test_all_masters_are_read_again(real_masters: Path, refresher: Refresher) -> None:
    """With every master wanted, also those of unchanged datasets are asked for."""
    every = refresher().with_master
    assert refresher().with_master == ()
    assert refresher(all_masters=True).with_master == every


def test_changed_description_asks_for_the_master(make_data: MakeData, refresher: Refresher, server: CdasServer) -> None:
    """Just the dataset that is described otherwise has its master read anew; a longer time range alone is not a change."""
    make_data("AB_H0_MFI"), make_data("AB_H1_MFI")
    refresher()
    make_data("AB_H0_MFI", "20230103", title="A better title"), make_data("AB_H1_MFI", "20230103")
    report = refresher()
    assert report.changed == report.with_master == ("AB_H0_MFI",)
    database = refresher.known()
    facts, other = database.dataset("AB_H0_MFI"), database.dataset("AB_H1_MFI")
    assert facts is not None
    assert facts.label == "A better title"
    assert other is not None
    assert other.stop is not None
    assert other.stop.day == 3


def test_data_file_stands_in_for_a_master(make_data: MakeData, refresher: Refresher) -> None:
    """The test server makes masters of data files, where it has no others."""
    make_data("AB_H0_MFI", Acknowledgement="Thank us.")
    refresher()
    facts = refresher.known().dataset("ab_h0_mfi")
    assert facts is not None
    assert [(one.name, one.given_unit, str(one.quantity)) for one in facts.parameters] == [("B", "nT", "magnetic field")]
    assert (facts.acknowledgement, facts.pi, facts.label) == ("Thank us.", "A. Person", "Test of a magnetometer")


def test_one_dataset_alone(real_masters: Path, refresher: Refresher, server: CdasServer) -> None:
    """A named dataset is asked for by its id, and its master always read; all others stay as they are."""
    refresher()
    before = refresher.known().dataset("XY_OLD_MAG")
    asked = server.count("_v01.cdf")
    report = refresher(["ac_h0_mfi"])
    assert (report.listed, report.with_master, report.gone) == (1, ("AC_H0_MFI",), ())
    assert server.count("_v01.cdf") == asked + 1
    assert refresher.known().dataset("XY_OLD_MAG") == before


def test_vanished_dataset_stays_with_a_mark(make_data: MakeData, refresher: Refresher, folder: Path) -> None:
    """What is no longer listed can still be found, with the first date on which it was missing; it loses the mark on return."""
    path = make_data("AB_H0_MFI")
    make_data("AB_H1_MFI")
    assert refresher().gone == ("XY_OLD_MAG",)
    kept = path.read_bytes()
    path.unlink()
    assert refresher(now=NOW + timedelta(days=1)).gone == ("AB_H0_MFI",)
    assert refresher(now=NOW + timedelta(days=2)).gone == ()
    facts, planet = refresher.known().dataset("AB_H0_MFI"), refresher.known().dataset("urn:nasa:pds:x-mag")
    assert facts is not None
    assert facts.notes == "Not listed by the archive since 2026-05-05."
    assert len(facts.parameters) == 1
    assert planet is not None
    assert planet.notes == ""
    path.write_bytes(kept)
    assert refresher(now=NOW + timedelta(days=3)).changed == ()
    back = refresher.known().dataset("AB_H0_MFI")
    assert back is not None
    assert back.notes == ""


def test_unknown_dataset(make_data: MakeData, refresher: Refresher) -> None:
    """An id that the archive has not is an error with near names, and no catalog is written."""
    make_data("AB_H0_MFI")
    with pytest.raises(UnknownDataset, match="AB_H0_MFI"):
        refresher(["AB_H0_MFA"])
    assert not refresher.path.exists()
