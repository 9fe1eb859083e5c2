"""What checks know of the archive's parameters beforehand: what is sure forbids, what is only told is a note."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.assets.library import check_files
from helio_dagster.catalog.assembling import Described, assemble, parameter_facts
from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.catalog_entry import Form, disagreement, has_names
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import parse_pipeline
from tests.shipped_catalog import shipped_database

PIPELINE = """
version: 1
name: basic
start: 2003-10-01
steps:
  - id: a
    fetch: {archive: cdaweb, dataset: %s, parameter: %s}
  - id: b
    fetch: {archive: cdaweb, dataset: %s, parameter: %s}
  - id: c
    compute: {operation: difference, inputs: {a: a, b: b}}
  - id: d
    compute: {operation: magnitude, inputs: {vector: c}}
"""


@pytest.fixture(scope="module")
def catalog() -> KnownCatalog:
    """The catalog that ships with the package."""
    return KnownCatalog(shipped_database)


def test_datasets_of_a_hapi_server_are_known_by_its_snapshot(tmp_path: Path) -> None:
    """Names near a misspelt one, when data begin, units; of a server without a snapshot nothing is known."""
    known = KnownCatalog(shipped_database, lambda: HapiSnapshots(tmp_path).databases)
    text = PIPELINE.replace("archive: cdaweb", "archive: 'hapi:vires'") % (
        "SW_OPER_MAGA_LR_1B",
        "F",
        "SW_OPER_MAGA_LR_1B",
        "Fx",
    )
    notes = check_files({"basic": parse_pipeline(text, file="basic.yaml")}, known).notes
    said = [(each.problem, each.hint) for each in notes if "Fx" in each.problem]
    assert said == [("the catalog has no parameter 'Fx' of SW_OPER_MAGA_LR_1B", "Did you mean F?")]
    assert known.extent("hapi:vires", "GRACE_A_MAG")[1] == datetime(2017, 10, 31, 23, 59, 38, 945023, UTC)
    meta = known.meta("hapi:vires", "SW_OPER_MAGA_LR_1B", "F")
    assert meta is not None
    assert (meta.kind, meta.unit) == ("series", "nT")
    assert not known.has("hapi:amda", "SW_OPER_MAGA_LR_1B")
    assert known.names("hapi:amda") == []


def check(catalog: KnownCatalog, *fetched: str) -> Findings:
    """Faults of a difference of two fetches."""
    return check_files({"basic": parse_pipeline(PIPELINE % fetched, file="basic.yaml")}, catalog)


def test_a_vector_has_unit_and_frame_and_no_names(catalog: KnownCatalog) -> None:
    """Three numbers in a frame are a vector; what its columns are called, the file tells."""
    meta = catalog.meta("cdaweb", "AC_H0_SWE", "V_RTN")
    assert meta is not None
    assert (meta.kind, meta.unit, meta.frame, len(meta.columns)) == ("vector", "km/s", "RTN", 3)
    assert not has_names(meta)
    assert not catalog.is_sure("cdaweb", "AC_H0_SWE", "V_RTN")


def test_of_other_arrays_nothing_is_said(catalog: KnownCatalog) -> None:
    """Three numbers without a frame may be anything; so may many numbers whose second axis is not known."""
    facts = catalog.facts("cdaweb", "WI_H0_SWE")
    assert facts is not None
    arrays = [each for each in facts.parameters if each.size and each.frame is None and each.depend_1 is None]
    assert arrays
    assert {catalog.meta("cdaweb", "WI_H0_SWE", each.name) for each in arrays} == {None}


def test_an_energy_axis_in_the_master_makes_a_spectrogram(tmp_path: Path) -> None:
    """A refreshed catalog knows it."""
    said = {"name": "flux", "description": "Flux", "units": "1/cm2", "size": [8], "depend_1": "energy"}
    facts = parameter_facts({**said, "display_type": "spectrogram"})
    dataset = assemble(
        Described("NEW", "cdaweb", "New", "mag", "1999-01-01", "2001-01-01"), [facts], datetime(2026, 1, 1, tzinfo=UTC)
    )
    write_database(tmp_path / "catalog.sqlite", [dataset], {})
    meta = KnownCatalog(lambda: CatalogDatabase(tmp_path / "catalog.sqlite")).meta("cdaweb", "NEW", "flux")
    assert meta is not None
    assert (meta.kind, meta.unit, len(meta.columns)) == ("spectrogram", "cm^-2", 8)


def test_a_clash_with_what_is_only_told_is_a_note(catalog: KnownCatalog) -> None:
    """The catalog may be wrong, and the file will tell: a frame that does not fit is mentioned and forbids nothing."""
    found = check(catalog, "AC_H0_SWE", "V_GSE", "AC_H0_SWE", "V_RTN")
    assert found.problems == []
    assert "a is in the frame GSE, b in RTN" in str(found.notes[0])


def test_a_clash_of_what_is_sure_is_an_error(catalog: KnownCatalog) -> None:
    """Entered by hand from real files."""
    found = check(catalog, "AC_H0_MFI", "BGSEc", "AC_H0_MFI", "BGSM")
    assert "a is in the frame GSE, b in GSM" in str(found.problems[0])


def test_what_follows_from_a_note_is_a_note(catalog: KnownCatalog) -> None:
    """Units that clash further down are no surer than where they come from."""
    text = PIPELINE.replace("inputs: {vector: c}", "inputs: {vector: b}") + (
        "  - id: e\n    compute: {operation: difference, inputs: {a: d, b: n}}\n"
        "  - id: n\n    fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Np}\n"
    )
    file = parse_pipeline(text % ("AC_H0_SWE", "V_GSE", "AC_H0_SWE", "V_RTN"), file="basic.yaml")
    found = check_files({"basic": file}, catalog)
    assert found.problems == []
    assert any("a is in km/s, b in cm^-3" in str(note) for note in found.notes)


def test_a_component_of_unnamed_columns_is_taken_on_trust(catalog: KnownCatalog) -> None:
    """Whether there is a `VR` the file will tell; unit and frame are known already."""
    text = PIPELINE.replace(
        "operation: magnitude, inputs: {vector: c}", "operation: component, inputs: {vector: b}, options: {component: VR}"
    )
    found = check_files({"basic": parse_pipeline(text % (("AC_H0_SWE", "V_RTN") * 2), file="basic.yaml")}, catalog)
    assert (found.problems, found.notes) == ([], [])


def test_what_is_told_is_in_the_archives_words(catalog: KnownCatalog) -> None:
    """Description of the parameter and label of its dataset; nothing of what is not known."""
    told = catalog.describe("cdaweb", "AC_H0_MFI", "BGSEc")
    assert told is not None
    assert told.parameter == "Magnetic Field Vector in GSE Cartesian coordinates (16 sec)"
    assert "ACE Magnetic Field" in told.dataset
    assert catalog.describe("cdaweb", "XX_H9_NIX", "B") is None
    assert catalog.describe("hapi:cdaweb", "AC_H0_MFI", "BGSEc") is None


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Form("vector", 3, "nT", "GSE"), ""),
        (Form("vector", 3, "nanoTesla", None), ""),
        (Form("vector", 3, "", "GSE"), ""),
        (Form("vector", 3, "km/s", "GSE"), "in km/s, not nT"),
        (Form("vector", 4, "nT", "RTN"), "a vector of 4 columns, not a vector of 3 columns; in the frame RTN, not GSE"),
        (Form("series", 1, "nT", None), "a series of 1 column, not a vector of 3 columns"),
    ],
)
def test_disagreement_names_what_differs(found: Form, words: str) -> None:
    """What a file leaves open agrees with what is told, and the other way round."""
    assert disagreement(Form("vector", 3, "nT", "GSE"), found) == words
