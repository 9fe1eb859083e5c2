"""What HTTP adds, and what many conversations cost: `python -m benchmarks.serve`.

Catalog search by the function, by one client over loopback, and by eight at once; then a server's memory before and after a
thousand conversations of one planned turn each. The server is a process of its own; its CPU time is what the system says.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import httpx

from benchmarks.tables import print_table
from helio_dagster.catalog.searching import Facets
from helio_dagster.hosting.limits import Limits
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.serving import Listening, serve
from helio_dagster.storage.settings import Settings

WORDS = ("ACE magnetic field", "solar wind speed", "MMS electron density", "Van Allen proton flux", "Wind plasma beta")
REQUEST = "ACE magnetic field magnitude for 2003-10-29"
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=1000)
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument(
        "--turns", type=int, default=1000, help="How many of the conversations have a turn; the others only begin."
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="helio-bench-") as folder:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=_server, args=(Path(folder), theirs))
        process.start()
        url = str(ours.recv())
        pid = process.pid or 0
        try:
            _searches(_site(Path(folder)), url, pid, given.searches)
            _conversations(url, pid, given.conversations, given.turns)
        finally:
            process.terminate()
            process.join()


def _site(folder: Path) -> ServedHome:
    settings = Settings(folder / ".helio", folder / "pipelines")
    return ServedHome(settings, {**os.environ, **settings.to_environment()}, folder, "demo")


def _server(folder: Path, ready: Connection) -> None:
    with Listening.at("127.0.0.1", 0) as listening:
        unlimited = Limits(per_s=1e9, burst=10**9)
        serve(_site(folder), listening, is_offline=True, limits=unlimited, ready=ready.send)


def _searches(site: ServedHome, url: str, pid: int, number: int) -> None:
    looking = Looking(site)
    client = httpx.Client(base_url=f"{url}/api/v1", timeout=60)

    def by_function(place: int) -> None:
        looking.search(WORDS[place % len(WORDS)], Facets(), "cdaweb", 10)

    def over_http(place: int) -> None:
        client.get("/catalog/search", params={"words": WORDS[place % len(WORDS)]}).raise_for_status()

    def each(do: Callable[[int], None]) -> None:
        for place in range(number):
            do(place)

    with ThreadPoolExecutor(8) as pool:
        ways: dict[str, tuple[Callable[[], object], int]] = {
            "function": (lambda: each(by_function), os.getpid()),
            "HTTP, one client": (lambda: each(over_http), pid),
            "HTTP, eight at once": (lambda: list(pool.map(over_http, range(number))), pid),
        }
        rows, first = [], 0.0
        for name, (work, who) in ways.items():
            by_function(0)
            over_http(0)
            began, cpu = time.perf_counter(), _cpu_s(who)
            work()
            wall, spent = time.perf_counter() - began, _cpu_s(who) - cpu
            first = first or wall
            rows.append(
                [
                    name,
                    f"{number / wall:,.0f}",
                    f"{1e3 * wall / number:.2f}",
                    f"{1e3 * spent / number:.2f}",
                    f"{wall / first:.2f}",
                ]
            )
    print_table("Catalog search", ["way", "a second", "ms", "CPU ms of its process", "time to function's"], rows)


def _conversations(url: str, pid: int, number: int, turns: int) -> None:
    client = httpx.Client(base_url=f"{url}/api/v1", timeout=60)
    rows = [["at rest", *_memory(pid)]]
    turns, began = min(turns, number), time.perf_counter()
    for _ in range(turns):
        name = client.post("/conversations", json={"request": REQUEST}).raise_for_status().json()["id"]
        client.get(f"/conversations/{name}/events", params={"until_done": True}).raise_for_status()
    seconds = time.perf_counter() - began
    rows.append([f"after {turns:,} turns, each of a conversation of its own", *_memory(pid)])
    for _ in range(number - turns):
        name = client.post("/conversations", json={}).raise_for_status().json()["id"]
        client.get(f"/conversations/{name}").raise_for_status()
    rows.append([f"after {number:,} conversations", *_memory(pid)])
    client.get("/conversations", params={"count": 500}).raise_for_status()
    rows.append(["after listing 500 of them", *_memory(pid)])
    print_table("Memory", ["when", "server MB", "working processes MB"], rows)
    print(f"{turns:,} turns in {seconds:.0f} s, {seconds / max(1, turns):.2f} s each")


def _memory(pid: int) -> tuple[str, str]:
    children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    children += _children_of_threads(pid)
    found = sum(_rss_mb(each) for each in set(children) if "work.process" in _command(each))
    return f"{_rss_mb(pid):.0f}", f"{found:.0f}"


def _children_of_threads(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(each) for task in tasks for each in (task / "children").read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _rss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()
