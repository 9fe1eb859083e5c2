"""Look-ups and earlier attempts are sent to a model in few tokens, and nothing that a plan needs is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic_ai import ModelMessage, ModelResponse, ThinkingPart, ToolCallPart

from benchmarks.prompt_size import AIM_FIRST, AIM_WHOLE, Measured, conversations, counter, hold
from helio_dagster.agent.answers import Plan
from helio_dagster.agent.model.brief import brief, brief_docs
from helio_dagster.agent.model.earlier_attempts import without_earlier_attempts
from helio_dagster.agent.planner import Knowledge
from helio_dagster.compute.function_docs import find_function

from .conftest import FETCH, FIGURE, Talk, call, code, plan

HEADROOM = 0.03
FIELD = {"name": "B", "unit": "nT", "frame": "GSE", "size": [3], "says": "Field (16 sec)"}


@pytest.mark.slow
def test_the_longest_conversations_leave_room(knowledge: Knowledge) -> None:
    """Of the tokens that a whole conversation may take, with a model of ordinary diligence; a first request is short."""
    made: dict[str, Plan] = {}
    wholes, firsts = {}, {}
    for each in conversations():
        measured = Measured(counter()[0])
        answer = hold(knowledge, each, made.get(each.get("given", "")), measured)
        if isinstance(answer, Plan):
            made[each["title"]] = answer
        wholes[each["title"]], firsts[each["title"]] = measured.whole, sum(measured.parts[0].values())
    assert {title: whole for title, whole in wholes.items() if whole > (1 - HEADROOM) * AIM_WHOLE} == {}
    assert {title: first for title, first in firsts.items() if first > AIM_FIRST} == {}


def test_parameters_become_lines_that_keep_every_fact() -> None:
    """Name, unit, frame, size and what it is; a dataset that differs in remarks alone names the one that it is like."""
    other = {**FIELD, "says": "Field (4 min)"}
    rotated = {**FIELD, "frame": "GSM"}
    held = {"F16": [FIELD, rotated], "F4": [rotated, other], "R": [{**FIELD, "frame": "RTN"}, rotated]}
    documents = [{"dataset": name, "mission": "ACE", "parameters": parameters} for name, parameters in held.items()]
    sent = brief({"archive": "cdaweb", "datasets": documents})
    assert sent["mission"] == "ACE"
    assert [each["parameters"] for each in sent["datasets"]] == [
        ["B (nT, GSE, [3]): Field (16 sec)", "B (nT, GSM, [3]): Field (16 sec)"],
        "as of F16",
        ["B (nT, RTN, [3]): Field (16 sec)", "B (nT, GSM, [3]): Field (16 sec)"],
    ]


def test_missions_stay_with_their_datasets_where_they_differ() -> None:
    """Else a model would not know which is whose."""
    datasets = [{"dataset": name, "mission": name, "parameters": [FIELD]} for name in ("ACE", "Wind")]
    assert [each["mission"] for each in brief({"datasets": datasets})["datasets"]] == ["ACE", "Wind"]


def test_an_option_in_other_words_is_never_said_to_be_the_same() -> None:
    """Only the same text of the same option is left to the earlier operation."""
    long = "required; Length of the moving window, an ISO 8601 duration."
    operations = [
        {"operation": "mean", "options": {"window": long}},
        {"operation": "median", "options": {"window": long}},
        {"operation": "other", "options": {"window": f"{long} Centred."}},
    ]
    options = [each["options"]["window"] for each in brief({"operations": operations})["operations"]]
    assert options == [long, "as of mean", f"{long} Centred."]


@pytest.mark.parametrize("name", ["scipy.signal.medfilt", "scipy.signal.welch", "pywt.cwt"])
def test_docs_keep_parameters_and_results(name: str) -> None:
    """Every section but examples, references and what else there is."""
    whole = find_function(name).text
    short = brief_docs(whole)
    assert len(short) < len(whole)
    for heading in ("Parameters", "Returns", "Notes"):
        section = whole.partition(f"{heading}\n---")[2]
        first = section.strip("- \n").partition("\n")[0]
        assert first.startswith("**Array API") or first in short
    assert "Array API" not in short
    assert ">>>" not in short


def test_of_plans_that_were_returned_the_newest_is_sent_whole(ask: Callable[..., Talk]) -> None:
    """Of the others what was wrong with them; the record keeps every attempt."""
    attempts = [plan(FETCH, code(f"return undefined_{place}"), FIGURE) for place in range(3)]
    talk = ask([*attempts, call("refuse", reasons=["enough"])], "ACE |B| for last week")
    sent = str(talk.model.requests[-1])
    assert "return undefined_2" in sent
    assert "return undefined_0" not in sent
    assert "return undefined_1" not in sent
    for place in range(3):
        assert f"undefined_{place} is not defined" in sent


def test_a_reply_with_thoughts_is_sent_as_it_came() -> None:
    """A provider may refuse one that was changed."""
    attempt = ToolCallPart("submit_plan", {"title": "first"})
    thought: list[ModelMessage] = [ModelResponse([ThinkingPart("so"), attempt]), ModelResponse([attempt])]
    assert without_earlier_attempts(thought, frozenset({"submit_plan"})) == thought
    plain: list[ModelMessage] = [ModelResponse([attempt]), ModelResponse([attempt])]
    assert without_earlier_attempts(plain, frozenset({"submit_plan"})) != plain
