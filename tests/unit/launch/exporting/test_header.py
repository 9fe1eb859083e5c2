"""What a file says of how its values were made."""

from __future__ import annotations

from typing import Any

import pytest

from helio_dagster.launch.exporting.header import find_cell_method


def _resampled(**options: str) -> dict[str, Any]:
    return {"operation": "resample", "options": {"cadence": "PT1H", **options}}


@pytest.mark.parametrize(
    ("provenances", "expected"),
    [
        ([_resampled(), _resampled(method="mean")], "mean"),
        ([_resampled(method="std")], "standard_deviation"),
        ([_resampled(method="count")], ""),
        ([_resampled(), _resampled(method="max")], ""),
        ([_resampled(), {"operation": "rolling_mean", "options": {}}], ""),
        ([{"body": "return mean"}], ""),
        ([], ""),
    ],
)
def test_only_what_all_partitions_are_is_said(provenances: list[dict[str, Any]], expected: str) -> None:
    """A mean is said where `resample` made all of them so; a step that was changed in between is no longer one."""
    assert find_cell_method(provenances) == expected
