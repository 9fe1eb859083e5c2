"""Fetching seven daily files to Parquet beside other clients: `python -m benchmarks.fetch [--python OTHER]`.

Files are made up, served from this process, and fetched by one fresh process per trial, contenders interleaved. Other clients
run under the interpreter that has them installed (`--python`, or `HELIO_BENCH_PYTHON`); those it lacks are left out, and named.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.fetch_clients import CLIENTS, NEEDED
from benchmarks.products import PRODUCTS, Product, days, write_days
from benchmarks.tables import middle, print_table, ratio, seconds
from benchmarks.trial import Answer, TrialFailed, run_trial
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex

OWN = "helio_dagster"
_FETCHED = ("BENCH_MAG_1SEC", "BENCH_SPECTRA", "BENCH_MAG_16HZ")
_DAYS, _WARM = 7, 2


def main() -> None:
    """Measure and print one table per product."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=os.environ.get("HELIO_BENCH_PYTHON", sys.executable), help="has the other clients")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--products", nargs="+", choices=_FETCHED, default=_FETCHED)
    parser.add_argument("--clients", nargs="*", choices=list(CLIENTS), default=list(CLIENTS))
    given = parser.parse_args()
    clients = [name for name in given.clients if _has(given.python, NEEDED.get(name, name))]
    if missing := sorted(set(given.clients) - set(clients)):
        print(f"Left out, not installed for {given.python}: {', '.join(missing)}")
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        for product in (PRODUCTS[name] for name in given.products):
            write_days(product, Path(folder), days(_DAYS + _WARM))
        with CdasServer(FileIndex(Path(folder))) as server:
            for product in (PRODUCTS[name] for name in given.products):
                _measure(product, server, clients, given.python, given.repetitions)


def _measure(product: Product, server: CdasServer, clients: list[str], python: str, repetitions: int) -> None:
    every = days(_DAYS + _WARM)
    job = {
        "service": server.url,
        "files": f"http://{server.address}/sp_phys/data/",
        "dataset": product.id,
        "parameter": product.parameter,
        "warm": [day.isoformat() for day in every[_DAYS:]],
        "days": [day.isoformat() for day in every[:_DAYS]],
    }
    answers: dict[str, list[Answer]] = {}
    failed: dict[str, str] = {}
    for _ in range(repetitions):
        for name in (OWN, *(client for client in clients if client not in failed)):
            try:
                answer = (
                    run_trial(sys.executable, "benchmarks.fetch_own", [json.dumps(job)])
                    if name == OWN
                    else run_trial(python, "fetch_clients", [name, json.dumps(job)])
                )
            except TrialFailed as error:
                failed[name] = str(error).splitlines()[-1]
            else:
                answers.setdefault(name, []).append(answer)
    _print(product, answers, failed)


def _print(product: Product, answers: dict[str, list[Answer]], failed: dict[str, str]) -> None:
    own = answers[OWN]
    rows = []
    for name, found in answers.items():
        in_memory = middle(found, "memory_wall_s") if "memory_wall_s" in found[0] else math.nan
        rows.append(
            [
                name,
                seconds(middle(found, "all_wall_s")),
                ratio(middle(found, "all_wall_s"), middle(own, "all_wall_s")),
                seconds(middle(found, "all_cpu_s")),
                ratio(middle(found, "all_cpu_s"), middle(own, "all_cpu_s")),
                "–" if math.isnan(in_memory) else ratio(in_memory, middle(own, "all_wall_s")),
                seconds(middle(found, "first_wall_s")),
                f"{middle(found, 'peak_mib'):.0f}",
                _agreement(found[0], own[0]),
            ]
        )
    header = [
        "client",
        "wall s",
        "ratio",
        "CPU s",
        "ratio",
        "DataFrame only, ratio",
        "first fetch s",
        "peak MiB",
        "same values",
    ]
    print_table(f"{product.title}: {_DAYS} daily files to Parquet, median of {len(own)}", header, rows)
    for name, reason in failed.items():
        print(f"\n{name} failed: {reason}")


def _agreement(found: Answer, own: Answer) -> str:
    """Whether a client found what we found."""
    differing = [key for key in ("records", "valid") if found[key] != own[key]]
    if not math.isclose(float(found["sum"]), float(own["sum"]), rel_tol=1e-9):
        differing.append("sum")
    return ", ".join(f"{key} {found[key]}" for key in differing) + " (differ)" if differing else "yes"


def _has(python: str, module: str) -> bool:
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", probe], check=False, capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
