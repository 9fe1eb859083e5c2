"""Pipelines over files of one's own: run, cut, rerun, and what a changed file makes stale."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.citation import cite
from helio_dagster.launch.home import Home
from helio_dagster.launch.upkeep.reindex import reindex
from tests.integration.running.conftest import MakeSpan

TWO, THREE, FOUR = [f"2023-01-0{number}" for number in range(2, 5)]
PIPELINE = """
version: 1
name: ground
partitions: daily
start: 2023-01-01
steps:
  - id: h
    fetch: {file: data/ground.csv, time: {columns: time}, columns: {H: {unit: nT, fill: 99999.9}}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: h}, options: {window: PT2H}}
"""


@pytest.fixture
def whole() -> pd.DataFrame:
    """A week of minutes."""
    time = pd.date_range("2023-01-01", periods=7 * 1440, freq="min")
    return pd.DataFrame({"time": time, "H": np.random.default_rng(4).normal(20000, 30, len(time)).round(2), "D": 1.0})


@pytest.fixture
def make_own(make_site: Callable, whole: pd.DataFrame) -> Callable:
    """A home with a pipeline over the file of a week."""

    def make(name: str = "home") -> Any:
        site = make_site(name, PIPELINE)
        write(site, whole)
        return site

    return make


def write(site: Any, frame: pd.DataFrame) -> Path:
    """Put records into the file."""
    path: Path = site.settings.pipelines / "data" / "ground.csv"
    path.parent.mkdir(exist_ok=True)
    frame.to_csv(path, index=False)
    return path


def test_the_cut_does_not_show(make_own: Callable, span: TimeRange, make_span: MakeSpan, whole: pd.DataFrame) -> None:
    """Day by day, backwards, and all at once: the same bytes, and the values that pandas reads."""
    one, other = make_own("whole"), make_own("single")
    report = one.run(span, name="ground")
    for key in (FOUR, TWO, THREE):
        other.run(make_span(key), name="ground")
    assert one.files() == other.files()
    table = one.workbench().store.read(report.steps["h"].asset, THREE)
    part = whole[whole.time.dt.strftime("%Y-%m-%d") == THREE]
    assert (table.time == part.time.to_numpy().astype("datetime64[ns]")).all()
    assert (table.columns["H"] == part.H.to_numpy()).all()


def test_only_what_a_change_touches_is_made_again(make_own: Callable, span: TimeRange, whole: pd.DataFrame) -> None:
    """A status, and a run without being asked to refresh, notice it; records that come later touch nothing."""
    site = make_own()
    site.run(span, name="ground")
    later = pd.DataFrame({"time": [pd.Timestamp("2023-01-08")], "H": [1.0], "D": [1.0]})
    write(site, pd.concat([whole, later]))
    report = site.run(span, name="ground")
    assert (report.steps["h"].computed, report.steps["h"].reused) == (0, 3)
    edited = whole.copy()
    edited.loc[edited.time == f"{THREE}T12:00", "H"] = 1.0
    write(site, edited)
    assert site.states(span, name="ground")["h"] == {TWO: "fresh", THREE: "stale", FOUR: "fresh"}
    report = site.run(span, name="ground")
    assert (report.steps["h"].computed, report.steps["h"].reused) == (1, 2)
    assert set(site.states(span, name="ground")["mean"].values()) == {"fresh"}


def test_a_change_of_what_is_not_read_stops_at_the_fetch(make_own: Callable, span: TimeRange, whole: pd.DataFrame) -> None:
    """The fetch is made again, comes out the same, and nothing follows."""
    site = make_own()
    site.run(span, name="ground")
    write(site, whole.assign(D=np.where(whole.time == f"{THREE}T12:00", 2.0, 1.0)))
    report = site.run(span, name="ground")
    assert (report.steps["h"].computed, report.steps["mean"].computed) == (1, 0)


def test_provenance_names_the_content(make_own: Callable, span: TimeRange) -> None:
    """The day of the file, and the hash of what stands there: the line of names and the day's lines."""
    site = make_own()
    report = site.run(span, name="ground")
    stored = site.workbench().store.peek(report.steps["h"].asset, TWO)
    (source,) = stored.provenance["sources"]
    lines = (site.settings.pipelines / "data" / "ground.csv").read_bytes().splitlines(keepends=True)
    content = b"".join([lines[0], *(line for line in lines if line.startswith(TWO.encode()))])
    assert source["name"] == f"data/ground.csv.{TWO}"
    assert source["sha256"] == hashlib.sha256(content).hexdigest()
    assert source["size"] == len(content) - len(lines[0])


def test_a_lost_record_is_recovered(make_own: Callable, span: TimeRange) -> None:
    """Then nothing is made again."""
    site = make_own()
    site.run(span, name="ground")
    shutil.rmtree(site.settings.instance)
    reindex(Home(site.settings).graph, site.workbench())
    report = site.run(span, name="ground")
    assert {(step.computed, step.reused) for step in report.steps.values()} == {(0, 3)}


def test_a_bad_line_fails_its_partition_alone(make_own: Callable, span: TimeRange, whole: pd.DataFrame) -> None:
    """Values are read by partition; the others are made."""
    site = make_own()
    path = write(site, whole)
    bad = whole.index[whole.time == f"{THREE}T12:00"][0] + 2
    lines = path.read_text().splitlines()
    lines[bad - 1] = f"{THREE} 12:00:00,oops,1.0"
    path.write_text("\n".join(lines))
    report = site.run(span, name="ground")
    assert (report.steps["h"].computed, report.steps["h"].failed) == (2, 1)
    assert f"data/ground.csv, line {bad}: the H 'oops' is not a number" in report.failures[0].error


def test_a_file_that_is_gone(make_own: Callable, span: TimeRange, caplog: pytest.LogCaptureFixture) -> None:
    """What was made stays, with a warning that says where the file should be."""
    site = make_own()
    site.run(span, name="ground")
    (site.settings.pipelines / "data" / "ground.csv").unlink()
    assert set(site.states(span, name="ground")["h"].values()) == {"fresh"}
    assert "there is no file data/ground.csv" in caplog.text
    assert site.run(span, name="ground", force=True).steps["h"].failed == 3


def test_a_citation_names_the_file(make_own: Callable, span: TimeRange) -> None:
    """As what it is, not as an archive's file that is missing; the mean reaches into the days beside."""
    site = make_own()
    site.run(span, name="ground")
    opened = Home(site.settings).open("ground")
    (dataset,) = cite(opened.graph, opened.pipeline, span, site.workbench()).datasets
    assert (dataset.label, dataset.unknown, len(dataset.files)) == ("data/ground.csv", "", 5)
