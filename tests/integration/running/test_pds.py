"""Pipelines over the PDS: steps made of its vectors however a run is cut, its revisions, and the days it does not have."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.resources.workers import Workers
from helio_dagster.storage.settings import Settings
from tests.integration.archives.pds.conftest import CASSINI, put_cassini
from tests.integration.running.conftest import MakeSpan, Site
from tests.pds_server import PdsMirror, pds_mirror

PIPELINE = f"""
version: 1
name: saturn
partitions: daily
start: 2016-08-20
steps:
  - id: b
    fetch: {{archive: pds, dataset: '{CASSINI}', parameter: 'BR,BTHETA,BPHI'}}
  - id: mag
    compute: {{operation: magnitude, inputs: {{vector: b}}}}
  - id: mean
    compute: {{operation: rolling_mean, inputs: {{series: mag}}, options: {{window: PT6H}}}}
"""
_DAYS = ("2016-08-27", "2016-08-28", "2016-08-29")


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[PdsMirror]:
    """Three days of a magnetometer."""
    (tmp_path / "archive").mkdir()
    with pds_mirror(tmp_path / "archive") as running:
        for number in range(3):
            put_cassini(running, number, 10.0 * number)
        running.date_all()
        yield running


@pytest.fixture
def make_saturn(tmp_path: Path, fresh_instance: Path, workers: Workers, mirror: PdsMirror) -> Iterator[Callable[[str], Site]]:
    """Homes with the pipeline."""
    made: list[Site] = []

    def make(name: str) -> Site:
        home = tmp_path / name
        shutil.copytree(fresh_instance, home / "dagster")
        site = Site(Settings(home, home / "pipelines", pds_url=mirror.url), workers=workers)
        site.save(PIPELINE)
        made.append(site)
        return site

    yield make
    for site in made:
        site.close()


def test_a_pipeline_however_it_is_cut(make_saturn: Callable[[str], Site], make_span: MakeSpan) -> None:
    """The magnitude of what the files hold; day by day and at once, the same bytes."""
    whole, single = make_saturn("whole"), make_saturn("single")
    report = whole.run(make_span(_DAYS[0], 3), name="saturn")
    assert report.status == "success"
    for key in reversed(_DAYS):
        single.run(make_span(key), name="saturn")
    assert whole.files() == single.files()
    mag = whole.workbench().store.read(report.steps["mag"].asset, _DAYS[1])
    first = 10.0 + np.arange(24)
    expected = np.sqrt(first**2 + (first + 100) ** 2 + (first + 200) ** 2)
    np.testing.assert_allclose(next(iter(mag.columns.values())), expected, rtol=1e-12)
    assert (mag.meta.unit, mag.meta.kind) == ("nT", "series")


def test_a_changed_day_makes_just_its_partitions_stale(
    make_saturn: Callable[[str], Site], make_span: MakeSpan, mirror: PdsMirror
) -> None:
    """A republished file is noticed by its date; what depends on that day is made again, and nothing else."""
    site, span = make_saturn("home"), make_span(_DAYS[0], 3)
    site.run(span, name="saturn")
    assert all(not asset.partitions for asset in site.drift(span, name="saturn").assets)
    put_cassini(mirror, 2, 999.0, version="1.1")
    for path in mirror.folder.rglob("16242*"):
        os.utime(path, (1.75e9, 1.75e9))
    drifted = [[each.key for each in asset.partitions] for asset in site.drift(span, name="saturn").assets if asset.partitions]
    assert drifted == [[_DAYS[2]]]
    site.made()
    site.run(span, name="saturn", refresh=True)
    assert {key for step, key in site.made() if step == "mag"} == {_DAYS[2]}


def test_a_day_without_files_is_empty_and_a_dead_server_fails(
    make_saturn: Callable[[str], Site], make_span: MakeSpan, mirror: PdsMirror
) -> None:
    """The two are told apart."""
    site = make_saturn("home")
    report = site.run(make_span("2016-08-25"), name="saturn")
    assert (report.steps["b"].empty, report.steps["b"].failed) == (1, 0)
    mirror.instead["/2016/"] = (403, b"no")
    report = site.run(make_span(_DAYS[0]), name="saturn")
    assert (report.steps["b"].empty, report.steps["b"].failed) == (0, 1)
    assert "status 403" in report.failures[0].error
