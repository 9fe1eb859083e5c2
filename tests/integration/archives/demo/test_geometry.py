"""GSE to GSM against vectors that a mission published in both frames."""

from __future__ import annotations

from pathlib import Path

import cdflib
import numpy as np

from helio_dagster.archives.demo.geometry import gse_to_gsm


def test_gse_to_gsm_agrees_with_ace(shared_data: Path) -> None:
    """ACE MFI, 2023-01-02: every record within half a degree of the published GSM vector."""
    cdf = cdflib.CDF(shared_data / "cdf" / "ac_h0_mfi_20230102_v07.cdf")
    seconds = cdflib.cdfepoch.to_datetime(cdf.varget("Epoch").ravel()).astype("datetime64[ns]").astype(np.int64) / 1e9
    gse, gsm = (np.asarray(cdf.varget(name), dtype=float) for name in ("BGSEc", "BGSM"))
    is_valid = (np.abs(gse) < 1e3).all(axis=1) & (np.abs(gsm) < 1e3).all(axis=1)
    difference = np.linalg.norm(gse_to_gsm(seconds, gse) - gsm, axis=1) / np.linalg.norm(gse, axis=1)
    assert is_valid.sum() > 5000
    assert np.degrees(difference[is_valid].max()) < 0.5
