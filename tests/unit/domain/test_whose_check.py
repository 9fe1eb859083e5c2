"""What one spacecraft has measured is not mixed with the place, the axes or the data of another."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.pipeline_check import examine_pipelines
from helio_dagster.domain.pipeline_text import parse_pipeline
from tests.shipped_catalog import shipped_database

PSP_B = "{id: b, fetch: {archive: cdaweb, dataset: PSP_FLD_L2_MAG_RTN_1MIN, parameter: psp_fld_l2_mag_RTN_1min}}"
ACE_B = "{id: b, fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}}"


def place(target: str) -> str:
    """A step with the position of a body."""
    return f"{{id: place, fetch: {{archive: spice, target: {target}, observer: SUN, frame: HCI, cadence: PT1H}}}}"


def turning(target: str) -> str:
    """A step with the attitude of a spacecraft."""
    return f"{{id: turning, fetch: {{archive: spice, target: {target}, parameter: attitude, cadence: PT1M}}}}"


TO_GSE = (
    "{id: turned, compute: {operation: transform_frame, inputs: {vector: b, position: place}, "
    "options: {to: GSE, position_gap: PT2H}}}"
)
TO_RTN = TO_GSE.replace("to: GSE", "to: RTN")
TO_SC = (
    "{id: turned, compute: {operation: transform_frame, inputs: {vector: b, position: place, attitude: turning}, "
    "options: {to: SC, position_gap: PT2H, attitude_gap: PT2M}}}"
)


def problems(*steps: str) -> list[tuple[str, str, str]]:
    """What the check refuses of a pipeline with these steps: where, what, and what to do."""
    listed = indent("\n".join(f"- {each}" for each in steps), "  ")
    file = parse_pipeline(dedent(f"version: 1\nname: one\nsteps:\n{listed}\n"), file="one.yaml")
    catalog = KnownCatalog(shipped_database)
    found = examine_pipelines({"one": file}, get_operation, catalog).problems
    return [(str(each.path), each.problem, each.hint) for each in found]


@pytest.mark.parametrize(
    "steps",
    [
        (PSP_B, place("PSP"), TO_GSE),
        (PSP_B, place("PSP"), turning("PSP"), TO_SC),
        (ACE_B, place("EARTH"), TO_RTN),
        (ACE_B, place("L1"), TO_RTN),
        (
            "{id: b, fetch: {archive: cdaweb, dataset: C1_CP_FGM_SPIN, parameter: B_vec_xyz_gse__C1_CP_FGM_SPIN}}",
            "{id: place, fetch: {archive: cdaweb, dataset: CL_SP_AUX, parameter: sc_r_xyz_gse__CL_SP_AUX}}",
            TO_RTN,
        ),
    ],
)
def test_its_own_position_and_attitude_pass(steps: tuple[str, ...]) -> None:
    """Also the place of Earth or L1 for data from there, and that of a fleet to which the spacecraft belongs."""
    assert problems(*steps) == []


def test_the_position_of_another_is_refused() -> None:
    """By who measured the vector, whose position it is, and what to fetch in its place."""
    [(path, problem, hint)] = problems(PSP_B, place("SOLO"), TO_GSE)
    assert path.endswith("compute.inputs.position")
    assert problem == "the vector is of Parker Solar Probe, and the position is that of Solar Orbiter"
    assert "target: PSP" in hint


def test_a_position_that_a_dataset_has_is_held_to_the_same() -> None:
    """Through the steps between; ACE has no kernels to name."""
    between = "{id: place, compute: {operation: scale, inputs: {series: far}, options: {factor: 1.0}}}"
    far = "{id: far, fetch: {archive: cdaweb, dataset: WI_OR_PRE, parameter: GSE_POS}}"
    [(_, problem, hint)] = problems(ACE_B, far, between, TO_RTN)
    assert problem == "the vector is of ACE, and the position is that of Wind"
    assert hint == "Give the position of ACE."


def test_the_attitude_of_another_is_refused() -> None:
    """The position, which is right, is not named."""
    [(path, problem, hint)] = problems(PSP_B, place("PSP"), turning("SOLO"), TO_SC)
    assert path.endswith("compute.inputs.attitude")
    assert problem == "the vector is of Parker Solar Probe, and the attitude is that of Solar Orbiter"
    assert "target: PSP, parameter: attitude" in hint
    [(_, problem, hint)] = problems(
        ACE_B, place("EARTH"), turning("MAVEN"), TO_SC.replace("position: place, ", "").replace("position_gap: PT2H, ", "")
    )
    assert problem == "the vector is of ACE, and the attitude is that of MAVEN"
    assert hint.startswith("No attitude of ACE is known here; there are those of Parker Solar Probe")


WIND = "{archive: cdaweb, dataset: WI_PM_3DP, parameter: %s}"
OMNI = "{archive: cdaweb, dataset: OMNI_HRO_1MIN, parameter: proton_density}"
FLOW = f"{{id: flow, fetch: {WIND % 'P_VELS'}}}"
DENSITY = f"{{id: density, fetch: {WIND % 'P_DENS'}}}"
WIND_B = "{id: b, fetch: {archive: cdaweb, dataset: WI_H0_MFI, parameter: BGSE}}"
WALEN = "{id: test, compute: {operation: walen, inputs: {velocity: flow, field: b, density: density}}}"
FAR = "{id: far, fetch: {archive: cdaweb, dataset: WI_OR_PRE, parameter: GSE_POS}}"
TO_NOSE = (
    "{id: shifted, compute: {operation: propagate, inputs: {series: b, velocity: flow, position: far}, "
    "options: {cadence: PT1M, longest: PT2H, tolerance: PT10M}}}"
)


@pytest.mark.parametrize(
    "steps",
    [
        (WIND_B, FLOW, DENSITY, WALEN),
        (WIND_B, FLOW, f"{{id: density, fetch: {OMNI}}}", WALEN),
        (WIND_B, FLOW, "{id: density, fetch: {file: n.csv, columns: {n: {unit: cm^-3}}, time: {columns: [time]}}}", WALEN),
        (WIND_B, FLOW, FAR, TO_NOSE),
        (WIND_B, "{id: flow, fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Vp}}", FAR, TO_NOSE),
        (
            ACE_B.replace("id: b", "id: early"),
            "{id: b, compute: {operation: shift_time, inputs: {series: early}, options: {later: PT10M}}}",
            FLOW,
            DENSITY,
            WALEN,
        ),
        (
            ACE_B.replace("id: b", "id: one"),
            WIND_B.replace("id: b", "id: two"),
            "{id: b, compute: {operation: difference, inputs: {a: one, b: two}, options: {tolerance: PT1M}}}",
            FLOW,
            DENSITY,
            WALEN,
        ),
    ],
)
def test_what_may_be_of_one_spacecraft_passes(steps: tuple[str, ...]) -> None:
    """Its own data; what is of none, of unknown origin, of several or brought to another place; a speed to propagate with."""
    assert problems(*steps) == []


def test_what_one_spacecraft_must_have_measured_is_refused_of_two() -> None:
    """Each input that is of another than the first, whatever is computed; two missions of one fleet are two spacecraft."""
    assert [(problem, hint) for _, problem, hint in problems(ACE_B, FLOW, DENSITY, WALEN)] == [
        ("the velocity is of Wind, and the field is that of ACE", "Give the field of Wind.")
    ]
    assert [problem for _, problem, _ in problems(ACE_B, FLOW, FAR, TO_NOSE)] == [
        "the series is of ACE, and the position is that of Wind"
    ]
    field = "{id: %s, fetch: {archive: cdaweb, dataset: %s_FGM_SRVY_L2, parameter: %s_fgm_b_gse_srvy_l2}}"
    waves = "{id: waves, over: range, compute: {operation: wave_polarization, inputs: {field: one, background: two}}}"
    steps = (field % ("one", "MMS1", "mms1"), field % ("two", "MMS2", "mms2"), waves)
    assert [problem for _, problem, _ in problems(*steps)] == ["the field is of MMS1, and the background is that of MMS2"]


OWN_B = (
    "{id: b, fetch: {file: b.csv, columns: {x: {unit: nT}, y: {unit: nT}, z: {unit: nT}}, frame: RTN, "
    "time: {columns: [time]}%s}}"
)


@pytest.mark.parametrize("name", ["PSP", "Parker Solar Probe", "parker solar probe", "Solar Probe Plus"])
def test_a_file_is_of_the_spacecraft_that_its_description_names(name: str) -> None:
    """By any of its names; without one nothing is known, and nothing is refused."""
    said = f", spacecraft: {name}"
    assert problems(OWN_B % said, place("PSP"), TO_GSE) == []
    [(path, problem, hint)] = problems(OWN_B % said, place("SOLO"), TO_GSE)
    assert path.endswith("compute.inputs.position")
    assert problem == "the vector is of Parker Solar Probe, and the position is that of Solar Orbiter"
    assert "target: PSP" in hint
    assert problems(OWN_B % "", place("SOLO"), TO_GSE) == []


def test_a_file_of_a_spacecraft_that_nobody_knows_is_its_own() -> None:
    """So it is not mixed with a known one; data of a fleet's member are of the fleet."""
    cube = OWN_B % ", spacecraft: Cubesat 7"
    assert [each for _, each, _ in problems(cube, place("PSP"), TO_GSE)] == [
        "the vector is of Cubesat 7, and the position is that of Parker Solar Probe"
    ]
    density = "{id: density, fetch: {file: n.csv, columns: {n: {unit: cm^-3}}, time: {columns: [time]}, spacecraft: %s}}"
    assert problems(WIND_B, FLOW, density % "wind", WALEN) == []
    assert [each for _, each, _ in problems(WIND_B, FLOW, density % "ACE", WALEN)] == [
        "the velocity is of Wind, and the density is that of ACE"
    ]


@pytest.mark.parametrize(
    ("archive", "dataset", "owner"),
    [
        ("hapi:cdaweb", "AC_H0_SWE", "ACE"),
        ("hapi:https://cdaweb.gsfc.nasa.gov/hapi", "AC_H0_SWE@0", "ACE"),
        ("hapi:amda", "ace-swepam-real", "ACE"),
        ("hapi:amda", "tha-mom-all", "THEMIS-A"),
        ("hapi:csa", "C1_CP_CIS-HIA_ONBOARD_MOMENTS", "Cluster 1"),
        ("hapi:cdaweb", "WI_H1_SWE", ""),
        ("hapi:amda", "xyz-plasma", ""),
        ("hapi:example.org", "AC_H0_SWE", ""),
    ],
)
def test_data_of_a_server_count_where_their_owner_is_known(archive: str, dataset: str, owner: str) -> None:
    """By the ids of servers that use CDAWeb's, or names; others are left alone, and so are those of the right owner."""
    density = f"{{id: density, fetch: {{archive: '{archive}', dataset: '{dataset}', parameter: n}}}}"
    found = [each for _, each, _ in problems(WIND_B, FLOW, density, WALEN)]
    assert found == ([f"the velocity is of Wind, and the density is that of {owner}"] if owner else [])
