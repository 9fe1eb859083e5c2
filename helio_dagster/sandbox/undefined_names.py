"""Names a step's code uses and nobody defines. Python's own compiler says which they are; no rule of ours does."""

from __future__ import annotations

import ast
import builtins
import dis
import warnings
from collections.abc import Collection, Iterator, Set
from keyword import iskeyword
from types import CodeType

from helio_dagster.domain.code_check import CodeFault
from helio_dagster.domain.did_you_mean import suggestion
from helio_dagster.sandbox.allowed import ALLOWED_MODULES, INSTEAD_OF_IMPORT, OWN_NAMES, PRELOADED, REFUSED_BUILTINS

_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_READS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_WRITES = frozenset({"STORE_NAME", "STORE_GLOBAL"})


def faults_of_names(body: ast.Module, names: Collection[str]) -> Iterator[CodeFault]:
    """Names that are neither arguments, nor defined in the body, nor builtin.

    Parameters
    ----------
    body
        The function's body; its nodes are not changed.
    names
        The function's arguments.

    Raises
    ------
    SyntaxError, RecursionError
        What only compiling finds: a `break` outside a loop, `import *`, too deep a nesting.
    """
    arguments = [name for name in dict.fromkeys(names) if name.isidentifier() and not iskeyword(name)]
    given = {*arguments, *PRELOADED, *OWN_NAMES, *_BUILTINS}
    lines: dict[str, int] = {}
    for node in ast.walk(body):
        if isinstance(node, ast.Name) and node.id not in given and not node.id.startswith("__"):
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    code = _compile_function(body, arguments)
    for name in sorted(set(_global_reads(code, lines.keys()))):
        yield _undefined(name, lines[name], arguments)


def _compile_function(body: ast.Module, arguments: Collection[str]) -> CodeType:
    """The body as a function of its arguments, compiled and never run."""
    module = ast.parse(f"def step({', '.join(arguments)}): pass")
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - it is written on the line above
    function.body = body.body or function.body
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(module, "code", "exec", dont_inherit=True)


def _global_reads(code: CodeType, wanted: Set[str]) -> Iterator[str]:
    """Which of the given names a code object, or one inside it, looks up outside itself."""
    if not wanted.isdisjoint(code.co_names):
        instructions = list(dis.get_instructions(code))
        written = {item.argval for item in instructions if item.opname in _WRITES}
        yield from (
            item.argval
            for item in instructions
            if item.opname in _READS and item.argval in wanted and item.argval not in written
        )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_reads(constant, wanted)


def _undefined(name: str, line: int, arguments: Collection[str]) -> CodeFault:
    problem = f"{name} is not defined"
    if name in ALLOWED_MODULES:
        return CodeFault(problem, f"Write `import {name}` first.", line)
    if name in INSTEAD_OF_IMPORT:
        return CodeFault(problem, INSTEAD_OF_IMPORT[name], line)
    near = suggestion(name, [*arguments, *PRELOADED, *OWN_NAMES, *(_BUILTINS - REFUSED_BUILTINS.keys())])
    return CodeFault(problem, near or f"Inputs and options are: {', '.join(arguments) or 'none'}.", line)
