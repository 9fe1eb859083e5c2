"""Distinguish a machine that ran out of something (memory, open files, threads) from a bug."""

from __future__ import annotations

from helio_dagster.domain.errors import MachineShort

_SHORT_OF = {
    "Too many open files": ("open files", "Raise the limit (ulimit -n 1024), or close other programs."),
    "can't start new thread": ("threads or memory", "Raise the limits (ulimit -u, ulimit -v), or close other programs."),
    "Cannot allocate memory": ("memory", "Close other programs, raise the limit (ulimit -v), or ask for a shorter range."),
    "failed to map segment": ("memory", "Close other programs, or raise the limit (ulimit -v)."),
    "error return without exception set": ("memory", "Close other programs, or raise the limit (ulimit -v)."),
    "Resource temporarily unavailable": (
        "processes or memory",
        "Raise the limits (ulimit -u, ulimit -v), or close other programs.",
    ),
}
_KINDS = frozenset({"OSError", "BlockingIOError", "RuntimeError", "ImportError", "SystemError"})


def shortage_of(error: BaseException) -> MachineShort | None:
    """The error that a person reads where the machine ran out of something; None for any other error."""
    if isinstance(error, MemoryError):
        return shortage_in_words("MemoryError", str(error))
    return shortage_in_words(type(error).__name__, str(error))


def shortage_in_words(kind: str, text: str) -> MachineShort | None:
    """As `shortage_of`, of an error of which only its class and text are left."""
    if kind == "MemoryError":
        return _short_of("Cannot allocate memory")
    return next((_short_of(words) for words in _SHORT_OF if words in text), None) if kind in _KINDS else None


def _short_of(words: str) -> MachineShort:
    what, hint = _SHORT_OF[words]
    return MachineShort(f"this machine has run out of {what}", hint=hint)
