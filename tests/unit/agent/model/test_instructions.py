"""What a model is told: rules that stay the same from request to request, and the situation of the turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import copy
from datetime import timedelta

import pytest
from pydantic_ai import ModelRequest

from helio_dagster.agent.answers import Question
from helio_dagster.agent.model.instructions import EXAMPLES, planning_rules
from helio_dagster.agent.model.operation_list import describe_option, list_operations
from helio_dagster.agent.model.submissions import CodeStep, DraftPlan
from helio_dagster.agent.planner import Knowledge, OpenRequest

from .conftest import NOW, Talk, call

Ask = Callable[..., Talk]
ENOUGH = [call("refuse", reasons=["enough"])]


def said(talk: Talk) -> str:
    """The situation as the model got it."""
    [part] = talk.model.requests[0][0].parts
    return str(part.content)


def rules(talk: Talk) -> str:
    """The rules as the model got them."""
    request = talk.model.requests[0][0]
    assert isinstance(request, ModelRequest)
    return request.instructions or ""


@pytest.mark.parametrize(
    ("request_text", "told"),
    [
        ("ACE |B| for last week", r"'for last week' is 2026-03-03 .*2026-03-10"),
        ("ACE |B| on 2003-13-45", "not understood"),
        ("ACE |B| on 03/04/2003", "ambiguous"),
        ("ACE |B| for a while", "none that was understood"),
    ],
)
def test_the_asked_time_stands_beside_the_request(ask: Ask, request_text: str, told: str) -> None:
    """As it will be read, or that it cannot be: the model need not guess which phrases are known."""
    assert re.search(f"Time asked for: .*{told}", said(ask(ENOUGH, request_text)))


def test_the_time_of_an_open_request_is_told(ask: Ask) -> None:
    """An answer without a time keeps the one of the request."""
    opened = OpenRequest("ACE |B| for last week", Question(text="Which cadence?", choices=[]), 1)
    assert "'for last week' is" in said(ask(ENOUGH, "16 seconds", open=opened))


def test_rules_are_the_same_for_every_request(ask: Ask) -> None:
    """A provider can cache them: nothing of the request or the clock is in them."""
    first = rules(ask(ENOUGH, "ACE |B| for last week"))
    assert first == rules(ask(ENOUGH, "Wind density in 2004", archive="demo"))
    assert f"{NOW:%Y}" not in first


def test_all_operations_are_listed_by_errand(knowledge: Knowledge) -> None:
    """With inputs and required options, each once, and none that comes with the package in a line of its own."""
    operations = list(knowledge.operations.all())
    listed = list_operations(operations)
    names = re.findall(r"(?:: |, )(\w+)\((?=[^()]*\)[*,\n ]|[^()]*\)$)", listed, re.MULTILINE)
    assert sorted(names) == sorted(each.id for each in operations)
    assert "rolling_mean(series; window)" in listed
    assert "facts_of(series)*" in listed


def test_the_rules_stay_short(knowledge: Knowledge) -> None:
    """Every request of a conversation carries them; `python -m benchmarks.prompt_size` counts whole conversations."""
    assert len(planning_rules(knowledge.operations.all(), is_refining=False)) < 7_600


def test_a_saved_operation_has_a_line_of_its_own(knowledge: Knowledge) -> None:
    """It is not among the errands, so its summary tells what it does."""
    own = copy(knowledge.operations.get("magnitude"))
    own.id, own.summary = "smooth_edges", "Edges of a series made smooth"
    [line] = list_operations([own]).splitlines()
    assert line == "smooth_edges(vector): Edges of a series made smooth"


def test_a_long_list_is_cut_and_says_so(knowledge: Knowledge) -> None:
    """A home may have hundreds of saved operations."""
    shipped = list(knowledge.operations.all())
    saved = [copy(each) for each in shipped * 10]
    for place, each in enumerate(saved):
        each.id = f"saved_{place}"
    listed = list_operations([*shipped, *saved])
    assert len(listed) < 13_000
    assert re.search(r"\(\d+ more: search_operations\)$", listed)


def test_the_examples_are_valid(knowledge: Knowledge) -> None:
    """What they show would be accepted."""
    plan, step = re.findall(r"^(?:submit_plan )?(\{.*?\}) *$(?=\nExample|\n*\Z)", EXAMPLES, re.MULTILINE | re.DOTALL)
    draft = DraftPlan.model_validate(json.loads(plan))
    for each in draft.steps:
        if each.kind == "operation":
            operation = knowledge.operations.get(each.operation)
            assert each.inputs.keys() == operation.inputs.keys()
            operation.options.model_validate(each.options)
        if each.kind == "fetch":
            for candidate in each.candidates:
                assert candidate.parameter in knowledge.catalog.parameter_names(candidate.archive, candidate.dataset)
    compile(f"def code(f):\n    {CodeStep.model_validate(json.loads(step)).code}", "code", "exec")


def test_the_rules_tell_what_code_must_know(knowledge: Knowledge) -> None:
    """How a spectrogram looks, what makes one, how results are trimmed, what to do with instants and other figures."""
    told = " ".join(planning_rules(knowledge.operations.all(), is_refining=False).split())
    for words in (
        'f.attrs["helio"]["bins"]["centers"]',
        "exactly the columns of a spectrogram",
        "Results are trimmed to partitions",
    ):
        assert words in told
    for words in ("For an instant", "Separate dates", "other kinds of figure", "Several at once", "lookback and lookahead"):
        assert words in told
    assert "current pipeline" in planning_rules(knowledge.operations.all(), is_refining=True)


def test_options_are_described_whole(ask: Ask) -> None:
    """Required or the default, the values of a closed set, the whole meaning."""
    turns = [call("search_operations", words="standard deviation"), *ENOUGH]
    talk = ask(turns, "ACE")
    [part] = talk.model.requests[1][-1].parts
    options = json.loads(str(part.content))["operations"][0]["options"]
    assert options["statistic"].startswith("required; one of median, std, variance, min, max; ")
    assert options["centered"].startswith("default true; ")
    assert options["window"].endswith("PT10M.")
    assert "…" not in str(options)


def test_durations_are_shown_as_they_are_written(knowledge: Knowledge) -> None:
    """A default of a minute is PT1M."""
    options = knowledge.operations.get("difference").options
    assert options.model_fields["tolerance"].default == timedelta(minutes=1)
    assert describe_option(options, "tolerance").startswith("default PT1M; ")
