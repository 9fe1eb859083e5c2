"""A distribution larger than memory should hold: decoded under a limit, stored, and reduced a group of records at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.assets.record_wise import apply_by_parts
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.large_arrays import MOST_HELD_BYTES
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.exporting.export import export
from helio_dagster.launch.exporting.targets import Format, Target
from helio_dagster.launch.running.reading import find_parts, read_table
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore
from tests.integration.running.conftest import Site
from tests.nd_files import DATASET, DISTRIBUTION, FIELD, make_distribution, write_distribution

RECORDS, SHAPE = 1100, (32, 16, 32)
LIMIT_BYTES = 64 * 2**20
DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
PIPELINE = f"""
version: 1
name: basic
partitions: daily
start: 2023-01-01
steps:
  - id: f
    fetch: {{archive: cdaweb, dataset: {DATASET}, parameter: {DISTRIBUTION}}}
  - id: b
    fetch: {{archive: cdaweb, dataset: {DATASET}, parameter: {FIELD}}}
  - id: pitch
    compute: {{operation: pitch_angle_spectrogram, inputs: {{distribution: f, field: b}}, options: {{directions: look}}}}
  - id: density
    compute: {{operation: moments, inputs: {{distribution: f}}, options: {{species: proton}}}}
  - id: flux
    compute: {{operation: convert_distribution, inputs: {{distribution: f}}, options: {{to: flux, species: proton}}}}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 69 MiB of single reals."""
    made = make_distribution(RECORDS)
    assert made.f.nbytes > MOST_HELD_BYTES > LIMIT_BYTES // 2
    return write_distribution(tmp_path_factory.mktemp("long") / f"{DATASET.lower()}_20230102_v01.cdf", made, cadence_s=30)


def test_a_worker_decodes_more_than_it_may_hold(path: Path) -> None:
    """With room for less than its values, the table still comes whole: a reader that held them all would not have the room."""
    expected = make_distribution(RECORDS).f
    expected.reshape(-1)[::50] = np.nan
    with CdfReader(workers=1, memory_bytes=LIMIT_BYTES) as reader:
        table = reader.read(path, DISTRIBUTION)
    np.testing.assert_array_equal(table.columns[DISTRIBUTION], expected)
    assert table.meta.shape == SHAPE


@pytest.fixture(scope="module")
def site(path: Path, tmp_path_factory: pytest.TempPathFactory, fresh_instance: Path, site_class: type[Site]) -> Iterator[Site]:
    """A home at which the pipeline was run; its tests only read."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(fresh_instance, home / "dagster")
    with CdasServer(FileIndex(path.parent), retry_after_s=0) as server:
        made = site_class(Settings(home, home / "pipelines", server.url))
        made.save(PIPELINE)
        assert made.run(DAY).status == "success"
        yield made
        made.close()


def test_steps_read_groups_of_records_and_give_the_same(site: Site) -> None:
    """Steps over a long input give the bytes that the operation gives of all records at once."""
    pipeline, graph = site.open()
    nodes, store, span = graph.of_pipeline(pipeline), site.workbench().store, DAY
    whole = {name: read_table(store, nodes[name], span) for name in ("f", "b")}
    assert len(whole["f"]) == RECORDS
    for step, name, options in (
        ("pitch", "pitch_angle_spectrogram", {"directions": "look"}),
        ("density", "moments", {"species": "proton"}),
        ("flux", "convert_distribution", {"to": "flux", "species": "proton"}),
    ):
        operation = get_operation(name)
        given = {"distribution": whole["f"]} | ({"field": whole["b"]} if step == "pitch" else {})
        at_once = operation.apply(given, operation.read_options(options), span, step)
        assert data_version(read_table(store, nodes[step], span)) == data_version(at_once), step


def test_files_are_written_some_records_at_a_time(site: Site, tmp_path: Path) -> None:
    """NetCDF and Parquet hold what is stored; no block of records is larger than what is read together."""
    pipeline, graph = site.open()
    span = DAY
    store, node = site.workbench().store, graph.of_pipeline(pipeline)["f"]
    parts = find_parts(store, node, span)
    whole = read_table(store, node, span).columns[DISTRIBUTION]
    assert max(table.columns[DISTRIBUTION].nbytes for table in parts.pieces()) <= 16 * 2**20 < whole.nbytes
    formats: tuple[Format, ...] = ("netcdf", "parquet")
    for each in formats:
        export(graph, node, span, Target(tmp_path / f"f.{each}", each), site.workbench())
    with xr.open_dataset(tmp_path / "f.netcdf", engine="h5netcdf") as dataset:
        np.testing.assert_array_equal(dataset[DISTRIBUTION], whole)
    np.testing.assert_array_equal(TableStore.read_file(tmp_path / "f.parquet").columns[DISTRIBUTION], whole)


def test_an_operation_sees_a_group_at_a_time(path: Path, tmp_path: Path) -> None:
    """Of a stored table no part is larger than what is written together, and all together are the table."""
    with CdfReader(workers=1) as reader:
        table = reader.read(path, DISTRIBUTION)
    store = TableStore(tmp_path)
    store.write("a", "2023-01-02", table, {})
    seen: list[int] = []

    def parts() -> Iterator[Table]:
        for part in store.parts("a", "2023-01-02"):
            seen.append(part.columns[DISTRIBUTION].nbytes)
            yield part

    operation = get_operation("slice")
    options = operation.read_options({"axis": "mx1_theta", "first": 2, "stop": 14})
    found = apply_by_parts(operation, parts(), {}, options, DAY, "s")
    assert max(seen) <= 16 * 2**20 < sum(seen) == table.columns[DISTRIBUTION].nbytes
    at_once = operation.apply({"distribution": table}, options, DAY, "s")
    assert data_version(found) == data_version(at_once)
    assert store.read("a", "2023-01-02").columns[DISTRIBUTION].tobytes() == table.columns[DISTRIBUTION].tobytes()
