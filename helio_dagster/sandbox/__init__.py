"""Running untrusted code, confined by the operating system."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helio_dagster.sandbox.answer import Answer
    from helio_dagster.sandbox.determinism import check_determinism, differing_sandboxes
    from helio_dagster.sandbox.diagnosis import Diagnosis, diagnose
    from helio_dagster.sandbox.limits import SandboxLimits, is_weak_allowed
    from helio_dagster.sandbox.sandbox import Sandbox

__all__ = [
    "Answer",
    "Diagnosis",
    "Sandbox",
    "SandboxLimits",
    "check_determinism",
    "diagnose",
    "differing_sandboxes",
    "is_weak_allowed",
]
_HOMES = {
    "Answer": "answer",
    "Diagnosis": "diagnosis",
    "Sandbox": "sandbox",
    "SandboxLimits": "limits",
    "check_determinism": "determinism",
    "diagnose": "diagnosis",
    "differing_sandboxes": "determinism",
    "is_weak_allowed": "limits",
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is first used: the worker lives in this package and needs none of it."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
