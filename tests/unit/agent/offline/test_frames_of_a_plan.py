"""What is drawn, rotated into another frame: all of it, with its units, and nothing else."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import chain, edited, panels, refine

THREE = "Positions of MMS1, THEMIS-D and Cluster 4 in GSE on 12 December 2016 in Earth radii"


@pytest.mark.parametrize("words", ["convert to GSM", "rotate all three into GSM", "transform everything to GSM coordinates"])
def test_all_spacecraft_are_rotated(words: str) -> None:
    """None is dropped, and the unit stays."""
    pipeline = edited(THREE, words)
    drawn = ["mms1_position_gsm_r_e", "themis_d_position_gsm", "cluster_4_position_gsm_r_e"]
    assert panels(pipeline) == drawn
    assert sum("transform_frame" in each for each in chain(pipeline)) == 3
    assert sum("rotated into GSM" in each for each in pipeline.assumptions) == 3
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.y.title for panel in figure.panels] == ["MMS1 R GSM", "THEMIS-D R GSM", "Cluster 4 R GSM"]


def test_a_component_is_that_of_the_rotated_vector() -> None:
    """And a rotation that is there is replaced, never followed by another."""
    assert panels(edited("ACE Bz in GSE and speed on 2016-12-12", "convert Bz to GSM")) == ["b_z_gsm", "speed"]
    turned = "transform Wind magnetic field from GSE to GSM 6 Apr 2000"
    assert sum("transform_frame" in each for each in chain(edited(turned, "convert it to SM"))) == 1
    assert panels(edited(turned, "convert it to GSE")) == ["b_gse"]


def test_what_time_alone_does_not_rotate_is_drafted_as_a_request_in_that_frame_is() -> None:
    """RTN needs the position of the spacecraft; of a velocity the archive has what is asked for."""
    pipeline = edited("PSP magnetic field in RTN 5-7 November 2018", "convert to GSE")
    compute = pipeline.step("b_gse").compute
    assert compute is not None
    assert compute.operation == "transform_frame"
    assert compute.step_inputs == {"vector": "b_rtn", "position": "place"}
    assert panels(pipeline) == ["b_gse"]
    both = edited("ACE magnetic field and velocity in GSE on 2016-12-12", "convert everything to GSM")
    assert chain(both) == ["b_gsm=AC_H0_MFI/BGSM", "velocity_gsm=AC_H0_SWE/V_GSM"]


def test_what_is_not_drawn_or_not_had_in_a_frame_is_asked_about() -> None:
    """Nothing is changed by halves."""
    for request, words in (
        ("ACE magnetic field in GSE on 2016-12-12", "convert the blimps to GSM"),
        ("Voyager 2 magnetic field in RTN in January 1989", "convert to GSM"),
    ):
        assert isinstance(refine(request, words), Asked)


@pytest.mark.parametrize(
    ("words", "turned"), [("in GSM", 3), ("the same in GSM", 3), ("THEMIS-D in GSM", 1), ("MMS1 in GSM as well, please", 1)]
)
def test_a_frame_alone_rotates_what_is_drawn(words: str, turned: int) -> None:
    """All of it, or that of the spacecraft that is named."""
    pipeline = edited(THREE, words)
    assert len(panels(pipeline)) == 3
    assert sum(step.compute is not None and step.compute.operation == "transform_frame" for step in pipeline.steps) == turned
