"""How a figure is printed, in words: of a new request, and of the figure on the table."""

from __future__ import annotations

from typing import Any

import pytest

from helio_dagster.agent.answers import Asked, Edits, Plan
from helio_dagster.agent.offline.edits.paper import find_paper
from tests.unit.agent.offline.asking import ask, drawn_at, edited, planned, refine

FIELD = "ACE |B| on 2015-03-17"
COMPARED = "compare ACE and Wind |B| on 2015-03-17"


def printed(pipeline: Any) -> dict[str, Any]:
    """The `print:` of the last step."""
    figure = pipeline.steps[-1].figure
    return figure.print.model_dump(mode="json", exclude_unset=True) if figure.print else {}


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("two columns wide, letters, no title", {"width": "page", "letters": True, "title": False}),
        ("single column, without a title and with lettered panels", {"width": "column", "title": False, "letters": True}),
        ("85 mm wide and 60 mm high", {"width": "85 mm", "height": "60 mm"}),
        ("width 3.5 inches, 9 pt font, 300 dpi", {"width": "88.9 mm", "font": "9 pt", "dpi": 300}),
        ("AGU style, page width, with a footer", {"style": "agu", "width": "page", "footer": True}),
    ],
)
def test_a_request_and_a_change_say_how_the_figure_is_printed(words: str, given: dict[str, Any]) -> None:
    """The same words come to the same `print:`, and to the pipeline without them otherwise."""
    pipeline = planned(f"{FIELD}, {words}")
    assert printed(pipeline) == given
    assert edited(FIELD, words) == pipeline
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert figure.model_copy(update={"print": None}) == planned(FIELD).steps[-1].figure


def test_what_was_said_before_is_kept_and_taken_back() -> None:
    """Each key by itself."""
    pipeline = edited(f"{FIELD}, two columns wide, letters, no title", "single column, no letters")
    assert printed(pipeline) == {"width": "column", "letters": False, "title": False}


def test_it_goes_with_another_change_and_with_another_time() -> None:
    """The rest of a sentence is carried out too."""
    both = edited(FIELD, "make it red, no title")
    assert printed(both) == {"title": False}
    assert drawn_at(both, (0, 0))["color"] == "red"
    moved = refine(FIELD, "2015-06-22, two columns wide")
    assert isinstance(moved, Edits)
    assert str(moved.span) == "2015-06-22 to 2015-06-23"


def test_the_person_is_told_what_writes_it() -> None:
    """The page is the same, so nothing else would show that the words were understood."""
    answer = ask(f"{FIELD}, single column, no title")
    assert isinstance(answer, Plan)
    assert "On paper: column wide, no title. `helio figure` writes it; the page stays as it is." in answer.notes


def test_a_question_loses_none_of_the_words() -> None:
    """Choices say them again."""
    answer = refine(COMPARED, "make it red, no title")
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["make ACE red, no title", "make Wind red, no title"]


def test_what_cannot_be_printed_or_is_so_already_is_asked_about() -> None:
    """With the limit, and nothing is changed."""
    for request, words in (("5000 mm wide", "at most 1200 mm wide"), ("no title", "printed so already")):
        answer = refine(f"{FIELD}, no title", request)
        assert isinstance(answer, Asked)
        assert words in answer.question.text


@pytest.mark.parametrize(
    "request_text",
    ["set the title to Two columns wide", 'call it "no letters"', "Physical Review Letters", "ACE |B| in two columns", FIELD],
)
def test_other_words_are_left_alone(request_text: str) -> None:
    """A title may hold any words; a journal's name and an arrangement are none of the paper."""
    assert find_paper(request_text) is None
