"""How far records reach, by the deltas of their epochs, held against cdflib."""

from __future__ import annotations

from pathlib import Path

import cdflib
import numpy as np
import pytest

from helio_dagster.archives.cdf.reader import CdfReader

_SECONDS = {"s": 1.0, "ms": 1e-3}


@pytest.mark.parametrize(
    ("file", "parameter"),
    [
        ("mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf", "mms1_fgm_b_gse_brst_l2"),
        ("mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf", "mms1_fgm_r_gse_brst_l2"),
        ("rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf", "FPDO"),
    ],
)
def test_extents_of_real_files_are_the_deltas_of_their_epochs(shared_data: Path, file: str, parameter: str) -> None:
    """Seconds and milliseconds alike, record by record."""
    path = shared_data / "cdf" / file
    cdf = cdflib.CDF(path)
    epoch = cdf.varattsget(cdf.varattsget(parameter)["DEPEND_0"])
    with CdfReader(workers=1) as reader:
        extents = reader.read(path, parameter).extents
    assert extents is not None
    for attribute, found_ns in (("DELTA_MINUS_VAR", extents.before_ns), ("DELTA_PLUS_VAR", extents.after_ns)):
        factor = _SECONDS[str(cdf.varattsget(epoch[attribute])["UNITS"]).strip()]
        expected = np.asarray(cdf.varget(epoch[attribute]), dtype=np.float64).reshape(-1) * factor
        np.testing.assert_allclose(found_ns / 1e9, np.broadcast_to(expected, found_ns.shape), rtol=0, atol=1e-9)


def test_a_file_without_deltas_says_nothing(shared_data: Path) -> None:
    """ACE's epochs have none, so its tables have no extent, and the versions that they had."""
    with CdfReader(workers=1) as reader:
        table = reader.read(shared_data / "cdf" / "ac_h0_mfi_20230102_v07.cdf", "Magnitude")
    assert table.extents is None
    assert "extent" not in table.meta.model_dump_json()
