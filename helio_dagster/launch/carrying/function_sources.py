"""Functions with all that they use from this package, as one text: what a standalone script is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = "helio_dagster"


@dataclass
class Gathered:
    """Import lines of other packages, and definitions in an order in which they can be read; each once."""

    imports: dict[str, None] = field(default_factory=dict)
    definitions: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The names that are taken, by definitions and imports."""
        imported = {line.rpartition(" ")[2].partition(".")[0] for line in self.imports}
        return imported | {name for _, name in self.definitions}

    @property
    def text(self) -> str:
        """Import lines, then the definitions."""
        names = sorted(self.imports, key=lambda line: (line.startswith("from"), line))
        parts, before = ["\n".join(names)], ""
        for text in dict.fromkeys(self.definitions.values()):
            is_short = not text.startswith(("def ", "class ", "@"))
            parts.append("\n" if not (is_short and before == "short") else "")
            parts.append(text)
            before = "short" if is_short else "long"
        return "\n".join(parts)


@dataclass(frozen=True)
class _Module:
    """A module's source, and the statement that gives each of its names."""

    lines: tuple[str, ...]
    statements: dict[str, ast.stmt]

    def text(self, statement: ast.stmt) -> str:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        return "\n".join(self.lines[first - 1 : statement.end_lineno])


def gather(functions: Iterable[tuple[str, str]]) -> Gathered:
    """The functions, given by module and name, with everything that they use.

    Raises
    ------
    ValueError
        Two modules use one name for different things, or a module is imported whole: they cannot be in one file.
    """
    found = Gathered()
    for module, name in functions:
        _add(found, module, name)
    texts: dict[str, str] = {}
    for (module, name), text in list(found.definitions.items()):
        if texts.setdefault(name, text) != text:
            raise ValueError(f"two definitions of {name} cannot be in one file; one is in {module}")
    return found


def _add(found: Gathered, module: str, name: str) -> None:
    """Add what a name of a module stands for, after what it uses itself."""
    if (module, name) in found.definitions:
        return
    read = _read(module)
    statement = read.statements.get(name)
    if statement is None:
        return  # a builtin
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        _add_import(found, statement, name)
        return
    found.definitions[module, name] = ""  # it may use itself
    for used in sorted({node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} - {name}):
        _add(found, module, used)
    del found.definitions[module, name]
    found.definitions[module, name] = read.text(statement)


def _add_import(found: Gathered, statement: ast.Import | ast.ImportFrom, name: str) -> None:
    alias = next(each for each in statement.names if (each.asname or each.name.partition(".")[0]) == name)
    renamed = f" as {alias.asname}" if alias.asname else ""
    if isinstance(statement, ast.Import):
        found.imports[f"import {alias.name}{renamed}"] = None
        return
    module = statement.module or ""
    if module.partition(".")[0] != _PACKAGE:
        found.imports[f"from {module} import {alias.name}{renamed}"] = None
    elif renamed:
        raise ValueError(f"{alias.name} of {module} is renamed: it cannot be in one file with what uses it")
    else:
        _add(found, module, alias.name)


@cache
def _read(module: str) -> _Module:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {module}")
    text = Path(spec.origin).read_text(encoding="utf-8")
    statements: dict[str, ast.stmt] = {}
    for statement in ast.parse(text).body:
        for name in _named(statement):
            statements[name] = statement
    return _Module(tuple(text.splitlines()), statements)


def _named(statement: ast.stmt) -> list[str]:
    """The names that a statement of a module gives."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [each.asname or each.name.partition(".")[0] for each in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [node.id for each in targets for node in ast.walk(each) if isinstance(node, ast.Name)]
