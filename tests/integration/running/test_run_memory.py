"""What a run of many events keeps in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.integration.running.conftest import MakeSite
from tests.integration.running.test_events import STORMS

COUNT = """
import gc, sys
from helio_dagster.assets import materialize
from helio_dagster.cli import main

counted = materialize.Materializer.materialize

def materialize_and_count(self, name, keys, **given):
    found = counted(self, name, keys, **given)
    gc.unfreeze()
    gc.collect()
    kinds = [type(each).__name__ for each in gc.get_objects()]
    names = ("AssetMaterializationPlannedData", "Form", "Quality")
    print("alive", *[kinds.count(kind) for kind in names], file=sys.stderr)
    return found

materialize.Materializer.materialize = materialize_and_count
main()
"""


def test_a_run_keeps_no_planned_event_and_one_description_of_what_is_alike(make_site: MakeSite, package_root: Path) -> None:
    """Neither grows with the number of events: sixty of three steps have 180 planned events and as many qualities."""
    site = make_site("many", STORMS.split("  - id: stack")[0])
    rows = [f"2023-01-{2 + place // 20:02}T{place % 20:02}:30Z,,e{place}" for place in range(60)]
    lists = site.settings.pipelines / "lists"
    lists.mkdir(exist_ok=True)
    (lists / "storms.csv").write_text("\n".join(["start,stop,name", *rows]))
    environment = {
        **os.environ,
        "HELIO_HOME": str(site.settings.home),
        "HELIO_PIPELINES": str(site.settings.pipelines),
        "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
    }
    found = subprocess.run(
        [sys.executable, "-c", COUNT, "run", "storms", "--all", "--yes"],
        cwd=package_root, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    counts = [line.split()[1:] for line in found.stderr.splitlines() if line.startswith("alive")]
    planned, forms, qualities = (max(map(int, each)) for each in zip(*counts, strict=True))
    assert planned == 0
    assert 0 < forms < 12
    assert 0 < qualities < 20
