"""Signatures and documentation of what a step's code may call, out of the installed libraries."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

MODULES = ("scipy.signal", "scipy.fft", "scipy.interpolate", "scipy.stats", "scipy.integrate", "pywt")
_NOT_FOR_STEPS = re.compile(r"^(test|Tester|PytestTester)$|Warning$|Error$")


@dataclass(frozen=True)
class FunctionDoc:
    """A function or class of a library.

    Parameters
    ----------
    name
        Its full name, such as `scipy.signal.welch`.
    signature
        Its arguments; empty where the library does not say.
    summary
        First line of its documentation.
    text
        All of it.
    """

    name: str
    signature: str
    summary: str
    text: str


@cache
def function_docs() -> tuple[FunctionDoc, ...]:
    """Everything public in `MODULES`, by name."""
    return tuple(doc for module in MODULES for doc in _of_module(import_module(module)))


def find_function(name: str) -> FunctionDoc:
    """The function of this name, full or last part alone.

    Raises
    ------
    InputError
        There is none, or several modules have it.
    """
    docs = function_docs()
    same = [doc for doc in docs if name in (doc.name, doc.name.rsplit(".", 1)[-1])]
    if len(same) == 1:
        return same[0]
    if same:
        raise InputError(f"{len(same)} functions are called {name}", hint=f"Say which: {', '.join(doc.name for doc in same)}.")
    known = [doc.name for doc in docs]
    near = known if "." in name else [each.rsplit(".", 1)[-1] for each in known]
    raise InputError(f"there is no function {name!r:.80}", hint=remedy(name, near, what="functions"))


def search_functions(words: str) -> list[FunctionDoc]:
    """The functions whose name or documentation hold all of the words, those that are named so first."""
    wanted = re.findall(r"[a-z0-9]+", words.casefold()[:500])
    found = []
    for doc in function_docs() if wanted else ():
        name, summary, text = doc.name.casefold(), doc.summary.casefold(), doc.text.casefold()
        if all(word in name or word in text for word in wanted):
            last = name.rsplit(".", 1)[-1]
            score = sum(5.0 * (word == last) + 3.0 * (word in last) + 2.0 * (word in summary) for word in wanted)
            found.append((-score, doc.name, doc))
    return [doc for _, _, doc in sorted(found, key=lambda each: each[:2])]


def _of_module(module: ModuleType) -> Iterator[FunctionDoc]:
    for name in sorted(getattr(module, "__all__", None) or [each for each in dir(module) if not each.startswith("_")]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            thing = getattr(module, name, None)
        if thing is None or isinstance(thing, ModuleType) or _NOT_FOR_STEPS.search(name):
            continue
        text = inspect.getdoc(thing) or ""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        summary = next((line for line in lines if not re.match(rf"{re.escape(name)}\(", line)), "")
        yield FunctionDoc(f"{module.__name__}.{name}", _signature(thing), summary, text)


def _signature(thing: object) -> str:
    if not callable(thing):
        return ""
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
