"""A dataset that a request names is the one that is used, or the answer names it and says what it lacks."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, chain, drawn_at, edited, panels, planned

DAY = "17 March 2015"


@pytest.mark.parametrize(
    "request_text",
    [
        "Alfven Mach number of OMNI_HRO2_1MIN, {}",
        "Alfven Mach number of omni_hro2_1min, {}",
        "Alfven Mach number of cdaweb/OMNI_HRO2_1MIN, {}",
        "OMNI_HRO2_1MIN, Alfven Mach number, {}",
    ],
)
def test_what_the_dataset_holds_is_not_computed(request_text: str) -> None:
    """However the dataset is written, its own parameter is taken, and nothing is said of a dataset that was not named."""
    pipeline = planned(request_text.format(DAY))
    assert chain(pipeline) == ["alfven_mach=OMNI_HRO2_1MIN/Mach_num"]
    assert pipeline.assumptions == ["The Alfven Mach number of OMNI is the archive's own, not computed."]


def test_an_input_that_the_dataset_lacks_comes_from_another_and_says_so() -> None:
    """The density is not exchanged beside it."""
    pipeline = planned(f"plasma beta of AC_H0_SWE, {DAY}")
    assert _datasets(pipeline) == {"AC_H0_SWE", "AC_H0_MFI"}
    (told,) = [each for each in pipeline.assumptions if "which the request names" in each]
    assert told.startswith("AC_H0_MFI (ACE magnetic field, 16-second) is used for the magnetic field, because I know none in")
    assert not _claims_none_named(pipeline)


@pytest.mark.parametrize(
    ("request_text", "datasets"),
    [
        ("density from AC_H0_SWE and magnetic field from AC_H0_MFI", {"AC_H0_SWE", "AC_H0_MFI"}),
        ("magnetic field and density of AC_H0_MFI and AC_H0_SWE", {"AC_H0_SWE", "AC_H0_MFI"}),
        ("plasma beta of AC_H0_MFI and AC_H0_SWE", {"AC_H0_SWE", "AC_H0_MFI"}),
        ("magnetic field magnitude of AC_H0_MFI and AC_H3_MFI", {"AC_H0_MFI", "AC_H3_MFI"}),
        ("SYM-H from OMNI_HRO2_5MIN", {"OMNI_HRO2_5MIN"}),
        ("OMNI_HRO_1MIN speed and Dst", {"OMNI_HRO_1MIN", "OMNI2_H0_MRG1HR"}),
        ("magnetic field vector of OMNI_HRO2_1MIN", {"OMNI_HRO2_1MIN"}),
        ("hourly mean of Magnitude, AC_H3_MFI", {"AC_H3_MFI"}),
    ],
)
def test_each_quantity_is_taken_from_the_dataset_that_has_it(request_text: str, datasets: set[str]) -> None:
    """Two datasets of one spacecraft are both used."""
    pipeline = planned(f"{request_text}, {DAY}")
    assert _datasets(pipeline) == datasets
    assert not _claims_none_named(pipeline)


@pytest.mark.parametrize(
    ("request_text", "named"),
    [
        ("Kp of OMNI_HRO2_1MIN", "Kp in OMNI_HRO2_1MIN"),
        ("magnetic field of AC_H0_MFI and AC_H0_SWE", "magnetic field in AC_H0_SWE"),
        ("proton density of AC_H0_MFI", "proton density in AC_H0_MFI"),
        ("plasma beta of AC_H0_MFI and WI_H1_SWE and AC_H2_CRIS", "AC_H2_CRIS"),
        ("speed of XX_H0_FOO", "XX_H0_FOO"),
    ],
)
def test_what_a_named_dataset_lacks_is_asked_about(request_text: str, named: str) -> None:
    """The question names the dataset; none is taken in its place."""
    answer = ask(f"{request_text}, {DAY}")
    assert isinstance(answer, Asked)
    assert named in answer.question.text


def test_curves_of_two_datasets_are_told_apart() -> None:
    """Both are of one spacecraft, so each is called by its dataset."""
    pipeline = planned(f"magnetic field magnitude of AC_H0_MFI and AC_H3_MFI, {DAY}")
    assert [drawn_at(pipeline, (0, place))["label"] for place in (0, 1)] == ["AC_H0_MFI", "AC_H3_MFI"]


def test_what_the_archive_has_itself_is_named_in_a_change_as_what_is_computed_is() -> None:
    """The Mach numbers are told apart."""
    given = f"OMNI Alfven Mach number, magnetosonic Mach number and plasma beta, {DAY}"
    assert sorted(panels(planned(given))) == ["alfven_mach", "magnetosonic_mach", "plasma_beta"]
    assert sorted(panels(edited(given, "remove the Alfven Mach number"))) == ["magnetosonic_mach", "plasma_beta"]
    assert sorted(panels(edited(given, "remove the beta panel"))) == ["alfven_mach", "magnetosonic_mach"]


def _datasets(pipeline: Pipeline) -> set[str]:
    return {step.fetch.dataset for step in pipeline.steps if step.fetch is not None}


def _claims_none_named(pipeline: Pipeline) -> bool:
    return any("names no dataset" in each for each in pipeline.assumptions)
