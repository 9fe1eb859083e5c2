"""Every kind of step runs in either order of names, and a pipeline may consist of a table alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster.domain.time_range import TimeRange

EVERY_KIND = """
version: 1
name: {name}
start: 2023-01-01
steps:
  - id: b
    fetch: {{archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}}
  - id: storms
    table: {{csv: "onset,name\\n2023-01-03T06:11Z,Test", source: "Someone 2023"}}
  - id: mag
    compute: {{operation: magnitude, inputs: {{vector: b}}}}
  - id: half
    compute:
      inputs: {{b: mag}}
      unit: nT
      code: return b / 2
  - id: overview
    figure:
      panels: [{{traces: [{{data: mag}}, {{data: half}}]}}]
      events: storms
"""
TABLE_ALONE = """
version: 1
name: storms
steps:
  - id: list
    table: {csv: "onset,name\\n2003-10-29T06:11Z,Halloween\\n2004-11-07T18:00Z,November", source: "Gopalswamy 2005"}
"""


@pytest.mark.parametrize("name", ["aaa", "zzz"])
def test_every_kind_of_step_runs_whatever_its_pipeline_is_called(make_site: Callable, span: TimeRange, name: str) -> None:
    """Dagster settles what nothing waits for by name: tables before the archive `cdaweb` and after it."""
    site = make_site("home", EVERY_KIND.format(name=name))
    report = site.run(span, name=name)
    assert report.status == "success", report.failures
    assert {step: found.computed for step, found in report.steps.items()} == {
        "b": 3,
        "storms": 1,
        "mag": 3,
        "half": 3,
        "overview": 3,
    }


def test_a_pipeline_of_a_table_alone_runs_and_is_read(make_site: Callable, shell: Callable, tmp_path: Path) -> None:
    """Run, status, show and export, none of which needs a range: the table has no partitions."""
    site, file = make_site("home", TABLE_ALONE), tmp_path / "storms.csv"
    for arguments in (
        ["check"],
        ["run", "storms"],
        ["run", "storms", "2023-01-02"],
        ["status", "storms"],
        ["status", "storms", "2023-01-02"],
        ["show", "storms/list"],
        ["export", "storms/list", "-o", str(file), "--plain"],
        ["verify", "storms", "2023-01-02"],
        ["cite", "storms"],
    ):
        done = shell(site, *arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{arguments}: {done.stderr}"
    assert [line.split(",")[0] for line in file.read_text().splitlines()] == [
        "time",
        "2003-10-29T06:11:00Z",
        "2004-11-07T18:00:00Z",
    ]
