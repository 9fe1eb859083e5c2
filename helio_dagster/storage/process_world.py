"""In which world a process number means something: a machine since it was started, or a container on it."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path


@cache
def process_world() -> str:
    """Eight characters that are the same for processes which can see each other by number.

    Made of the machine's name, its start (`boot_id`) and the namespace of process numbers, so that hosts or containers
    that write to the same volume differ.
    """
    parts = [platform.node()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(os.stat("/proc/self/ns/pid").st_ino))  # noqa: PTH116 - a link that leads to no file
    except OSError:
        pass  # not Linux: the name has to do
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]
