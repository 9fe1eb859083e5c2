"""No word of a follow-up vanishes: it is used, shown as ignored, or asked about."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Answer, Asked, Edits, Fork, Plan, Replay
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import apply_edits
from tests.unit.agent.offline.asking import ask, on_the_table, panels, refine

FOLLOW_UPS = (
    ("ACE |B| and speed on 2003-10-29", "make |B| red"),
    ("ACE |B| and speed on 2003-10-29", "add the density at the top"),
    ("ACE |B| and speed on 2003-10-29", "smooth the speed over 10 minutes"),
    ("ACE |B| and speed on 2003-10-29", "from 6:00 to 12:00"),
    ("ACE |B| and speed on 2003-10-29", "the same for Wind"),
    ("OMNI hourly Dst, 2003-10-20 to 2003-10-28", "draw a line at -50 nT"),
    ("OMNI hourly Dst, 2003-10-20 to 2003-10-28", "y axis from -400 to 50"),
)
MORE = (
    "17",
    "not",
    "twice",
    "except",
    "keV",
    "helicity",
    "proton",
    "Cluster",
    "zorbed",
    "below -100",
    "50 bins",
    "every 3 hours",
)
"""Numbers, negations, units, quantities, spacecraft, words that nobody knows, limits."""


def _comes_to(given: str, answer: Answer) -> tuple[object, ...]:
    """What a change makes of the plan, and for which time."""
    if isinstance(answer, Edits):
        plan = ask(given)
        assert isinstance(plan, Plan)
        current = on_the_table(plan)
        changed: Pipeline = apply_edits(current.file, list(answer.edits)).pipeline
        return changed, answer.span or current.span
    assert isinstance(answer, Replay | Fork), answer
    return type(answer), answer.span, getattr(answer, "mission", ""), getattr(answer, "then", "")


@pytest.mark.parametrize(("given", "request_"), FOLLOW_UPS)
def test_a_word_more_is_used_or_shown_or_asked_about(given: str, request_: str) -> None:
    """Wherever it stands: a change that is the same as without it says that it is ignored."""
    meant = _comes_to(given, refine(given, request_))
    words = request_.split()
    for place, more in enumerate(MORE):
        at = (7 * place) % (len(words) + 1)
        said = " ".join([*words[:at], more, *words[at:]])
        answer = refine(given, said)
        if isinstance(answer, Edits | Replay | Fork) and _comes_to(given, answer) == meant:
            assert any(repr(part) in note or part in note for part in more.split() for note in answer.notes), said


def test_a_limit_is_never_dropped_beside_a_colour() -> None:
    """`below -100 in red` colours not all of the line."""
    answer = refine("OMNI hourly Dst, 2003-10-20 to 2003-10-28", "below -100 in red")
    assert isinstance(answer, Asked)
    assert "below -100" in answer.question.text


def test_what_only_tells_about_a_change_is_shown_as_ignored() -> None:
    """It turns nothing."""
    answer = refine("ACE |B| and speed on 2003-10-29", "my coauthor is colorblind, use colors he can tell apart")
    assert isinstance(answer, Edits)
    assert any("is ignored" in note or "taken as a remark" in note for note in answer.notes)


def test_both_changes_are_made_though_one_is_the_first_that_is_understood() -> None:
    """Words that one reader leaves are read as a change of their own."""
    answer = refine("ACE and Wind speed on 2003-10-29", "hourly, and extend to the 31st")
    assert isinstance(answer, Edits)
    assert str(answer.span) == "2003-10-29 to 2003-11-01"
    plan = ask("ACE and Wind speed on 2003-10-29")
    assert isinstance(plan, Plan)
    changed = apply_edits(on_the_table(plan).file, list(answer.edits)).pipeline
    assert panels(changed) == ["ace_speed_1hour+wind_speed_1hour"]


@pytest.mark.parametrize(
    ("words", "ignored"),
    [
        ("make the wavy density line red", "wavy"),
        ("density red, as in the Smith paper", "in the Smith paper"),
        ("zoom in on the main phase, 4 May 02:00 to 08:00", "main phase"),
    ],
)
def test_a_word_that_bears_no_meaning_stops_no_change(words: str, ignored: str) -> None:
    """It is shown as ignored, as in a new request."""
    answer = refine("Wind density and speed 1998-05-04", words)
    assert isinstance(answer, Edits | Replay), answer
    assert f"{ignored!r} is ignored." in answer.notes


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("nuke the speed", "nuke"),
        ("convert the blimps to GSM", "blimps"),
        ("average the blimp hourly", "blimp"),
        ("weighted 1-hour average of the speed", "weighted"),
        ("cubic detrend of the speed over 2 hours", "cubic"),
    ],
)
def test_what_is_to_be_done_or_to_what_is_never_ignored(words: str, asked: str) -> None:
    """Only what is told beside a change is."""
    answer = refine("ACE |B|, density and speed 2003-10-29", words)
    assert isinstance(answer, Asked), answer
    assert asked in answer.question.text


def test_how_a_line_lies_needs_no_word() -> None:
    """A line at a value is horizontal, one at a time vertical."""
    given = "SYM-H 2015-06-21 to 2015-06-25"
    for words in ("add a horizontal limit line at -50 nT", "put a vertical line at 22 June 18:33"):
        answer = refine(given, words)
        assert isinstance(answer, Edits), answer
        assert not any("ignored" in note for note in answer.notes)
