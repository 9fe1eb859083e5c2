"""Tables in an object store where several processes use them, and where one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.web.ui import web_ui
from tests.brokers import BROKER, require_broker, started_workers
from tests.integration.running.conftest import MakeSite, MakeSpan, Mission
from tests.integration.running.test_object_store import STORY, tables
from tests.object_store import ObjectService, contents
from tests.ports import free_port

pytestmark = pytest.mark.nightly
DAYS = [f"2023-01-{day:02d}" for day in range(1, 9)]


def test_four_workers(
    objects: ObjectService, make_site: MakeSite, make_span: MakeSpan, mission: Mission, postgres: str, tmp_path: Path
) -> None:
    """Four workers and a record in PostgreSQL make the bytes of a folder, each partition with one request."""
    require_broker()
    for day in DAYS:
        mission.publish(day)
    folder, lab = make_site("folder", STORY), make_site("lab", STORY)
    span = make_span("2023-01-02", 6)
    folder.run(span, name="story")
    dispatch = Dispatch(BROKER, partitions=2, at_once=4)
    lab.settings = replace(lab.settings, tables=objects.new_bucket(), postgres=postgres, dispatch=dispatch)
    with ExitStack() as stack:
        stack.enter_context(web_ui(lab.settings, port=free_port()))
        stack.enter_context(started_workers(lab.settings, 4, tmp_path / "workers.log"))
        objects.gate.requests.clear()
        report = lab.run(span, name="story")
    assert report.status == "success", report
    assert tables(lab) == folder.files() != {}
    written = [path for method, path in objects.gate.requests if method == "PUT" and ".parquet" in path]
    assert sorted(written) == sorted(set(written))
    assert not lab.settings.data.exists()


def test_a_process_that_is_killed(objects: ObjectService, make_site: MakeSite, span: TimeRange) -> None:
    """SIGKILL while a table is sent: the same command makes the rest, to the bytes of a folder, and leaves nothing else."""
    folder, site = make_site("folder", STORY), make_site("remote", STORY)
    folder.run(span, name="story")
    site.settings = replace(site.settings, tables=objects.new_bucket())
    started: list[subprocess.Popen[bytes]] = []

    def kill(method: str, path: str) -> tuple[int, str] | None:
        if method == "PUT" and "story/mag/2023-01-03" in path and started[0].poll() is None:
            started[0].send_signal(signal.SIGKILL)
            started[0].wait()
            return 503, "SlowDown"
        return None

    objects.gate.answers = kill
    command = [sys.executable, "-m", "helio_dagster", "run", "story", "2023-01-02", "2023-01-05"]
    started.append(subprocess.Popen(command, env={**os.environ, **site.settings.to_environment()}, stderr=subprocess.DEVNULL))
    assert started[0].wait() == -signal.SIGKILL
    kept = tables(site)
    assert "story/mag/2023-01-02.parquet" in kept
    assert "story/mag/2023-01-03.parquet" not in kept
    assert site.run(span, name="story").status == "success"
    assert tables(site) == folder.files()
    assert len(contents(site.settings.tables or "")) == len(folder.files())
    assert not any("upload" in path for _, path in objects.gate.requests), (
        "a table is never sent in parts, half of which could stay"
    )
