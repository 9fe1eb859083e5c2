"""Which datasets are not definitive, by what they and their files are called."""

from __future__ import annotations

import pytest

from helio_dagster.domain.maturity import maturity_of
from helio_dagster.domain.table import TableMeta, marks_of


@pytest.mark.parametrize(
    ("words", "maturity"),
    [
        (["AC_K0_MFI", "ACE magnetic field, key parameters"], "quicklook"),
        (["WI_K1_SMS"], "quicklook"),
        (["mms1_fgm_srvy_ql"], "quicklook"),
        (["solo_LL02_mag"], "quicklook"),
        (["K2>1-Hr Key Parameter Data"], "quicklook"),
        (["COHO1HR>Definitive Hourly data from cohoweb"], ""),
        (["bou/provisional/PT1M/xyzf"], "provisional"),
        (["bou/quasi-definitive/PT1M/xyzf"], "quasi-definitive"),
        (["bou/definitive/PT1M/xyzf"], ""),
        (["SOLO_L2_MAG", "", "solo_L2_mag-rtn_prelim_20240101_V01.cdf"], "preliminary"),
        (["DST", "Real-time (quicklook) Dst index"], "real-time"),
        (["AC_H0_MFI", "ACE magnetic field 16-second level 2 data"], ""),
        (["PSP_FLD_L2_MAG_RTN_1MIN", "PSP FIELDS magnetic field in RTN"], ""),
        (["C1_CP_FGM_SPIN", "k2o"], ""),
        ([], ""),
    ],
)
def test_what_names_say(words: list[str], maturity: str) -> None:
    """Whole words in any spelling; of several the least mature; nothing where nothing is said."""
    assert maturity_of(words) == maturity


def test_what_is_made_from_several_is_as_mature_as_the_least() -> None:
    """A definitive and a provisional input make a provisional result."""
    plain = TableMeta(kind="series", columns=())
    metas = [plain, plain.model_copy(update={"maturity": "provisional"}), plain.model_copy(update={"maturity": "quicklook"})]
    assert marks_of(metas)["maturity"] == "quicklook"
    assert marks_of([plain])["maturity"] == ""
    assert "maturity" not in plain.model_dump()
