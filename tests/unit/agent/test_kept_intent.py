"""The intent of a plan, kept with its conversation."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.drafting.assumptions import Assumption, Topic
from helio_dagster.agent.intent import Intent, Stated
from helio_dagster.agent.kept_intent import assumed_from_text, intent_from_text, intent_to_text
from helio_dagster.agent.targets import Target
from tests.unit.agent.offline.asking import ask


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE and Wind Bz in GSM on 2003-10-29, 5-minute means",
        "ACE plasma beta on 2003-10-29",
        "find the intervals where OMNI Bz in GSM was below -10 nT for at least 2 hours in March 2015",
        "power spectrum of ACE Bz in GSE for 29 Oct 2003",
        "MMS1 magnetic field in burst mode on 16 October 2015 from 13:00 to 13:15",
    ],
)
def test_an_intent_reads_back_as_it_was(request_text: str) -> None:
    """With targets of both kinds, options, lengths and ranges."""
    plan = ask(request_text)
    assert isinstance(plan, Plan)
    assert plan.intent is not None
    assert intent_from_text(intent_to_text(plan.intent)) == plan.intent
    both = intent_to_text(plan.intent, plan.assumed)
    assert (intent_from_text(both), assumed_from_text(both)) == (plan.intent, plan.assumed)


def test_what_is_assumed_is_kept_without_an_intent() -> None:
    """As of steps that a planner has stated, or of a recipe."""
    assumed = (Assumption("Bz is taken in GSM.", (Topic("frame", "GSM"),)), Assumption("Whatever it is about."))
    text = intent_to_text(Intent(stated=Stated("t", "d", ())), assumed)
    assert (intent_from_text(text), assumed_from_text(text)) == (None, assumed)


def test_what_has_no_slots_or_another_form_is_no_intent() -> None:
    """Steps that a planner states, nothing, and what another version wrote."""
    assert intent_to_text(None) == ""
    assert intent_to_text(Intent(stated=Stated("t", "d", ()))) == ""
    assert intent_from_text("") is None
    assert intent_from_text('{"targets": [{"of": "another form"}]}') is None
    assert assumed_from_text("") == ()


def test_an_intent_that_was_kept_alone_is_read() -> None:
    """As sessions were saved before assumptions were kept with it."""
    text = '{"targets": [{"mission": "ACE", "quantity": "speed"}]}'
    assert (intent_from_text(text), assumed_from_text(text)) == (Intent((Target("ACE", "speed"),)), ())
