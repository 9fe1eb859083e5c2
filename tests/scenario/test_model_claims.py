"""Numbers that a model states about results are held against what was computed; those from nowhere are marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.scenario.scripts import MAG, SHOWN, B, call, edits, operation, plan
from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
NAME = "ace_magnetic_field_magnitude"
NUMBERS = operation("numbers", "facts_of", {"statistics": ["mean", "maximum"]}, series="b_mag") | {"over": "range"}
ASK = "sum up the result in a sentence"
PLAN = plan("ACE magnetic field magnitude", "2003-10-29", B, MAG, NUMBERS, SHOWN)


@pytest.fixture
def ran(chat: Begin) -> Callable[[Sequence[dict[str, Any]]], Chat]:
    """A conversation after a run over the embedded archive, and what the model replies from then on."""

    def begin(replies: Sequence[dict[str, Any]]) -> Chat:
        talk = chat([PLAN])
        talk.agree("ACE magnetic field magnitude with mean and maximum for 2003-10-29")
        talk.script = replies
        talk.leave_and_go_on()
        return talk

    return begin


def informs(text: str) -> dict[str, Any]:
    """A reply in words."""
    return call("give_information", text=text, sources=["ACE"])


def test_numbers_of_facts_and_tables_are_not_marked_and_others_are(chat: Begin, ran: Callable[..., Chat]) -> None:
    """Mean and maximum as facts, the minimum with its time from the table; an invented lag and an altered mean are named."""
    talk = ran([informs("to be replaced")])
    read = talk.read(f"{NAME}/b_mag", "2003-10-29").iloc[:, 0]
    when = read.index[int(read.argmin())]
    true = (
        f"On 29 October 2003 the mean of |B| was {read.mean():.3g} nT ({read.mean() / 1000:.4f} uT) over 1 day, the largest "
        f"value {read.max():.1f} nT, and the least {read.min():.2f} nT at {when:%H:%M} UT, in {read.count():,} records of "
        "AC_H0_MFI."
    )
    altered = f"The mean was {1.2 * read.mean():.3g} nT"
    talk.script = [informs(true), informs(f"{true} {altered}, and the lag to Wind was 34 min.")]
    talk.leave_and_go_on()
    told = talk.say(ASK)
    assert told.status == "answered"
    assert (told.text("information"), told.of("information")[0].facts["unverified"]) == (true, [])
    told = talk.say(ASK)
    invented = [f"{1.2 * read.mean():.3g} nT", "34 min"]
    assert told.of("information")[0].facts["unverified"] == invented
    assert told.text("information").splitlines()[-1] == f"not computed here: {', '.join(invented)}"
    assert talk.runs == 1


def test_a_change_of_the_plan_marks_what_its_notes_state(ran: Callable[..., Chat]) -> None:
    """On the card, until the plan is decided; its own options are no claims, and approval is not hindered."""
    smooth = operation("smooth", "rolling_mean", {"window": "PT10M"}, series="b_mag")
    smooth["intent"] = "Ten-minute mean"
    added = {"kind": "add_step", "step": smooth}
    reply = edits(added)
    reply["calls"][0]["args"]["notes"] = ["A window of 10 min (600 s) is used.", "It removes waves of 47 mHz."]
    talk = ran([reply])
    shown = talk.say("smooth it over ten minutes")
    assert shown.card["unverified"] == ["47 mHz"]
    assert "  note     not computed here: 47 mHz" in shown.text("plan").splitlines()
    talk.leave_and_go_on()
    assert "not computed here: 47 mHz" in talk.say("show").text("plan")
    assert talk.say("approve").status == "success"


def test_refusals_and_questions_are_marked_too(chat: Begin) -> None:
    """Before anything was run; what a question proposes, and what the person said, are no claims."""
    text, choices = "Bz was -31 nT then. Above 5 nT, or above 10 nT?", ["Bz above 5 nT", "Bz above 10 nT"]
    question = call("ask_question", text=text, choices=choices)
    talk = chat([question, call("refuse", reasons=["Below -50 nT it lasted 17 hours.", "Ask for a plot."])])
    asked = talk.say("when was Bz of ACE below -50 nT?")
    assert asked.awaiting == "answer"
    assert [event.facts["unverified"] for event in asked.of("note") if "unverified" in event.facts] == [["-31 nT"]]
    refused = talk.say("1")
    assert refused.status == "refused"
    assert refused.of("error")[0].facts["unverified"] == ["17 hours"]
    assert "not computed here: 17 hours" in refused.text("error")


def test_what_a_model_looked_up_is_known(chat: Begin) -> None:
    """Numbers of the catalog stand there, with their source."""
    look = call("search_catalog", words="ACE magnetic field")
    talk = chat([look, informs("It has a value every 16 s, or every 99 s.")])
    told = talk.say("tell me about the resolution of AC_H0_MFI")
    assert told.of("information")[0].facts["unverified"] == ["99 s"]
