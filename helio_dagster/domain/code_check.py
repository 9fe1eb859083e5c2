"""What can be said about a step's code without running it."""

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


TOO_DEEP = CodeFault("not Python: nested too deeply", "Write shorter expressions.")
RETURNS_NOTHING = CodeFault("the code returns nothing", "Let it `return` the result.")


class NotPython(Exception):
    """Code that cannot be read as a function body."""

    def __init__(self, fault: CodeFault) -> None:
        super().__init__(fault.problem)
        self.fault = fault


def find_code_faults(code: str, inputs: Sequence[str]) -> Iterator[CodeFault]:
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
        body = parse_body(code)
    except NotPython as error:
        yield error.fault
        return
    if not has_return(body):
        yield RETURNS_NOTHING


def parse_body(code: str) -> ast.Module:
    """The tree of a function body.

    Raises
    ------
    NotPython
        With the fault, where the code cannot be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(code)
    except SyntaxError as error:
        raise NotPython(syntax_fault(error)) from None
    except UnicodeEncodeError:
        raise NotPython(CodeFault("not Python: it holds characters that are not text", "Write it as UTF-8 text.")) from None
    except ValueError as error:
        raise NotPython(CodeFault(f"not Python: {error}", "Write a function body that returns the result.")) from None
    except (RecursionError, MemoryError):
        raise NotPython(TOO_DEEP) from None


def syntax_fault(error: SyntaxError) -> CodeFault:
    """What Python says about the code, as a fault."""
    return CodeFault(f"not Python: {error.msg}", "Write a function body that returns the result.", error.lineno or 0)


def has_return(body: ast.Module) -> bool:
    """Whether a body returns a value somewhere."""
    return any(_returns(statement) for statement in body.body)


def _returns(node: ast.AST) -> bool:
    """Whether a statement can return a value from the body, functions inside it left out."""
    if isinstance(node, ast.Return):
        return node.value is not None
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    return any(_returns(child) for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.excepthandler)))
