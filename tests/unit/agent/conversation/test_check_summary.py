"""The checks of a run in a line."""

from __future__ import annotations

from helio_dagster.agent.conversation.check_summary import causes, sum_up
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline_text import parse_pipeline

PIPELINE = parse_pipeline(
    """version: 1
name: both
partitions: daily
steps:
  - id: b_gse
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b_gse}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: both/b_mag}, options: {window: PT10M}}
  - id: overview
    figure:
      panels:
        - traces: [{data: mean}]
""",
    file="both.yaml",
).pipeline


def covered(step: str, share: float, *, has_passed: bool = True, **facts: float | int | str) -> CheckResult:
    """A check of coverage."""
    return CheckResult(step, "coverage", has_passed, f"{step}: told", {"coverage": share, **facts})


def between(step: str, low: float, high: float, fill: float = 0.0) -> CheckResult:
    """A check of values."""
    return CheckResult(step, "values", True, f"{step}: told", {"min": low, "max": high, "unit": "nT", "fill_share": fill})


def test_all_good_is_one_line() -> None:
    """The least coverage with its gap, and the values of what is drawn alone."""
    results = [
        covered("b_gse", 0.977, gaps=4, longest_gap_s=4680.0, longest_gap_start="2003-10-31T18:00:00Z"),
        covered("b_mag", 1.0),
        between("b_mag", 2.128, 45.33),
        between("mean", 2.2, 44.1),
    ]
    assert sum_up(PIPELINE, results) == (
        "all 4 checks passed: at least 97.7 % of the time has data (the longest gap is 78 min from 2003-10-31 18:00, b_gse); "
        "mean from 2.2 to 44.1 nT"
    )


def test_a_gap_is_never_rounded_away() -> None:
    """All but a second of a year is not all."""
    told = sum_up(PIPELINE, [covered("b_gse", 1.0, gaps=1, longest_gap_s=60.0, longest_gap_start="2003-10-31T18:00:00Z")])
    assert "99.9 % of the time has data (the only gap is 60 s" in told


def test_without_a_gap_that_is_told() -> None:
    """And a value that never changes is called so."""
    told = sum_up(PIPELINE, [covered("b_gse", 1.0), between("mean", 5.0, 5.0)])
    assert told == "all 2 checks passed: no gaps in the data; mean is 5 nT throughout"


def test_what_failed_is_counted_and_fill_is_told() -> None:
    """The line does not say that all is well."""
    told = sum_up(PIPELINE, [covered("b_gse", 0.5, has_passed=False), between("mean", 1, 2, fill=0.31)])
    assert told == "1 of 2 checks passed: mean from 1 to 2 nT; 31 % of the values of mean are fill"


def test_what_failed_is_not_counted_as_covered() -> None:
    """Beside a step with days that failed, it says which steps have no gap; nothing is said of all."""
    failing = covered("b_gse", 0.957, has_passed=False)
    assert sum_up(PIPELINE, [failing, covered("b_mag", 1.0)]) == "1 of 2 checks passed: no gaps in the data of b_mag"
    holed = covered("b_mag", 0.977, gaps=1, longest_gap_s=4680.0, longest_gap_start="2003-10-31T18:00:00Z")
    told = sum_up(PIPELINE, [failing, holed])
    assert "97.7 % of the time has data in b_mag (the only gap" in told


def test_what_a_missing_input_leaves_out_is_no_finding_of_its_own() -> None:
    """The first step in the chain is the cause; one whose inputs are there is its own."""
    failing = [covered(step, 0.5, has_passed=False) for step in ("b_gse", "b_mag", "mean")]
    assert causes(PIPELINE, failing) == {"b_mag": "b_gse", "mean": "b_gse"}
    assert causes(PIPELINE, failing[1:2]) == {}
