"""A function body as a function, with the lines where the author wrote them."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from helio_dagster.sandbox.wire import CODE_FILE


def body_to_function(body: str, names: Sequence[str], known: Mapping[str, object]) -> Callable[..., Any]:
    """Compile a function body.

    Parameters
    ----------
    body
        Statements, with `return`; as written, not indented.
    names
        Parameters of the function.
    known
        Names it finds without importing them.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        It cannot be compiled; the last two for what is nested too deeply.
    """
    statements = ast.parse(body, CODE_FILE).body  # `return` is refused by the compiler, not by the parser
    module = ast.parse(f"def code({', '.join(names)}): pass", CODE_FILE)
    function = module.body[0]
    if statements and isinstance(function, ast.FunctionDef):
        function.body = statements
    namespace: dict[str, Any] = {**known, "__name__": "code"}
    exec(compile(module, CODE_FILE, "exec", dont_inherit=True), namespace)  # noqa: S102 - what this process is confined for
    linecache.cache[CODE_FILE] = (len(body), None, body.splitlines(keepends=True), CODE_FILE)  # for warnings it causes
    code: Callable[..., Any] = namespace["code"]
    return code
