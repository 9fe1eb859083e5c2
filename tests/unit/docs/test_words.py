"""Plain English and the glossary's words: what people read must not use the words listed here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from helio_dagster.cli.app import app
from helio_dagster.domain import errors

ROOT = Path(__file__).parents[3]

INSTEAD = {
    r"told": "reported, described, called with",
    r"tells(?! (you|them) )": "says, reports, describes",
    r"for ever": "for any time range; without end",
    r"at hand": "cached, available, there",
    r"wanting": "missing",
    r"(is|are) wanted": "is needed; to see, to get",
    r"unasked": "without asking",
    r"anew": "again",
    r"nought": "zero",
    r"lies? in": "is in",
    r"stands? in": "is in",
    r"takes? (it )?for granted": "assumes",
    r"of choice": "of your choice",
    r"under way": "in progress",
    r"at work": "in progress, in use",
    r"at rest": "stored, on disk",
    r"(goes|go) on": "continues",
    r"mend(s|ed|ing)?": "fix",
    r"exclude each other": "cannot be used together",
    r"data sets?": "dataset",
    r"workflows?": "pipeline",
    r"end (time|date)s?": "stop",
    r"time resolution": "cadence",
    r"sampling (interval|period)s?": "cadence",
    r"missing values?": "fill value",
    r"time (interval|span|period)s?": "time range",
    r"(plots?|plotted)": "figure, panel; drawn",
    r"charts?": "figure",
    r"dialog(ue)?s?": "session, conversation",
    r"DAGs?": "pipeline, asset graph",
    r"tasks?": "step",
}
"""Word, as a pattern between word boundaries, to what to say instead."""

_PATTERNS = {re.compile(rf"\b{word}\b"): better for word, better in INSTEAD.items()}
_ANY = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b")
_NOT_HERE = ("transcripts.md", "answers.md", "commands.md")
"""Made from the code, whose wording has its own tests."""
PAGES = sorted(
    [
        *(page for page in (ROOT / "docs").glob("*.md") if page.name not in _NOT_HERE),
        *(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT")),
    ]
)


def misused(text: str) -> list[str]:
    """The words of a text that we do not use, each with what to say instead."""
    if _ANY.search(text) is None:
        return []
    return [f"{found[0]!r}: say {better}" for pattern, better in _PATTERNS.items() for found in pattern.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page: Path) -> None:
    """Outside code blocks."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert misused(prose) == []


def helps(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """Help texts of a command, its options, and the commands below it."""
    yield name, command.help or ""
    yield from ((f"{name} {option.name}", getattr(option, "help", None) or "") for option in command.params)
    for word, below in getattr(command, "commands", {}).items():
        yield from helps(below, f"{name} {word}")


def test_help() -> None:
    """Of every command and option."""
    found = {name: misused(text) for name, text in helps(typer.main.get_command(app), "helio")}
    assert len(found) > 100
    assert {name: words for name, words in found.items() if words} == {}


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each literal in the making of one of our errors."""
    names = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.HelioError)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value


@pytest.mark.slow
def test_messages_of_errors() -> None:
    """Literals in problems and hints, wherever an error is made."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted((ROOT / "helio_dagster").rglob("*.py"))
        if _ANY.search(source := path.read_text(encoding="utf-8"))
        for line, text in messages(source)
        for word in misused(text)
    ]
    assert found == []
