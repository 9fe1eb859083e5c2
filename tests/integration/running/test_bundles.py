"""Bundles of results, read by others, and made again on another machine."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rocrate.rocrate import ROCrate

from helio_dagster.domain.errors import AnswerNeeded, InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.bundling.comparing import BundleReport
from helio_dagster.launch.bundling.crate import crate_of
from helio_dagster.launch.bundling.gathering import Labels, gather
from helio_dagster.launch.bundling.manifest import BundledFile, Manifest
from helio_dagster.launch.bundling.packing import write_zip
from helio_dagster.launch.bundling.remaking import BundledCode, verify_bundle
from helio_dagster.launch.home import Home
from helio_dagster.storage.settings import Settings
from tests.prepared import prepared

PIPELINE = """
version: 1
name: ground
title: Horizontal field
partitions: daily
start: 2023-01-01
assumptions: [the clock is in UTC]
steps:
  - id: h
    intent: Read the horizontal component
    fetch: {file: data/ground.csv, time: {columns: time}, columns: {H: {unit: nT}}}
  - id: mean
    intent: Smooth it
    compute: {operation: rolling_mean, inputs: {series: h}, options: {window: PT2H}}
"""
LABELS = Labels("2026-01-31", "https://spdx.org/licenses/CC-BY-4.0", ("A. Person",))


@pytest.fixture
def bundled(make_site: Callable, span: TimeRange, tmp_path: Path) -> Path:
    """The folder of a bundle of three days, beside the home that it is from."""
    site = make_site("home", PIPELINE)
    path = site.settings.pipelines / "data" / "ground.csv"
    path.parent.mkdir(exist_ok=True)
    time = pd.date_range("2023-01-01", periods=5 * 144, freq="10min")
    pd.DataFrame({"time": time, "H": np.random.default_rng(4).normal(20000, 30, len(time)).round(2)}).to_csv(path, index=False)
    site.run(span, name="ground")
    _gather(site, span, tmp_path / "bundle")
    return tmp_path / "bundle"


def _gather(site: Any, span: TimeRange, folder: Path) -> None:
    folder.mkdir()
    home = Home(site.settings)
    gather(home, home.open("ground"), span, site.workbench(), folder, LABELS)


def _verify(bundle: Path, tmp_path: Path) -> BundleReport:
    return verify_bundle(bundle, Settings(tmp_path / "elsewhere", tmp_path / "elsewhere" / "pipelines"))


def _named_in(crate: ROCrate) -> set[str]:
    """What entities name as parts, inputs, results and licenses."""
    found = [
        crate.root_dataset.get("hasPart"),
        *(crate.dereference("#run").get(each) for each in ("object", "result", "instrument")),
    ]
    return {each.id for item in found for each in (item if isinstance(item, list) else [item])}


def test_the_crate_of_data_of_an_archive_has_them_as_parts() -> None:
    """Data entities of RO-Crate are parts of its root, those on the web too; a license with an address is an entity."""
    manifest = Manifest(
        pipeline="ace",
        files=(BundledFile(path="pipelines/ace.yaml", kind="pipeline", size=1, sha256="0" * 64),),
        license="https://spdx.org/licenses/CC-BY-4.0",
        published="2026-01-31",
    )
    datasets = {"https://doi.org/10.1/x": "X", "#cdaweb/Y": "Y"}
    found = json.loads(crate_of(manifest, title="t", description="d", datasets=datasets))["@graph"]
    entities = {each["@id"]: each for each in found}
    assert {"@id": "#cdaweb/Y"} not in entities["./"]["hasPart"]
    assert entities["#cdaweb/Y"]["@type"] == "CreativeWork"
    assert {"@id": "https://doi.org/10.1/x"} in entities["./"]["hasPart"]
    assert entities["./"]["license"] == {"@id": manifest.license}
    assert entities[manifest.license]["@type"] == "CreativeWork"
    assert entities["#run"]["object"] == [{"@id": each} for each in datasets]


def test_others_can_read_it(bundled: Path, span: TimeRange) -> None:
    """RO-Crate by its own library, tables by pandas; every file has the hash that the manifest says."""
    crate = ROCrate(bundled)
    assert (crate.name, crate.root_dataset["datePublished"]) == ("Horizontal field", "2026-01-31")
    assert {each.id for each in crate.data_entities} == {
        path.relative_to(bundled).as_posix()
        for path in bundled.rglob("*")
        if path.is_file() and path.name != "ro-crate-metadata.json"
    }
    assert crate.dereference("#run")["object"].id == "pipelines/data/ground.csv"
    assert not [each for each in _named_in(crate) if crate.dereference(each) is None]
    (parquet,) = bundled.glob("data/own_*.parquet")
    table, text = pd.read_parquet(parquet), pd.read_csv(parquet.with_suffix(".csv"), comment="#")
    whole = pd.read_csv(bundled / "pipelines" / "data" / "ground.csv")
    expected = whole[(whole.time >= "2023-01-02") & (whole.time < "2023-01-05")].H.tolist()
    assert table.H.tolist() == text.H.tolist() == expected
    for each in json.loads((bundled / "manifest.json").read_text())["files"]:
        assert hashlib.sha256((bundled / each["path"]).read_bytes()).hexdigest() == each["sha256"]
    assert "the clock is in UTC" in (bundled / "methods.md").read_text()


def test_elsewhere_it_comes_out_the_same(bundled: Path, tmp_path: Path) -> None:
    """All bytes, from the zip file alone: the home that it is from is gone."""
    write_zip(bundled, tmp_path / "b.zip")
    shutil.rmtree(bundled)
    shutil.rmtree(tmp_path / "home")
    report = _verify(tmp_path / "b.zip", tmp_path)
    assert {each.verdict for each in report.files} == {"same bytes"}
    assert (report.status, report.exit_code) == ("same", 0)


def _claim(bundled: Path, name: str) -> None:
    """Let the manifest say what a changed file is, as somebody would who forges results."""
    path = bundled / "manifest.json"
    manifest = json.loads(path.read_text())
    content = (bundled / name).read_bytes()
    for each in manifest["files"]:
        if each["path"] == name:
            each["sha256"], each["size"] = hashlib.sha256(content).hexdigest(), len(content)
    path.write_text(json.dumps(manifest))


def test_what_was_changed_shows(bundled: Path, tmp_path: Path) -> None:
    """A changed file is damaged; a forged result differs, and how much is said; a rewritten table has the same values."""
    (csv,) = bundled.glob("data/ground_mean*.csv")
    name = csv.relative_to(bundled).as_posix()
    lines = csv.read_text().splitlines()
    time, value = lines[-1].split(",")
    csv.write_text("\n".join([*lines[:-1], f"{time},{float(value) + 5}"]) + "\n")
    report = _verify(bundled, tmp_path)
    assert [(each.path, each.verdict) for each in report.files] == [(name, "damaged")]
    _claim(bundled, name)
    (parquet,) = bundled.glob("data/ground_mean*.parquet")
    facts = bundled / "facts.json"
    facts.write_text(json.dumps(json.loads(facts.read_text())))
    _claim(bundled, "facts.json")
    found = {each.path: each for each in _verify(bundled, tmp_path).files}
    assert (found[name].verdict, found["facts.json"].verdict) == ("differs", "same values")
    assert "in 1 of 432 records, by up to 5" in found[name].why
    assert found[parquet.relative_to(bundled).as_posix()].verdict == "same bytes"


def test_a_manifest_leads_nowhere(bundled: Path, tmp_path: Path) -> None:
    """A path outside the bundle is not read, and a folder without a manifest is none."""
    manifest = json.loads((bundled / "manifest.json").read_text())
    secret = tmp_path / "secret"
    secret.write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    manifest["files"].append({"path": "../secret", "kind": "own_file", "size": 1, "sha256": digest})
    (bundled / "manifest.json").write_text(json.dumps(manifest))
    report = _verify(bundled, tmp_path)
    assert [(each.path, each.verdict) for each in report.files] == [("../secret", "damaged")]
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(InputError, match="it is not a bundle"):
        _verify(tmp_path / "none.zip", tmp_path)


CODED = (
    PIPELINE
    + """  - id: above
    intent: How far it is above its mean
    compute: {inputs: {h: h, mean: mean}, unit: nT, code: "return h['H'] - mean['mean']"}
"""
)


def test_code_of_a_bundle_is_run_only_if_somebody_agrees(bundled: Path, make_site: Callable, tmp_path: Path) -> None:
    """Without an answer nothing is run; the one who is asked sees the code and the hash of the whole bundle."""
    pipeline = bundled / "pipelines" / "ground.yaml"
    assert pipeline.is_file()
    pipeline.write_text(CODED)
    _claim(bundled, "pipelines/ground.yaml")
    with pytest.raises(AnswerNeeded, match="ground/above") as refused:
        _verify(bundled, tmp_path)
    hash_of_all = hashlib.sha256((bundled / "manifest.json").read_bytes()).hexdigest()
    assert hash_of_all in refused.value.hint
    asked: list[BundledCode] = []

    def decline(code: BundledCode) -> None:
        asked.append(code)
        raise AnswerNeeded("no")

    with pytest.raises(AnswerNeeded, match="no"):
        verify_bundle(bundled, Settings(tmp_path / "elsewhere", tmp_path / "elsewhere" / "pipelines"), agree=decline)
    assert asked == [BundledCode({"ground/above": "return h['H'] - mean['mean']"}, hash_of_all)]
    environment = {"HELIO_HOME": str(tmp_path / "there"), "HELIO_PIPELINES": str(tmp_path / "there" / "pipelines")}
    for given, words in (([], "nobody agreed to run it"), (["--sha256", "0" * 64], f"has the hash {hash_of_all}")):
        done = prepared().run(("verify", str(bundled), *given), cwd=tmp_path, env=environment)
        assert (done.returncode in (2, 3), words in done.stderr) == (True, True), done.stderr
    done = prepared().run(("verify", str(bundled), "--sha256", hash_of_all, "--json"), cwd=tmp_path, env=environment)
    assert json.loads(done.stdout)["pipeline"] == "ground", done.stderr
