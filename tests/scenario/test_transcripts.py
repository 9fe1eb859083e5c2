"""The conversations printed in the documentation are still had so. `python -m tests.scenario.transcribe` prints them anew."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scenario.talking import Chat

DOCS = Path(__file__).parents[2] / "docs"
PROMPTS = {"say": "request", "answer": "answer", "approve": "approval", "retry": "repair"}
_PROMPT = re.compile(r"^(say|answer|approve|retry)[^>\n]*> (.*)$", re.MULTILINE)


def transcripts(planner: str, page: str = "transcripts") -> list[str]:
    """The printed conversations with a planner."""
    found = re.findall(r"```text\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL)
    return [each for each in found if f", planner {planner}\n" in each]


ANSWERS = transcripts("offline", "answers")
PRINTED = [
    *(pytest.param(each, id=f"transcript{place}") for place, each in enumerate(transcripts("offline"), start=1)),
    *(
        pytest.param(each, id=f"answer{place}", marks=[] if place == 1 else [pytest.mark.nightly])
        for place, each in enumerate(ANSWERS, start=1)
    ),
]


@pytest.mark.parametrize("printed", PRINTED)
def test_each_line_comes_to_what_is_printed(chat: Callable[..., Chat], printed: str) -> None:
    """The request and every line after it lead to the prompt that stands there, with the plans and counts that are printed."""
    request = shlex.split(printed.splitlines()[0])[-1]
    said = [request, *(match[2] for match in _PROMPT.finditer(printed))]
    awaited = [PROMPTS[match[1]] for match in _PROMPT.finditer(printed)]
    assert said[-1] == "exit"
    talk = chat()
    for words, awaiting in zip(said[:-1], awaited, strict=True):
        turn = talk.say(words)
        assert turn.awaiting == awaiting, (words, turn.text("error"), turn.text("clarify"))
        for event in turn.events:
            if event.stage in ("plan", "clarify", "information", "run") and "html" not in event.facts:
                missing = [line for line in event.text.splitlines() if "ahead " not in line and line not in printed]
                assert missing == [], words


def test_the_pages_have_all_conversations() -> None:
    """Two without a model and one with; and eight answers, and the one for which a model writes code."""
    assert (len(transcripts("offline")), len(transcripts("scripted"))) == (2, 1)
    assert (len(ANSWERS), len(transcripts("scripted", "answers"))) == (8, 1)
