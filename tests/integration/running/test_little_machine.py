"""Where memory or open files run out, a run ends with one message and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

PIPELINE = """
version: 1
name: coded
start: 2003-10-01
steps:
  - id: mag
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: Magnitude}
  - id: rms
    compute:
      inputs: {b: mag}
      unit: nT
      code: return b * 2
  - id: overview
    figure:
      panels: [{traces: [{data: rms}]}]
"""


@pytest.mark.browser
@pytest.mark.parametrize("limit", [f"--as={512 << 20}", "--nofile=32"])
def test_what_the_machine_ran_out_of_is_said_in_one_message(make_desk: Callable, limit: str) -> None:
    """512 MB of address space start no thread more, and 32 descriptors no sandbox beside Dagster's database."""
    desk = make_desk("home", PIPELINE)
    done = subprocess.run(
        ["prlimit", limit, sys.executable, "-m", "helio_dagster", "run", "coded", "2003-10-29"],  # noqa: S607 - of util-linux
        env={**os.environ, "HELIO_HOME": str(desk.settings.home), "HELIO_PIPELINES": str(desk.settings.pipelines)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 1, done.stderr
    assert "this machine has run out of" in done.stdout + done.stderr
