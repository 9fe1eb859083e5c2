"""`dagster dev` in a fresh clone, with no variable set: it starts, and what it makes is what `helio` knows."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.integration.running.test_daemon import Page, wait
from tests.ports import free_port
from tests.scenario.processes import ROOT, helio, surroundings

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("daemon")]

DAY = "2003-10-29"
TEXT = """
version: 1
name: storm
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files of the repository and nothing else, with one more pipeline."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    if listed.returncode:
        pytest.skip("not a clone of the repository")
    folder = tmp_path / "clone"
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "pipelines" / "storm.yaml").write_text(TEXT)
    return folder


@pytest.fixture
def page(clone: Path) -> Iterator[Page]:
    """The page of `dagster dev` there."""
    port = free_port()
    command = [str(Path(sys.executable).parent / "dagster"), "dev", "-w", "workspace.yaml", "-p", str(port)]
    environment = {**surroundings(clone.parent), "PYTHONPATH": str(clone)}
    with (clone.parent / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=clone, env=environment, stdout=log, stderr=log)
        try:
            wait(lambda: process.poll() is not None or _answers(port), bool)
            assert process.poll() is None, (clone.parent / "log").read_text()
            yield Page(f"http://127.0.0.1:{port}")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def test_it_starts_and_records_where_helio_reads(clone: Path, page: Page) -> None:
    """A run from its page; `helio status` then says fresh, and `helio run` has nothing to do."""
    assert page.launch(["demo/AC_H0_MFI/BGSEc", "storm/mag"], DAY, DAY) == "SUCCESS"
    told = json.loads(helio(clone, "status", "storm", DAY, "--json").stdout)
    states = {asset["step"]: [each["state"] for each in asset["partitions"]] for asset in told["assets"]}
    assert states == {"b": ["fresh"], "mag": ["fresh"]}
    report = json.loads(helio(clone, "run", "storm", DAY, "--json").stdout)
    assert (report["run_id"], {step["reused"] for step in report["steps"].values()}) == (None, {1})
    log = (clone.parent / "log").read_text()
    assert log.count("currently in beta") < 10  # Dagster's words about what we chose to use were hundreds of lines


def test_dg_finds_the_project_there(clone: Path) -> None:
    """`dg check defs` loads what `dagster dev` loads, and names a pipeline that is left out with file and line."""
    (clone / "pipelines" / "wrong.yaml").write_text(TEXT.replace("storm", "wrong").replace("magnitude", "magnitud"))
    command = [str(Path(sys.executable).parent / "dg"), "check", "defs"]
    environment = {**surroundings(clone.parent), "PYTHONPATH": str(clone)}
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All definitions loaded successfully" in done.stdout + done.stderr
    assert "wrong.yaml:10: steps[1].compute.operation: there is no operation 'magnitud'" in done.stdout + done.stderr


def _answers(port: int) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(f"http://127.0.0.1:{port}/server_info", timeout=2).is_success
    return False
