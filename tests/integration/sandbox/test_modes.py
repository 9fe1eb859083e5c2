"""Machines that confine less: what is refused there, and what they are told."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pandas as pd
import pytest

from helio_dagster.cli.edge import run_app
from helio_dagster.domain.errors import CodeError, CodeRefused
from helio_dagster.sandbox import Sandbox, diagnose
from helio_dagster.sandbox.worker_process import find_bubblewrap


def refuse_imports(body: str, names: Collection[str]) -> None:
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
    assert any("your files" in each for each in weak.unprotected)


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
    for words in ("Code steps: ", "Not protected:", "Browser for PNG: ", "Home: ", "python 3"):
        assert words in page
    assert run_app(["doctor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["sandbox"]["mode"] in ("kernel", "bubblewrap", "weak")
    assert document["sandbox"]["unprotected"]
    assert document["versions"]["pywavelets"]
