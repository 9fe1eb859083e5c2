"""Titles beside low panels: two lines at most, and what tells panels apart stays."""

from __future__ import annotations

import pytest

from helio_dagster.figures.parts import fit_title
from helio_dagster.figures.text_width import width_px

LONG = "Solar Orbiter magnetic field magnitude of the normal component, 1 h running mean"


@pytest.mark.parametrize("room_px", [90, 120, 200, 400])
@pytest.mark.parametrize("title", [LONG, "OMNI Dst, min", "ACE |B|, Bz (GSM)"])
def test_a_title_has_at_most_two_lines_that_fit(title: str, room_px: float) -> None:
    """With its unit."""
    fitted = fit_title(title, "nT", room_px)
    lines = fitted.text.split("<br>")
    assert len(lines) <= 2
    assert all(width_px(line, fitted.font_px) <= room_px for line in lines)
    assert fitted.text.endswith("[nT]")


def test_a_short_room_costs_the_middle_of_a_title() -> None:
    """Two quantities of one spacecraft that differ at the end stay different, and both are the spacecraft's."""
    first, second = (
        fit_title(f"Wind proton differential energy flux in the {side}", "eV", 90).text for side in ("east", "west")
    )
    assert first != second
    for text, side in ((first, "east"), (second, "west")):
        assert text.startswith("Wind")
        assert "…" in text
        assert side in text


def test_a_smaller_font_comes_before_a_word_is_left_out() -> None:
    """No ellipsis where nine points do."""
    fitted = fit_title("ACE solar wind proton density, mean", "cm^-3", 118)
    assert "…" not in fitted.text
    assert fitted.text.count("<br>") == 1
