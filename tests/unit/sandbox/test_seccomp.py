"""The filter, run as the kernel would run it: an interpreter of the few instructions that it uses."""

from __future__ import annotations

import errno
import platform
import struct
import sys

import pytest

from helio_dagster.sandbox.confinement.seccomp import compile_filter
from helio_dagster.sandbox.confinement.system_calls import ARCHITECTURES

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
FORBIDDEN = {
    "x86_64": {"socket": 41, "clone": 56, "fork": 57, "execve": 59, "kill": 62, "ptrace": 101, "prctl": 157, "mount": 165,
               "getrandom": 318, "memfd_create": 319, "userfaultfd": 323, "io_uring_setup": 425, "clone3": 435, "unlink": 87,
               "rename": 82, "ftruncate": 77, "tgkill": 234, "ioctl": 16, "process_vm_writev": 311, "bpf": 321},
    "aarch64": {"socket": 198, "clone": 220, "execve": 221, "kill": 129, "ptrace": 117, "prctl": 167, "mount": 40,
                "getrandom": 278, "memfd_create": 279, "userfaultfd": 282, "io_uring_setup": 425, "clone3": 435, "unlinkat": 35,
                "renameat": 38, "ftruncate": 46, "tgkill": 131, "ioctl": 29, "process_vm_writev": 271, "bpf": 280},
}  # fmt: skip
"""Numbers from the kernel's tables (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h)."""


def judge(program: bytes, architecture: int, call: int, second_argument: int = 0) -> int:
    """What the kernel would answer to a call."""
    data = struct.pack("<IIQ6Q", call, architecture, 0, 0, second_argument, 0, 0, 0, 0)
    instructions: list[tuple[int, int, int, int]] = [
        struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)
    ]
    place, word = 0, 0
    while True:
        code, then, otherwise, value = instructions[place]
        place += 1
        if code == 0x20:
            word = struct.unpack_from("<I", data, value)[0]
        elif code in (0x15, 0x35):
            place += then if (word == value if code == 0x15 else word >= value) else otherwise
        elif code == 0x06:
            return value
        else:
            raise AssertionError(f"unknown instruction {code:#x}")


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_only_listed_calls_pass(machine: str) -> None:
    """Of all numbers there are, none beside the list."""
    architecture, program = ARCHITECTURES[machine], compile_filter(machine)
    passing = {call for call in range(600) if judge(program, architecture.audit, call) == ALLOW}
    assert passing == {*architecture.allowed.values(), architecture.fcntl}


@pytest.mark.parametrize(("machine", "name"), [(machine, name) for machine, calls in FORBIDDEN.items() for name in calls])
def test_dangerous_calls_are_refused(machine: str, name: str) -> None:
    """Refused, not killed: code gets a PermissionError."""
    program = compile_filter(machine)
    assert judge(program, ARCHITECTURES[machine].audit, FORBIDDEN[machine][name]) == REFUSE


def test_calls_of_another_architecture_end_the_process() -> None:
    """Their numbers mean something else: 32-bit x86 would reach what is forbidden."""
    program = compile_filter("x86_64")
    assert judge(program, 0x40000003, 1) == KILL
    assert judge(program, ARCHITECTURES["x86_64"].audit, 0x40000000 | 1) == KILL


@pytest.mark.parametrize(("command", "answer"), [(1, ALLOW), (3, ALLOW), (8, REFUSE), (10, REFUSE), (1033, REFUSE)])
def test_fcntl_cannot_send_signals_nor_seal(command: int, answer: int) -> None:
    """F_GETFD and F_GETFL pass; F_SETOWN, F_SETSIG and F_ADD_SEALS do not."""
    architecture = ARCHITECTURES["x86_64"]
    assert judge(compile_filter("x86_64"), architecture.audit, architecture.fcntl, command) == answer


def test_an_unknown_machine_has_no_filter() -> None:
    """It is said, and a weaker mode is taken."""
    with pytest.raises(OSError, match="no list of system calls for riscv64"):
        compile_filter("riscv64")


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in ARCHITECTURES, reason="no filter on this machine")
def test_this_machine_has_one() -> None:
    """By default it is this machine's."""
    assert compile_filter() == compile_filter(platform.machine())
