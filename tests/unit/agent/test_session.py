"""A conversation at rest."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from helio_dagster.agent.session import Asked, Session, Version, parse_session
from helio_dagster.domain.errors import StorageError

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def new() -> Session:
    """An empty one."""
    return Session(id="20240601-120000", created=NOW, changed=NOW)


def test_it_reads_back_as_it_was_written() -> None:
    """Questions, drafts and words survive the process."""
    session = new()
    session.note("person", "ACE field", NOW)
    session.asked = Asked(request="ACE field", text="Which frame?", choices=["GSE"], number=2)
    assert parse_session(session.model_dump_json(), where="x") == session


def test_a_plan_saved_with_its_earlier_texts_alone_keeps_its_range_and_file() -> None:
    """As version 0.2 wrote it."""
    span = {"start": "2023-01-02T00:00:00Z", "stop": "2023-01-03T00:00:00Z"}
    document = {**new().model_dump(mode="json"), "draft": {"text": "b", "span": span, "base": "c", "earlier": ["a"]}}
    draft = parse_session(json.dumps(document), where="x").draft
    assert draft is not None
    assert [(each.text, each.span, each.base) for each in draft.earlier] == [("a", draft.span, "c")]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": "x"}', '{"version": 2}'])
def test_a_damaged_one_is_one_clear_error(text: str) -> None:
    """It says where, what, and what to do."""
    with pytest.raises(StorageError, match="cannot be read") as caught:
        parse_session(text, where="sessions/x.json")
    assert caught.value.where == "sessions/x.json"
    assert "helio sessions rm" in caught.value.hint


def test_the_title_is_the_first_thing_asked_for() -> None:
    """Shortened, so that a list stays a list."""
    session = new()
    session.note("helio", "hello", NOW)
    session.note("person", "x" * 200, NOW)
    assert len(session.title) == 70
    assert session.title.endswith("…")


def test_changes_that_can_be_taken_back_are_bounded() -> None:
    """The oldest are let go."""
    session = new()
    for number in range(50):
        session.remember(Version(name="p", text=str(number)))
    assert [version.text for version in session.versions] == [str(number) for number in range(30, 50)]


def test_a_question_keeps_that_there_is_a_plan_of_the_rest() -> None:
    """So that `without it` answers it after the conversation is opened again, whatever the text says."""
    asked = Asked(request="ACE |B| and blah", text="What?", rest="ACE magnetic field magnitude")
    saved = Session(id="a", created=NOW, changed=NOW, asked=asked).model_dump_json()
    opened = parse_session(saved, where="a.json").open
    assert opened is not None
    assert opened.question.rest == "ACE magnetic field magnitude"
