"""Ticks of log axes."""

from __future__ import annotations

import pytest

from helio_dagster.figures.ticks import log_ticks, number_label, number_labels, padded_range


def test_several_decades_have_powers_of_ten() -> None:
    """One label a decade, the digits between as minor ticks."""
    ticks = log_ticks(3.5, 6.2, most=5)
    assert ticks.values == (1e4, 1e5, 1e6)
    assert ticks.labels == ("10<sup>4</sup>", "10<sup>5</sup>", "10<sup>6</sup>")
    assert 2e4 in ticks.minor


def test_small_powers_are_plain_numbers() -> None:
    """Nobody writes a hundred as a power."""
    assert log_ticks(-1, 2, most=5).labels == ("0.1", "1", "10", "100")


def test_many_decades_leave_some_out() -> None:
    """No more labels than there is room for, at even distances."""
    assert log_ticks(-8.0, 8.0, most=5).values == (1e-8, 1e-4, 1.0, 1e4, 1e8)


def test_less_than_two_decades_have_one_two_five() -> None:
    """A range with a single power of ten gets 1-2-5 steps."""
    assert log_ticks(0.6, 1.8, most=6).values == (5.0, 10.0, 20.0, 50.0)


@pytest.mark.parametrize("most", [2, 3, 4])
def test_less_than_two_decades_have_two_labels_in_any_room(most: int) -> None:
    """A density from 1.5 to 60 in a low panel: the same digit in both decades, not one number alone."""
    values = log_ticks(0.18, 1.78, most=most).values
    assert 2 <= len(values) <= most


def test_a_narrow_range_has_round_numbers() -> None:
    """At least two labels however narrow the range."""
    assert log_ticks(1.50, 1.68, most=5).values == (35.0, 40.0, 45.0)


@pytest.mark.parametrize(
    ("value", "label"),
    [(0, "0"), (0.5, "0.5"), (20000, "20000"), (200000, "2×10<sup>5</sup>"), (1e-7, "10<sup>−7</sup>"), (-3, "−3")],
)
def test_numbers_are_labelled_shortly(value: float, label: str) -> None:
    """Plain where short, else with a power of ten."""
    assert number_label(value) == label


def test_a_constant_still_has_a_range() -> None:
    """Neither a constant nor zero makes an axis without length."""
    for value, scale in ((7.0, "linear"), (0.0, "linear"), (100.0, "log")):
        low, high = padded_range(value, value, scale)
        assert low < high


def test_one_axis_has_one_form_of_numbers() -> None:
    """Not 50000 beside 2×10⁵: all plain, or all with a power of ten."""
    assert log_ticks(4.6, 5.5, most=6).labels == ("5×10<sup>4</sup>", "10<sup>5</sup>", "2×10<sup>5</sup>")
    assert number_labels([0, 50_000, 100_000]) == ["0", "5×10<sup>4</sup>", "10<sup>5</sup>"]
    assert number_labels([0, 20_000, 40_000]) == ["0", "20000", "40000"]
