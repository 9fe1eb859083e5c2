"""Numbers in words, held against known ones: renderings of a known number are recognised, altered ones are named."""

from __future__ import annotations

from datetime import UTC, datetime
from math import floor, log10

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helio_dagster.agent.answers import Information, ModelWords
from helio_dagster.agent.claims.holding import Known, unverified
from helio_dagster.agent.claims.moments import take_moments
from helio_dagster.agent.claims.pipeline_numbers import numbers_of, unverified_in_plan
from helio_dagster.agent.claims.quantities import plain, quantities_in
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count

UNITS = {"s": ("s", 1.0), "seconds": ("s", 1.0), "min": ("s", 1 / 60), "minutes": ("s", 1 / 60), "hours": ("s", 1 / 3600)} | {
    "nT": ("nT", 1.0),
    "uT": ("nT", 1e-3),
    "km/s": ("km/s", 1.0),
    "km s⁻¹": ("km/s", 1.0),
    "m/s": ("km/s", 1e3),
    "/cc": ("cm^-3", 1.0),
    "cm⁻³": ("cm^-3", 1.0),
    "%": ("", 100.0),
    "keV": ("eV", 1e-3),
    "": ("nT", 1.0),
}
"""How a unit is written: the unit of the known number, and its factor to the written one."""
SENTENCES = ("The lag is {}.", "It is about {}, as asked", "between {} and {}", "(r = {})", "{}; nothing else")


def known(*numbers: tuple[float, str]) -> Known:
    """Known numbers."""
    made = Known()
    for value, unit in numbers:
        made.add(value, unit)
    return made


def marked(text: str, *numbers: tuple[float, str]) -> list[str]:
    """What is named of a text, with these numbers known."""
    return unverified([text], [lambda: known(*numbers)])


def rounded(value: float, digits: int) -> str:
    """A number to so many significant digits, written in full."""
    places = digits - 1 - floor(log10(abs(value)))
    return f"{round(value, places):,.{max(0, places)}f}"


values = st.floats(1e-2, 1e5).flatmap(lambda size: st.sampled_from([size, -size]))


@settings(max_examples=example_count(200), deadline=None)
@given(values, st.sampled_from(sorted(UNITS)), st.integers(3, 7), st.sampled_from(SENTENCES), st.booleans())
def test_every_rendering_of_a_known_number_is_recognised(
    value: float, written: str, digits: int, sentence: str, is_unicode: bool
) -> None:
    """In another unit, to three digits or more, with another minus; the sign may be left to words."""
    unit, factor = UNITS[written]
    text = f"{rounded(value * factor, digits)} {written}".strip()
    text = text.replace("-", "−", 1) if is_unicode and text.startswith("-") else text
    assert marked(sentence.format(text, text), (value, unit)) == []
    assert marked(sentence.format(text.lstrip("-−"), text), (value, unit)) == []


@settings(max_examples=example_count(200), deadline=None)
@given(values, st.sampled_from(sorted(UNITS)), st.integers(3, 6), st.floats(1.06, 30.0), st.booleans())
def test_an_altered_number_is_named(value: float, written: str, digits: int, times: float, is_less: bool) -> None:
    """By more than what rounding or `about` allow, in any unit; exactly that one, as it is written."""
    unit, factor = UNITS[written]
    altered = value * factor * (1 / times if is_less else times)
    assume(0.01 < abs(altered) < 1e7)
    text = f"{rounded(altered, digits)} {written}".strip()
    (name,) = marked(f"The mean is {text}.", (value, unit))
    assert name == plain(text)


@settings(max_examples=example_count(100), deadline=None)
@given(st.floats(10.0, 9e4), st.integers(4, 6))
def test_a_digit_that_is_written_must_be_right(value: float, digits: int) -> None:
    """Also beyond the third one."""
    place = 10.0 ** (floor(log10(value)) - digits + 1)
    text = rounded(value + 7 * place, digits)
    assume(not text.replace(".", "").endswith("0"))
    assert marked(f"{text} nT", (value, "nT")) == [f"{text} nT"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a lag of 27.4 min", []),
        ("a lag of 1,640 s, or half an hour", []),
        ("a lag of 1600 s", ["1600 s"]),
        ("a lag of about 1600 s", []),
        ("a lag of 34 ± 2 min", ["34 min"]),
        ("a lag of 27.4 +- 2.0 min", []),
        ("from 25.4 to 29.4 minutes", []),
        ("from 25 to 41 minutes", ["41 minutes"]),
        ("r = 0.81, so 81 % agree", []),
        ("r = 0.18", ["0.18"]),
        ("a lag of 27.4 nT", ["27.4 nT"]),
        ("-12.3 nT", []),
        ("12.3 nT southward", []),
        ("+12.3 nT", ["+12.3 nT"]),
        ("4 intervals, two hours long, and 5 gaps", ["2 hours", "5"]),
        ("34 min, and again 34 min", ["34 min"]),
        ("1.23×10⁻⁸ T", []),
        ("the maximum at 14:32 UT on 29 October 2003", []),
        ("the maximum at 14:33:21", ["14:33:21"]),
        ("the maximum at 2003-10-29T15:32Z", ["2003-10-29T15:32Z"]),
        ("the maximum at 13:05", ["13:05"]),
    ],
)
def test_what_people_write(text: str, found: list[str]) -> None:
    """Known are a lag of 1642 +- 120 s, r = 0.81, Bz = -12.3 nT, four intervals, and the time 14:32:20."""

    def source() -> Known:
        made = known((1642, "s"), (120, "s"), (1522, "s"), (1762, "s"), (0.81, ""), (-12.3, "nT"), (4, ""))
        made.times.append(datetime(2003, 10, 29, 14, 32, 20, 900_000, tzinfo=UTC))
        return made

    assert unverified([text], [source]) == found


@pytest.mark.parametrize(
    "text",
    [
        "AC_H0_MFI of ACE, GOES-16, Voyager 2, B3GSE and Wind/3DP, at L1 near 1 AU",
        "Newell et al. (2007), doi:10.1029/2006JA012015, https://example.org/9/25",
        "29-31 October 2003, 2003-10-29, Oct. 29, 2003, the 2003 storm, in 20031029T0611_halloween",
        "1. the field\n2. the speed",
        "Fig. 3, panel 2, step 1, the 1st and F10.7",
        "nothing at all",
    ],
)
def test_names_dates_and_numbering_state_nothing(text: str) -> None:
    """Nothing is named, though nothing is known."""
    assert marked(text) == []


def test_sources_are_asked_only_while_something_is_left() -> None:
    """What is dear to look up is not looked up for nothing."""

    def never() -> Known:
        raise AssertionError("asked")

    assert unverified(["5 nT"], [lambda: known((5.0, "nT")), never]) == []
    assert unverified(["no number"], [never]) == []


def test_a_pipelines_own_numbers_are_known_and_its_words_are_not() -> None:
    """Options, lengths, counts and the range; a title or an assumption is the model's own word."""
    fetch = {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}
    compute = {"operation": "rolling_mean", "inputs": {"series": "b"}, "options": {"window": "PT10M"}}
    steps = [{"id": "b", "fetch": fetch, "intent": "417 km/s"}, {"id": "mean", "compute": compute}]
    pipeline = Pipeline.model_validate({"version": 1, "name": "p", "steps": steps, "assumptions": ["77 nT"]})
    span = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 5, tzinfo=UTC))
    text = "A mean over 10 minutes (600 s) with 35 in 100, of 3 days in 2 steps, until 00:00; 417 km/s, 77 nT."
    assert unverified([text], [lambda: numbers_of(pipeline, span)]) == ["35", "100", "417 km/s", "77 nT"]


def test_the_unit_behind_the_last_number_is_of_all_that_are_joined() -> None:
    """`5 to 7 nT`, and `34 ± 2 min`; not across other words."""
    said = [(each.value, each.unit) for each in quantities_in(plain("5 to 7 nT, then 34 ± 2 min, 3 of 4 h"))]
    assert said == [(5, "nT"), (7, "nT"), (34, "min"), (2, "min"), (3, ""), (4, "h")]


def test_a_moment_is_cut_or_rounded_to_what_is_written() -> None:
    """To the minute either way."""
    ((moment,), _) = take_moments("at 14:32 UT")
    times = [datetime(2003, 10, 29, 14, at, second, tzinfo=UTC) for at, second in ((31, 40), (32, 50), (33, 1))]
    assert [moment.is_at(each) for each in times] == [True, True, False]


def test_outside_a_conversation_the_request_and_the_look_ups_are_known() -> None:
    """As for `helio plan`; what no model wrote is not looked at."""
    words = ModelWords(("Every 16 s, above 5 nT, for 9 hours.",), ("cadence: 16 s",))
    assert unverified_in_plan(Information("…", words=words), "ACE above 5 nT") == ["9 hours"]
    assert unverified_in_plan(Information("Every 16 s, above 5 nT, for 9 hours."), "ACE") == []
