"""Recipes of the field that are asked for by name become checked pipelines: their data, their steps, their figure."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.recipes.vocabulary import recipes
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.pipeline import Pipeline

from .asking import ask, chain, panels, planned


def operations(pipeline: Pipeline) -> list[tuple[str | None, dict[str, str]]]:
    """The operations of a pipeline with their inputs."""
    return [
        (step.compute.operation, {name: str(each) for name, each in step.compute.inputs.items()})
        for step in pipeline.steps
        if step.compute is not None
    ]


PLASMA = {"field": "b_gse", "velocity": "velocity_gse", "density": "density"}
FOUR = {f"position{place}": f"mms{place}_position_gse" for place in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("request_text", "operation", "inputs"),
    [
        ("theta_Bn of the shock at Wind 2005-01-16 09:27", "shock_parameters", {**PLASMA, "temperature": "temperature"}),
        ("shock normal and speed at ACE, 2005-01-16 09:27", "shock_parameters", {**PLASMA, "temperature": "temperature"}),
        ("Wind shock parameters 2005-01-16 09:27", "shock_parameters", {**PLASMA, "temperature": "temperature"}),
        (
            "Rankine-Hugoniot fit of the shock at Wind 2005-01-16 09:27",
            "rankine_hugoniot",
            {**PLASMA, "temperature": "temperature"},
        ),
        ("Walen test at THEMIS A 2008-02-26 04:50 to 05:00", "dehoffmann_teller", PLASMA),
        (
            "ACE field in field-aligned coordinates averaged over 10 minutes on 2003-10-29",
            "transform_frame",
            {"vector": "b_gse"},
        ),
        ("does the Walen relation hold at THEMIS A 2008-02-26 04:50 to 05:00?", "dehoffmann_teller", PLASMA),
        (
            "ballistic back-mapping of ACE in November 2021",
            "source_longitude",
            {"speed": "speed", "position": "position_gse"},
        ),
        (
            "back-map the solar wind at Solar Orbiter to the Sun in March 2022",
            "source_longitude",
            {"speed": "speed", "position": "position_hci"},
        ),
        (
            "RTN to GSE of the ACE magnetic field on 2005-01-16",
            "transform_frame",
            {"vector": "b_rtn", "position": "position_gse"},
        ),
        ("compressional and transverse components of B at THEMIS A on 2008-02-26", "transform_frame", {"vector": "b_gse"}),
        ("ACE B parallel and perpendicular to the mean field on 2003-10-29", "transform_frame", {"vector": "b_gse"}),
        (
            "parallel and perpendicular components of the velocity at MMS1 on 2015-10-16",
            "transform_frame",
            {"vector": "velocity_gse", "field": "b_gse"},
        ),
        ("field-aligned velocity at Wind on 2005-01-16", "transform_frame", {"vector": "velocity_gse", "field": "b_gse"}),
        (
            "radial, azimuthal and parallel components of the field at THEMIS A on 2008-02-26",
            "transform_frame",
            {"vector": "b_gse", "position": "position_gse"},
        ),
        (
            "MVAE at THEMIS A 2008-02-26 04:50 to 05:00",
            "convection_electric_field",
            {"velocity": "velocity_gse", "field": "b_gse"},
        ),
        ("de Hoffmann-Teller frame of MMS1 2015-10-16 13:06 to 13:08", "dehoffmann_teller", PLASMA),
        (
            "pressure balance at THEMIS A 2008-02-26 04:50 to 05:00",
            "total_pressure",
            {"field": "b_gse", "density": "density", "temperature": "temperature"},
        ),
        (
            "current density from MMS curlometer 2017-07-11 22:30 to 22:40",
            "curlometer",
            {**{f"field{place}": f"mms{place}_b_gse" for place in (1, 2, 3, 4)}, **FOUR},
        ),
        (
            "gradient of the field of MMS 2017-07-11",
            "gradient",
            {**{f"value{place}": f"mms{place}_b_gse" for place in (1, 2, 3, 4)}, **FOUR},
        ),
        (
            "four-spacecraft timing of MMS 2015-10-16 13:05:30 to 13:06:30",
            "four_spacecraft_timing",
            {**{f"crossing{place}": f"mms{place}_b_gse" for place in (1, 2, 3, 4)}, **FOUR},
        ),
        (
            "two-spacecraft timing of ACE and Wind 2005-01-16 09:00 to 10:30",
            "two_spacecraft_timing",
            {
                "crossing1": "ace_b_gse",
                "crossing2": "wind_b_gse",
                "position1": "ace_position_gse",
                "position2": "wind_position_gse",
            },
        ),
        ("IGRF field at MMS1 2017-07-11", "igrf_field", {"position": "position_gse"}),
        ("T89 field at MMS1 2017-07-11", "tsyganenko_field", {"position": "mms1_position_gse", "kp": "omni_kp"}),
        (
            "Tsyganenko field at THEMIS A on 2008-02-26",
            "tsyganenko_field",
            {"position": "themis_a_position_gse", "kp": "omni_kp"},
        ),
        ("foot points of THEMIS A on 2008-02-26", "foot_points", {"position": "themis_a_position_gse", "kp": "omni_kp"}),
        ("magnetic footpoint tracing of MMS1 2017-07-11", "foot_points", {"position": "mms1_position_gse", "kp": "omni_kp"}),
        ("dipole L and MLT of MMS1 2017-07-11", "dipole_coordinates", {"position": "position_gse"}),
        ("coherence between ACE Bz and Wind Bz in GSM 1999-05-08", "component", {"vector": "ace_b_gsm"}),
        ("polarization of the EMIC waves at MMS1 2017-07-11 22:30 to 22:40", "wave_polarization", {"field": "b_gse"}),
        (
            "ion temperature anisotropy of MMS1 2017-07-11 22:30 to 22:40",
            "temperature_anisotropy",
            {"perpendicular": "t_perp", "parallel": "t_par"},
        ),
        (
            "mirror and firehose thresholds at MMS1 2017-07-11 22:30 to 22:40",
            "magnitude",
            {"vector": "b_gse"},
        ),
        ("spectral break of Wind 2005-01-16", "power_spectrum", {"series": "b_gse"}),
        ("velocity dispersion analysis of protons at SOHO ERNE 2000-07-14", "particle_onsets", {"flux": "protons"}),
        ("structure function of Wind B 2005-01-16", "structure_function", {"series": "b_gse"}),
        (
            "ACE field in GSM shifted to the bow shock 2003-10-29",
            "propagate",
            {"series": "b_gsm", "velocity": "velocity_gsm", "position": "position_gsm"},
        ),
        ("phases of the storms in October 2003", "storm_phases", {"series": "dst"}),
        ("phases of the magnetic storm 2015-03-16 to 2015-03-22 from SYM-H", "storm_phases", {"series": "sym_h"}),
        ("main phase and recovery phase of storms in 2003 by Dst", "storm_phases", {"series": "dst"}),
        (
            "time-shift the ACE IMF (GSM) to the bow shock on 16 January 2005",
            "propagate",
            {"series": "b_gsm", "velocity": "velocity_gsm", "position": "position_gsm"},
        ),
        (
            "ACE magnetic field in GSM coordinates propagated to the bow shock nose, 2005-01-16",
            "propagate",
            {"series": "b_gsm", "velocity": "velocity_gsm", "position": "position_gsm"},
        ),
        ("shock obliquity at Wind on 2005-01-16 09:27", "shock_parameters", {**PLASMA, "temperature": "temperature"}),
        (
            "angle between shock normal and upstream field, ACE shock 2005-01-16 09:00",
            "shock_parameters",
            {**PLASMA, "temperature": "temperature"},
        ),
        ("Walén relation for the magnetopause crossing of THEMIS A, 2008-02-26 04:50-05:00", "dehoffmann_teller", PLASMA),
        (
            "slope of the Walen plot in the deHoffmann-Teller frame, MMS1 16 Oct 2015 13:06 to 13:08",
            "dehoffmann_teller",
            PLASMA,
        ),
        ("IGRF field at the position of Van Allen Probe A 2015-03-17", "igrf_field", {"position": "position_gse"}),
        (
            "Tsyganenko T89 field along the MMS1 orbit 2015-10-16",
            "tsyganenko_field",
            {"position": "mms1_position_gse", "kp": "omni_kp"},
        ),
        (
            "difference between measured B and IGRF for Van Allen Probe A, 2015-03-17",
            "align",
            {"a": "b_gse", "b": "position_gse"},
        ),
        ("onset of the solar energetic particle event at STEREO A 2012-07-23", "particle_onsets", {"flux": "protons"}),
        (
            "velocity dispersion analysis of Wind 3DP protons 2000-07-14, path length",
            "particle_onsets",
            {"flux": "protons"},
        ),
        ("dipole tilt in June 2015", "dipole_tilt", {"series": "dst"}),
        ("RTN field of STEREO A in GSE on 2010-05-20", "transform_frame", {"vector": "b_rtn", "position": "place"}),
        (
            "transform the field of Solar Orbiter from RTN to GSE on 2022-03-11",
            "transform_frame",
            {"vector": "b_rtn", "position": "place"},
        ),
        (
            "Solar Orbiter magnetic field from RTN to HCI on 2022-03-11",
            "transform_frame",
            {"vector": "b_rtn", "position": "place"},
        ),
        ("rotate B into LMN of MMS1 on 2016-12-09 09:03 to 09:05", "minimum_variance_frame", {"vector": "b_gse"}),
        ("MMS1 magnetic field in LMN coordinates 2016-12-09 09:03 to 09:05", "minimum_variance_frame", {"vector": "b_gse"}),
        (
            "ACE magnetic field from RTN to GSE on 2005-01-16",
            "transform_frame",
            {"vector": "b_rtn", "position": "position_gse"},
        ),
        (
            "rotate the Wind field from RTN to GSM on 2005-01-16",
            "transform_frame",
            {"vector": "b_rtn", "position": "position_gse"},
        ),
    ],
)
def test_a_name_leads_to_its_recipe(request_text: str, operation: str, inputs: dict[str, str]) -> None:
    """With data of one spacecraft, all vectors in one frame; the pipeline passes the check."""
    found = operations(planned(request_text))
    assert {name: str(each) for name, each in found[0][1].items()} == inputs
    assert found[0][0] == operation


def test_the_field_in_lmn_is_turned_into_the_axes_of_its_range() -> None:
    """As a vector over time, of which parts can be taken; the axes are numbers."""
    found = operations(planned("MMS1 magnetic field in LMN coordinates 2016-12-09 09:03 to 09:05"))
    assert [each for each, _ in found] == ["minimum_variance_frame", "rotate"]
    assert {name: str(each) for name, each in found[1][1].items()} == {"vector": "b_gse", "axes": "axes"}


def test_a_question_names_the_frame_that_was_said() -> None:
    """Juno has no field in RTN there."""
    asked = ask("Juno field from RTN to HEE on 2013-10-09")
    assert isinstance(asked, Asked)
    assert "the magnetic field in HEE of Juno" in asked.question.text


def test_a_spacecraft_far_from_earth_is_taken_in_rtn() -> None:
    """Field and flow of Solar Orbiter are in RTN."""
    [(_, inputs)] = operations(planned("theta_Bn of the shock at Solar Orbiter 2022-03-11 19:52"))
    assert (inputs["field"], inputs["velocity"]) == ("b_rtn", "velocity_rtn")


def test_the_moment_of_a_shock_is_the_one_named() -> None:
    """It is an option of the operation and a mark in the figure; a day alone is asked about."""
    pipeline = planned("theta_Bn of the shock at Wind 2005-01-16 09:27")
    step = next(step for step in pipeline.steps if step.id == "shock")
    assert step.compute is not None
    assert str(step.compute.options["time"]) == "2005-01-16T09:27Z"
    assert (step.over, pipeline.steps[-1].figure is not None) == ("range", True)
    asked = ask("shock speed at Wind 2005-01-16 09:00 to 10:00")
    assert isinstance(asked, Asked)
    assert "When does the shock pass?" in asked.question.text


def test_what_the_question_for_the_moment_proposes_is_planned() -> None:
    """The words in its quotes find the shocks of that day."""
    for request in ("Wind shock parameters 2005-01-16", "Rankine-Hugoniot fit of the shock at Wind on 16 January 2005"):
        asked = ask(request)
        assert isinstance(asked, Asked)
        [(operation, _)] = operations(planned(asked.question.text.split("'")[1]))
        assert operation == "find_shocks"


SHOCK_DATA = {"field": "b_gse", "velocity": "velocity_gse", "density": "density", "temperature": "temperature"}


@pytest.mark.parametrize(
    ("request_text", "options"),
    [
        ("find the shocks at Wind in January 2005", {}),
        ("list all interplanetary shocks at ACE in October 2003", {}),
        ("what shocks did ACE see in October 2003", {}),
        ("which shocks hit ACE in 2003", {}),
        ("when did the shocks arrive at Wind in January 2005?", {}),
        ("find forward and reverse shocks at ACE in 2003", {}),
        ("fast reverse shocks at Wind in 2008", {"kind": "reverse"}),
        ("detect the forward shocks in ACE data from 2003-10-28 to 2003-10-31", {"kind": "forward"}),
    ],
)
def test_shocks_are_found_by_themselves(request_text: str, options: dict[str, str]) -> None:
    """The list is drawn over field, velocity and density, and the plan says by which criteria."""
    pipeline = planned(request_text)
    assert operations(pipeline) == [("find_shocks", SHOCK_DATA)]
    found = next(step.compute for step in pipeline.steps if step.compute is not None)
    assert dict(found.options) == options
    assert any("Kilpua" in each for each in pipeline.assumptions)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [[trace.data for trace in panel.traces] for panel in figure.panels] == [
        ["b_gse", "shocks"],
        ["velocity_gse", "shocks"],
        ["density", "shocks"],
    ]


@pytest.mark.parametrize(
    ("request_text", "options"),
    [
        ("theta_Bn of each shock at ACE in October 2003", {}),
        ("theta_Bn of the shock at Wind 2005-01-16", {}),
        ("Mach numbers and theta_Bn of all shocks at Wind in January 2005", {}),
        ("normals of the shocks at ACE in October 2003 by magnetic coplanarity", {"method": "magnetic"}),
    ],
)
def test_each_shock_gets_its_parameters(request_text: str, options: dict[str, str]) -> None:
    """Also where the request has no moment of the one that it speaks of: a day may have several."""
    pipeline = planned(request_text)
    numbers = {**SHOCK_DATA, "events": "shocks"}
    assert operations(pipeline) == [("find_shocks", SHOCK_DATA), ("shock_parameters_of_events", numbers)]
    last = [step.compute for step in pipeline.steps if step.compute is not None][-1]
    assert dict(last.options) == options


def test_a_spacecraft_by_a_letter_is_no_quantity() -> None:
    """STEREO B is one, and its B is not asked for."""
    assert operations(planned("shocks at STEREO B in 2010"))[-1][0] == "find_shocks"


def test_shocks_need_a_spacecraft() -> None:
    """Whose field and plasma is looked at is asked."""
    asked = ask("find shocks in October 2003")
    assert isinstance(asked, Asked)


@pytest.mark.parametrize(
    ("request_text", "frame", "target"),
    [
        ("PSP magnetic field in GSE on 2021-11-20", "GSE", "PSP"),
        ("STEREO-A magnetic field in GSM on 2012-07-23", "GSM", "STEREO_A"),
        ("Solar Orbiter velocity in HEEQ on 2022-03-05", "HEEQ", "SOLO"),
    ],
)
def test_what_is_catalogued_in_rtn_is_turned_by_the_spacecrafts_position(request_text: str, frame: str, target: str) -> None:
    """Without a word of RTN; the plan says that it is, and where the position comes from."""
    pipeline = planned(request_text)
    [turned] = [step.compute for step in pipeline.steps if step.compute is not None]
    [place] = [step.fetch for step in pipeline.steps if step.fetch is not None and step.fetch.target]
    assert (turned.operation, turned.options["to"], place.target) == ("transform_frame", frame, target)
    assert set(turned.inputs) == {"vector", "position"}
    said = " ".join(pipeline.assumptions)
    assert f"is catalogued in RTN and is rotated into {frame}" in said
    assert "from SPICE kernels of its mission" in said


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("Walen test at THEMIS A", "For which time?"),
        ("Walen test at Flubber 2008-02-26", "The catalog has nothing called 'Flubber'"),
        ("Walen test at GOES 13 2012-02-26", "GOES"),
        ("RTN field of Helios 1 in GSE on 1976-05-20", "RTN"),
    ],
)
def test_what_is_missing_is_asked_for(request_text: str, said: str) -> None:
    """The time, or a spacecraft that has the data."""
    asked = ask(request_text)
    assert isinstance(asked, Asked)
    assert said in asked.question.text


@pytest.mark.parametrize("request_text", ["Solar Orbiter magnetic field in RTN on 2022-03-11", "ACE field in GSM 2003-10-29"])
def test_data_as_they_are_need_no_recipe(request_text: str) -> None:
    """A frame alone is a matter of datasets."""
    assert operations(planned(request_text)) == []


def test_the_position_of_a_spacecraft_stands_in_rows_below() -> None:
    """Three components of it, also where only the figure's own spacecraft is meant."""
    for request in (
        "MMS1 magnetic field 2017-07-11 with the GSE position of MMS1 under the plot",
        "MMS1 magnetic field 2017-07-11 with its GSE position below the figure",
    ):
        pipeline = planned(request)
        [figure] = [step.figure for step in pipeline.steps if step.figure is not None]
        assert [(str(row.data), row.component) for row in figure.below] == [("position_gse_r_e", each) for each in "012"]
        assert len(figure.panels) == 1


def test_recipes_name_operations_and_inputs_that_exist() -> None:
    """What a recipe asks for is an input of each of its operations, or of one of them."""
    for recipe, _ in recipes():
        known = {name for step in recipe.steps for name in get_operation(step.operation).inputs}
        known |= {name for step in recipe.steps for each in step.inputs.items() for name in each}
        each = {f"{name}1" if "position" in recipe.data and recipe.spacecraft > 1 else name for name in recipe.data}
        assert each <= known
        for step in recipe.steps:
            get_operation(step.operation).read_options(
                {name: "GSE" if value == "FRAME" else value for name, value in step.options.items()}
            )


def test_a_plan_keeps_the_range_and_the_assumptions() -> None:
    """What the data were chosen by is said, and what the recipe assumes."""
    plan = ask("Walen test at THEMIS A 2008-02-26 04:50 to 05:00")
    assert isinstance(plan, Plan)
    assert plan.span is not None
    assert plan.span.duration.total_seconds() == 600
    assert any("THA_L2_FGM" in each for each in plan.pipeline.assumptions)
    assert any("pressure anisotropy" in each for each in plan.pipeline.assumptions)


@pytest.mark.parametrize(
    ("words", "method"), [("normals from MX3", "mixed_3"), ("normal by mixed mode 2", "mixed_2"), ("normal by VC", "velocity")]
)
def test_the_short_name_of_a_method_gives_the_normal(words: str, method: str) -> None:
    """Behind the moment, too."""
    pipeline = planned(f"shock speed & theta_Bn at Wind for the IP shock of 2013-03-17 05:22, {words}")
    shock = pipeline.step("shock").compute
    assert shock is not None
    assert (shock.operation, shock.options["method"]) == ("shock_parameters", method)


@pytest.mark.parametrize("method", ["magnetic", "velocity"])
def test_the_coplanarity_that_is_named_gives_the_normal(method: str) -> None:
    """And the plan says which; without a name it is that of the operation."""
    pipeline = planned(f"shock normal by {method} coplanarity at Wind, 22 June 2015 18:08 UT")
    (shock,) = [step.compute for step in pipeline.steps if step.compute and step.compute.operation == "shock_parameters"]
    assert shock.options["method"] == method
    assert f"The normal is that of {method} coplanarity." in pipeline.assumptions


@pytest.mark.parametrize(
    ("words", "average"),
    [
        ("ACE field in field-aligned coordinates averaged over 20 minutes on 2003-10-29", "PT20M"),
        ("MMS1 B in MFA with a 5-minute running mean on 2015-10-16", "PT5M"),
        ("MMS1 B in MFA, background field over half an hour, on 2015-10-16", "PT30M"),
        ("MMS1 B in MFA on 2015-10-16", "PT10M"),
    ],
)
def test_the_mean_field_has_the_length_that_is_said(words: str, average: str) -> None:
    """Without one it is that of 10 minutes, and the plan says so."""
    pipeline = planned(words)
    (step,) = [each.compute for each in pipeline.steps if each.compute is not None]
    assert step.options["average"] == average
    assert step.options["to"] == "MFA"
    assert any("that of 10 minutes" in each for each in pipeline.assumptions) == (words == "MMS1 B in MFA on 2015-10-16")


@pytest.mark.parametrize(
    ("request_", "is_said"),
    [
        ("theta_Bn of the shock at Wind 2005-01-16 09:27", True),
        ("find the shocks at Wind in January 2005", True),
        ("theta_Bn of the shock at ACE 2005-01-16 09:27", False),
    ],
)
def test_moments_of_a_shock_are_of_one_instrument(request_: str, is_said: bool) -> None:
    """Where one of the datasets has them all; it is said where they were chosen differently one by one."""
    pipeline = planned(request_)
    moments = {"velocity_gse", "density", "temperature"}
    assert len({step.fetch.dataset for step in pipeline.steps if step.fetch and step.id in moments}) == 1
    assert any("which has them all" in each for each in pipeline.assumptions) == is_said


def test_a_temperature_once_an_hour_does_not_hide_shocks() -> None:
    """Of PSP no dense dataset has one beside the velocity or the density: it is left out, and the plan says so."""
    plan = ask("find the shocks at PSP in April 2021")
    assert isinstance(plan, Plan)
    pipeline = plan.pipeline
    [(operation, inputs)] = operations(pipeline)
    assert (operation, set(inputs)) == ("find_shocks", {"field", "velocity", "density"})
    assert any(each.startswith("Left out, because no dataset has it") for each in pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_", "home"),
    [
        ("pressure balance at MMS1 2015-10-16 13:00 to 13:15", "MMS1_FPI_FAST_L2_DIS-MOMS"),
        ("pressure balance at Wind 2005-01-16", "WI_PM_3DP"),
        ("pressure balance at Geotail 2003-09-19", "GE_HPAMOM_CPI"),
        ("pressure balance at Cluster 1 2003-09-19 00:00 to 02:00", "C1_PP_CIS"),
        ("MMS1 total pressure 2015-10-16 13:00 to 13:15", "MMS1_FPI_FAST_L2_DIS-MOMS"),
        ("MMS1 plasma beta 2015-10-16 13:00 to 13:15", "MMS1_FPI_FAST_L2_DIS-MOMS"),
        ("Wind magnetosonic Mach number 2005-01-16", "WI_PM_3DP"),
        ("find the shocks at Ulysses in March 1992", "UY_PROTON-MOMENTS_SWOOPS"),
        ("ion temperature anisotropy with its thresholds at Cluster 1 2003-09-19", "C1_PP_CIS"),
    ],
)
def test_moments_of_one_population_are_of_one_dataset(request_: str, home: str) -> None:
    """Whatever is computed of them; a temperature is made of those along and across the field where it has no other."""
    pipeline = planned(request_)
    fetched = {step.id: step.fetch.dataset for step in pipeline.steps if step.fetch and not step.id.startswith("b_")}
    assert set(fetched.values()) == {home}
    assert len(fetched) > 1
    if {"temperature_par", "temperature_perp"} <= set(fetched):
        assert any("(T_par + 2 T_perp)/3" in each for each in pipeline.assumptions)


def test_moments_that_no_dataset_has_together_are_said_to_be_of_several() -> None:
    """Of Voyager 2 one has the velocity and another one the density."""
    pipeline = planned("Walen test at Voyager 2 1985-01-01")
    assert any(each.startswith("The plasma moments are of several datasets") for each in pipeline.assumptions)


def test_a_scalar_temperature_is_made_of_its_parts() -> None:
    """Also of a dataset that is named; electrons keep their own."""
    for words, home in (
        ("MMS1 FPI scalar temperature", "MMS1_FPI_FAST_L2_DIS-MOMS"),
        ("scalar temperature from MMS1_FPI_FAST_L2_DIS-MOMS", "MMS1_FPI_FAST_L2_DIS-MOMS"),
        ("MMS1 FPI scalar electron temperature", "MMS1_FPI_FAST_L2_DES-MOMSAUX"),
    ):
        pipeline = planned(f"{words} 2015-10-16 13:00 to 13:15")
        assert {step.fetch.dataset for step in pipeline.steps if step.fetch} == {home}
        [made] = [step.compute for step in pipeline.steps if step.compute]
        assert set(made.inputs) == {"parallel", "perpendicular"}


def test_the_measured_field_is_taken_less_the_model_at_its_own_times() -> None:
    """The position is brought to the times of the field, so that the model is as dense as the field."""
    pipeline = planned("Van Allen Probe A magnetic field minus IGRF 2015-03-17")
    chain = [(operation, inputs) for operation, inputs in operations(pipeline)]
    assert chain == [
        ("align", {"a": "b_gse", "b": "position_gse"}),
        ("igrf_field", {"position": "place_then"}),
        ("difference", {"a": "b_gse", "b": "igrf"}),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "curlometer J and div B over curl B of Cluster 2003-09-19",
        "time delays of B between MMS1, MMS2, MMS3 and MMS4, 2015-10-16 13:05:30 to 13:06:30",
    ],
)
def test_recipes_of_four_spacecraft_are_named_by_what_they_give(words: str) -> None:
    """Currents with their quality, and the delays of the timing."""
    (operation, inputs), *_ = operations(planned(words))
    assert operation in ("curlometer", "four_spacecraft_timing")
    assert len(inputs) == 8


def test_better_data_are_rotated_before_first_looks_are_taken() -> None:
    """Of Wind only key parameters have the velocity in GSM."""
    pipeline = planned("Wind velocity in GSM 2005-01-16")
    (fetched,) = [step.fetch for step in pipeline.steps if step.fetch]
    assert "_K0_" not in fetched.dataset
    assert operations(pipeline) == [("transform_frame", {"vector": "velocity_gse"})]


def test_models_at_the_earth_say_whose_times_they_have() -> None:
    """Of a spacecraft upstream they are early; those of OMNI are shifted already."""
    said = "not shifted to when it reaches the Earth"
    assert any(said in each for each in planned("Wind magnetopause distance 2005-01-16").assumptions)
    assert not any(said in each for each in planned("OMNI magnetopause distance 2005-01-16").assumptions)


def test_quantities_share_the_noun_behind_them() -> None:
    """Each is computed."""
    pipeline = planned("magnetic, thermal and total pressure of MMS1 2015-10-16 13:00 to 13:15")
    pressures = [step.compute.options for step in pipeline.steps if step.compute and step.compute.operation == "total_pressure"]
    assert [each.get("result", "total") for each in pressures] == ["magnetic", "thermal", "total"]
    boundaries = planned("subsolar magnetopause and bow shock distance on 2015-03-17")
    assert [operation for operation, _ in operations(boundaries)] == ["magnetopause_distance", "bow_shock_distance"]


@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("THEMIS A ion density 2008-02-26 04:00 to 06:00, and its GSM position in rows beneath the panels", "R_E"),
        ("plot Wind B field for 2005-01-16 with the spacecraft location (GSE, Re) printed under the time axis", "R_E"),
        ("MMS1 B in GSE 2015-10-16 13:00-13:15, label the x axis with the position of MMS1 in GSM", "R_E"),
        ("MMS1 B, with the spacecraft position in GSE (km) below the figure, 2015-10-16 13:00-13:15", "km"),
    ],
)
def test_rows_of_a_position_are_asked_for_in_many_words(words: str, unit: str) -> None:
    """They stand under the axis of time, and no panel draws them."""
    pipeline = planned(words)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [row.component for row in figure.below] == ["0", "1", "2"]
    assert {row.data.startswith("position_") for row in figure.below} == {True}
    assert not any(str(trace.data).startswith("position") for panel in figure.panels for trace in panel.traces)
    has_km = not any(step.compute and step.compute.operation == "scale" for step in pipeline.steps)
    assert has_km or unit == "R_E"


@pytest.mark.parametrize(
    "words",
    [
        "PSP magnetic field magnitude, encounter 8, the distance from the Sun written under the time axis",
        "PSP magnetic field magnitude with its heliocentric distance below the figure, encounter 8",
    ],
)
def test_a_row_of_the_distance_from_the_sun(words: str) -> None:
    """It is one number, and no panel draws it."""
    pipeline = planned(words)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [(row.data, row.component) for row in figure.below] == [("distance", None)]
    assert "distance=PSP_HELIO1HR_POSITION/RAD_AU" in chain(pipeline)
    assert panels(pipeline) == ["b_mag"]
