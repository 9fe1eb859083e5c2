"""What is made of a line that is drawn: of what it shows, filtered or one component, and of nothing else."""

from __future__ import annotations

import pytest

from tests.unit.agent.offline.asking import chain, edited, panels

_FILTERED = "PSP Br on 2018-11-06, bandpass filtered between 0.001 and 0.005 Hz"


@pytest.mark.parametrize("request_text", ["add a spectrogram", "show its dynamic spectrum underneath"])
def test_a_spectrogram_is_of_what_is_drawn_filtered(request_text: str) -> None:
    """It was asked about, although there is one line."""
    assert chain(edited(_FILTERED, request_text))[-1] == "b_r_spectrogram=spectrogram(b_r_butterworth,PT1M,PT1H)"


@pytest.mark.parametrize("request_text", ["add a spectrogram", "show its spectrogram below"])
def test_what_is_made_of_a_component_that_the_archive_has_is_of_it(request_text: str) -> None:
    """The spectrogram of Bz was one of the magnitude."""
    pipeline = edited("Bz in GSM from OMNI for 17-18 March 2013", request_text)
    assert chain(pipeline)[1:] == ["b_z_gsm_spectrogram=spectrogram(b_z_gsm,PT1M,PT1H)"]


def test_a_filter_of_such_a_component_is_of_it() -> None:
    """The magnitude was added, and that was filtered."""
    pipeline = edited("Bz in GSM from OMNI for 17-18 March 2013", "high pass filter above 1 mHz")
    assert chain(pipeline)[1:] == ["b_z_gsm_butterworth=butterworth(b_z_gsm,0.001,PT1M)"]


def test_it_is_what_the_change_before_has_made() -> None:
    """It was asked which line is meant."""
    pipeline = edited("PSP Br on 2018-11-06", "detrend over 30 min, then add a spectrogram of it")
    assert chain(pipeline)[-1] == "b_r_spectrogram=spectrogram(b_r_detrend,PT1M,PT1H)"
    assert panels(pipeline) == ["b_r", "b_r_detrend", "b_r_spectrogram"]
