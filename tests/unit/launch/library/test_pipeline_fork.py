"""A copy of a pipeline with other datasets: what the catalog proposes, and what does not carry over."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError, PipelineError
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_fork import Fork, plan_fork
from helio_dagster.storage.settings import Settings

ACE = """\
version: 1
name: ace            # the monitor
title: ACE field
description: What ACE sees
steps:
  - id: b
    intent: Fetch the ACE field, 16-second
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: ace/b}}   # by its full name
  - id: shown
    figure:
      panels:
        - traces: [{data: mag, label: ACE}]
approved: {by: me, at: 2026-01-01, sha: x}
"""
TWO = """\
version: 1
name: two
title: ACE and Wind
steps:
  - id: a
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: w
    fetch: {archive: cdaweb, dataset: WI_H0_MFI, parameter: BGSE}
"""
WIND_FIELD = "{archive: cdaweb, dataset: WI_H0_MFI, parameter: BGSE}"
HOURLY = """\
version: 1
name: hourly
partitions: monthly
steps:
  - id: v
    fetch: {archive: cdaweb, dataset: OMNI2_H0_MRG1HR, parameter: V}
  - id: dst
    fetch: {archive: cdaweb, dataset: OMNI2_H0_MRG1HR, parameter: DST}
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the three pipelines."""
    home = Home(Settings(tmp_path / "home", tmp_path / "pipelines"))
    for name, text in (("ace", ACE), ("two", TWO), ("hourly", HOURLY)):
        home.library.save(name, text)
    return home


def fetched(fork: Fork) -> dict[str, str]:
    """Step to dataset and parameter."""
    return {
        step.id: f"{step.fetch.dataset}/{step.fetch.parameter}" for step in fork.file.pipeline.steps if step.fetch is not None
    }


def test_a_plain_fork_differs_in_name_and_approval(home: Home) -> None:
    """References to its own steps lead to itself; nobody has approved it."""
    fork = plan_fork(home, home.library.load("ace"), "mine")
    expected = ACE.replace("name: ace ", "name: mine ").replace("ace/b", "mine/b")
    assert fork.file.text == expected[: expected.index("approved")]
    assert not fork.is_proposal
    assert not fork.path.exists()


@pytest.mark.parametrize(
    ("mission", "expected", "losses"),
    [
        ("wind", "WI_H0_MFI/BGSE", []),
        ("DSCOVR", "DSCOVR_H0_MAG/B1GSE", []),
        ("PSP", "PSP_FLD_L2_MAG_RTN_1MIN/psp_fld_l2_mag_RTN_1min", ["its frame is RTN, not GSE"]),
    ],
)
def test_another_mission_gets_its_most_alike_dataset(home: Home, mission: str, expected: str, losses: list[str]) -> None:
    """Same quantity and shape, the same frame where there is one, a near cadence; another frame is said. A person decides."""
    fork = plan_fork(home, home.library.load("ace"), "mine", missions=[mission])
    assert fetched(fork) == {"b": expected}
    assert fork.replacements[0].losses == losses
    assert fork.is_proposal


def test_what_was_assumed_of_the_old_dataset_goes(home: Home) -> None:
    """The fork says what took its place; other assumptions, and other lines, stay; so does the id in the description follow."""
    told = (
        "description: Made from AC_H0_MFI.\nassumptions:\n  - AC_H0_MFI is used, as no dataset is named.\n  - GSE is usual.\n"
    )
    text = ACE.replace("name: ace ", "name: told ").replace("ace/b", "told/b").replace("description: What ACE sees\n", told)
    home.library.save("told", text)
    pipeline = plan_fork(home, home.library.load("told"), "mine", missions=["Wind"]).file.pipeline
    new = pipeline.step("b").fetch
    assert new is not None
    assert pipeline.description == f"Made from {new.dataset}."
    assert pipeline.assumptions == ["GSE is usual.", f"{new.dataset} {new.parameter} was chosen for this copy."]


def test_words_follow_the_mission(home: Home) -> None:
    """Titles, labels and the fetch's intent; what is not changed and still speaks of it is told, as is the cadence."""
    fork = plan_fork(home, home.library.load("ace"), "mine", missions=["Wind"])
    pipeline = fork.file.pipeline
    assert pipeline.title == "Wind field"
    assert pipeline.step("b").intent == "Fetch the magnetic field of Wind in GSE"
    assert "label: Wind}" in fork.file.text
    assert fork.notes == ("description: it still mentions ACE",)
    assert fork.replacements[0].remarks == ["every 3 s, not 16 s"]


def test_of_several_missions_one_is_named(home: Home) -> None:
    """The other one's fetches stay."""
    with pytest.raises(InputError, match="fetches from ACE, Wind") as caught:
        plan_fork(home, home.library.load("two"), "mine", missions=["DSCOVR"])
    assert "--mission ACE=DSCOVR" in caught.value.hint
    fork = plan_fork(home, home.library.load("two"), "mine", missions=["ACE=DSCOVR"])
    assert fetched(fork) == {"a": "DSCOVR_H0_MAG/B1GSE", "w": "WI_H0_MFI/BGSE"}
    assert fork.file.pipeline.title == "DSCOVR and Wind"


def test_beside_one_spacecraft_what_is_compiled_of_many_stays(home: Home) -> None:
    """Nobody has to say that an index is not replaced."""
    other = "{archive: cdaweb, dataset: OMNI2_H0_MRG1HR, parameter: DST}"
    home.library.save("indexed", TWO.replace("name: two", "name: indexed").replace(WIND_FIELD, other))
    fork = plan_fork(home, home.library.load("indexed"), "mine", missions=["Wind"])
    assert fetched(fork) == {"a": "WI_H0_MFI/BGSE", "w": "OMNI2_H0_MRG1HR/DST"}


PARTLY = """\
version: 1
name: partly
title: ACE and its density
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: n
    fetch: {archive: cdaweb, dataset: AC_H6_SWI, parameter: nH}
  - id: b_z
    intent: Component z at ACE
    compute: {operation: component, inputs: {vector: b}, options: {component: z}}
  - id: shown
    intent: Field and density of ACE
    figure:
      panels:
        - traces: [{data: b_z, label: ACE}]
        - traces: [{data: n, label: ACE}]
"""


def test_where_a_mission_is_replaced_in_part_each_text_names_what_it_speaks_of(home: Home) -> None:
    """What is made of the new dataset says so; what shows both is told."""
    home.library.save("partly", PARTLY)
    fork = plan_fork(home, home.library.load("partly"), "mine", datasets=["b=WI_H0_MFI/BGSE"])
    step, figure = fork.file.pipeline.step("b_z"), fork.file.pipeline.step("shown")
    assert step.intent == "Component z at Wind"
    assert figure.figure is not None
    assert [panel.traces[0].label for panel in figure.figure.panels] == ["Wind", "ACE"]
    assert (fork.file.pipeline.title, figure.intent) == ("ACE and its density", "Field and density of ACE")
    assert not any("component" in note for note in fork.notes), fork.notes


def test_two_missions_change_places(home: Home) -> None:
    """Their names in words, too."""
    fork = plan_fork(home, home.library.load("two"), "mine", missions=["ACE=Wind", "Wind=ACE"])
    assert {step: name.split("_")[0] for step, name in fetched(fork).items()} == {"a": "WI", "w": "AC"}
    assert fork.file.pipeline.title == "Wind and ACE"


def test_what_a_mission_never_measured_stays_and_is_told(home: Home) -> None:
    """A quantity without counterpart is fetched as before."""
    fork = plan_fork(home, home.library.load("hourly"), "mine", missions=["ACE"])
    assert fetched(fork)["dst"] == "OMNI2_H0_MRG1HR/DST"
    assert fetched(fork)["v"].startswith("AC_")
    assert [text.split(":")[0] for text in fork.kept] == ["dst"]


def test_electrons_are_not_taken_for_protons(home: Home) -> None:
    """A density of all ions gets one of protons; electrons named by a person are said not to carry over."""
    home.library.save("n", HOURLY.replace("name: hourly", "name: n").replace("parameter: V", "parameter: N"))
    assert fetched(plan_fork(home, home.library.load("n"), "mine", missions=["Wind"]))["v"] == "WI_H1_SWE/Proton_Np_nonlin"
    fork = plan_fork(home, home.library.load("n"), "mine", datasets=["v=WI_H0_WAV/Ne"])
    assert fork.replacements[0].losses == ["it is of electrons, not protons or all ions"]
    assert fork.is_proposal


def test_a_mission_that_measured_none_of_it_is_refused(home: Home) -> None:
    """With what is missing."""
    with pytest.raises(InputError, match="the catalog has no magnetic field from OMNI"):
        plan_fork(home, home.library.load("ace"), "mine", missions=["OMNI"])


@pytest.mark.parametrize("old", ["AC_H0_MFI", "b", "AC_H0_MFI/BGSEc"])
def test_a_dataset_is_named_by_id_parameter_or_step(home: Home, old: str) -> None:
    """One of the same quantity, unit and frame needs no approval."""
    fork = plan_fork(home, home.library.load("ace"), "mine", datasets=[f"{old}=WI_H0_MFI/BGSE"])
    assert fetched(fork) == {"b": "WI_H0_MFI/BGSE"}
    assert not fork.is_proposal


@pytest.mark.parametrize(
    ("other", "losses"),
    [
        ("AC_H0_MFI/BGSM", ["its frame is GSM, not GSE"]),
        (
            "AC_H0_SWE/Vp",
            [
                "it measures speed, not magnetic field",
                "it is a series, not a vector",
                "its unit is km/s, not nT",
                "its frame is not known, not GSE",
            ],
        ),
        ("NEW_H0_MAG/B", ["NEW_H0_MAG B is not in the catalog: quantity, unit and frame are not compared"]),
    ],
)
def test_what_does_not_carry_over_is_said(home: Home, other: str, losses: list[str]) -> None:
    """And asks for approval."""
    home.library.save("bare", ACE.split("  - id: mag")[0].replace("name: ace ", "name: bare "))
    fork = plan_fork(home, home.library.load("bare"), "mine", datasets=[f"AC_H0_MFI={other}"])
    assert fork.replacements[0].losses == losses
    assert fork.is_proposal


def test_a_fork_that_would_be_wrong_is_refused(home: Home) -> None:
    """A speed has no magnitude: the operation's own rules say so."""
    with pytest.raises(PipelineError, match="magnitude"):
        plan_fork(home, home.library.load("ace"), "mine", datasets=["b=AC_H0_SWE/Vp"])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"datasets": ["AC_H0_MFY=WI_H0_MFI/BGSE"]}, "does not fetch 'AC_H0_MFY'"),
        ({"datasets": ["AC_H0_MFI"]}, "is not a replacement"),
        ({"datasets": ["AC_H0_MFI=WI_H0_MFI"]}, "is not a replacement"),
        ({"datasets": ["AC_H0_MFI=../../x/BGSE"]}, "is not a replacement"),
        ({"datasets": ["=WI_H0_MFI/BGSE"]}, "is not a replacement"),
        ({"missions": ["Atlantis"]}, "there is no mission 'Atlantis'"),
        ({"missions": ["ACE"]}, "already fetches from ACE"),
        ({"missions": ["Wind=DSCOVR"]}, "fetches nothing from Wind"),
    ],
)
def test_wrong_input_is_one_message(home: Home, arguments: dict[str, list[str]], problem: str) -> None:
    """With what to write instead."""
    with pytest.raises(InputError, match=problem):
        plan_fork(home, home.library.load("ace"), "mine", **arguments)


def test_one_dataset_of_several_parameters_must_be_told_apart(home: Home) -> None:
    """Which is meant is not guessed."""
    with pytest.raises(InputError, match="several parameters of OMNI2_H0_MRG1HR"):
        plan_fork(home, home.library.load("hourly"), "mine", datasets=["OMNI2_H0_MRG1HR=AC_H0_SWE/Vp"])


@pytest.mark.parametrize("name", ["ace", "two", "../x", "Mine"])
def test_a_name_that_is_taken_or_none_is_refused(home: Home, name: str) -> None:
    """Nothing is replaced."""
    with pytest.raises(InputError):
        plan_fork(home, home.library.load("ace"), name)


PLASMA = """\
version: 1
name: plasma
title: ACE solar wind
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: Magnitude}
  - id: v
    intent: Fetch the speed of ACE
    fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Vp}
  - id: n
    fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Np}
  - id: pressure
    compute: {operation: dynamic_pressure, inputs: {density: n, speed: v}}
"""
WIND = PLASMA.replace("AC_H0_MFI, parameter: Magnitude", "WI_H0_MFI, parameter: BF1").replace("name: plasma", "name: wind")
WIND = WIND.replace("AC_H0_SWE, parameter: Vp", "WI_H1_SWE, parameter: Proton_V_nonlin")
WIND = WIND.replace("AC_H0_SWE, parameter: Np", "WI_H1_SWE, parameter: Proton_Np_nonlin").replace("ACE", "Wind")


@pytest.mark.parametrize(
    ("text", "mission", "speed", "density"),
    [
        (PLASMA, "Wind", "WI_H1_SWE/Proton_V_nonlin", "WI_H1_SWE/Proton_Np_nonlin"),
        (PLASMA, "PSP", "PSP_COHO1HR_MERGED_MAG_PLASMA/ProtonSpeed", "PSP_COHO1HR_MERGED_MAG_PLASMA/protonDensity"),
        (PLASMA, "STEREO-A", "STA_L2_MAGPLASMA_1M/Vp", "STA_L2_MAGPLASMA_1M/Np"),
        (WIND, "ACE", "AC_H0_SWE/Vp", "AC_H0_SWE/Np"),
    ],
)
def test_the_solar_wind_of_another_monitor_is_found(home: Home, text: str, mission: str, speed: str, density: str) -> None:
    """All parameters of its datasets are looked at, and what was of one dataset stays of one."""
    home.library.save("copied", text.replace("name: plasma", "name: copied").replace("name: wind", "name: copied"))
    fork = plan_fork(home, home.library.load("copied"), "mine", missions=[mission])
    assert not fork.kept
    assert (fetched(fork)["v"], fetched(fork)["n"]) == (speed, density)


def test_a_speed_becomes_the_length_of_a_velocity_where_there_is_no_speed(home: Home) -> None:
    """DSCOVR has the vector alone: it is fetched, its length is computed under the old name, and what reads that stays."""
    home.library.save("plasma", PLASMA)
    fork = plan_fork(home, home.library.load("plasma"), "mine", missions=["DSCOVR"])
    assert fetched(fork) == {"b": "DSCOVR_H0_MAG/B1F1", "v_velocity": "DSCOVR_H1_FC/V_GSE", "n": "DSCOVR_H1_FC/Np"}
    speed = fork.file.pipeline.step("v")
    assert speed.compute is not None
    assert (speed.compute.operation, speed.compute.inputs) == ("magnitude", {"vector": "v_velocity"})
    assert "ACE" not in speed.intent
    replacement = next(each for each in fork.replacements if each.step == "v")
    assert replacement.losses == []
    assert "magnitude of the velocity" in replacement.remarks[0]


@pytest.mark.parametrize(
    ("dataset", "parameter", "mission", "twin"),
    [
        ("THA_L2_ESA", "tha_peif_en_eflux", "THEMIS-D", "THD_L2_ESA/thd_peif_en_eflux"),
        ("RBSPA_REL04_ECT-HOPE-PA-L3", "FEDO", "Van Allen Probe B", "RBSPB_REL04_ECT-HOPE-PA-L3/FEDO"),
    ],
)
def test_a_spectrogram_of_another_member_of_the_family_is_its_twin(
    home: Home, dataset: str, parameter: str, mission: str, twin: str
) -> None:
    """The one that is called alike, and no other of the same quantity."""
    fetch = f"{{archive: cdaweb, dataset: {dataset}, parameter: {parameter}}}"
    home.library.save("flux", f"version: 1\nname: flux\nsteps:\n  - id: e\n    fetch: {fetch}\n")
    fork = plan_fork(home, home.library.load("flux"), "twin", missions=[mission])
    assert fetched(fork) == {"e": twin}
