"""What a word is for in a request: a cadence, an angle of vectors, a spacecraft's latitude, a clause that only tells why."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.listed_members import with_members_named
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, planned


def _computed(pipeline: Pipeline) -> list[tuple[str, dict[str, object]]]:
    """The operations in their order, with options."""
    return [(str(each.compute.operation), dict(each.compute.options)) for each in pipeline.steps if each.compute]


def _fetched(pipeline: Pipeline) -> list[str]:
    return [f"{each.fetch.dataset}/{each.fetch.parameter}" for each in pipeline.steps if each.fetch]


def _panels(pipeline: Pipeline) -> int:
    return next(len(each.figure.panels) for each in pipeline.steps if each.figure)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("clock angle of the IMF in GSM at ACE, 1-minute averages, 20 Nov 2003", "resample"),
        ("clock angle of Wind B smoothed with a 10 minute running mean, 20 Nov 2003", "rolling_mean"),
        ("hourly latitude angle of the ACE magnetic field, daily means, Nov 2003", "resample"),
    ],
)
def test_an_angle_is_that_of_averaged_vectors(words: str, first: str) -> None:
    """Means of an angle that jumps at 180 degrees point nowhere; the card says what is averaged."""
    pipeline = planned(words)
    assert [operation for operation, _ in _computed(pipeline)] == [first, "direction"]
    assert any("averaged first" in each for each in pipeline.assumptions)


def test_a_spread_of_an_angle_says_what_it_is_of() -> None:
    """A standard deviation has no vector that it could be taken of first."""
    pipeline = planned("hourly standard deviation of the clock angle at ACE 20 Nov 2003")
    assert [operation for operation, _ in _computed(pipeline)] == ["direction", "resample"]
    assert any("jumps" in each for each in pipeline.assumptions)


@pytest.mark.parametrize(
    ("words", "panels"),
    [
        ("PSP magnetic field RTN 1-min cadence on 2021-04-28 with the angle relative to the radial direction", 2),
        ("ACE magnetic field and its clock angle, 20 Nov 2003", 2),
        ("clock angle of the ACE magnetic field, 20 Nov 2003", 1),
        ("angle of the Wind magnetic field with the radial direction, 3 May 2005", 1),
    ],
)
def test_a_vector_with_its_angle_is_both(words: str, panels: int) -> None:
    """`with` lists; `of` says whose the angle is."""
    assert _panels(planned(words)) == panels


@pytest.mark.parametrize("words", ["Ulysses speed versus latitude scatter, 1994", "Ulysses speed and latitude, 1994"])
def test_a_latitude_beside_numbers_is_the_spacecrafts(words: str) -> None:
    """No vector is named that it could be of."""
    pipeline = planned(words)
    assert any(each.endswith("HGI_LAT") for each in _fetched(pipeline))
    assert all(operation != "direction" for operation, _ in _computed(pipeline))


@pytest.mark.parametrize("made", ["computed", "derived", "calculated"])
def test_inputs_of_an_operation_are_of_one_dataset(made: str) -> None:
    """The word for the making describes no dataset, and what it is made of is not drawn."""
    pipeline = planned(f"dynamic pressure {made} from Wind density and velocity, 10 min averages, 2017-09-07")
    assert len({each.split("/")[0] for each in _fetched(pipeline)}) == 1
    assert _panels(pipeline) == 1


@pytest.mark.parametrize(
    ("words", "computes"),
    [
        ("ACE Bz in GSM, 16 s, 2003-10-28", ["component"]),
        ("ACE Bz in GSM, 30 min, 2003-10-28", ["component", "resample"]),
        ("OMNI speed, 5 minutes, 2003-10-28", []),
    ],
)
def test_a_lone_length_is_a_cadence(words: str, computes: list[str]) -> None:
    """Data of this cadence if there are any, else averages; the card says how it was read."""
    pipeline = planned(words)
    assert [operation for operation, _ in _computed(pipeline)] == computes
    assert any("taken as the cadence" in each for each in pipeline.assumptions)


@pytest.mark.parametrize("words", ["Wind |B| 3 days 2005", "Wind |B|, 5 min, hourly averages, 3 May 2005"])
def test_a_length_that_may_be_something_else_is_asked_about(words: str) -> None:
    """Days may be a range, and beside other lengths it may be an average."""
    assert isinstance(ask(words), Asked)


@pytest.mark.parametrize(
    ("words", "ignored"),
    [
        ("We lost two days of beacon data, so please plot ACE |B| on 3 May 2005", "We lost two days of beacon data"),
        ("ACE |B| on 3 May 2005 for a figure in chapter 3", "for a figure in chapter 3"),
        ("ACE |B| on 3 May 2005 while I wait", "while I wait"),
        ("ACE |B| on 3 May 2005, or whatever you have", "or whatever you have"),
        ("my advisor says the coupling is strong: ACE |B| on 3 May 2005", "my advisor says the coupling is strong"),
    ],
)
def test_a_clause_that_only_tells_why_is_ignored_and_shown(words: str, ignored: str) -> None:
    """A duration in it is no option of anything."""
    answer = ask(words)
    assert isinstance(answer, Plan)
    assert ignored in answer.ignored
    assert [operation for operation, _ in _computed(answer.pipeline)] == ["magnitude"]


@pytest.mark.parametrize(
    "words",
    [
        "ACE |B| 3 May 2005, we have to exclude calibration",
        "ACE |B| 3 May 2005, we had hourly means of the density",
        "I lost 2 hours on 2005-05-03, ACE |B| 4 May 2005",
    ],
)
def test_what_names_data_times_or_turns_something_is_no_aside(words: str) -> None:
    """It is asked about, or done: it is never among what is ignored."""
    answer = ask(words)
    ignored = " ".join(answer.ignored) if isinstance(answer, Plan) else ""
    assert not any(word in ignored for word in ("exclude", "hourly", "density", "2005"))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("THEMIS A, D and E: |B|", "THEMIS A, THEMIS D and THEMIS E: |B|"),
        ("MMS1 and 2 |B|", "MMS1 and MMS2 |B|"),
        ("STEREO A & B speed", "STEREO A and STEREO B speed"),
        ("Cluster 1-3 |B|", "Cluster 1, Cluster 2 and Cluster 3 |B|"),
        ("Van Allen Probes A and B density", "Van Allen Probe A and Van Allen Probe B density"),
        ("Swarm A and C magnetic field", "Swarm A and Swarm C magnetic field"),
        ("GRACE-FO 1 and 2 |B|", "GRACE-FO 1 and GRACE-FO 2 |B|"),
        ("IMP 7 and 8 speed", "IMP 7 and IMP 8 speed"),
        ("NOAA 15 and 18 protons", "NOAA 15 and NOAA 18 protons"),
        ("Van Allen Probes both, MagEIS electron flux", "Van Allen Probe A and Van Allen Probe B, MagEIS electron flux"),
        ("the two Voyagers: speed", "Voyager 1 and Voyager 2: speed"),
        ("all four MMS spacecraft: |B|", "MMS1, MMS2, MMS3 and MMS4: |B|"),
        ("all three THEMIS probes: |B|", "all three THEMIS probes: |B|"),
        ("Voyager 1 and 2 May 2012 |B|", "Voyager 1 and 2 May 2012 |B|"),
        ("GOES 13, 5 min, 7 to 10 March 2012", "GOES 13, 5 min, 7 to 10 March 2012"),
        ("GOES 13, 7 and 8 March 2012", "GOES 13, 7 and 8 March 2012"),
    ],
)
def test_listed_members_are_spacecraft(words: str, named: str) -> None:
    """Days and lengths after a name are none."""
    assert with_members_named(words) == named


@pytest.mark.parametrize(
    ("words", "computed"),
    [
        ("histogram of OMNI hourly speed for 2008 with 25 km/s bins", ("histogram", {"width": 25})),
        ("histogram of OMNI hourly speed for 2008 with 40 bins", ("histogram", {"bins": 40})),
        ("mean and standard deviation of Wind Bz GSM on 3 May 2005", ("facts_of", {"statistics": ["mean", "std", "coverage"]})),
        (
            "what was the minimum SYM-H and when did it occur, 7 September 2017?",
            ("facts_of", {"statistics": ["minimum", "coverage"]}),
        ),
    ],
)
def test_options_and_statistics_of_a_result(words: str, computed: tuple[str, dict[str, object]]) -> None:
    """Bins of a histogram are its option; a spread beside a mean is of the whole range, too."""
    assert computed in _computed(planned(words))


def test_bins_in_another_unit_are_asked_about() -> None:
    """A width of bins is in the unit of what is counted."""
    answer = ask("histogram of OMNI hourly speed for 2008 with 25 nT bins")
    assert isinstance(answer, Asked)
    assert "nT" in answer.question.text


def test_the_maximum_of_a_correlation_is_its_lag() -> None:
    """It is no maximum of bins."""
    pipeline = planned("lag of the maximum cross-correlation between ACE Bz and Wind Bz in GSM on 2012-03-09")
    assert [operation for operation, _ in _computed(pipeline)][-2:] == ["cross_correlation", "peak_of"]


@pytest.mark.parametrize(
    ("words", "fetched"),
    [
        ("ratio of alpha to proton density at ACE SWEPAM for May 1998", "AC_H0_SWE/alpha_ratio"),
        ("OMNI >10 MeV proton flux, March 2012", "OMNI2_H0_MRG1HR/PR-FLX_10"),
        ("GOES 13 >2 MeV electrons and Kp, 5 to 11 May 2010", "GOES13_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN/E2W_COR_FLUX"),
        ("ACE EPAM 0.2 MeV ion flux 28 Oct 2003", "AC_H1_EPM/P4"),
        ("OMNI Bz on 10 May 2024", "OMNI_HRO_1MIN/BZ_GSM"),
        ("Newell coupling function against AE, hourly values, 2010", "OMNI2_H0_MRG1HR/BZ_GSM"),
    ],
)
def test_what_is_fetched_by_a_rule(words: str, fetched: str) -> None:
    """Energies by the descriptions of channels, couplings of OMNI, its Bz in GSM."""
    assert fetched in _fetched(planned(words))


@pytest.mark.parametrize(
    "words",
    [
        "Van Allen Probes A MagEIS electron flux at 1 MeV, 17 March 2013",
    ],
)
def test_energies_inside_a_spectrogram_are_told(words: str) -> None:
    """The bin is the nearest, and the plan says so."""
    pipeline = planned(words)
    assert any("the bin nearest to it is taken from the flux over energy" in each for each in pipeline.assumptions)


@pytest.mark.parametrize("words", ["GOES 13 >10 MeV proton flux, 7 March 2012", "GOES 13 >2 MeV electrons on 5 April 2010"])
def test_no_channel_is_a_question_without_choices_that_drop_it(words: str) -> None:
    """No choice leaves an energy out."""
    answer = ask(words)
    assert isinstance(answer, Asked)
    assert "GOES 13" in answer.question.text
    energy = " ".join(words.split()[2:4])
    assert all(energy in choice and "GOES" not in choice for choice in answer.question.choices)


def test_an_orbit_in_earth_radii() -> None:
    """R_E has no one length: the card says which."""
    pipeline = planned("orbit of MMS1 in GSE in Earth radii, 1 Dec 2017")
    ((operation, options),) = _computed(pipeline)
    assert (operation, options["unit"]) == ("scale", "R_E")
    assert options["factor"] == pytest.approx(1 / 6371.2)
    assert any("6371.2 km" in each for each in pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("He++ and O6+ speed from ACE SWICS, 2005-01-20", {"AC_H2_SWI/vHe2", "AC_H2_SWI/vO6"}),
        ("O+ density of Cluster 4 on 2001-10-01", {"C4_PP_CIS/N_O1__C4_PP_CIS"}),
        ("1 MeV electron flux from Van Allen Probe B, 2017-09-08", {"RBSPB_REL03_ECT-MAGEIS-L2/FESA"}),
        ("THA FGM + ESA ion velocity, 2008-02-26", {"THA_L2_FGM/tha_fgs_gse", "THA_L2_ESA/tha_peif_velocity_gse"}),
        ("1-minute SYM-H and hourly Dst, 8-11 November 2004", {"OMNI_HRO2_1MIN/SYM_H", "OMNI2_H0_MRG1HR/DST"}),
        ("density from Cluster WHISPER C1 for 2002 Feb 18",
         {"C1_CP_WHI_ELECTRON_DENSITY/Electron_Density__C1_CP_WHI_ELECTRON_DENSITY"}),
    ],
)  # fmt: skip
def test_words_choose_the_data_that_they_name(request_text: str, fetched: set[str]) -> None:
    """Ions by the catalog's descriptions, energies by what a dataset reaches, a lone magnetometer by what it measures."""
    pipeline = planned(request_text)
    assert {f"{step.fetch.dataset}/{step.fetch.parameter}" for step in pipeline.steps if step.fetch} == fetched


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("O+ density of Genesis on 2002-01-01", "no O+ density of Genesis"),
        ("electron flux at 100 MeV of Van Allen Probe A, 2015-03-17", "100 MeV"),
    ],
)
def test_what_cannot_be_had_is_not_left_out(request_text: str, words: str) -> None:
    """A kind of ions and an energy out of reach are asked about."""
    asked = ask(request_text)
    assert isinstance(asked, Asked)
    assert words in asked.question.text


@pytest.mark.parametrize(
    ("limit", "above"),
    [("above 5", 50), ("at least 5", 49), ("above 5 for at least 6 hours", 50), ("at least 5 for at least 6 hours", 49)],
)
def test_a_limit_of_kp_is_in_its_own_steps(limit: str, above: int) -> None:
    """The archive stores Kp times ten; `at least` of a length of time says nothing of the limit."""
    compute = planned(f"intervals where Kp is {limit} in September 2017").step("intervals").compute
    assert compute is not None
    assert compute.options["above"] == above


def test_hours_of_averages_are_no_time_of_day() -> None:
    """`1 hr averages` behind a day."""
    pipeline = planned("Wind N/V/T 2011-06-10, 1 hr averages")
    assert [name for name, _ in _computed(pipeline)] == ["resample"] * 3


def test_an_energy_from_which_on_is_no_limit_of_the_flux() -> None:
    """`above 10 MeV` is said of the protons."""
    answer = ask("ACE proton flux above 10 MeV, 2005-01-20")
    assert isinstance(answer, Asked)
    assert "intervals" not in answer.question.text
    assert "10 MeV" in answer.question.text
