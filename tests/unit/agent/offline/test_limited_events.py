"""Events that a limit makes, in the words of a request: what finds them, what is drawn around them, what is asked about."""

from __future__ import annotations

from datetime import timedelta

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.limited_events import find_limited_events
from helio_dagster.domain.pipeline import EventWindows
from tests.unit.agent.offline.asking import ask, chain, edited, planned, refine

STORMS = "superposed epoch of Dst around all storms below -100 nT in 2003"


def figure_of(request: str) -> dict[str, object]:
    """The first panel of a plan, as its file has it."""
    figure = planned(request).steps[-1].figure
    assert figure is not None
    return figure.panels[0].model_dump(mode="json", exclude_none=True)


def question(request: str) -> str:
    """The text of the question that a request leads to."""
    asked = ask(request)
    assert isinstance(asked, Asked), asked
    return asked.question.text


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        (STORMS, "events=intervals_where(dst,-100,PT2H,PT12H,P3D)"),
        ("OMNI speed around every time AE exceeded 1000 nT in 2003", "events=intervals_where(ae,1000,P3D)"),
        ("for each time Dst < -150 nT in 2003 plot OMNI Bz", "events=intervals_where(dst,-150,PT2H,P3D)"),
        ("superposed epoch of Kp around times with Bz < -10 nT for 3 hours, OMNI 2003",
         "events=intervals_where(b_z_gsm,-10,PT3H,P3D)"),
        ("superposed epoch of AE at crossings of OMNI Bz below zero, 2003", "events=crossings(b_z_gsm,0.0,down)"),
        ("superposed epoch of AE over northward turnings of OMNI Bz, 2003", "events=crossings(b_z_gsm,0.0,up)"),
        ("superposed epoch of ACE density around crossings of 600 km/s by the speed, 2003", "events=crossings(speed,600.0)"),
        ("superposed epoch of OMNI Bz around minima of Dst below -100 nT, 2003", "events=filter_events(dst_minima,value,-100)"),
        ("OMNI speed around each AE maximum above 1500 nT, 2003", "events=filter_events(ae_maxima,value,1500)"),
        ("superposed epoch of Dst around storms with Kp at least 7, 2003", "events=intervals_where(kp,69.0,PT2H,PT12H,P3D)"),
        ("superposed epoch of AE for Bz < -8 nT intervals of OMNI in 2005, at least 6 hours apart",
         "events=intervals_where(b_z_gsm,-8,PT6H,P3D)"),
    ],
)  # fmt: skip
def test_what_finds_the_events(request_text: str, found: str) -> None:
    """Intervals beyond a limit, crossings, and extreme values beyond a limit, each by the operation for it."""
    assert found in chain(planned(request_text))


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        ("find every time AE exceeded 1000 nT in 2003", "intervals=intervals_where(ae,1000,P3D)"),
        ("list every storm with Dst below -100 nT in 2003", "intervals=intervals_where(dst,-100,PT2H,P3D)"),
        ("show every interval with Kp >= 8 in 2003", "intervals=intervals_where(kp,79.0,PT2H,P3D)"),
    ],
)
def test_events_around_which_nothing_is_asked_are_listed(request_text: str, found: str) -> None:
    """As intervals that are asked for by that name are: shaded, and listed after a run."""
    assert chain(planned(request_text))[-1] == found


def test_superposed_events_are_brought_together_over_the_range() -> None:
    """One file: the partitions are windows of time, and what the events have in common is over the range."""
    pipeline = planned(STORMS)
    epochs, together = pipeline.steps[2:4]
    assert not isinstance(pipeline.partitions, EventWindows)
    assert epochs.compute is not None
    assert epochs.compute.inputs == {"series": "dst", "events": "events"}
    assert together.compute is not None
    assert (together.compute.operation, together.over) == ("epoch_statistics", "range")


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("2 days before to 4 days after", ("P2D", "P4D")),
        ("12 hours either side", ("PT12H", "PT12H")),
        ("6 hours before and after", ("PT6H", "PT6H")),
        ("from -24h to +72h", ("P1D", "P3D")),
        ("", ("P1D", "P3D")),
    ],
)
def test_each_event_has_a_panel(words: str, window: tuple[str, str]) -> None:
    """With the window that is named, else one that is said to be assumed."""
    request = f"plot OMNI Bz for each storm (Dst < -150) of 2001-2004, {words}".rstrip(", ")
    each = figure_of(request)["each"]
    assert isinstance(each, dict)
    assert (each["events"], each["before"], each["after"]) == ("events", *window)
    said = "How far around the events is shown is assumed: the request does not say it."
    assert (said in planned(request).assumptions) == (not words)


def test_the_card_says_what_an_event_is() -> None:
    """What counts, when it is, which of them are one, and how far around it is drawn."""
    assumed = planned(f"{STORMS}, 1 day before to 2 days after").assumptions
    assert "An event is an interval with OMNI Dst below -100 nT; its time is when it begins." in assumed
    assert "Intervals at most 12 hours apart count as one event." in assumed
    assert "Around each event: 1 day before it to 2 days after it, in bins of 1 hour." in assumed
    assert not [each for each in assumed if each.startswith("A storm is taken by its Dst")]  # Dst is what is asked for
    others = planned("superposed epoch of OMNI speed around storms below -100 nT, 2003").assumptions
    assert "A storm is taken by its Dst, because the request names no index." in others


def test_one_line_says_how_far_around_superposed_events() -> None:
    """And whether the request does, not a second line."""
    said, unsaid = (planned(f"{STORMS}{words}").assumptions for words in (", 1 day before to 2 days after", ""))
    (line,) = [each for each in unsaid if "around" in each.lower()]
    assert line.startswith("Around each event: 1 day before it to 3 days after it, in bins of 1 hour")
    assert line.endswith("; the request does not say how far.")
    assert not any("does not say how far" in each for each in said)


def test_short_windows_have_short_bins_of_dense_data() -> None:
    """Six hours are not six bins, and an hourly dataset is not taken where a dense one is there."""
    steps = chain(
        planned("superposed epoch of OMNI density over southward turnings of Bz, 2015, 2 hours before to 4 hours after")
    )
    assert "density=OMNI_HRO_1MIN/proton_density" in steps
    assert "density_epochs=superposed_epoch(density,events,PT2H,PT4H,PT10M)" in steps


@pytest.mark.parametrize(
    ("request_text", "first"),
    [
        ("epoch average of density at crossings of Bz below zero, 2015", "The density is taken from OMNI"),
        ("density around each time ACE speed exceeds 700 km/s, 2005", "The density is taken from ACE, which the limit names."),
    ],
)
def test_nobody_is_named(request_text: str, first: str) -> None:
    """The spacecraft of the limit, else OMNI, and it is said."""
    assert planned(request_text).assumptions[0].startswith(first)


@pytest.mark.parametrize(
    "request_text",
    [
        "intervals where ACE Bz in GSM is below -5 nT for at least two hours, November 2003",
        "periods in 2015 when Dst was below -100 nT",
        "find all times with OMNI solar wind speed above 700 km/s for more than 6 hours in 2005",
        "ACE speed in 2005, leaving out times when density is above 20 cm^-3",
        "how many hours was Dst below -50 nT in 2003?",
        "maximum of Kp for each day in 2003",
        "Bz around 2003-10-29",
    ],
)
def test_a_limit_alone_makes_no_windows(request_text: str) -> None:
    """Lists, exclusions and numbers stay what they are."""
    assert find_limited_events(request_text) is None


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        (
            "power spectrum of ACE Bx in each interval with speed above 600 km/s in 2005",
            "One result for each event is not planned",
        ),
        ("mean ACE density for each crossing of 600 km/s by the speed in 2005", "needs a length, and a crossing is a moment"),
        ("superposed epoch of speed for events below -100, 2003", "I do not understand the limit that makes the events"),
        ("superposed epoch of Dst around storms above 100 nT, 2003", "I do not understand the limit that makes the events"),
        ("superposed epoch of Dst around all storms with Dst below -100 km/s, 2003", "is in nT, and the limit is in km/s"),
        ("superposed epoch of Dst around storms with Kp above 12, 2003", "12 is not a limit of it"),
        ("superposed epoch of AE over crossings of 0 nT by OMNI Bz, 2003, at least 6 hours apart", "none is left out"),
        ("difference of ACE and Wind density for each storm with Dst < -100 nT, 2003", "curves of single quantities"),
        (
            "OMNI speed for each storm with Dst < -100 nT, 2003, leaving out 2003-10-29",
            "leaves out times, and a limit makes events",
        ),
        ("spectrogram of ACE |B| with a 6-hour window for each storm with Dst < -100 nT, 2003", "has lines only"),
        ("superposed epoch of Dst around intense storms in 2003", "Around which events"),
    ],
)
def test_what_is_asked_about(request_text: str, words: str) -> None:
    """One clear question instead of another result than the one that is wanted."""
    assert words in question(request_text)


def test_what_a_question_offers_is_planned() -> None:
    """The curves in place of one result for each event."""
    asked = ask("power spectrum of ACE Bx in each interval with speed above 600 km/s in 2005")
    assert isinstance(asked, Asked)
    (choice,) = asked.question.choices
    assert isinstance(ask(choice), Plan)


@pytest.mark.parametrize(
    ("given", "said", "made", "words"),
    [
        (STORMS, "make it -150 nT", "events=intervals_where(dst,-150,PT2H,PT12H,P3D)", "with OMNI Dst below -150 nT"),
        (STORMS, "below -150 nT instead", "events=intervals_where(dst,-150,PT2H,PT12H,P3D)", "Dst below -150 nT"),
        (STORMS, "2 days before to 4 days after", "dst_epochs=superposed_epoch(dst,events,P2D,P4D,PT1H)",
         "2 days before it to 4 days after it"),
        (STORMS, "12 hours either side", "dst_epochs=superposed_epoch(dst,events,PT12H,PT12H,PT1H)",
         "12 hours before it to 12 hours after it"),
        ("OMNI speed for every interval with Kp >= 7 in 2003", "make it 8", "events=intervals_where(kp,79,PT2H,P3D)",
         "Kp x 10 above 79"),
    ],
)  # fmt: skip
def test_limit_and_window_are_changed(given: str, said: str, made: str, words: str) -> None:
    """And what the plan says of them with them; of Kp the limit that a person names is the one that is meant."""
    pipeline = edited(given, said)
    assert made in chain(pipeline)
    assert [each for each in pipeline.assumptions if words in each]
    assert not [each for each in pipeline.assumptions if "below -100" in each and "-150" in said]
    assert not [each for each in pipeline.assumptions if "1 day before" in each and ("2 days" in said or "12 hours" in said)]


def test_the_window_of_each_panel_is_changed() -> None:
    """In every panel of the figure."""
    figure = edited("OMNI speed and density for each storm (Dst < -150) in 2003", "6 hours before and after").steps[-1].figure
    assert figure is not None
    assert [(panel.each.before, panel.each.after) for panel in figure.panels if panel.each] == [(timedelta(hours=6),) * 2] * 2


@pytest.mark.parametrize(
    ("given", "said", "words"),
    [
        (STORMS, "90 minutes either side", "whole numbers of their bins"),
        ("superposed epoch of Dst around 2015-03-17T04:45 and 2015-06-22T18:33", "2 days before to 4 days after", "partitions"),
    ],
)
def test_a_window_that_cannot_be_is_asked_about(given: str, said: str, words: str) -> None:
    """With the reason."""
    answer = refine(given, said)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_a_schedule_waits_for_what_lies_after_events() -> None:
    """As far as intervals, their merging and the window reach together, in whole days; other pipelines do not wait."""
    pipeline = edited(f"{STORMS}, 1 day before to 1 day after", "run it every night")
    assert (pipeline.schedule, pipeline.lag) == ("daily", timedelta(days=5))  # 3 days, 12 hours of merging, 1 day: 4.5
    assert edited("ACE speed on 2003-10-29", "run it every night").lag is None


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        ("mean ACE density in each interval with speed above 600 km/s in 2005",
         ["events=intervals_where(speed,600,P3D)", "events_with_density=facts_of_events(events,density,['mean'],P3D)"]),
        ("minimum Dst of each storm with Dst below -100 nT in 2015",
         ["events_with_dst=facts_of_events(events,dst,['minimum'],P3D)"]),
        ("mean speed and maximum |B| for each storm with Dst below -100 nT in 2003",
         ["events_with_speed=facts_of_events(events,speed,['mean','maximum'],P3D)",
          "events_with_b_mag=facts_of_events(events_with_speed,b_mag,['mean','maximum'],P3D)"]),
    ],
)  # fmt: skip
def test_numbers_of_each_event(request_text: str, found: list[str]) -> None:
    """They are columns of the list, which is drawn into the panels of what they are of."""
    steps = [each.replace("', '", "','") for each in chain(planned(request_text))]
    assert set(found) <= set(steps)
    figure = planned(request_text).steps[-1].figure
    assert figure is not None
    assert {panel.traces[-1].data for panel in figure.panels} == {found[-1].split("=")[0]}


def test_numbers_of_short_events_are_of_dense_data() -> None:
    """Intervals that one-minute values show are not filled from hourly ones."""
    pipeline = planned("maximum solar wind speed during each interval where Bz GSM < -5 nT for 2 hours in March 2015")
    assert {step.fetch.dataset for step in pipeline.steps if step.fetch} == {"OMNI_HRO_1MIN"}


@pytest.mark.parametrize("words", ["storms with Dst below -100 nT", "minima of Dst below -100 nT"])
def test_another_limit_and_another_window_come_together(words: str) -> None:
    """The events are those below the new limit wherever they are named, and what is drawn around them is as long as said."""
    pipeline = edited(
        f"superposed epoch of OMNI Dst around {words}, 2 days before to 4 days after, in 2003",
        "what about -200, with a window of 1 day before until 5 days after",
    )
    events, epochs = (pipeline.step(name).compute for name in ("events", "dst_epochs"))
    assert events is not None
    assert events.options["below"] == -200
    assert epochs is not None
    assert [epochs.options[name] for name in ("before", "after")] == ["P1D", "P5D"]
    told = [pipeline.title, *pipeline.assumptions, *(step.intent for step in pipeline.steps)]
    assert [each for each in told if "-100" in each] == []
    assert any("below -200 nT" in each for each in pipeline.assumptions)
