"""What a dotted name in a step's code refers to, looked up in the real modules."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from helio_dagster.domain.did_you_mean import suggestion
from helio_dagster.sandbox.allowed import ALLOWED_MODULES, REFUSED_NAMES, REFUSED_PREFIXES


class NameRefused(Exception):
    """A dotted name that is not for a step's code, or does not exist; carries what to do instead."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


@dataclass(frozen=True)
class DottedName:
    """A chain of attributes that begins at a name: `np.random.rand` is `root` np, `rest` (random, rand)."""

    root: str
    rest: tuple[str, ...]


def read_dotted_name(node: ast.expr) -> DottedName | None:
    """The chain that ends at this node, or None where it begins at something other than a name."""
    rest: list[str] = []
    while isinstance(node, ast.Attribute):
        rest.append(node.attr)
        node = node.value
    return DottedName(node.id, tuple(reversed(rest))) if isinstance(node, ast.Name) else None


def full_name(name: DottedName, known: Mapping[str, str]) -> str | None:
    """The name with what its root means, such as `numpy.random.rand`; None where the root is not a module's name.

    Parameters
    ----------
    name
        As written.
    known
        Names of the code that mean modules or for what is in them, to their full names.
    """
    return ".".join((known[name.root], *name.rest)) if name.root in known else None


def require_allowed(full: str) -> None:
    """Walk a full name through the real modules.

    Parameters
    ----------
    full
        A name that begins with an allowed module's.

    Raises
    ------
    NameRefused
        Where it passes through a module that is not allowed, is itself refused, or does not exist.
    """
    refused = _find_refusal(full)
    if refused is not None:
        raise NameRefused(*refused)


@lru_cache(maxsize=4096)
def _find_refusal(full: str) -> tuple[str, str] | None:
    """Problem and hint of a name that is refused; kept, since the modules stay as they are."""
    try:
        _walk(full)
    except NameRefused as refused:
        return refused.problem, refused.hint
    return None


def _walk(full: str) -> None:
    parts = full.split(".")
    thing: object = None
    for count in range(1, len(parts) + 1):
        path = ".".join(parts[:count])
        _require_not_refused(path)
        thing = _load(path) if count == 1 else _step(thing, ".".join(parts[: count - 1]), parts[count - 1])
        if isinstance(thing, ModuleType) and thing.__name__ not in ALLOWED_MODULES:
            raise NameRefused(f"{path} is not for a step's code", f"Use what the public modules offer: {_offered(parts[0])}.")
        if not isinstance(thing, (ModuleType, type)):
            return  # attributes of values are known only when the code runs


def _require_not_refused(path: str) -> None:
    hint = _refusing_hint(path)
    if hint is not None:
        raise NameRefused(f"{path} is not for a step's code", hint)


def _refusing_hint(path: str) -> str | None:
    by_prefix = (hint for prefix, hint in REFUSED_PREFIXES.items() if path.startswith(prefix))
    return REFUSED_NAMES.get(path) or next(by_prefix, None)


def _load(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise NameRefused(f"{module} is not installed", "Install it, or do without.") from None


def _step(thing: object, path: str, name: str) -> object:
    full = f"{path}.{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if full in ALLOWED_MODULES:
            return _load(full)
        try:
            return getattr(thing, name)
        except AttributeError:
            raise NameRefused(
                f"{path} has no {name}", suggestion(name, _allowed_names(thing, path)) or f"See the manual of {path}."
            ) from None


def _allowed_names(thing: object, path: str) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_") and _refusing_hint(f"{path}.{name}") is None]


def _offered(package: str) -> str:
    named = sorted(module for module in ALLOWED_MODULES if module.partition(".")[0] == package and module.count(".") <= 1)
    return ", ".join(named)
