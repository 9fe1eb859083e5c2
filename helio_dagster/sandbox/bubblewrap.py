"""The command line of bubblewrap, where landlock is missing: only libraries exist, read-only. Choosing it is `starting`'s."""

from __future__ import annotations

import shutil
import site
import sys
import sysconfig
from pathlib import Path

from helio_dagster.domain.errors import SandboxUnavailable

_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")


def bubblewrap_command(root: str) -> list[str]:
    """The command that stands before the worker's.

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
    for path in [*_SYSTEM_FOLDERS, *_python_folders(), str(Path(root) / "helio_dagster")]:
        command += ["--ro-bind-try", path, path]
    return [*command, "--chdir", "/", "--"]


def _python_folders() -> list[str]:
    places = sysconfig.get_paths()
    own = {places[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    interpreter = Path(sys.executable)
    own |= {*site.getsitepackages(), str(Path(sys.base_prefix) / "lib"), str(Path(sys.prefix) / "pyvenv.cfg")}
    own |= {str(interpreter.parent), str(interpreter.resolve().parent)}
    return sorted(own)
