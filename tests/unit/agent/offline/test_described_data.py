"""Words that only the catalog knows choose a dataset or a parameter, and clauses have frames and cadences of their own."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan

from .asking import ask


def fetched(request_text: str) -> list[str]:
    """What the plan for a request fetches."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    return [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in answer.pipeline.steps if step.fetch]


@pytest.mark.parametrize(
    ("request_text", "wanted"),
    [
        ("MMS3 FPI fast ion density on 2015-10-16", ["MMS3_FPI_FAST_L2_DIS-MOMS/mms3_dis_numberdensity_fast"]),
        ("Voyager 1 VIM |B| in 2015", ["VOYAGER1_48S_MAG-VIM/F1"]),
        ("C/NOFS zonal electric field on 2010-04-01", ["CNOFS_VEFI_EFIELD_1SEC/E_zonal"]),
        ("C/NOFS meridional electric field on 2010-04-01", ["CNOFS_VEFI_EFIELD_1SEC/E_meridional"]),
        ("PSP SPAN-I proton density on 2021-04-28", ["PSP_SWP_SPI_SF00_L3_MOM/DENS"]),
        ("RBSP-A EMFISIS density on 2013-03-17", ["RBSP-A_DENSITY_EMFISIS-L4/density"]),
        ("RBSP-A fluxgate magnetic field on 2016-03-23", ["RBSP-A_MAGNETOMETER_1SEC-GSE_EMFISIS-L3/Mag"]),
        ("Genesis GIM alpha to proton ratio on 2002-05-20", ["GENESIS_3DL2_GIM/Alpha_Proton_ratio"]),
        (
            "OMNI 5 min newell coupling function on 2024-05-10",
            [f"OMNI_HRO2_5MIN/{name}" for name in ("flow_speed", "BX_GSE", "BY_GSM", "BZ_GSM")],
        ),
        (
            "MMS3 ion velocity (FPI fast, GSE) over B in GSM (FGM survey) on 2015-10-16",
            ["MMS3_FPI_FAST_L2_DIS-MOMS/mms3_dis_bulkv_gse_fast", "MMS3_FGM_SRVY_L2/mms3_fgm_b_gsm_srvy_l2_clean"],
        ),
        ("SOHO CELIAS 5-min speed and ACE SWEPAM speed on 2003-10-28", ["SOHO_CELIAS-PM_5MIN/V_p", "AC_H0_SWE/Vp"]),
    ],
)
def test_what_the_catalog_calls_data_chooses_them(request_text: str, wanted: list[str]) -> None:
    """Ids, titles, names and descriptions are looked at; no list of ours has these words."""
    assert fetched(request_text) == wanted


def test_what_was_taken_is_said() -> None:
    """In the archive's words, so that a person sees what may not be meant."""
    answer = ask("PSP SPAN-I proton density on 2021-04-28")
    assert isinstance(answer, Plan)
    assert any("Partial Moment Density" in each for each in answer.pipeline.assumptions)


def test_a_circumstance_chooses_no_dataset() -> None:
    """Datasets have `shock` in their titles, too."""
    assert fetched("Wind |B| around the shock, 2003-10-29") == fetched("Wind |B| on 2003-10-29")
