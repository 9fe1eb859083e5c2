"""What deploy/compose.yaml starts works together: its commands and health checks, run here without containers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.storage.access_token import open_token
from helio_dagster.storage.settings import Settings
from tests.brokers import BROKER, clear, require_broker
from tests.object_store import ObjectService, contents
from tests.ports import free_port
from tests.postgres import ask
from tests.prepared import prepared
from tests.scenario.composed import OWN_IMAGE, Services, environment_of_image, read_compose, read_environment
from tests.scenario.processes import surroundings

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.xdist_group("daemon"),
]  # by day two workers, in `test_workers`, and the files, in tests/unit/docs

STORM = """
version: 1
name: storm
title: A storm
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: b}, options: {window: PT30H}}
  - id: high
    over: range
    compute: {operation: facts_of, inputs: {series: mean}}
  - id: overview
    figure: {panels: [{traces: [{data: b}, {data: mean}]}]}
"""
"""A fetch, a mean that needs both neighbours, a result of the whole range, and a figure."""
RANGE = ("2003-10-28", "2003-11-01")
OWN = {name: service for name, service in read_compose()["services"].items() if service["image"] == OWN_IMAGE}


def with_storm(root: Path) -> Path:
    """A folder of a home with the pipeline."""
    (root / "pipelines").mkdir(parents=True)
    (root / "pipelines" / "storm.yaml").write_text(STORM)
    return root


@pytest.fixture
def environment(tmp_path: Path, postgres: str, objects: ObjectService) -> dict[str, str]:
    """That of the services: what the image and example.env say, with the servers of this machine in place of the services."""
    require_broker()
    bucket = objects.new_bucket()
    here = {"HELIO_RECORD_POSTGRES": postgres, "HELIO_RUNS_BROKER": BROKER, "HELIO_TABLES": bucket, **objects.environment()}
    said = read_environment()
    assert here.keys() <= said.keys(), "example.env names every server"
    assert urlsplit(said["HELIO_TABLES"]).netloc == "helio", "the bucket that the volume of the store makes"
    left = {"PGPASSWORD": os.environ.get("PGPASSWORD", ""), "HELIO_BROKER_PASSWORD": ""}
    own = {**environment_of_image(with_storm(tmp_path / "shared")), **said, **here, **left, "HELIO_RUNS_PARTITIONS": "2"}
    return surroundings(tmp_path, own)


@pytest.fixture
def services(tmp_path: Path, environment: dict[str, str]) -> Iterator[Services]:
    """The services, each healthy by its own check, in the order in which the file has them."""
    port = str(free_port())
    replaced = {"0.0.0.0": ["127.0.0.1", "--token", "--port", port], "127.0.0.1:3000": [f"127.0.0.1:{port}"]}  # noqa: S104
    found = Services({**environment, "PORT": port}, tmp_path, replaced, prepared().python)
    settings = Settings.from_environment(environment, tmp_path)
    try:
        for name, service in OWN.items():
            assert not found.is_healthy(service), f"the check of {name} says that it is healthy before it was started"
            found.start(name, service)
        for name, service in OWN.items():
            found.wait_until_healthy(name, service)
        yield found
    finally:
        found.kill()
        clear(BROKER, queue_of(settings))


def test_what_compose_starts_makes_the_bytes_of_a_laptop(
    services: Services, environment: dict[str, str], tmp_path: Path, postgres: str
) -> None:
    """A run that is asked of the page is done by the workers and stored in the object store; all end in order."""
    laptop = with_storm(tmp_path / "laptop")
    own = surroundings(tmp_path, {"HELIO_HOME": str(laptop / "home"), "HELIO_PIPELINES": str(laptop / "pipelines")})
    expected = prepared().run(("run", "storm", *RANGE, "--json"), cwd=tmp_path, env=own)
    assert expected.returncode == 0, expected.stderr
    settings = Settings.from_environment(environment, tmp_path)
    token = open_token(settings.home, datetime.now(UTC), "serve").value
    url = f"http://127.0.0.1:{services.environment['PORT']}"
    asking = surroundings(tmp_path, {"HELIO_TOKEN": token})
    done = prepared().run(("run", "storm", *RANGE, "--on", url, "--json"), cwd=tmp_path, env=asking)
    assert done.returncode == 0, (done.stderr, services.said("web"))
    ours, theirs = json.loads(done.stdout), json.loads(expected.stdout)
    assert ours["steps"] == theirs["steps"]
    stored = {key.removeprefix("data/"): content for key, content in contents(settings.tables or "").items()}
    tables = {f"{key.partition('@')[0]}.parquet": content for key, content in stored.items() if key.endswith(".parquet")}
    assert tables == files(laptop / "home" / "data", "*.parquet") != {}
    assert files(settings.figures, "*.html") == files(laptop / "home" / "figures", "*.html") != {}
    assert not settings.data.exists()
    given = ask(postgres, "SELECT count(DISTINCT run_id) FROM run_tags WHERE key = 'dagster-celery/task_id'")
    assert given == [(3,)], "two pieces, and what is made of the whole range"
    assert services.stop() == {name: {0} for name in OWN}, [services.said(name) for name in OWN]


def files(folder: Path, pattern: str) -> dict[str, bytes]:
    """Path to content."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob(pattern)}
