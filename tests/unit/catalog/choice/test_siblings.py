"""The same parameter of another member of a family, by its name."""

from __future__ import annotations

import pytest

from helio_dagster.catalog.choice.siblings import sibling
from tests.unit.agent.knowledge import shipped_knowledge


@pytest.mark.parametrize(
    ("dataset", "parameter", "missions", "expected"),
    [
        ("THA_L2_ESA", "tha_peif_en_eflux", ("THEMIS-A", "THEMIS-D"), ("THD_L2_ESA", "thd_peif_en_eflux")),
        (
            "MMS3_FPI_FAST_L2_DIS-MOMS",
            "mms3_dis_energyspectr_omni_fast",
            ("MMS3", "MMS1"),
            ("MMS1_FPI_FAST_L2_DIS-MOMS", "mms1_dis_energyspectr_omni_fast"),
        ),
        (
            "C1_CP_FGM_5VPS",
            "B_vec_xyz_gse__C1_CP_FGM_5VPS",
            ("Cluster 1", "Cluster 4"),
            ("C4_CP_FGM_5VPS", "B_vec_xyz_gse__C4_CP_FGM_5VPS"),
        ),
        (
            "RBSPA_REL04_ECT-HOPE-PA-L3",
            "FEDO",
            ("Van Allen Probe A", "Van Allen Probe B"),
            ("RBSPB_REL04_ECT-HOPE-PA-L3", "FEDO"),
        ),
        ("STA_L2_MAGPLASMA_1M", "Np", ("STEREO-A", "STEREO-B"), ("STB_L2_MAGPLASMA_1M", "Np")),
        ("AC_H0_MFI", "BGSEc", ("ACE", "Wind"), None),
        ("THA_L2_ESA", "tha_peif_en_eflux", ("THEMIS-A", "THEMIS-A"), None),
        ("THA_L2_ESA", "tha_no_such_parameter", ("THEMIS-A", "THEMIS-D"), None),
    ],
)
def test_members_of_a_family_have_the_same_by_another_letter(
    dataset: str, parameter: str, missions: tuple[str, str], expected: tuple[str, str] | None
) -> None:
    """Whether the letter stands in the dataset alone, or in the parameter, too; others have none."""
    assert sibling("cdaweb", dataset, parameter, missions, shipped_knowledge().catalog) == expected
