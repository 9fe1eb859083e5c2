"""Operations are found by a scientist's words and by what they accept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.compute.operation import get_operation, operations
from helio_dagster.compute.operation_search import Given, accepting_inputs, search_operations


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("smooth", "rolling_mean"),
        ("running average over 10 minutes", "rolling_mean"),
        ("how strong is the field", "magnitude"),
        ("despike", "despike"),
        ("remove outliers", "despike"),
        ("best lag of two spacecraft", "cross_correlation"),
        ("hodogram", "hodogram"),
        ("intervals where Bz is below a limit", "intervals_where"),
        ("Newell coupling", "newell_coupling"),
        ("slope of a power spectrum", "spectral_slope"),
        ("rms fluctuation", "rolling_statistic"),
        ("low pass filter", "butterworth"),
        ("power spectral density", "wavelet_power"),
        ("welch spectrum", "welch"),
        ("Alfven speed", "alfven_speed"),
        ("ram pressure", "dynamic_pressure"),
        ("solar wind magnetosphere coupling Akasofu", "epsilon"),
        ("MVA", "minimum_variance"),
        ("GSE to GSM", "transform_frame"),
        ("convert units", "scale"),
        ("superposed epoch of storms", "superposed_epoch"),
        ("Parker spiral", "parker_spiral_angle"),
        ("plasma beta", "plasma_beta"),
        ("one value per minute bins", "resample"),
        ("subtract two spacecraft", "difference"),
        ("rate of change", "derivative"),
    ],
)
def test_the_operation_meant_is_among_the_first_three(words: str, wanted: str) -> None:
    """Everyday words and the field's own."""
    assert wanted in [each.operation.id for each in search_operations(operations(), words)[:3]]


def test_without_words_everything_that_accepts_is_found() -> None:
    """A vector in nT: what takes vectors, in any unit or in one that nT converts to."""
    found = {each.operation.id: each.accepts for each in search_operations(operations(), "", Given("vector", "nT"))}
    assert found["magnitude"] == ("vector",)
    assert found["alfven_speed"] == ("field",)
    assert "spectrogram" not in found
    assert len(search_operations(operations(), "")) == len(operations())


def test_types_are_held_against_every_input() -> None:
    """A speed is not a field; a vector in an unfit frame is refused where the frame counts."""
    assert accepting_inputs(get_operation("plasma_beta"), Given("series", "km/s")) == ()
    assert accepting_inputs(get_operation("plasma_beta"), Given("series", "cm^-3")) == ("density",)
    assert "field" not in accepting_inputs(get_operation("epsilon"), Given("vector", "nT", "RTN"))


@given(st.text(max_size=300))
def test_any_text_is_no_syntax(words: str) -> None:
    """Nothing that is typed raises, and what is found is in order of its score."""
    scores = [each.score for each in search_operations(operations(), words)]
    assert scores == sorted(scores, reverse=True)
