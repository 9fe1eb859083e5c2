"""Files without a name that two processes share."""

from __future__ import annotations

import os
import sys
import tempfile

_SEALS = 0x1 | 0x2 | 0x4 | 0x8  # no more seals, no shrinking, no growing, no writing
_ADD_SEALS = 1033


def create_file(size: int = 0) -> int:
    """A descriptor of a new file that no path leads to, in memory where the system can.

    Parameters
    ----------
    size
        Its length; zeros that take no room until they are written.
    """
    if sys.platform == "linux":
        descriptor = os.memfd_create("helio", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    if size:
        os.ftruncate(descriptor, size)
    return descriptor


def seal_file(descriptor: int) -> None:
    """Forbid all further writing, to everyone, where the system can."""
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(descriptor, _ADD_SEALS, _SEALS)
