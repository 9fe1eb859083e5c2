"""Memory of processes that are up all day: `python -m benchmarks.server_memory`.

The page with Dagster's daemon, and a worker, over a record in PostgreSQL, as `helio ui` and `helio worker` start them. They do
one run after the other, each of one day more, and the page is asked for its list and Dagster's for its runs in between. What
each process holds after so many runs is compared with what it held after the first ones.
"""

from __future__ import annotations

import argparse
import socket
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from benchmarks.backfill import ROLES
from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.shared_record import new_database
from benchmarks.tables import print_table, ratio
from benchmarks.trial import TrialFailed
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.ui import web_ui
from helio_dagster.storage.settings import Settings
from tests.brokers import BROKER, started_workers

RUNS = "{ runsOrError(limit: 50) { __typename ... on Runs { results { runId status tags { key value } } } } }"
ALL_ROLES = {"dispatching.worker": "worker", "helio_dagster\0worker": "worker", **ROLES}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--every", type=int, default=25, help="runs between two looks")
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="who may create databases")
    given = parser.parse_args()
    looks = dict[int, Mapping[str, float]]()
    with TemporaryDirectory(prefix="helio-bench-") as folder, ExitStack() as stack:
        write_days(PRODUCT, Path(folder, "files"), needed_days(given.runs))
        archive = stack.enter_context(CdasServer(FileIndex(Path(folder, "files"))))
        record = stack.enter_context(new_database(given.postgres))
        settings = _home(Path(folder, "home"), archive.url, record)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        ui = stack.enter_context(web_ui(settings, port=port))
        stack.enter_context(started_workers(settings, 1, settings.home / "workers.log"))
        first = span_of(given.runs).start
        for number in range(given.runs):
            _run(settings, format_time(first + timedelta(days=number)))
            for query in ("/", "/pipelines", f"{DAGSTER}/"):
                httpx.get(f"{ui.url}{query}", timeout=60)
            httpx.post(f"{ui.url}{DAGSTER}/graphql", json={"query": RUNS}, timeout=60).raise_for_status()
            if number + 1 in (5, given.runs) or (number + 1) % given.every == 0:
                looks[number + 1] = _resident(settings.home)
    first_look, last_look = looks[min(looks)], looks[max(looks)]
    rows = [
        [role, *(f"{look.get(role, 0):.0f}" for look in looks.values()), ratio(last_look[role], first_look[role])]
        for role in sorted(set(first_look) & set(last_look))
    ]
    print_table("Resident MiB after so many runs", ["process", *map(str, looks), "last / first"], rows)


def _home(home: Path, url: str, record: str) -> Settings:
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return Settings(home, home / "pipelines", url, postgres=record, dispatch=Dispatch(BROKER, at_once=1))


def _run(settings: Settings, day: str) -> None:
    _, report = run_command(["helio_dagster", "run", "bench", day, "--yes", "--json"], settings.to_environment())
    if report["status"] != "success":
        raise TrialFailed(str(report["failures"]))


def _resident(home: Path) -> Mapping[str, float]:
    """Role to the resident MiB of its processes, added up."""
    found = defaultdict[str, float](float)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HELIO_HOME={home}\0".encode() not in (folder / "environ").read_bytes():
                continue
            command, status = (folder / "cmdline").read_text(), (folder / "status").read_text()
        except OSError:
            continue  # gone meanwhile
        role = next((name for part, name in ALL_ROLES.items() if part in command), "other")
        resident = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), "0")
        found[role] += int(resident) / 1024
    return found


if __name__ == "__main__":
    main()
