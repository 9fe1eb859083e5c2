"""A long backfill through Dagster beside the same range from the command line: `python -m benchmarks.backfill`.

The web UI's processes run as `helio ui` starts them; the backfill of all three steps is launched and followed by the GraphQL
questions of its page. Memory is the resident peak of each process, looked at twice a second.
"""

from __future__ import annotations

import argparse
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import TrialFailed
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.ui import web_ui
from helio_dagster.storage.settings import Settings

ASSETS = ("cdaweb/BENCH_MAG_16SEC/B_GSE", "bench/b_mag", "bench/b_mean")
LAUNCH = """
mutation Backfill($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""
DONE = "query Done($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"
ROLES = {
    "archives.cdf.worker": "decoder",
    "multiprocessing.spawn": "run",
    "serve.webserver": "webserver",  # first: it is told the code server's port
    "code-server": "code server",
    "api": "code server",
    "dagster._daemon": "daemon",
}
"""What a process is known by, to what it does; the code server starts each run as a process of its own."""


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", nargs="+", type=int, default=[365, 3650])
    parser.add_argument("--patience-s", type=float, default=3600)
    given = parser.parse_args()
    rows = []
    for partitions in given.partitions:
        with TemporaryDirectory(prefix="helio-bench-") as folder:
            write_days(PRODUCT, Path(folder, "files"), needed_days(partitions))
            with CdasServer(FileIndex(Path(folder, "files"))) as server:
                command_s, command_mib = _from_the_command_line(_home(folder, "command", server.url), partitions)
                backfill_s, peaks = _from_the_page(_home(folder, "page", server.url), partitions, given.patience_s)
        shown = ", ".join(f"{role} {peak:.0f}" for role, peak in sorted(peaks.items()))
        rows.append(
            [
                str(partitions),
                seconds(command_s),
                f"{command_mib:.0f}",
                seconds(backfill_s),
                ratio(backfill_s, command_s),
                shown,
            ]
        )
    header = ["partitions", "`helio run` s", "peak MiB", "backfill s", "ratio", "peak MiB of each process"]
    print_table("Daily partitions of three steps, downloads included", header, rows)


def _home(folder: str, name: str, url: str) -> Settings:
    home = Path(folder, name)
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return Settings(home, home / "pipelines", url)


def _from_the_command_line(settings: Settings, partitions: int) -> tuple[float, float]:
    """Seconds and peak MiB of `helio run`."""
    environment = {
        "HELIO_HOME": str(settings.home),
        "HELIO_PIPELINES": str(settings.pipelines),
        "HELIO_CDAWEB_URL": settings.cdaweb_url,
    }
    span = span_of(partitions)
    asked = ["run", "bench", format_time(span.start), format_time(span.stop), "--yes", "--json"]
    answer, _ = run_command(["helio_dagster", *asked], environment)
    return float(answer["wall_s"]), float(answer["peak_mib"])


def _from_the_page(settings: Settings, partitions: int, patience_s: float) -> tuple[float, dict[str, float]]:
    """Seconds from launching the backfill to its end, and peak MiB by the role of a process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with web_ui(settings, port=port) as ui:
        params = {
            "assetSelection": [{"path": asset.split("/")} for asset in ASSETS],
            "partitionNames": Grain.DAILY.keys(span_of(partitions)),
        }
        began = time.monotonic()
        launched = _ask(ui.url, LAUNCH, {"params": params})
        if "backfillId" not in launched:
            raise TrialFailed(str(launched))
        peaks: dict[str, float] = {}
        status = "REQUESTED"
        while not status.startswith(("COMPLETED", "CANCELED", "FAILED")):
            time.sleep(0.5)
            for role, peak in _peaks(settings.home):
                peaks[role] = max(peak, peaks.get(role, 0.0))
            status = str(_ask(ui.url, DONE, {"id": launched["backfillId"]})["status"])
            if time.monotonic() - began > patience_s:
                raise TrialFailed(f"the backfill was not done after {patience_s:.0f} s: {status}")
        if status != "COMPLETED_SUCCESS":
            raise TrialFailed(f"the backfill ended as {status}")
        return time.monotonic() - began, peaks


def _ask(url: str, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    answer = httpx.post(f"{url}{DAGSTER}/graphql", json={"query": query, "variables": variables}, timeout=120).json()
    if "errors" in answer:
        raise TrialFailed(str(answer["errors"]))
    (found,) = answer["data"].values()
    return dict(found)


def _peaks(home: Path) -> Iterator[tuple[str, float]]:
    """Role and peak MiB of every process of a home, decoders of files included."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HELIO_HOME={home}\0".encode() not in (folder / "environ").read_bytes():
                continue
            command = (folder / "cmdline").read_text().split("\0")
            status = (folder / "status").read_text()
        except OSError:
            continue  # gone meanwhile
        role = next((name for part, name in ROLES.items() if any(part in word for word in command)), "other")
        peak = next((line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")), "0")
        yield role, int(peak) / 1024


if __name__ == "__main__":
    main()
