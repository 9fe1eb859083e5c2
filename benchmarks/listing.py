"""What a long listing of an archive costs: reading its JSON and choosing the files of each day, in time and memory.

`python -m benchmarks.listing [--package FOLDER]`: the second measures the package in another folder, such as an older checkout,
beside this one in the same run. Each trial is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.tables import print_table, ratio, seconds

COUNTS = (10_000, 50_000, 100_000, 300_000)
_TIME_LIMIT_S = 600


def main() -> None:
    """Print a table; a ratio is of the first package over the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--package", type=Path, help="folder that holds another helio_dagster")
    parser.add_argument("--trial", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.trial:
        print(json.dumps(_trial(given.trial)))
        return
    rows = []
    for count in COUNTS:
        ours = _measured(count, Path.cwd())
        other = _measured(count, given.package) if given.package else None
        row = [f"{count:,}", ours["became"], seconds(ours["s"]), f"{ours['mib']:.0f}"]
        if other is not None:
            row += [other["became"], seconds(other["s"]), f"{other['mib']:.0f}"]
            row += [ratio(ours["s"], other["s"]), ratio(ours["mib"], other["mib"])]
        rows.append(row)
    header = ["files listed", "became", "s", "peak MiB"]
    header += ["other became", "s", "peak MiB", "ratio s", "ratio MiB"] if given.package else []
    print_table("One listing of a year, its files chosen for 365 days", header, rows)


def _measured(count: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, str(Path(__file__).resolve()), "--trial", str(count)]
    path = f"{folder.resolve()}:{Path(__file__).resolve().parents[1]}"
    try:
        done = subprocess.run(
            command, env={"PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=_TIME_LIMIT_S
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        return {"became": type(error).__name__, "s": float("nan"), "mib": float("nan")}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _trial(count: int) -> dict[str, object]:
    import http.server
    import threading

    from helio_dagster.archives.cdas.client import CdasClient
    from helio_dagster.archives.window_listing import list_windows
    from helio_dagster.domain.time_range import TimeRange

    first = datetime(2023, 1, 1, tzinfo=UTC)
    body = _listing(count)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = CdasClient(f"http://127.0.0.1:{server.server_address[1]}/")
    days = [TimeRange(first + timedelta(days=n), first + timedelta(days=n + 1)) for n in range(365)]
    before = time.perf_counter()
    found = list(list_windows(lambda span: client.files("D", span.start, span.stop), days))
    taken_s = time.perf_counter() - before
    became = "refused" if found[0].error else f"{sum(len(each.files) for each in found)} files"
    return {"became": became, "s": taken_s, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _listing(count: int) -> bytes:
    """Bursts of equal length over a year; one in a hundred lasts until its end, as an archive that is wrong may list them."""
    first, step = datetime(2023, 1, 1, tzinfo=UTC), timedelta(days=365) / count
    entries = []
    for number in range(count):
        start = first + number * step
        stop = first + timedelta(days=365) if number % 100 == 0 else start + step
        entries.append(
            {
                "Name": f"http://h/d_{number:07d}_v1.cdf",
                "StartTime": f"{start:%Y-%m-%dT%H:%M:%S}.000Z",
                "EndTime": f"{stop:%Y-%m-%dT%H:%M:%S}.000Z",
                "Length": 100,
                "LastModified": "2023-02-01T00:00:00.000Z",
            }
        )
    return json.dumps({"FileDescription": entries}).encode()


if __name__ == "__main__":
    main()
