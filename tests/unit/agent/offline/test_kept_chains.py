"""A quantity in place of another keeps what was made of it: a spectrum stays one, a mean stays one."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import chain, edited, panels, refine

_SPECTRUM = "power spectrum of the Wind magnetic field magnitude for 1 January 2008"


def test_the_spectrum_of_another_component_is_a_spectrum() -> None:
    """Its step was dropped, and Bz itself drawn under the words of the spectrum."""
    pipeline = edited(_SPECTRUM, "do it for Bz in GSE instead")
    assert chain(pipeline) == ["b_gse=WI_H0_MFI/BGSE", "b_z=component(b_gse,z)", "b_z_spectrum=power_spectrum(b_z)"]
    assert panels(pipeline) == ["b_z_spectrum"]
    assert [step.intent for step in pipeline.steps if step.id == "b_z_spectrum"] == ["Power spectrum of Wind Bz"]
    assert [panel.y.title for step in pipeline.steps if step.figure for panel in step.figure.panels] == ["Power of Bz GSE"]
    assert not any("magnitude" in each for each in (pipeline.title, *pipeline.assumptions))


@pytest.mark.parametrize(
    ("given", "change", "ends"),
    [
        ("Wind Bz in GSM for 1 January 2008, hourly means", "the density instead", ["density_1hour"]),
        ("histogram of the Wind density for January 2008", "the temperature instead", ["temperature_histogram"]),
        (_SPECTRUM, "replace |B| by the density", ["density_spectrum"]),
        ("maximum of the ACE speed in January 2008", "density instead of speed", ["density", "density_facts"]),
    ],
)
def test_whatever_is_made_of_one_is_made_of_the_other(given: str, change: str, ends: list[str]) -> None:
    """Means, a histogram, numbers of the range: all are of the new quantity, and nothing of the old one is fetched."""
    pipeline = edited(given, change)
    assert panels(pipeline) == ends
    assert len([step for step in pipeline.steps if step.fetch]) == 1


def test_a_limit_of_the_old_quantity_is_asked_about() -> None:
    """Below -10 nT is no limit of a speed."""
    answer = refine("intervals in 2012 when OMNI Bz in GSM was below -10 nT", "speed instead of Bz GSM")
    assert isinstance(answer, Asked), answer
    assert "limit" in answer.question.text
