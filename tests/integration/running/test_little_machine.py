"""Where memory or open files run out, a run ends with one message and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

END_ALL = ("timeout", "--signal=KILL", "200")
"""Ends what does not come to an end, with all processes below it."""
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


@pytest.mark.parametrize("limit", [f"--as={480 << 20}", "--nofile=32"])
def test_what_the_machine_ran_out_of_is_said_in_one_message(make_site: Callable, limit: str) -> None:
    """480 MB of address space start no thread more, and 32 descriptors no sandbox beside Dagster's database."""
    site = make_site("home", PIPELINE)
    done = subprocess.run(
        [*END_ALL, "prlimit", limit, sys.executable, "-m", "helio_dagster", "run", "coded", "2003-10-29"],
        env={**os.environ, "HELIO_HOME": str(site.settings.home), "HELIO_PIPELINES": str(site.settings.pipelines)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 1, done.stderr
    assert "this machine has run out of" in done.stdout + done.stderr
