"""The command line of bubblewrap, where landlock is missing: only libraries exist, read-only."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from helio_dagster.domain.errors import SandboxUnavailable
from helio_dagster.sandbox.python_folders import python_folders

_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")


def bubblewrap_command(root: str) -> list[str]:
    """The command that precedes the worker's.

    Parameters
    ----------
    root
        The folder that holds this package.

    Raises
    ------
    SandboxUnavailable
        There is no bubblewrap.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed", hint="Debian, Ubuntu: apt-get install bubblewrap")
    command = [program, "--unshare-all", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--cap-drop", "ALL"]  # noqa: S108
    for path in [*_SYSTEM_FOLDERS, *_needed_folders(), str(Path(root) / "helio_dagster")]:
        command += ["--ro-bind-try", path, path]
    return [*command, "--chdir", "/", "--"]


def _needed_folders() -> list[str]:
    interpreter = Path(sys.executable)
    programs = {str(interpreter.parent), str(interpreter.resolve().parent)}
    return sorted({*python_folders(), *programs, str(Path(sys.base_prefix) / "lib"), str(Path(sys.prefix) / "pyvenv.cfg")})
