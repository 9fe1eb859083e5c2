"""Resource limits of a process: processor time, memory, files."""

from __future__ import annotations

import math
import resource

_OPEN_FILES = 64


def limit_resources(*, cpu_s: float, address_space_bytes: int) -> None:
    """Limit this process for good: a soft limit that is a hard one cannot be raised.

    Parameters
    ----------
    cpu_s
        Processor time, rounded up to whole seconds.
    address_space_bytes
        All it may have mapped, libraries included.
    """
    seconds = math.ceil(cpu_s)
    _set(resource.RLIMIT_CPU, seconds, hard=seconds + 1)  # first a signal, then the end
    _set(resource.RLIMIT_AS, address_space_bytes)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _set(resource.RLIMIT_NPROC, 0)
    _set(resource.RLIMIT_MEMLOCK, 0)


def _set(kind: int, soft: int, *, hard: int | None = None) -> None:
    _, most = resource.getrlimit(kind)
    wanted = soft if hard is None else hard
    limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    try:
        resource.setrlimit(kind, (min(soft, limit), limit))
    except (ValueError, OSError):  # macOS refuses some; what is in force is what the probes find
        return
