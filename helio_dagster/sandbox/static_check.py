"""Early, readable refusals of a step's code, before anything runs.

This is not a boundary: code can pass and still ask for what it may not have. The kernel confines it,
through `Sandbox`. The check shows people and planners which line is wrong and what to use instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from keyword import iskeyword

from helio_dagster.domain.code_check import (
    RETURNS_NOTHING,
    TOO_DEEP,
    CodeFault,
    NotPython,
    has_return,
    parse_body,
    syntax_fault,
)
from helio_dagster.domain.errors import CodeRefused
from helio_dagster.sandbox.code_rules import faults_of_code
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.undefined_names import faults_of_names

_DEFAULT_LIMITS = SandboxLimits()
_SHOWN_FAULTS = 5
_SHOWN_WIDTH = 120


def check_code(body: str, names: Collection[str], limits: SandboxLimits = _DEFAULT_LIMITS) -> None:
    """Refuse code that asks for what a step's code may not have, or that cannot work.

    Parameters
    ----------
    body
        A function's body; its lines count from 1.
    names
        Its arguments: the inputs and the options. `np`, `pd`, `scipy` and `pywt` are there beside them.
    limits
        How long it may be.

    Raises
    ------
    CodeRefused
        With the first few faults: line, source and what to use instead.
    """
    faults = find_faults(body, names, limits)
    if faults:
        raise CodeRefused(_describe(faults, body))


def find_faults(body: str, names: Collection[str], limits: SandboxLimits = _DEFAULT_LIMITS) -> list[CodeFault]:
    """The faults for which `check_code` refuses, in order of their lines."""
    if len(body.encode("utf-8", "surrogatepass")) > limits.source_bytes:
        problem = f"the code is longer than {limits.source_bytes:,} bytes"
        return [CodeFault(problem, "Bring data in with a table or fetch step, or set HELIO_CODE_SOURCE_BYTES.")]
    try:
        found = list(_all_faults(body, names))
    except NotPython as error:
        return [error.fault]
    except SyntaxError as error:
        return [syntax_fault(error)]
    except (RecursionError, MemoryError):
        return [TOO_DEEP]
    return sorted(dict.fromkeys(found), key=lambda fault: (fault.line or len(body), fault.problem))


def _all_faults(body: str, names: Collection[str]) -> Iterator[CodeFault]:
    for name in names:
        if iskeyword(name):
            yield CodeFault(f"the input {name!r} is a word of Python", "Give the input another name.")
    tree = parse_body(body)
    yield from faults_of_code(tree, names)
    yield from faults_of_names(tree, names)
    if not has_return(tree):
        yield RETURNS_NOTHING


def _describe(faults: list[CodeFault], body: str) -> str:
    lines = body.splitlines()
    shown = [_describe_fault(fault, lines) for fault in faults[:_SHOWN_FAULTS]]
    if len(faults) > _SHOWN_FAULTS:
        shown.append(f"and {len(faults) - _SHOWN_FAULTS} more")
    return "\n".join(["the code was not run", *shown])


def _describe_fault(fault: CodeFault, lines: list[str]) -> str:
    source = lines[fault.line - 1].strip() if 0 < fault.line <= len(lines) else ""
    head = f"line {fault.line}: {fault.problem}" if fault.line else fault.problem
    return "\n".join([head, *([f"    {source[:_SHOWN_WIDTH]}"] if source else []), f"  {fault.hint}"])
