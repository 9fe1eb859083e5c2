"""The same for an ordinary user as for root."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CANNOT = 77
CHOSEN = "computes or threads or replaced or forked or environment or closing or diagnosis or bubblewrap"


@pytest.mark.nightly
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user; these tests ran as one"
)
def test_an_ordinary_user_is_served_and_confined_as_root_is() -> None:
    """Calls, restarts, every probe of the diagnosis: as nobody, in processes of nobody."""
    pytest_options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short", "-rs", "-k", CHOSEN]
    command = [sys.executable, "-m", "pytest", *pytest_options, str(HERE / "test_calling.py"), str(HERE / "test_modes.py")]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(HERE.parents[2]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, str(HERE / "ordinary_user.py"), *command],
        capture_output=True,
        text=True,
        env=environment,
        cwd=HERE.parents[2],
        check=False,
    )
    if done.returncode == CANNOT:
        pytest.skip("this machine lets nobody reach its Python")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "cannot confine" not in done.stdout  # else its tests of the kernel's confinement were skipped
