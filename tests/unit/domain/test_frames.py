"""Coordinate frames as missions name them."""

from __future__ import annotations

import pytest

from helio_dagster.domain.frames import FrameFinding, find_frame


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("BGSEc", "GSE"),
        ("BGSM", "GSM"),
        ("bgsm", "GSM"),
        ("B3GSE", "GSE"),
        ("SC_pos_GSE", "GSE"),
        ("mms1_fgm_b_gse_brst_l2", "GSE"),
        ("mms1_dis_bulkv_dbcs_fast", "DBCS"),
        ("psp_fld_l2_mag_RTN_1min", "RTN"),
        ("BFIELDRTN", "RTN"),
        ("tha_fgs_dsl", "DSL"),
        ("XGSM", "GSM"),
        ("B_SM", "SM"),
    ],
)
def test_a_parameter_name_tells_its_frame(name: str, frame: str) -> None:
    """The abbreviation counts at a word boundary, an underscore or as a suffix."""
    assert find_frame(name, {}) == FrameFinding(frame, "named")


@pytest.mark.parametrize("name", ["SW_V", "Magnitude", "Geotail_B", "plasma", "cosmic_smooth", "GEOMAG", "VSMART", "ABS_B"])
def test_other_words_are_no_frames(name: str) -> None:
    """Letters inside a word do not count."""
    assert find_frame(name, {}) == FrameFinding(None, "unknown")


def test_the_attribute_made_for_it_wins() -> None:
    """`COORDINATE_SYSTEM` beats the name, and its explanation is cut off."""
    assert find_frame("b_gse", {"COORDINATE_SYSTEM": "DMPA>Despun Major Principal Axis"}) == FrameFinding("DMPA", "stated")


def test_a_frame_of_its_own_is_taken_as_stated() -> None:
    """An attribute may name a frame that no list has."""
    assert find_frame("b", {"COORDINATE_SYSTEM": "IAU_JUPITER"}) == FrameFinding("IAU_JUPITER", "stated")


def test_a_sensor_is_no_frame() -> None:
    """Some archives fill the attribute in for scalars too."""
    assert find_frame("orbit_number", {"COORDINATE_SYSTEM": "sensor"}).frame is None


def test_the_description_is_the_last_resort() -> None:
    """Words count where names say nothing, and are marked as less sure."""
    assert find_frame("Position_Ion", {"FIELDNAM": "Satellite position (GEO)"}) == FrameFinding("GEO", "described")


def test_two_frames_in_one_place_are_none() -> None:
    """Nothing is guessed."""
    assert find_frame("B_GSE_GSM", {}) == FrameFinding(None, "unknown")
