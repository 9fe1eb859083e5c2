"""Confinement in the order that the kernel requires: first the worker, the rest in each call."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import resource
import signal
import sys
import sysconfig
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from helio_dagster.sandbox.confinement.landlock import allow_reading_only
from helio_dagster.sandbox.confinement.libc import PR_SET_DUMPABLE, PR_SET_PDEATHSIG, prctl
from helio_dagster.sandbox.confinement.namespaces import drop_capabilities, leave_network
from helio_dagster.sandbox.confinement.resource_limits import limit_resources
from helio_dagster.sandbox.confinement.seccomp import compile_filter, install_filter
from helio_dagster.sandbox.python_folders import python_folders

Layer = Literal["network", "capabilities", "landlock", "seccomp"]
LAYERS: tuple[Layer, ...] = get_args(Layer)
_SYSTEM_FILES = ("/usr/share/zoneinfo", "/lib64", "/usr/lib64", "/etc/ld.so.cache")
_LIBRARIES = ("numpy", "pandas", "pyarrow", "pywt", "scipy")  # wherever they are installed
_KEPT_VARIABLES = ("TZ", "LC_ALL")


@dataclass(frozen=True)
class Confinement:
    """What is in force in the worker and all its calls.

    `missing` gives the reason for each layer that was requested and is missing; `filter` is the program of the seccomp layer;
    `own_size` is a descriptor that gives the address space in use.
    """

    layers: frozenset[str]
    missing: dict[str, str]
    threads: int
    filter: bytes = b""
    own_size: int | None = None
    null: int = -1


def confine_worker(wanted: Collection[str]) -> Confinement:
    """Confine this process as far as the machine can, keeping the right to fork.

    Parameters
    ----------
    wanted
        Layers to put in force.
    """
    active: set[str] = set()
    missing: dict[str, str] = {}
    null = os.open(os.devnull, os.O_RDWR)
    own_size = _open("/proc/self/statm")
    threads = _count_threads()
    with contextlib.suppress(OSError):  # where memory runs out, this goes before the program that called us
        Path("/proc/self/oom_score_adj").write_text("1000")
    program = b""
    steps: dict[Layer, Callable[[], object]] = {
        "network": leave_network,
        "capabilities": drop_capabilities,
        "landlock": lambda: allow_reading_only(_readable_paths()),
        "seccomp": _try_filter,
    }
    for layer, step in steps.items():
        if layer not in wanted:
            missing[layer] = "not asked for"
        elif sys.platform != "linux":
            missing[layer] = "Linux only"
        else:
            try:
                step()
                active.add(layer)
            except OSError as error:
                missing[layer] = str(error)
    if "seccomp" in active:
        program = compile_filter()
    os.chdir("/")
    for name in os.environ.keys() - set(_KEPT_VARIABLES):
        del os.environ[name]
    return Confinement(frozenset(active), missing, threads, program, own_size, null)


def confine_call(confinement: Confinement, *, cpu_s: float, memory_bytes: int, shared_bytes: int) -> None:
    """Confine a call's process for good; after this it can compute and write into what it has mapped, and little else.

    Parameters
    ----------
    confinement
        What the worker has in force.
    cpu_s
        Processor time.
    memory_bytes
        Address space beside what the worker uses.
    shared_bytes
        Size of what is mapped of the call's own.

    Raises
    ------
    OSError
        A layer that the worker promised cannot be had.
    """
    used = _address_space(confinement.own_size)
    limit_resources(cpu_s=cpu_s, address_space_bytes=used + shared_bytes + memory_bytes)
    os.closerange(3, 4096)
    if confinement.filter:
        prctl(PR_SET_DUMPABLE, 0, what="not dumpable")
        install_filter(confinement.filter)


def die_with_worker(worker: int) -> None:
    """Let the kernel end this process when the worker ends."""
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, what="end with the worker")
        if os.getppid() != worker:
            os._exit(1)


def _try_filter() -> None:
    """Whether a child of ours can be held to the filter: really done, in one."""
    program = compile_filter()
    pid = os.fork()
    if not pid:
        try:
            install_filter(program)
            os._exit(0)
        except OSError as error:
            os._exit(error.errno or 1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(f"the kernel refuses the filter: {os.strerror(code) if code > 0 else code}")


def _readable_paths() -> set[str]:
    found = [importlib.util.find_spec(name) for name in _LIBRARIES]  # also those that are not loaded: code may import them
    libraries = {str(Path(each.origin).parent) for each in found if each is not None and each.origin is not None}
    folder = sysconfig.get_config_var("MULTIARCH")
    shared = {f"{root}/lib/{folder}" for root in ("", "/usr")} if folder else set()
    if sys.base_prefix != "/usr":
        shared.add(f"{sys.base_prefix}/lib")
    return {*python_folders(), *libraries, *shared, *_SYSTEM_FILES}


def _count_threads() -> int:
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir())
    except OSError:
        return 1


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _address_space(own_size: int | None) -> int:
    if own_size is None:
        return 0
    return int(os.pread(own_size, 256, 0).split()[0]) * resource.getpagesize()
