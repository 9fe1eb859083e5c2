"""A separate network without any interface, and no rights of root."""

from __future__ import annotations

import os
import struct

from helio_dagster.sandbox.confinement.libc import PR_CAPBSET_DROP, checked, libc

_NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_NET = 0x04000000, 0x08000000, 0x10000000, 0x40000000
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64


def leave_network() -> None:
    """Move this process into a network namespace that has no way out; the process must have one thread.

    Raises
    ------
    OSError
        The kernel, or the machine's policy, refuses.
    """
    own_user = 0 if os.geteuid() == 0 else _NEW_USER
    if libc().unshare(_NEW_NET | _NEW_IPC | _NEW_UTS | own_user) < 0:
        checked(libc().unshare(_NEW_NET | _NEW_IPC | _NEW_UTS | _NEW_USER), "unshare")


def drop_capabilities() -> None:
    """Give up every right that root, or a user namespace, has over an ordinary user.

    Raises
    ------
    OSError
        The kernel refuses.
    """
    for capability in range(_MOST_CAPABILITIES):
        libc().prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails where there is none to drop
    header = struct.pack("<II", _CAPABILITY_VERSION_3, 0)
    checked(libc().capset(header, bytes(24)), "capset")
