"""Short ways of writing that are written out before a request is read, and remarks that only tell the occasion."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.short_forms import written_out
from tests.unit.agent.offline.asking import ask, chain, planned

_SHORT = [
    ("mms2 fgm b gse 2016-12-09 09:00~10:00", "mms2 fgm b gse 2016-12-09 09:00 - 10:00"),
    ("MAVEN |B| 2014-12-03, UTC 0-12h", "MAVEN |B| 2014-12-03, 0-12 UT"),
    ("ACE |B| 2015H1", "ACE |B| first half of 2015"),
    ("mms4 E 20170711 2234", "mms4 E 20170711 22:34"),
    ("ACE |B| 26.09-29.09.2011", "ACE |B| 26.09.2011 - 29.09.2011"),
    ("PSP E8 |B|", "PSP encounter 8 |B|"),
    ("tha, thd and the |B| 2008-03-01", "tha, thd and THEMIS-E |B| 2008-03-01"),
    ("THA THD THE |B| of 2008-03-01", "THA THD THEMIS-E |B| of 2008-03-01"),
    ("MMS1 ion and electron density", "MMS1 ion density and electron density"),
    ("pressure and Kp x10", "pressure and Kp"),
    ("when was PSP within 0.1 AU in 2022", "when was the distance of PSP from the Sun less than 0.1 AU in 2022"),
    (
        "times when Solar Orbiter was inside 60 Rs from the Sun, 2022",
        "when was the distance of Solar Orbiter from the Sun less than 60 Rs, 2022",
    ),
    (
        "when was MMS1 closer than 10 Re to Earth in March 2019",
        "when was the position magnitude of MMS1 less than 10 Re in March 2019",
    ),
    ("orbit xy gsm of Arase", "orbit gsm in the xy-plane of Arase"),
]


@pytest.mark.parametrize(("short", "long"), _SHORT)
def test_short_forms_are_written_out_once(short: str, long: str) -> None:
    """What is written out holds no short form any more."""
    assert written_out(short) == long
    assert written_out(long) == long


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE magnetic field from 2003-10-29 to 2003-10-31",
        "compare tha and thd the same day",
        "when was PSP within 0.1 AU of Venus in 2022",
        "when was the speed of PSP less than 300 km/s in 2022",
        "when was ACE speed less than 300 km/s in 2022",
        "when were PSP and Solar Orbiter within 5 degrees of longitude in 2022",
        "for tha and thd the density",
        "Helios 1, 2 days in 1976",
        "ACE |B| 2009-03-07 / 2009-03-08",
        "Kp of 9 May 2024",
        "Kp of 9 and 10 May 2024",
    ],
)
def test_other_words_stay_as_they_are(request_text: str) -> None:
    """What only looks like a short form is left alone."""
    assert written_out(request_text) == request_text


def test_a_range_with_a_tilde_is_the_range() -> None:
    """`09:00~10:00` ends when it says, to the minute."""
    plan = ask("mms2 fgm srvy b gse 2016-12-09 09:00~10:00")
    assert isinstance(plan, Plan), plan
    assert plan.span is not None
    assert (plan.span.start, plan.span.stop) == (datetime(2016, 12, 9, 9, tzinfo=UTC), datetime(2016, 12, 9, 10, tzinfo=UTC))


def test_the_third_of_three_probes_is_no_article() -> None:
    """THE is THEMIS-E behind other probes: it was taken for `the`, and its data were missing."""
    fetched = " ".join(chain(planned("THA THD THE |B| 2008-03-01")))
    assert all(name in fetched for name in ("THA_", "THD_", "THE_"))


@pytest.mark.parametrize(
    ("request_text", "datasets"),
    [
        ("Pioneer 10 vs 11 |B| 1974", ("PIONEER10", "PIONEER11")),
        ("themis p1 and p2 |B| 2011-12-01", ("THB_", "THC_")),
        ("helios 1+2 speed 1977", ("HELIOS1", "HELIOS2")),
    ],
)
def test_spacecraft_of_a_fleet_are_listed_shortly(request_text: str, datasets: tuple[str, ...]) -> None:
    """A number behind `vs` or `+` is a spacecraft, as behind `and`; P1 to P5 are probes of THEMIS."""
    fetched = " ".join(chain(planned(request_text)))
    assert all(name in fetched for name in datasets)


@pytest.mark.parametrize(
    ("request_text", "ignored"),
    [
        ("starlink storm Feb 3-4 2022: IMF Bz, pressure & Dst", "starlink storm"),
        ("Voyager 2 speed daily avg across the TS crossing, Aug-Sep 2007", "TS crossing"),
        ("STEREO-A speed and |B| for the 23 July 2012 event", "event"),
    ],
)
def test_the_occasion_is_shown_as_ignored(request_text: str, ignored: str) -> None:
    """Once the time is said otherwise, no question is needed."""
    plan = ask(request_text)
    assert isinstance(plan, Plan), plan
    assert ignored in plan.ignored


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE speed during the foobar storm",  # the time is not said otherwise
        "ACE speed in the 3 quietest storms of 2003",  # a number counts
        "Hall parameter of the plasma at MMS1 on 2015-10-16 13:06",
        "ACE density vs foo on 2003-10-29",
        "ACE r, q and speed on 2003-10-29",
    ],
)
def test_what_could_be_another_quantity_is_asked_about(request_text: str) -> None:
    """It is never struck out: a made quantity, what stands behind `vs`, a single letter."""
    assert isinstance(ask(request_text), Asked)


def test_small_letters_in_a_list_are_quantities() -> None:
    """`n, v, t` were left out as words that tell nothing."""
    plan = ask("ace: n, v, t, |b| for 2003-11-20")
    assert isinstance(plan, Plan), plan
    assert plan.ignored == ()
    fetched = [each.fetch.parameter for each in plan.pipeline.steps if each.fetch]
    assert fetched[:3] == ["Np", "Vp", "Tpr"]


def test_a_fleet_is_the_spacecraft_that_is_named_too() -> None:
    """`MMS …, MMS3` is MMS3 alone; the fleet's name stood for MMS1."""
    request = "MMS electron omni energy spectrogram + B + ion bulk velocity, 8 dec 2015 11:15 to 11:25, MMS3"
    assert all("MMS3_" in each for each in chain(planned(request)) if "/" in each)


def test_a_slash_between_quantities_is_no_list() -> None:
    """`density / temperature` may be their ratio; `ACE / Wind` are two spacecraft."""
    assert written_out("ACE density / temperature 2003-10-29") == "ACE density / temperature 2003-10-29"
    assert written_out("ACE / Wind / DSCOVR speed") == "ACE, Wind, DSCOVR speed"
