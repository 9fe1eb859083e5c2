"""Where this Python keeps its standard library and its packages: what code may read."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

_PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def python_folders() -> set[str]:
    """Folders of the standard library and of installed packages, those of this user too."""
    places = sysconfig.get_paths()
    own = {places[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    own |= {path for path in sys.path if Path(path).name in _PACKAGE_FOLDERS}
    return own | {str(Path(path).resolve()) for path in own}
