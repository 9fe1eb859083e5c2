"""Distinguish a machine that ran out of something (memory, open files, threads) from a bug."""

from __future__ import annotations

import mmap

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
_ROOM = 64 << 20
"""Bytes of address space in which the threads and buffers of a step can be started."""
_KINDS = frozenset({"OSError", "BlockingIOError", "RuntimeError", "ImportError", "SystemError"})


def require_room() -> None:
    """See that there is room to start work: a thread that finds none while it starts ends without a word, and is waited for.

    Raises
    ------
    OSError
        There is no address space for it, which `shortage_of` tells in words.
    """
    mmap.mmap(-1, _ROOM).close()  # reserved, not touched: no memory is used


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
