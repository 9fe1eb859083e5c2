"""The small catalog: what it says agrees with what the archives hold."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cdflib
import pytest

from helio_dagster.archives.demo.datasets import DATASETS
from helio_dagster.catalog.handmade import small_catalog
from helio_dagster.domain.catalog_entry import DEMO_START
from helio_dagster.domain.units import normalize_unit

VARIABLES = [(dataset.id, variable) for dataset in DATASETS for variable in dataset.variables]


@pytest.mark.parametrize(("dataset", "variable"), VARIABLES, ids=lambda value: getattr(value, "name", value))
def test_the_demo_archive_is_known_whole(dataset: str, variable: Any) -> None:
    """Every parameter of the synthetic archive is catalogued with the unit, frame, kind and columns that it has."""
    entry = small_catalog().dataset("demo", dataset)
    parameter = entry.parameter(variable.name) if entry else None
    assert parameter is not None
    assert parameter.unit == normalize_unit(variable.unit)
    assert (parameter.frame or "") == variable.frame
    is_spectrogram = variable.display == "spectrogram"
    kind = "spectrogram" if is_spectrogram else "vector" if len(variable.labels) > 1 else "series"
    assert parameter.kind == kind
    if kind == "vector":
        assert parameter.columns == variable.labels


def test_the_demo_archive_has_no_more_than_it_has() -> None:
    """A catalogued demo parameter exists, so that a plan for the demo can run."""
    offered = {
        (dataset.dataset, parameter.name) for dataset in small_catalog().datasets("demo") for parameter in dataset.parameters
    }
    assert offered == {(dataset, variable.name) for dataset, variable in VARIABLES}


@pytest.mark.parametrize(
    ("file", "dataset"),
    [
        ("ac_h0_mfi_20230102_v07.cdf", "AC_H0_MFI"),
        ("omni_coho1hr_merged_mag_plasma_20240901_v01.cdf", "OMNI_COHO1HR_MERGED_MAG_PLASMA"),
        ("psp_fld_l2_mag_rtn_1min_20200104_v02.cdf", "PSP_FLD_L2_MAG_RTN_1MIN"),
        ("ge_k0_cpi_19921231_v02.cdf", "GE_K0_CPI"),
        ("rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf", "RBSPA_REL04_ECT-HOPE-PA-L3"),
    ],
)
def test_mission_files_hold_what_is_catalogued(shared_data: Path, file: str, dataset: str) -> None:
    """Names, units and component labels are those of the published files, read with an independent reader."""
    cdf = cdflib.CDF(shared_data / "cdf" / file)
    entry = small_catalog().dataset("cdaweb", dataset)
    assert entry is not None
    for parameter in entry.parameters:
        attributes = cdf.varattsget(parameter.name)
        assert parameter.unit == normalize_unit(str(attributes["UNITS"])), parameter.name
        if parameter.kind == "vector" and parameter.columns:
            labels = cdf.varget(str(attributes["LABL_PTR_1"])).ravel()
            assert parameter.columns == tuple(str(label).strip() for label in labels)


def test_datasets_of_one_archive_are_not_in_the_other() -> None:
    """The synthetic archive mirrors a few datasets only."""
    catalog = small_catalog()
    assert catalog.dataset("cdaweb", "PSP_FLD_L2_MAG_RTN_1MIN") is not None
    assert catalog.dataset("demo", "PSP_FLD_L2_MAG_RTN_1MIN") is None
    assert catalog.missions("demo") == ["ACE", "Wind", "OMNI"]


def test_starts_are_those_of_the_archive() -> None:
    """Where data begin depends on the archive; an unknown dataset has no start."""
    assert small_catalog().start("cdaweb", "AC_H0_MFI") == datetime(1997, 9, 2, tzinfo=UTC)
    assert small_catalog().start("demo", "AC_H0_MFI") == DEMO_START
    assert small_catalog().start("cdaweb", "ERG_PWE_HFA_L3_1MIN") is None


def test_metadata_are_given_only_where_they_are_sure() -> None:
    """Columns that no file has shown yet are not made up."""
    catalog = small_catalog()
    meta = catalog.meta("demo", "AC_H0_MFI", "BGSEc")
    assert meta is not None
    assert (meta.kind, meta.unit, meta.frame, meta.data_names) == ("vector", "nT", "GSE", ("Bx GSE", "By GSE", "Bz GSE"))
    assert meta.synthetic
    assert catalog.meta("cdaweb", "STA_L2_MAGPLASMA_1M", "BFIELDRTN") is None
    assert catalog.meta("cdaweb", "AC_H0_MFI", "nothing") is None
