"""Faults that a CDAS-compatible server shows on request, for tests."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Literal, get_args

from helio_dagster.domain.errors import InputError

FaultKind = Literal["truncate", "length", "429", "503", "html", "reset", "slow"]
Target = Literal["listing", "file", "any"]

_KINDS: dict[str, FaultKind] = {kind: kind for kind in get_args(FaultKind)}
_TARGETS: dict[str, Target] = {target: target for target in get_args(Target)}
_FORM = f"Write KIND[:TIMES|always][:listing|file], with KIND one of {', '.join(_KINDS)}; for example truncate:2."


@dataclass(frozen=True)
class Fault:
    """One fault: the next `times` requests of the target show it, None means all of them.

    `truncate` breaks the transfer off half-way; `length` sends half a body that claims to be whole; `429` and `503` come with
    Retry-After; `html` is a web page with status 200; `reset` resets the connection; `slow` drips the body.
    """

    kind: FaultKind
    target: Target = "any"
    times: int | None = None


def parse_fault(text: str) -> Fault:
    """A fault from the command line: `KIND[:TIMES|always][:listing|file]`, such as `truncate:2` or `503:always:listing`.

    Raises
    ------
    InputError
        The text is not a fault.
    """
    kind, *rest = text.split(":")
    if kind not in _KINDS:
        raise InputError(f"{kind!r} is not a fault", hint=_FORM)
    fault = Fault(_KINDS[kind])
    for part in rest:
        if part.isdecimal() and int(part):
            fault = replace(fault, times=int(part))
        elif part in _TARGETS:
            fault = replace(fault, target=_TARGETS[part])
        elif part != "always":
            raise InputError(f"{part!r} in the fault {text!r} is neither a number nor a target", hint=_FORM)
    return fault


class FaultPlan:
    """The faults still to be shown, used up in the order they were added; may be changed from any thread."""

    def __init__(self, *faults: Fault) -> None:
        self._lock = threading.Lock()
        self._left = list(faults)

    def add(self, fault: Fault) -> None:
        """Show a fault once those before it are used up."""
        with self._lock:
            self._left.append(fault)

    def clear(self) -> None:
        """Show no more faults."""
        with self._lock:
            self._left.clear()

    def take(self, target: Target) -> FaultKind | None:
        """The fault that this request shows, if any."""
        with self._lock:
            for place, fault in enumerate(self._left):
                if fault.target in (target, "any"):
                    if fault.times is not None:
                        self._left[place : place + 1] = [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
                    return fault.kind
            return None
