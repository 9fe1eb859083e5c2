"""Units and labels as markup."""

from __future__ import annotations

import pytest

from helio_dagster.figures.markup import escape, label_to_html, name_as_label, unit_to_html
from helio_dagster.figures.text_width import shorten, width_px, wrap


@pytest.mark.parametrize(
    ("unit", "shown"),
    [
        ("nT", "nT"),
        ("cm^-3", "cm<sup>−3</sup>"),
        ("km/s", "km s<sup>−1</sup>"),
        ("cm^-2 keV^-1 s^-1 sr^-1", "cm<sup>−2</sup> keV<sup>−1</sup> s<sup>−1</sup> sr<sup>−1</sup>"),
        ("eV/(cm^2 s sr eV)", "eV cm<sup>−2</sup> s<sup>−1</sup> sr<sup>−1</sup> eV<sup>−1</sup>"),
        ("nT^2/Hz", "nT<sup>2</sup> Hz<sup>−1</sup>"),
        ("10^-22 W m^-2 Hz^-1", "10<sup>−22</sup> W m<sup>−2</sup> Hz<sup>−1</sup>"),
        ("m**2", "m<sup>2</sup>"),
        ("deg", "°"),
        ("", ""),
        ("1", ""),
        ("log10(nT^2/Hz)", "log10(nT^2/Hz)"),
        ("0=good, 1=bad", "0=good, 1=bad"),
    ],
)
def test_a_unit_is_shown_with_raised_powers(unit: str, shown: str) -> None:
    """Powers are raised, a slash becomes a negative power, no unit is not a text, and what is not a unit stays as it is."""
    assert unit_to_html(unit) == shown


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Bx GSE", "B<sub>x</sub> GSE"),
        ("B_RTN", "B<sub>RTN</sub>"),
        ("BR (RTN)", "B<sub>R</sub> (RTN)"),
        ("b_mag", "b<sub>mag</sub>"),
        ("<|B|>", "&lt;|B|&gt;"),
        ("flux by energy", "flux by energy"),
        ("mms1_fgm_b_gse_brst_l2", "mms1_fgm_b_gse_brst_l2"),
        ("N!Dp!N", "Np"),
    ],
)
def test_a_label_is_shown_with_its_subscripts(label: str, shown: str) -> None:
    """Components and short subscripts are lowered; words and variable names stay as they are."""
    assert label_to_html(label) == shown


@pytest.mark.parametrize("text", ["<a href='http://x'>y</a>", "<b>y</b>", "%{x}", "a\nb", "<img src=http://x>"])
def test_markup_in_data_is_made_letters(text: str) -> None:
    """Neither tags nor templates of an archive's text survive, in labels and units alike."""
    for shown in (escape(text), label_to_html(text), unit_to_html(text)):
        assert "<a" not in shown
        assert "<b>" not in shown
        assert "<img" not in shown
        assert "%{" not in shown
        assert "\n" not in shown


def test_a_width_counts_letters_not_markup() -> None:
    """Tags have no width, and an entity is one letter wide."""
    assert width_px("B", 13) == width_px("<b>B</b>", 13)
    assert width_px("&lt;", 13) == width_px("=", 13)


def test_text_is_cut_to_its_room_with_an_ellipsis() -> None:
    """What fits stays whole; what does not ends with an ellipsis inside the room."""
    assert shorten("short", 200, 13) == "short"
    cut = shorten("a very long label indeed", 60, 13)
    assert cut.endswith("…")
    assert width_px(cut, 13) <= 60


def test_a_text_of_any_length_is_measured_a_few_times() -> None:
    """Not once for each letter that does not fit: a title of 100,000 letters took minutes."""
    measured: list[int] = []

    def markup(text: str) -> str:
        measured.append(len(text))
        return escape(text)

    cut = shorten("<&title " * 12_500, 700, 14, markup=markup)
    assert cut.endswith("…")
    assert len(measured) < 20
    assert max(measured) < 2_000


def test_text_is_wrapped_at_spaces_and_the_last_line_cut() -> None:
    """No more lines than allowed, none wider than the room."""
    lines = wrap("one two three four five six seven eight", 80, 13, lines=2)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert all(width_px(line, 13) <= 80 for line in lines)


@pytest.mark.parametrize("name", ["b_gse", "Bx_gse", "b_x", "v_1", "storm_speed_2003"])
def test_the_name_of_a_step_is_shown_as_it_is(name: str) -> None:
    """No part of it is a subscript, alone or behind a label."""
    assert label_to_html(name_as_label(name)) == name
    assert label_to_html(f"B_R ({name_as_label(name)})") == f"B<sub>R</sub> ({name})"
