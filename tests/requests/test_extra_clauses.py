"""A clause behind a request, or behind a change of its plan, is never lost: it makes another plan, or is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import yaml

from helio_dagster.agent.answers import Answer, Asked, Edits, Fork, Plan, Replay
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.pipeline_edit import apply_edits
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask, on_the_table

pytestmark = pytest.mark.xdist_group("requests")
_LISTED = yaml.safe_load(Path(__file__).with_name("extra_clauses.yaml").read_text(encoding="utf-8"))
_BASES = [(each["request"], each["change"]) for each in _LISTED["requests"]]
_CLAUSES = [clause for clauses in _LISTED["clauses"].values() for clause in clauses]
_UNCHANGED = {(each["behind"], each["clause"]) for each in _LISTED["unchanged"]}
_EVERY = 51
"""Of all pairs so many are for the night while one is for the day; it shares no factor with how many clauses there are."""
_PAIRS = [*product(_BASES, (False, True), _CLAUSES)]


def _comes_to(answer: Answer, request: str) -> tuple[object, ...]:
    """What an answer makes, but for the name of a pipeline."""
    if isinstance(answer, Plan):
        return answer.pipeline.model_copy(update={"name": ""}), answer.span
    before = ask(request)
    assert isinstance(before, Plan), before
    current = on_the_table(before)
    if isinstance(answer, Edits):
        return apply_edits(current.file, list(answer.edits)).pipeline, answer.span or current.span
    if isinstance(answer, Replay):
        return current.file.pipeline, answer.span
    return (replace(answer, notes=()) if isinstance(answer, Asked | Fork) else answer,)


def _said(words: str, request: str, *, is_change: bool) -> Answer:
    if not is_change:
        return ask(words)
    before = ask(request)
    assert isinstance(before, Plan), before
    return OfflinePlanner(shipped_knowledge()).answer(Situation(words, NOW, current=on_the_table(before)))


def _lost(base: tuple[str, str], clause: str, *, is_change: bool) -> str:
    """The words whose last clause is lost silently; empty where it is not."""
    request, words = base[0], base[1] if is_change else base[0]
    answer = _said(f"{words}, {clause}", request, is_change=is_change)
    if not isinstance(answer, Plan | Edits | Replay | Fork) or (words, clause) in _UNCHANGED:
        return ""
    plain = _said(words, request, is_change=is_change)
    assert isinstance(plain, Plan | Edits | Replay), plain
    told = {*answer.notes, *getattr(answer, "ignored", ())} - {*plain.notes, *getattr(plain, "ignored", ())}
    is_same = not told and _comes_to(answer, request) == _comes_to(plain, request)
    return f"{words}, {clause}" if is_same else ""


def test_no_clause_is_lost_of_those_for_the_day() -> None:
    """A few of all pairs, at equal distances."""
    lost = [_lost(base, clause, is_change=is_change) for base, is_change, clause in _PAIRS[::_EVERY]]
    assert [each for each in lost if each] == []


@pytest.mark.nightly
@pytest.mark.parametrize("is_change", [False, True], ids=["new", "change"])
@pytest.mark.parametrize("base", _BASES, ids=[request for request, _ in _BASES])
def test_no_clause_is_lost(base: tuple[str, str], is_change: bool) -> None:
    """Whatever it is about: whoever reads the plan sees what of the words is not in it."""
    lost = [_lost(base, clause, is_change=is_change) for clause in _CLAUSES]
    assert [each for each in lost if each] == []


def test_what_changes_nothing_is_behind_a_request_or_change_and_has_a_reason() -> None:
    """Each exception is of a pair that is tried."""
    tried = {(words, clause) for base, _, clause in _PAIRS for words in base}
    assert {*_UNCHANGED} <= tried
    assert all(each["reason"] for each in _LISTED["unchanged"])
