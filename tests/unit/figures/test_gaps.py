"""Gaps in a time series."""

from __future__ import annotations

import numpy as np

from helio_dagster.figures.gaps import find_gaps, median_cadence_ms


def test_a_step_of_more_than_three_cadences_is_a_gap() -> None:
    """Three cadences are none yet, four are; the index is that of the record after it."""
    assert find_gaps(np.array([0.0, 1, 2, 5, 6, 7, 11, 12])).tolist() == [6]


def test_a_slower_mode_is_no_gap() -> None:
    """An instrument that changes from 1 s to 10 s keeps its line; a hole in the slow part is a gap."""
    time = np.concatenate([np.arange(0, 100.0), np.arange(100, 300, 10.0), np.arange(360, 500, 10.0)])
    assert time[find_gaps(time)].tolist() == [360.0]


def test_a_lone_record_between_two_gaps_has_a_gap_on_each_side() -> None:
    """Two gaps in a row are not taken for a slower mode."""
    time = np.concatenate([np.arange(0, 20.0), [50.0], np.arange(80.0, 100)])
    assert time[find_gaps(time)].tolist() == [50.0, 80.0]


def test_too_few_records_have_neither_gap_nor_cadence() -> None:
    """One record has no cadence, two have one but nothing to compare it with."""
    assert np.isnan(median_cadence_ms(np.array([5.0])))
    assert median_cadence_ms(np.array([5.0, 9.0])) == 4.0
    assert not len(find_gaps(np.array([0.0, 100.0])))
