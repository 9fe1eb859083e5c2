"""How code can be confined, the strongest way first, and what a worker is started with."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal

ModeName = Literal["kernel", "bubblewrap", "weak"]

NEEDED = {"kernel": frozenset({"landlock", "seccomp"}), "bubblewrap": frozenset[str](), "weak": frozenset[str]()}
"""Layers without which a mode does not hold what it promises."""


@dataclass(frozen=True)
class Mode:
    """One way of confining: its name, the kernel layers to try, and whether bubblewrap surrounds the worker."""

    name: ModeName
    layers: tuple[str, ...]
    uses_bubblewrap: bool = False

    @property
    def is_weak(self) -> bool:
        """Whether code that wants to can get out."""
        return self.name == "weak"


MODES: dict[ModeName, Mode] = {
    "kernel": Mode("kernel", ("network", "capabilities", "landlock", "seccomp")),
    "bubblewrap": Mode("bubblewrap", ("capabilities", "seccomp"), uses_bubblewrap=True),
    "weak": Mode("weak", ()),
}


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker's results may depend on where code is careless, and what it loads.

    `fill` is the byte that fresh memory is filled with; by default it holds what it held. `is_reversed` says how new objects
    lie in memory, see `free_blocks`; by default as it comes. `has_scipy` says whether SciPy and PyWavelets are loaded, which
    takes longer than all the rest.
    """

    seed: int = 0
    hash_seed: int = 0
    zone: str = "UTC"
    fill: int | None = None
    is_reversed: bool | None = None
    has_scipy: bool = True


def can_fork() -> bool:
    """Whether this system can run the sandbox at all."""
    return sys.platform != "win32"
