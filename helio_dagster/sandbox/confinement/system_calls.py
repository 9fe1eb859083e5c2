"""The system calls that computing needs after fork and imports, by number.

Drawing randomness and reading links are left out on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """Allowed calls of one processor architecture.

    `audit` is the kernel's constant for it (linux/audit.h); of `fcntl` only some commands are allowed.
    """

    audit: int
    allowed: dict[str, int]
    fcntl: int


FCNTL_COMMANDS = (0, 1, 2, 3, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: the others send signals, lock or seal."""

_MEMORY_X86 = {"mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "mremap": 25, "madvise": 28}
_FILES_X86 = {
    "read": 0,
    "write": 1,
    "open": 2,
    "close": 3,
    "stat": 4,
    "fstat": 5,
    "lstat": 6,
    "lseek": 8,
    "pread64": 17,
    "readv": 19,
    "writev": 20,
    "access": 21,
    "dup": 32,
    "getcwd": 79,
    "getdents64": 217,
    "openat": 257,
    "newfstatat": 262,
    "faccessat": 269,
    "statx": 332,
    "faccessat2": 439,
}
_PROCESS_X86 = {
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "sigaltstack": 131,
    "restart_syscall": 219,
    "sched_yield": 24,
    "nanosleep": 35,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "getpid": 39,
    "getppid": 110,
    "gettid": 186,
    "getuid": 102,
    "getgid": 104,
    "geteuid": 107,
    "getegid": 108,
    "exit": 60,
    "exit_group": 231,
    "uname": 63,
    "getrusage": 98,
    "sysinfo": 99,
    "sched_getaffinity": 204,
    "futex": 202,
    "membarrier": 324,
}
_MEMORY_ARM = {"brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226, "madvise": 233}
_FILES_ARM = {
    "getcwd": 17,
    "dup": 23,
    "faccessat": 48,
    "openat": 56,
    "close": 57,
    "getdents64": 61,
    "lseek": 62,
    "read": 63,
    "write": 64,
    "readv": 65,
    "writev": 66,
    "pread64": 67,
    "newfstatat": 79,
    "fstat": 80,
    "statx": 291,
    "faccessat2": 439,
}
_PROCESS_ARM = {
    "exit": 93,
    "exit_group": 94,
    "futex": 98,
    "nanosleep": 101,
    "clock_gettime": 113,
    "clock_getres": 114,
    "clock_nanosleep": 115,
    "sched_getaffinity": 123,
    "sched_yield": 124,
    "restart_syscall": 128,
    "sigaltstack": 132,
    "rt_sigaction": 134,
    "rt_sigprocmask": 135,
    "rt_sigreturn": 139,
    "uname": 160,
    "getrusage": 165,
    "getpid": 172,
    "getppid": 173,
    "getuid": 174,
    "geteuid": 175,
    "getgid": 176,
    "getegid": 177,
    "gettid": 178,
    "sysinfo": 179,
    "membarrier": 283,
}


ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, _MEMORY_X86 | _FILES_X86 | _PROCESS_X86, fcntl=72),
    "aarch64": Architecture(0xC00000B7, _MEMORY_ARM | _FILES_ARM | _PROCESS_ARM, fcntl=25),
}
"""By what `platform.machine()` says."""
