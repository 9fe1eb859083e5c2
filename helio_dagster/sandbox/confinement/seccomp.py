"""Seccomp: all system calls but a few are refused."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from helio_dagster.sandbox.confinement.libc import PR_SET_SECCOMP, checked, forbid_new_privileges, libc
from helio_dagster.sandbox.confinement.system_calls import ARCHITECTURES, FCNTL_COMMANDS, Architecture

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF: load a word, jump if equal, jump if at least, return
_NUMBER_AT, _ARCHITECTURE_AT, _SECOND_ARGUMENT_AT = 0, 4, 24  # struct seccomp_data, low half of the argument
_KILL, _ALLOW, _REFUSE = 0x80000000, 0x7FFF0000, 0x00050000 | errno.EPERM
_X32_CALLS = 0x40000000
_FILTER_MODE = 2


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def compile_filter(machine: str | None = None) -> bytes:
    """The filter program for a processor architecture.

    Parameters
    ----------
    machine
        As `platform.machine()` says; by default this machine's.

    Raises
    ------
    OSError
        There is no list of calls for it.
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        raise OSError(f"no list of system calls for {machine}")
    return b"".join(_instructions(ARCHITECTURES[machine]))


def install_filter(program: bytes) -> None:
    """Install a seccomp filter for this thread and everything it starts. It cannot be removed again.

    Parameters
    ----------
    program
        A BPF program: the bytes of an array of `struct sock_filter`.

    Raises
    ------
    OSError
        The kernel refuses the filter.
    """
    code = ctypes.create_string_buffer(program, len(program))
    whole = _Program(len(program) // 8, ctypes.addressof(code))
    forbid_new_privileges()
    arguments = (ctypes.c_ulong(_FILTER_MODE), ctypes.byref(whole), ctypes.c_ulong(0), ctypes.c_ulong(0))
    checked(libc().prctl(PR_SET_SECCOMP, *arguments), "seccomp")


def _instructions(architecture: Architecture) -> list[bytes]:
    program = [
        _instruction(_LOAD, value=_ARCHITECTURE_AT),
        _instruction(_EQUAL, then=1, value=architecture.audit),
        _instruction(_RETURN, value=_KILL),
        _instruction(_LOAD, value=_NUMBER_AT),
        _instruction(_AT_LEAST, otherwise=1, value=_X32_CALLS),
        _instruction(_RETURN, value=_KILL),
    ]
    for number in sorted(architecture.allowed.values()):
        program += [_instruction(_EQUAL, otherwise=1, value=number), _instruction(_RETURN, value=_ALLOW)]
    commands = [_instruction(_LOAD, value=_SECOND_ARGUMENT_AT)]
    for command in FCNTL_COMMANDS:
        commands += [_instruction(_EQUAL, otherwise=1, value=command), _instruction(_RETURN, value=_ALLOW)]
    commands.append(_instruction(_RETURN, value=_REFUSE))
    program += [_instruction(_EQUAL, otherwise=len(commands), value=architecture.fcntl), *commands]
    return [*program, _instruction(_RETURN, value=_REFUSE)]


def _instruction(code: int, *, then: int = 0, otherwise: int = 0, value: int) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)
