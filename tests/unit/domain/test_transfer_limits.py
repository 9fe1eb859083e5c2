"""How patient downloads are, as the environment sets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.transfer_limits import TransferLimits
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings


def test_a_home_downloads_within_the_limits_of_its_environment(tmp_path: Path) -> None:
    """Both limits reach the transfers; what is not set keeps its default."""
    given = {"HELIO_HOME": str(tmp_path), "HELIO_TRANSFER_DEADLINE_S": "60", "HELIO_TRANSFER_LEAST_BYTES_PER_S": "1000"}
    with Workbench(Settings.from_environment(given, tmp_path)) as workbench:
        assert (workbench.transfers.total_s, workbench.transfers.all_tries_s) == (60, 80)
        assert workbench.transfers.slowest_bytes_per_s == 1000
    assert TransferLimits.from_environment({}) == TransferLimits()


@pytest.mark.parametrize("value", ["0", "-1", "nan", "soon", "1e9"])
def test_a_value_that_is_no_limit_is_refused_by_name(value: str) -> None:
    """The message names the variable."""
    with pytest.raises(InputError, match="HELIO_TRANSFER_DEADLINE_S"):
        TransferLimits.from_environment({"HELIO_TRANSFER_DEADLINE_S": value})
