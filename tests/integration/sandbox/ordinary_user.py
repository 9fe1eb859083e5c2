"""Run a program as the user nobody: `python ordinary_user.py PROGRAM ARGUMENT…`, as root.

Where Python or this repository stand in a folder that only root may enter, a mount namespace shows them alone there.
Exit code 77: this machine does not allow it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from pathlib import Path

NOBODY = 65534
CANNOT = 77
_NEW_MOUNTS = 0x00020000
_BIND, _PRIVATE = 0x1000 | 0x4000, 0x4000 | 0x40000
_ROOT = Path(__file__).parents[3]


def _checked(result: int) -> None:
    if result < 0:
        sys.exit(CANNOT)


def _mount(source: str, target: Path, kind: str | None, flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    _checked(libc.mount(source.encode(), str(target).encode(), kind.encode() if kind else None, flags, b"mode=755"))


def _closed_folder(path: Path) -> Path | None:
    return next((folder for folder in [*reversed(path.parents), path] if not folder.stat().st_mode & 0o001), None)


def _open_way_to(paths: list[Path]) -> None:
    """Put an open folder that holds only what is needed over each that is closed."""
    closed = {path: folder for path in paths if (folder := _closed_folder(path)) is not None}
    if not closed:
        return
    _checked(ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS))
    _mount("none", Path("/"), None, _PRIVATE)
    kept = {path: Path(tempfile.mkdtemp()) for path in closed}
    for path, place in kept.items():
        _mount(str(path), place, None, _BIND)
    for folder in set(closed.values()):
        _mount("tmpfs", folder, "tmpfs", 0)
    for path, place in kept.items():
        path.mkdir(parents=True, exist_ok=True)
        _mount(str(place), path, None, _BIND)


def main() -> None:
    """Become nobody and run the program."""
    _open_way_to([Path(sys.base_prefix), Path(sys.prefix), _ROOT])
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - the test's own command


if __name__ == "__main__":
    main()
