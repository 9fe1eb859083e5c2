"""What `helio verify` concludes in words."""

from __future__ import annotations

import pytest

from helio_dagster.cli.verify import conclusion
from helio_dagster.domain.verify_report import PartitionVerdict, StepVerdict, VerifyReport

SAME = PartitionVerdict(key="2023-01-02", verdict="same")
OTHER_FILE = PartitionVerdict(key="2023-01-03", verdict="differs", same_values=True)
OTHER_VALUES = PartitionVerdict(key="2023-01-04", verdict="differs", same_values=False)
NOT_REDONE = PartitionVerdict(key="2023-01-05", verdict="not_redone")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([SAME], "reproduced byte for byte"),
        ([SAME, OTHER_FILE], "All values were reproduced; 1 file differs"),
        ([OTHER_FILE, OTHER_FILE], "All values were reproduced; 2 files differ"),
        ([OTHER_FILE, OTHER_VALUES], "Some results differ"),
        ([OTHER_FILE, NOT_REDONE], "Some results differ"),
    ],
)
def test_other_files_with_the_same_values_are_not_other_results(found: list[PartitionVerdict], words: str) -> None:
    """As after an upgrade, which tables name in their provenance."""
    status = "same" if all(each.verdict == "same" for each in found) else "differs"
    steps = [StepVerdict(asset="p/s", step="s", partitions=found)]
    report = VerifyReport.model_validate({"pipeline": "p", "start": "2023", "stop": "2024", "status": status, "steps": steps})
    assert words in conclusion(report)
