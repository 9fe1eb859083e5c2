"""The sandbox under Dagster's executors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.reconstruct import ReconstructableJob

from tests.tiers import by_day

JOB = Path(__file__).parent / "sandboxed_job.py"
EXECUTORS: dict[str, dict[str, Any]] = {
    "in process": {"in_process": {}},
    "spawned": {"multiprocess": {"max_concurrent": 2, "start_method": {"spawn": {}}}},
    "fork server": {"multiprocess": {"max_concurrent": 2, "start_method": {"forkserver": {}}}},
}


@pytest.mark.parametrize("executor", by_day(EXECUTORS, "fork server"))
def test_code_runs_under_every_executor(executor: str, tmp_path: Path) -> None:
    """In threads and processes of Dagster's making; none waits for ever, none is left."""
    job = ReconstructableJob.for_file(str(JOB), "sandboxed")
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "dagster").mkdir()
    config = {"ops": {"double": {"config": {"folder": str(folder)}}}, "execution": {"config": EXECUTORS[executor]}}
    with dg.DagsterInstance.local_temp(str(tmp_path / "dagster"), overrides={"telemetry": {"enabled": False}}) as instance:
        assert dg.execute_job(job, instance=instance, run_config=config).success
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"0": "0.0", "1": "2.0"}
