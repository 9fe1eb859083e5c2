"""Notebooks and scripts: those of the repository, those that `helio notebook` and `helio script` write, and `%%helio`."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

import helio_dagster as helio
from tests.prepared import prepared
from tests.scenario.processes import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.ipynb"))
PIPELINE = """\
version: 1
name: windy
title: "Wind <b>and</b> its # mean"
description: "It's in '''three''' quotes, with a backslash \\\\ and a dollar $."
start: 2003-10-01
steps:
  - id: mag
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: Magnitude}
  - id: mean
    compute: {operation: resample, inputs: {series: mag}, options: {cadence: PT10M, method: mean}}
  - id: overview
    figure:
      panels:
        - traces: [{data: mag, label: 16 s}, {data: mean, label: 10 min}]
"""

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a notebook from top to bottom in a plain kernel, in an empty folder with a home of its own."""

    def begin(document: Any, *, stops: bool = True) -> Any:
        nbformat.validate(document)
        monkeypatch.setenv("HELIO_HOME", str(tmp_path / "elsewhere" / "home"))
        monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        folder = tmp_path / "elsewhere"
        folder.mkdir(exist_ok=True)
        client = NotebookClient(
            document, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}, allow_errors=not stops
        )
        words, kernel = tmp_path / "kernel.txt", client.create_kernel_manager()
        try:
            with words.open("w") as stream:
                return client.execute(stdout=stream, stderr=stream)
        except DeadKernelError:
            ending = kernel.provisioner.process.returncode if kernel.provisioner.process else None
            pytest.fail(f"the kernel ended with {ending} and said:\n{words.read_text()[-10_000:]}")

    return begin


def printed(document: Any, stream: str = "stdout") -> str:
    """Everything that its cells have printed."""
    outputs = [each for cell in document.cells for each in cell.get("outputs", ())]
    return "".join(each.text for each in outputs if each.output_type == "stream" and each.name == stream)


def pictures(document: Any) -> list[bytes]:
    """The PNG images that its cells show."""
    shown = [each.get("data", {}).get("image/png") for cell in document.cells for each in cell.get("outputs", ())]
    return [base64.b64decode(each) for each in shown if each]


def cells(sources: Sequence[str]) -> Any:
    """A notebook of these cells."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=[new_code_cell(each) for each in sources], metadata=kernel)


@pytest.mark.nightly  # by day without a kernel: tests/unit/test_jupyter.py
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_run(path: Path, run: Run) -> None:
    """Each shows figures and warns of nothing."""
    done = run(nbformat.read(path, as_version=4))
    assert all(each.startswith(b"\x89PNG") and len(each) > 20_000 for each in pictures(done))
    assert pictures(done)
    assert printed(done, "stderr") == ""


@pytest.mark.nightly  # by day a script is run in `test_standalone`
def test_a_pipeline_runs_elsewhere_as_notebook_and_script(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both make the figure that the home they come from has, byte for byte, of a pipeline with anything in its texts."""
    home = tmp_path / "home"
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "windy.yaml").write_text(PIPELINE)
    environment = {**os.environ, "HELIO_HOME": str(home), "PYTHONPATH": str(ROOT)}
    for word in ("notebook", "script"):
        done = prepared().run((word, "windy", "2003-10-29", "2003-10-31"), cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
    monkeypatch.chdir(tmp_path)
    here = helio.figure("windy", "2003-10-29", "2003-10-31", home=home)
    document = run(nbformat.read(tmp_path / "windy.ipynb", as_version=4))
    assert pictures(document) == [here.content]
    assert "mean: 288 records, nT" in printed(document)
    assert "SYNTHETIC ACE Magnetic Field" in printed(document)
    text = document.cells[0].source
    assert "Wind \\<b\\>and\\</b\\> its \\# mean" in text

    folder = tmp_path / "by_script"
    folder.mkdir()
    elsewhere = {**environment, "HELIO_HOME": str(folder / "home")}
    command = [sys.executable, str(tmp_path / "windy.py")]
    told = subprocess.run(command, cwd=folder, env=elsewhere, check=True, capture_output=True, text=True, timeout=300)
    assert (folder / "windy__overview.png").read_bytes() == here.content
    assert "windy: success, 2003-10-29 to 2003-10-31" in told.stdout
    assert told.stderr == ""


@pytest.mark.nightly  # by day the file's `range:` is read by `helio run` and `helio script`
def test_a_notebook_over_the_pipelines_own_range(tmp_path: Path, run: Run) -> None:
    """Without times the file's `range:` counts."""
    home = tmp_path / "home"
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "windy.yaml").write_text(PIPELINE.replace("steps:", "range: 2003-10-30/2003-10-31\nsteps:"))
    environment = {**os.environ, "HELIO_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = prepared().run(("notebook", "windy", "-o", "its.ipynb"), cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    document = run(nbformat.read(tmp_path / "its.ipynb", as_version=4))
    assert "mean: 144 records, nT" in printed(document)
    assert len(pictures(document)) == 1


def test_a_different_pipeline_of_the_same_name_stays(tmp_path: Path, run: Run) -> None:
    """The notebook stops with what to do, and the library keeps its own."""
    library = tmp_path / "elsewhere" / "home" / "pipelines"
    library.mkdir(parents=True)
    (library / "windy.yaml").write_text(PIPELINE.replace("PT10M", "PT5M"))
    source = f"import helio_dagster as helio\nhelio.import_pipeline({PIPELINE!r})"
    with pytest.raises(CellExecutionError, match="a different pipeline of this name exists"):
        run(cells([source]))
    assert "PT5M" in (library / "windy.yaml").read_text()


@pytest.mark.nightly  # by day without a kernel: tests/unit/test_jupyter.py
def test_a_conversation_in_cells(run: Run, tmp_path: Path) -> None:
    """Nothing runs before a cell approves; wrong options and questions are told, and the conversation goes on.

    Progress is one line, however many partitions there are, and is empty at the end: it does not stay in the notebook.
    """
    said = [
        "%load_ext helio_dagster",
        "%helio",
        "%%helio --archive demo\nplot the flux of the blorbs",
        "%helio ACE magnetic field magnitude from 2003-10-20 to 2003-10-30",
        "%helio --wrong",
        "%helio approve",
        "%%helio\nwhat is the maximum?",
        "%helio --session none ACE",
    ]
    done = run(cells(said))
    texts = [printed(new_notebook(cells=[cell])) for cell in done.cells]
    assert "%helio approve" in texts[1]
    assert "blorbs" in texts[2]
    assert "To approve: %helio approve" in texts[3]
    assert "Nothing has been run or written yet." in texts[3]
    assert "Approved by" in texts[5]
    assert len(pictures(done)) == 1
    lines = [each for each in done.cells[5].outputs if each.output_type == "display_data" and "image/png" not in each.data]
    assert [each.data["text/plain"] for each in lines] == [""]
    assert "settled" not in printed(done)
    assert "The maximum of b_mag is" in texts[6]
    errors = printed(done, "stderr")
    assert "%helio: unrecognized arguments: --wrong" in errors
    assert "none" in errors
    assert "Warning" not in errors
    assert "Traceback" not in errors
    saved = list((tmp_path / "elsewhere" / "home" / "pipelines").glob("*.yaml"))
    assert len(saved) == 1


PRESS = """\
from ipywidgets.widgets.widget import _instances
found = [each for each in _instances.values() if getattr(each, "description", "") == "Approve"]
found[{place}].click()
"""


@pytest.mark.nightly  # as above; at a load of 20 its kernel has died twice: should it again, `run` says how
def test_a_button_approves_the_plan_that_it_was_shown_for(run: Run, tmp_path: Path) -> None:
    """One below an older plan does nothing but say so; that below the latest one saves and runs it, once."""
    said = [
        "%load_ext helio_dagster",
        "%%helio --archive demo\nACE magnetic field magnitude for 2003-10-29",
        "%helio smooth over 10 minutes",
        PRESS.format(place=0),
        "import pathlib\nprint(list(pathlib.Path(HOME).glob('pipelines/*')))".replace(
            "HOME", repr(str(tmp_path / "elsewhere" / "home"))
        ),
        PRESS.format(place=1),
    ]
    done = run(cells(said))
    states = done.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
    first, second = (each["state"]["outputs"] for each in states if "outputs" in each["state"])
    assert "the plan has changed since this button was shown" in "".join(each.get("text", "") for each in first)
    assert [each for each in second if "image/png" in each.get("data", {})]
    assert printed(new_notebook(cells=[done.cells[4]])).strip() == "[]"
    (saved,) = (tmp_path / "elsewhere" / "home" / "pipelines").glob("*.yaml")
    assert "rolling_mean" in saved.read_text()
    assert list((tmp_path / "elsewhere" / "home" / "figures").glob("*.png"))
