"""Machines that confine less: what is refused there, and what they are told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pandas as pd
import pytest

from helio_dagster.cli.edge import run_app
from helio_dagster.domain.errors import CodeError, CodeRefused
from helio_dagster.sandbox import Diagnosis, Sandbox, SandboxLimits, diagnose
from helio_dagster.sandbox.worker_process import find_bubblewrap


def refuse_imports(body: str, names: Collection[str], _limits: SandboxLimits) -> None:
    """A static check of one rule."""
    if "import" in body:
        raise CodeRefused(f"import beside {', '.join(sorted(names))}")


def test_where_nothing_confines_code_is_refused(b: pd.DataFrame) -> None:
    """Unless it was allowed, with a check."""
    for sandbox in (Sandbox(strongest="weak"), Sandbox(strongest="weak", allow_weak=True)):
        with sandbox, pytest.raises(CodeRefused, match=r"step mine: this machine cannot confine code(.|\n)*HELIO_ALLOW_WEAK"):
            sandbox.call("return b", {"b": b}, name="mine")


def test_where_it_is_allowed_code_runs_after_the_check(b: pd.DataFrame) -> None:
    """The check sees the body and the names it is given."""
    with Sandbox(strongest="weak", allow_weak=True, check_code=refuse_imports) as sandbox:
        assert sandbox.call("return b * k", {"b": b}, options={"k": 2}).result.equals(b * 2)
        with pytest.raises(CodeRefused, match="import beside b, k"):
            sandbox.call("import os\nreturn b", {"b": b}, options={"k": 2})


def test_limits_hold_in_the_weak_mode_too(b: pd.DataFrame, tmp_path: Path) -> None:
    """And no file can be filled."""
    with Sandbox(strongest="weak", allow_weak=True, check_code=lambda *_: None) as sandbox:
        with pytest.raises(CodeError, match=r"OSError: .*File too large"):
            sandbox.call("open(path, 'wb', 0).write(b'x')", {"b": b}, options={"path": str(tmp_path / "file")})
        assert sandbox.call("import os\nprint(len(os.environ))\nreturn b", {"b": b}).printed.strip() in ("1", "2")


def test_the_diagnosis_tells_the_modes_apart() -> None:
    """It is found by trying, not by asking."""
    weak = diagnose("weak")
    assert weak.mode == "weak"
    assert not {probe.attempt: probe.stopped for probe in weak.probes}["read a file of yours"]
    assert "that code may read a file of yours" in weak.unprotected


WITHOUT_LANDLOCK = """
import struct, sys
from helio_dagster.sandbox import diagnose
from helio_dagster.sandbox.confinement.seccomp import install_filter
steps = (0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x00050026), (0x06, 0, 0, 0x7FFF0000)
program = b"".join(struct.pack("<HBBI", *step) for step in steps)
install_filter(program)
sys.stdout.write(diagnose().model_dump_json())
"""
"""Makes the kernel answer as one without landlock does (call 444 gives ENOSYS), for this process and all it starts."""


def diagnosis_without_landlock(path: str) -> Diagnosis:
    """What is found by a process whose kernel has no landlock, with programs from a path."""
    command = [sys.executable, "-c", WITHOUT_LANDLOCK]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return Diagnosis.model_validate_json(done.stdout)


def test_a_kernel_without_landlock_is_found_out_and_what_it_has_is_used(kernel_sandbox: Sandbox) -> None:
    """Its files are open and that is said; sockets and programs are not."""
    found = diagnosis_without_landlock("/nonexistent")
    assert found.mode == "weak"
    assert "landlock" in found.why_not_stronger
    assert "bubblewrap is not installed" in found.why_not_stronger
    assert next(layer for layer in found.layers if layer.name == "seccomp").active
    stopped = {probe.attempt: probe.stopped for probe in found.probes}
    assert not stopped["read a file of yours"]
    assert stopped["connect to a server"]
    assert stopped["start a process"]


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap is not installed")
def test_a_kernel_without_landlock_uses_bubblewrap(kernel_sandbox: Sandbox) -> None:
    """Without being asked."""
    found = diagnosis_without_landlock(os.environ["PATH"])
    assert found.mode == "bubblewrap"
    assert "landlock" in found.why_not_stronger
    assert all(probe.stopped for probe in found.probes), found.probes


def test_the_diagnosis_of_a_kernel_that_confines(kernel_sandbox: Sandbox) -> None:
    """Every attempt is stopped."""
    found = diagnose()
    assert found.mode == "kernel"
    assert {layer.name for layer in found.layers if layer.active} >= {"landlock", "seccomp", "limits", "environment"}
    assert all(probe.stopped for probe in found.probes), found.probes


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap is not installed")
def test_bubblewrap_confines_where_landlock_is_missing(b: pd.DataFrame) -> None:
    """Files, network and programs of the person are out of reach."""
    found = diagnose("bubblewrap")
    assert found.mode == "bubblewrap"
    assert all(probe.stopped for probe in found.probes if probe.attempt != "start a program"), found.probes
    with Sandbox(strongest="bubblewrap") as sandbox:
        assert sandbox.call("return b", {"b": b}).result.equals(b)


def test_helio_doctor_says_it_to_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """One page, or one document."""
    assert run_app(["doctor"]) == 0
    page = capsys.readouterr().out
    for words in ("Code steps: ", "Not protected:", "Home: ", "python 3"):
        assert words in page
    assert run_app(["doctor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["sandbox"]["mode"] in ("kernel", "bubblewrap", "weak")
    assert document["sandbox"]["unprotected"]
    assert document["versions"]["pywavelets"]
