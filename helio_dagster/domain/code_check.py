"""What can be said of a step's code without running it. Confining and running it belong elsewhere."""

from __future__ import annotations

import ast
import keyword
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CodeFault:
    """A fault in a function body; `line` counts its lines from 1, 0 for the whole."""

    problem: str
    hint: str
    line: int = 0


def check_code(code: str, *, inputs: Sequence[str]) -> Iterator[CodeFault]:
    """Faults of a function body: syntax, inputs that cannot be arguments, nothing returned.

    Parameters
    ----------
    code
        The function's body.
    inputs
        Names of its arguments.
    """
    for name in inputs:
        if keyword.iskeyword(name):
            yield CodeFault(f"the input {name!r} is a word of Python", "Give the input another name.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            body = ast.parse(code)
    except SyntaxError as error:
        yield CodeFault(f"not Python: {error.msg}", "Write a function body that returns the result.", error.lineno or 0)
        return
    except (ValueError, RecursionError, MemoryError):
        yield CodeFault("not Python: nested too deeply", "Write shorter expressions.")
        return
    if not any(_returns(statement) for statement in body.body):
        yield CodeFault("the code returns nothing", "Let it `return` the result.")


def _returns(node: ast.AST) -> bool:
    """Whether a statement can return a value from the body, functions inside it left out."""
    if isinstance(node, ast.Return):
        return node.value is not None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    return any(_returns(child) for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.excepthandler)))
