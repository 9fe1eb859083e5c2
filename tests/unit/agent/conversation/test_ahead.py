"""What is ahead of a run, in words: nothing is called a download that is none."""

from __future__ import annotations

import pytest

from helio_dagster.agent.conversation.ahead import tell_ahead
from helio_dagster.domain.report import Estimate


def ahead(**facts: object) -> Estimate:
    """An estimate of ten partitions from four files."""
    plain = {"partitions": 10, "files": 4, "at_hand": 0, "download_bytes": 0, "disk_bytes": None, "free_bytes": 10**12}
    return Estimate.model_validate({**plain, **facts})


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"download_bytes": 3_100_000, "at_hand": 1}, "4 files, 1 already cached, download about 3.1 MB"),
        ({"download_bytes": None}, "4 files to download, of unknown size"),
        ({"at_hand": 4}, "nothing to download: all 4 files are already cached"),
        ({"files": 1, "at_hand": 1}, "nothing to download: the file is already cached"),
        ({"files": 0}, "; nothing to download;"),
        ({"synthetic": 4}, "nothing to download: the embedded archive generates its data"),
        ({"partitions": 1}, "1 partition to make"),
        ({"partitions": 0}, "nothing to do"),
        ({"problem": "it is away", "download_bytes": None}, "the size of the download is unknown: it is away"),
    ],
)
def test_what_is_told_is_true(facts: dict[str, object], told: str) -> None:
    """A size where there is one, and why there is none."""
    assert told in tell_ahead(ahead(**facts))


def test_the_steps_that_are_made_again_are_named() -> None:
    """With how many partitions of each; of many the first eight."""
    steps = {f"step_{number}": number for number in range(1, 11)}
    told = tell_ahead(ahead(steps=steps), is_listed=True)
    assert "step_1 1, step_2 2" in told
    assert "step_8 8 and 2 more steps; halos included, the rest is reused" in told
