"""Docstrings of public functions that take or give data: the shape of every array, and every error that is raised there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3] / "helio_dagster"
NOT_HERE = ("cli", "compute/plain", "launch/carrying/plain", "agent")
"""Commands, functions that are copied into scripts which people read whole, and words."""
PROGRAMMING_ERRORS = {"TypeError", "RuntimeError", "NotImplementedError", "AssertionError"}
"""What only a mistake in the program raises; no caller waits for it."""
_ARRAY = re.compile(r"\b(?:NDArray|ndarray|Floats|Complexes|Nanoseconds|Stamps|Times)\b")
_DATA = re.compile(rf"{_ARRAY.pattern}|\b(?:Table|DataFrame|Series|Dataset)\b")
_SHAPE = re.compile(r"\b(?:shapes?|scalars?)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?:as(?: in| of| for)?|from|see) `", re.IGNORECASE)
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)$", re.MULTILINE)


def missing_shapes(function: ast.FunctionDef) -> list[str]:
    """Arrays whose shape the docstring leaves open: names of parameters, and `return`."""
    sections = _sections(ast.get_docstring(function) or "")
    parameters = sections.get("Parameters")
    entries = _entries(parameters or "")
    arrays = [each.arg for each in _arguments(function) if _matches(_ARRAY, each.annotation)]
    lacking = [name for name in arrays if not _says_shape(sections[""] if parameters is None else entries.get(name, ""))]
    if _matches(_ARRAY, function.returns) and not _says_shape(sections[""] + sections.get("Returns", "")):
        lacking.append("return")
    return lacking


def missing_errors(function: ast.FunctionDef) -> list[str]:
    """Errors that a function of data raises itself and its docstring does not name."""
    annotations = [*(each.annotation for each in _arguments(function)), function.returns]
    if not any(_matches(_DATA, each) for each in annotations):
        return []
    docstring = ast.get_docstring(function) or ""
    raised = {name for statement in function.body for name in _raised(statement)} - PROGRAMMING_ERRORS
    return sorted(name for name in raised if not re.search(rf"\b{name}\b", docstring))


def _raised(node: ast.AST) -> Iterator[str]:
    """Classes that a statement raises; not those of functions inside it, or of a `try` that catches."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        name = ast.unparse(node.exc.func).split(".")[-1]
        if name[:1].isupper():
            yield name
    for child in ast.iter_child_nodes(node):
        is_caught = isinstance(node, ast.Try) and node.handlers and child in node.body
        if not is_caught and not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _raised(child)


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _matches(pattern: re.Pattern[str], annotation: ast.expr | None) -> bool:
    return annotation is not None and pattern.search(ast.unparse(annotation)) is not None


def _says_shape(text: str) -> bool:
    return _SHAPE.search(text) is not None or _REFERENCE.search(text) is not None


def _sections(docstring: str) -> dict[str, str]:
    parts = _SECTION.split(docstring)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _entries(section: str) -> dict[str, str]:
    parts = _ENTRY.split(section)
    named = zip(parts[1::2], parts[2::2], strict=True)
    return {name.strip("* "): text for names, text in named for name in names.split(",")}


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        if any(place.is_relative_to(room) for room in NOT_HERE):
            continue
        body = ast.parse(path.read_text(encoding="utf-8")).body
        classes = [node for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
        for node in [*body, *(inner for each in classes for inner in each.body)]:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield f"{place.as_posix()} {node.name}", node


@pytest.mark.slow
def test_shapes_are_said() -> None:
    """Every array that a public function takes or gives has its shape in the docstring."""
    assert {place: found for place, function in _functions() if (found := missing_shapes(function))} == {}


@pytest.mark.slow
def test_errors_are_said() -> None:
    """A public function that takes or gives data names in its docstring the errors that it raises itself."""
    assert {place: found for place, function in _functions() if (found := missing_errors(function))} == {}


_EXAMPLE = '''
def mean(values: Floats, at: Times, window: float) -> Floats:
    """{summary}

    Parameters
    ----------
    values
        {values}
    at
        Times, shape (record,).
    """
    if window < 0:
        raise InputError("below zero")
'''


@pytest.mark.parametrize(
    ("summary", "values", "lacking"),
    [
        ("Mean, shape (record,).", "float64, shape (record,).", []),
        ("Mean, shape (record,).", "In nT.", ["values"]),
        ("Mean.", "As in `median`.", ["return"]),
    ],
)
def test_rule_of_shapes(summary: str, values: str, lacking: list[str]) -> None:
    """A parameter needs its own words on its shape, or a reference to a place that has them; so does the result."""
    function = ast.parse(_EXAMPLE.format(summary=summary, values=values)).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert missing_shapes(function) == lacking


def test_rule_of_errors() -> None:
    """An error that is raised and not caught there must be named."""
    silent, saying = (ast.parse(_EXAMPLE.format(summary=each, values="")).body[0] for each in ("Mean.", "InputError: no."))
    assert isinstance(silent, ast.FunctionDef)
    assert isinstance(saying, ast.FunctionDef)
    assert missing_errors(silent) == ["InputError"]
    assert missing_errors(saying) == []
