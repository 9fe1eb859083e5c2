"""What a step's code may not say, read from its tree: imports, files, clocks, chance, and ways into Python's insides.

The words are `allowed`'s; that a name is defined at all is `undefined_names`'.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from string import Formatter

from helio_dagster.domain.code_check import CodeFault
from helio_dagster.sandbox import allowed
from helio_dagster.sandbox.module_names import NameRefused, full_name, read_dotted_name, require_allowed

_DUNDER = re.compile(r"__\w+__")
_INSIDES = "ways into Python's insides are not for a step's code"
_WRITE_PLAINLY = "Write the attribute or method itself."
_DISPATCHING = frozenset({"apply", "agg", "aggregate", "transform", "map"})


def faults_of_code(body: ast.Module, names: Collection[str]) -> Iterator[CodeFault]:
    """Every breach of a rule, in no order.

    Parameters
    ----------
    body
        The function's body.
    names
        The function's arguments.
    """
    rules = _Rules(body, names)
    for node in ast.walk(body):
        yield from rules.faults_of(node)
    yield from _yields_at_top(body)


def _yields_at_top(body: ast.Module) -> Iterator[CodeFault]:
    """A `yield` of the body itself, which would make it a generator."""
    waiting: list[ast.AST] = list(body.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            yield CodeFault("the body yields instead of returning", "Collect the pieces and return them at once.", node.lineno)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


class _Rules:
    """The rules, by kind of node, with what the names of this body mean."""

    def __init__(self, body: ast.Module, names: Collection[str]) -> None:
        self._modules = _names_of_modules(body, names)
        self._inner: set[int] = set()
        self._rules: dict[type[ast.AST], Callable[..., Iterator[CodeFault]]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Attribute: self._attribute,
            ast.Name: self._name,
            ast.Constant: self._constant,
            ast.Call: self._call,
            ast.Global: self._global,
            **dict.fromkeys((ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await), self._async),
        }

    def faults_of(self, node: ast.AST) -> Iterator[CodeFault]:
        """What one node breaks."""
        rule = self._rules.get(type(node))
        if rule is not None:
            yield from rule(node)

    def _import(self, node: ast.Import) -> Iterator[CodeFault]:
        for alias in node.names:
            yield from _import_fault(alias.name, node.lineno)

    def _import_from(self, node: ast.ImportFrom) -> Iterator[CodeFault]:
        if node.level or node.module is None:
            yield CodeFault("relative imports lead nowhere here", allowed.IMPORT_HINT, node.lineno)
            return
        faults = list(_import_fault(node.module, node.lineno))
        yield from faults
        if not faults:
            for alias in node.names:
                yield from _name_fault(f"{node.module}.{alias.name}", node.lineno)

    def _attribute(self, node: ast.Attribute) -> Iterator[CodeFault]:
        if _DUNDER.fullmatch(node.attr) and node.attr not in allowed.PLAIN_DUNDERS:
            yield CodeFault(f".{node.attr}: {_INSIDES}", _WRITE_PLAINLY, node.lineno)
        elif node.attr in allowed.REFUSED_METHODS:
            yield CodeFault(f".{node.attr} is not for a step's code", allowed.REFUSED_METHODS[node.attr], node.lineno)
        if isinstance(node.value, ast.Attribute):
            self._inner.add(id(node.value))
        if id(node) in self._inner:
            return  # the outermost node of a chain, met first, speaks for all of it
        full = self._full_name(node)
        if full is not None:
            yield from _name_fault(full, node.lineno)
            if not isinstance(node.ctx, ast.Load):
                yield CodeFault(f"{full} is not the code's to change", "Use a name of your own.", node.lineno)

    def _name(self, node: ast.Name) -> Iterator[CodeFault]:
        if _DUNDER.fullmatch(node.id):
            yield CodeFault(f"{node.id}: {_INSIDES}", _WRITE_PLAINLY, node.lineno)
        elif isinstance(node.ctx, ast.Load) and node.id in allowed.REFUSED_BUILTINS:
            yield CodeFault(f"{node.id} is not for a step's code", allowed.REFUSED_BUILTINS[node.id], node.lineno)

    def _constant(self, node: ast.Constant) -> Iterator[CodeFault]:
        if isinstance(node.value, str) and _DUNDER.fullmatch(node.value):
            yield CodeFault(f"{node.value!r}: {_INSIDES}", _WRITE_PLAINLY, node.lineno)

    def _global(self, node: ast.Global) -> Iterator[CodeFault]:
        yield CodeFault(
            "global values do not last from one call to the next", "Use local names and return the result.", node.lineno
        )

    def _async(self, node: ast.stmt | ast.expr) -> Iterator[CodeFault]:
        yield CodeFault("there is nothing to wait for in a step's code", "Write plain functions and loops.", node.lineno)

    def _call(self, node: ast.Call) -> Iterator[CodeFault]:
        full = self._full_name(node.func)
        if full is not None:
            yield from _call_by_name(full, node)
        if isinstance(node.func, ast.Name) and node.func.id == "getattr":
            yield from _getattr(node)
        elif isinstance(node.func, ast.Attribute):
            yield from _call_of_method(node.func, node)

    def _full_name(self, node: ast.expr) -> str | None:
        name = read_dotted_name(node)
        return None if name is None else full_name(name, self._modules)


def _names_of_modules(body: ast.Module, names: Collection[str]) -> dict[str, str]:
    """Names that mean a module, or for what was imported from one, wherever in the body they are used."""
    imported: dict[str, str] = {}
    rebound = set(names)
    for node in ast.walk(body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            rebound.add(node.id)
        elif isinstance(node, ast.arg):
            rebound.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            rebound.add(node.name)
    known = allowed.PRELOADED | imported
    roots = {name: full for name, full in known.items() if full.partition(".")[0] in _ALLOWED_PACKAGES}
    return {name: full for name, full in roots.items() if name not in rebound}


_ALLOWED_PACKAGES = frozenset(module.partition(".")[0] for module in allowed.ALLOWED_MODULES)


def _import_fault(module: str, line: int) -> Iterator[CodeFault]:
    package = module.partition(".")[0]
    if package in _ALLOWED_PACKAGES:
        yield from _name_fault(module, line, wanted=f"import {module}")
    else:
        yield CodeFault(
            f"import {module}: not for a step's code", allowed.INSTEAD_OF_IMPORT.get(package, allowed.IMPORT_HINT), line
        )


def _name_fault(full: str, line: int, *, wanted: str = "") -> Iterator[CodeFault]:
    try:
        require_allowed(full)
    except NameRefused as refused:
        yield CodeFault(f"{wanted}: {refused.problem}" if wanted else refused.problem, refused.hint, line)
        return
    if full.startswith("numpy.random.") and not _is_seedable(full):
        yield CodeFault(f"{full} draws from a state that other code shares", allowed.UNSEEDED_HINT, line)


def _is_seedable(full: str) -> bool:
    return any(full == name or full.startswith(f"{name}.") for name in allowed.SEEDED_RANDOM | allowed.PLAIN_RANDOM)


def _call_by_name(full: str, node: ast.Call) -> Iterator[CodeFault]:
    given = {keyword.arg for keyword in node.keywords}
    if full in allowed.SEEDED_RANDOM and _is_unseeded(node):
        yield CodeFault(f"{full} without a seed gives other numbers each time", allowed.UNSEEDED_HINT, node.lineno)
    elif full in allowed.NEEDS_RNG and not given & allowed.RNG_KEYWORDS and None not in given:
        yield CodeFault(f"{full} without a seed gives other numbers each time", "Give it rng=0.", node.lineno)
    elif full in allowed.TIME_READERS and any(_is_clock_word(part) for part in _parts_of_arguments(node)):
        yield CodeFault(f"{full} of the present time", allowed.CLOCK_HINT, node.lineno)


def _is_unseeded(node: ast.Call) -> bool:
    seeds = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg in {"seed", "entropy", None})]
    return not seeds or all(isinstance(seed, ast.Constant) and seed.value is None for seed in seeds)


def _parts_of_arguments(node: ast.Call) -> Iterator[ast.AST]:
    for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
        yield argument
        if isinstance(argument, (ast.List, ast.Tuple)):
            yield from argument.elts


def _is_clock_word(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip().lower() in {"now", "today"}


def _getattr(node: ast.Call) -> Iterator[CodeFault]:
    named = node.args[1] if len(node.args) > 1 else None
    if not (isinstance(named, ast.Constant) and isinstance(named.value, str)):
        yield CodeFault("getattr with a name that is not written out", _WRITE_PLAINLY, node.lineno)
    elif named.value in allowed.REFUSED_METHODS:
        yield CodeFault(f".{named.value} is not for a step's code", allowed.REFUSED_METHODS[named.value], node.lineno)


def _call_of_method(method: ast.Attribute, node: ast.Call) -> Iterator[CodeFault]:
    texts = [part.value for part in _parts_of_arguments(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    given = {keyword.arg for keyword in node.keywords}
    if method.attr in allowed.DRAWING_METHODS and not given & allowed.RNG_KEYWORDS and None not in given:
        yield CodeFault(f".{method.attr} without a seed gives other numbers each time", "Give it random_state=0.", node.lineno)
    elif method.attr in _DISPATCHING:
        for text in texts:
            if text in allowed.REFUSED_METHODS:
                yield CodeFault(f".{text} is not for a step's code", allowed.REFUSED_METHODS[text], node.lineno)
    elif method.attr in {"query", "eval"} and any(
        _DUNDER.search(text) or re.search(r"@\s*\w+\s*[.(\[]", text) for text in texts
    ):
        yield CodeFault(
            f".{method.attr} that reaches beyond the columns", "Compute the value first, then use @value.", node.lineno
        )
    elif method.attr == "format" and any("._" in field for field in _fields_of(method.value)):
        yield CodeFault(f"a format that walks attributes: {_INSIDES}", "Use an f-string.", node.lineno)


def _fields_of(template: ast.expr) -> list[str]:
    """The replacement fields of a template that is written out."""
    if not (isinstance(template, ast.Constant) and isinstance(template.value, str)):
        return []
    try:
        return [field for _, field, _, _ in Formatter().parse(template.value) if field]
    except ValueError:
        return []  # Python will say so when it runs
