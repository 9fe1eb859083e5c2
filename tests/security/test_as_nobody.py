"""Attacks and honest code once more as the user nobody, where the tests are run by root."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
_TESTS = [str(FOLDER / name) for name in ("test_attacks.py", "test_honest.py")]
_ALL_BUT = "not (unconfined and (hang or memory or bombs))"
"""That these work unconfined has nothing to do with who runs them, and takes long."""
_TIMEOUT_S = 600


def _barrier(path: Path) -> Path | None:
    """The outermost folder above a path, or the path itself, that others may not enter."""
    return next((each for each in [*reversed(path.parents), path] if not each.stat().st_mode & stat.S_IXOTH), None)


def _opening(needed: list[Path], staging: Path) -> str:
    """Shell commands that show needed folders behind barriers to everyone, in a mount namespace that nobody else sees."""
    barriers: dict[Path, list[Path]] = {}
    for path in needed:
        if barrier := _barrier(path):
            barriers.setdefault(barrier, []).append(path)
    lines = []
    for place, (barrier, paths) in enumerate(barriers.items()):
        copies = [staging / f"{place}-{number}" for number in range(len(paths))]
        lines += [f"mkdir -p '{copy}' && mount --rbind '{path}' '{copy}'" for path, copy in zip(paths, copies, strict=True)]
        lines += [f"mount -t tmpfs -o mode=755 none '{barrier}'"]
        lines += [f"mkdir -p '{path}' && mount --rbind '{copy}' '{path}'" for path, copy in zip(paths, copies, strict=True)]
    return "\n".join(lines)


@pytest.mark.nightly
@pytest.mark.skipif(os.geteuid() != 0, reason="these tests are run by an ordinary user already")
@pytest.mark.skipif(not all(map(shutil.which, ("unshare", "setpriv"))), reason="unshare and setpriv of util-linux are needed")
def test_attacks_fail_and_honest_code_works_for_nobody(tmp_path: Path) -> None:
    """Without any right of root the same attacks work unconfined and fail in the sandbox."""
    nobody = pwd.getpwnam("nobody")
    own = Path("/tmp") / f"security-{os.getpid()}"  # noqa: S108 - pytest's own folders are closed to others
    own.mkdir(mode=0o700)
    os.chown(own, nobody.pw_uid, nobody.pw_gid)
    needed = list(dict.fromkeys(Path(path).resolve() for path in (sys.base_prefix, sys.prefix, ROOT)))
    change = f"setpriv --reuid={nobody.pw_uid} --regid={nobody.pw_gid} --clear-groups --inh-caps=-all --bounding-set=-all"
    pytest_command = f"'{sys.executable}' -m pytest -n 0 -q -p no:cacheprovider --tb=short --basetemp='{own}/tests'"
    script = (
        f"set -e\n{_opening(needed, tmp_path)}\ncd '{ROOT}'\nexec {change} {pytest_command} {' '.join(_TESTS)} -k '{_ALL_BUT}'"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(own), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
    try:
        run = subprocess.run(
            [str(shutil.which("unshare")), "--mount", "--propagation", "private", "sh", "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    finally:
        shutil.rmtree(own, ignore_errors=True)
    if "unshare failed" in run.stderr:
        pytest.skip(f"no namespace of mounts here: {run.stderr.strip()}")
    assert run.returncode == 0, f"{run.stdout[-20_000:]}\n{run.stderr[-2000:]}"
