"""The C library's calls that Python has no name for."""

from __future__ import annotations

import ctypes
import os
from functools import cache

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """What a call gave.

    Raises
    ------
    OSError
        It failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, first: int, *, what: str) -> None:
    """Set a property of this process.

    Raises
    ------
    OSError
        The kernel refuses.
    """
    zero = ctypes.c_ulong(0)
    checked(libc().prctl(option, ctypes.c_ulong(first), zero, zero, zero), what)


def forbid_new_privileges() -> None:
    """No program run from here on gains rights; landlock and seccomp ask for it."""
    prctl(PR_SET_NO_NEW_PRIVS, 1, what="no_new_privs")
