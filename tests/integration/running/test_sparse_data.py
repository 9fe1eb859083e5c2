"""Results that found nothing because their data are too rare say so: in the report, in their table and in the checks."""

from __future__ import annotations

from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from tests.integration.running.conftest import Site

STEPS = """
version: 1
name: basic
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: sparse
    compute: {operation: jumps, inputs: {series: mag}, options: {window: PT0.001S, change: 1}}
  - id: dense
    compute: {operation: jumps, inputs: {series: mag}, options: {window: PT12H, change: 1000}}
"""
NEEDED = "there are nowhere 3 valid samples of the series within 0.001 s"


def test_a_run_says_what_was_too_sparse_however_it_is_cut(site: Site, span: TimeRange) -> None:
    """Once a step, with the number of partitions; also when nothing is left to do. Windows with enough samples say nothing."""
    site.save(STEPS)
    for _ in range(2):
        report = site.run(span)
        [warned] = report.warnings
        assert (warned.step, warned.partitions, warned.of) == ("sparse", len(report.partitions), len(report.partitions))
        assert warned.text.startswith(NEEDED)


def test_the_partition_and_the_checks_say_it_too(site: Site, span: TimeRange) -> None:
    """The list of no events does not pass for one of none."""
    site.save(STEPS)
    report = site.run(span)
    workbench = site.workbench()
    try:
        checks = {
            each.step: each for each in HomeSide(Home(site.settings), workbench).judge("basic", span) if each.check == "events"
        }
        stored = workbench.store.peek("basic/sparse", report.partitions[0])
    finally:
        workbench.close()
    assert stored is not None
    assert NEEDED in stored.meta.attributes[WARNINGS][0]
    assert not checks["sparse"].has_passed
    assert NEEDED in checks["sparse"].text
    assert checks["dense"].has_passed
    assert report.exit_code == 0
