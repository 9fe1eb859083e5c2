"""Without spiceypy the message says what is missing, why it is needed and how to install it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ASK = """
from pathlib import Path
import helio_dagster.archives.demo.archive as demo
from tests.unit.archives.spice.conftest import window
from helio_dagster.archives.spice.archive import SpiceArchive
from helio_dagster.archives.spice.packaged import PackagedKernels
from helio_dagster.archives.spice.reader import EphemerisReader
with EphemerisReader() as reader:
    archive = SpiceArchive("demo", PackagedKernels(Path(demo.__file__).with_name("kernels")), reader)
    print(next(archive.fetch("DEMO_ORBITER-SUN", "position_HCI_PT1H", [window("2022-01-01", "2022-01-02")])).error)
"""


@pytest.mark.slow
def test_the_message_names_package_purpose_and_command(tmp_path: Path) -> None:
    """In a process in which the import fails, as it does where the extra is not installed."""
    (tmp_path / "spiceypy").mkdir()
    (tmp_path / "spiceypy" / "__init__.py").write_text("raise ModuleNotFoundError('No module named spiceypy', name='spiceypy')")
    path = os.pathsep.join([str(tmp_path), str(Path.cwd())])
    done = subprocess.run(
        [sys.executable, "-c", _ASK], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert "ephemerides need the package spiceypy, which is not installed" in done.stdout
    assert "pip install 'helio-dagster[spice]'" in done.stdout
