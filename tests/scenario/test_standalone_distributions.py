"""`helio script --standalone` of distributions over several axes, run where there is no helio_dagster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import helio_dagster
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.served import ServedFiles
from tests.nd_files import DATASET, DISTRIBUTION, FIELD, make_distribution, write_distribution
from tests.scenario.processes import helio
from tests.scenario.test_standalone import run, written

DAY = ("2023-01-02", "2023-01-03")
NAMES = {"dataset": DATASET, "distribution": DISTRIBUTION, "field": FIELD}
AXES = {"azimuth": "mx1_phi", "energy": "mx1_energy"}
STEPS = """\
version: 1
name: ions
partitions: daily
start: 2023-01-01
steps:
  - id: f
    fetch: {{archive: "{archive}", dataset: {dataset}, parameter: {distribution}}}
  - id: b
    fetch: {{archive: "{archive}", dataset: {dataset}, parameter: {field}}}
  - id: low
    compute: {{operation: slice, inputs: {{distribution: f}}, options: {{axis: {energy}, value: 100}}}}
  - id: turned
    compute: {{operation: reduce, inputs: {{distribution: f}}, options: {{axis: {azimuth}, how: mean}}}}
  - id: energies
    compute: {{operation: energy_spectrogram, inputs: {{distribution: f}}}}
  - id: pitch
    compute: {{operation: pitch_angle_spectrogram, inputs: {{distribution: f, field: b}}, options: {{directions: look}}}}
"""
UNITS = """\
  - id: density
    compute: {operation: moments, inputs: {distribution: f}, options: {species: proton}}
  - id: flux
    compute: {operation: convert_distribution, inputs: {distribution: f}, options: {to: flux, species: proton}}
"""


CODE = """\
  - id: own
    compute:
      inputs: {f: f}
      code: |
        return pd.Series(np.nanmean(f.values, axis=(1, 2, 3)), index=f.time)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CdasServer]:
    """Forty records over azimuths and energies that vary, and colatitudes that do not, by both protocols."""
    folder = tmp_path_factory.mktemp("served")
    made = make_distribution(40, azimuths=8, colatitudes=4, energies=6)
    write_distribution(folder / f"{DATASET.lower()}_20230102000000_v1.0.0.cdf", made)
    index = FileIndex(folder)
    with CdfReader() as reader, CdasServer(index, retry_after_s=0, extra=[HapiAnswers(ServedFiles(index, reader))]) as server:
        yield server


@pytest.mark.parametrize("way", ["cdaweb", "hapi"])
def test_distributions_are_read_and_reduced_alike(
    tmp_path: Path, server: CdasServer, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every value and every bin of every step is the stored one; what has several axes is written as arrays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipelines").mkdir()
    archive = "cdaweb" if way == "cdaweb" else f"hapi:http://{server.address}/hapi"
    axes = AXES if way == "cdaweb" else {"azimuth": f"{DISTRIBUTION}_1_bins", "energy": f"{DISTRIBUTION}_3_bins"}
    text = STEPS.format(**NAMES, **axes, archive=archive) + (UNITS if way == "cdaweb" else "")
    (tmp_path / "pipelines" / "ions.yaml").write_text(text)
    script = written(tmp_path, "ions", *DAY, environment={"HELIO_CDAWEB_URL": server.url})
    done = run(script, "results")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    paths = {path.stem.rstrip("_"): path for path in (tmp_path / "results").iterdir()}
    assert len(paths) == text.count("- id:")
    assert {path.stem.rstrip("_") for path in paths.values() if path.suffix == ".npz"} >= {"f", "low", "turned"}
    for step, path in paths.items():
        wanted = helio_dagster.read(step, *DAY, pipeline="ions", home=tmp_path / ".helio")
        if isinstance(wanted, xr.Dataset):
            _assert_same_arrays(path, wanted)
        else:
            given = pd.read_csv(path).drop(columns="time")
            assert list(given.columns) == list(wanted.columns)
            np.testing.assert_allclose(given.to_numpy(), wanted.to_numpy(), rtol=1e-6, err_msg=step)


def _assert_same_arrays(path: Path, wanted: xr.Dataset) -> None:
    """The values, and the bins that vary."""
    given = np.load(path)
    assert given["time"].tolist() == wanted["time"].to_numpy().astype("int64").tolist()
    for name in (each for each in given.files if each != "time"):
        numbers = wanted[name].to_numpy().astype("float64")
        np.testing.assert_allclose(given[name].reshape(numbers.shape), numbers, rtol=1e-6, err_msg=f"{path.stem}: {name}")


def test_code_over_several_axes_is_named(tmp_path: Path, server: CdasServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no plain form, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipelines").mkdir()
    fetch = STEPS.format(**NAMES, **AXES, archive="cdaweb").partition("  - id: b")[0]
    (tmp_path / "pipelines" / "ions.yaml").write_text(fetch + CODE)
    environment = {"HELIO_CDAWEB_URL": server.url}
    assert helio(tmp_path, "run", "ions", *DAY, environment=environment).returncode == 0
    refused = helio(tmp_path, "script", "ions", *DAY, "--standalone", environment=environment)
    assert refused.returncode == 2
    assert "own: its code has no plain form for records with several axes" in refused.stderr
    assert not (tmp_path / "ions_standalone.py").exists()
