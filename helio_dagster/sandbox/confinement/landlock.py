"""Landlock: files that may be read, and nothing else of files or TCP."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from helio_dagster.sandbox.confinement.libc import checked, forbid_new_privileges, libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on all architectures
_ASK_VERSION, _PATH_BENEATH = 1, 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
_NEWEST_FILE_RIGHTS = 16
_FIRST_WITH_TCP, _FIRST_WITH_SCOPES = 4, 6
_BIND_AND_CONNECT, _ABSTRACT_SOCKETS_AND_SIGNALS = 3, 3


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32)]


def landlock_version() -> int:
    """The kernel's landlock version; 0 where it has none."""
    return max(0, int(libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)))


def allow_reading_only(paths: Iterable[str]) -> int:
    """Forbid this thread, and all it starts, every file except those below some paths, and there all but reading.

    Parameters
    ----------
    paths
        Folders and files; missing ones are left out.

    Returns
    -------
    int
        The landlock version in force: TCP is forbidden from 4, signals to others from 6.

    Raises
    ------
    OSError
        The kernel has no landlock, or refuses.
    """
    version = landlock_version()
    if not version:
        raise OSError("the kernel has no landlock")
    wanted = struct.pack("<Q", (1 << _FILE_RIGHTS_BY_VERSION.get(version, _NEWEST_FILE_RIGHTS)) - 1)
    if version >= _FIRST_WITH_TCP:
        wanted += struct.pack("<Q", _BIND_AND_CONNECT)
    if version >= _FIRST_WITH_SCOPES:
        wanted += struct.pack("<Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = checked(libc().syscall(_CREATE_RULESET, wanted, ctypes.c_size_t(len(wanted)), 0), "landlock_create_ruleset")
    try:
        for path in paths:
            _allow(ruleset, path)
        forbid_new_privileges()
        checked(libc().syscall(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    finally:
        os.close(ruleset)
    return version


def _allow(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = _READ_FILE | _READ_FOLDER if Path(path).is_dir() else _READ_FILE
        rule = _PathBeneath(allowed, descriptor)
        checked(libc().syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0), "landlock_add_rule")
    finally:
        os.close(descriptor)
