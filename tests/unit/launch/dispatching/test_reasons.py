"""Why a run failed on its worker, as the command that waits for it says."""

from __future__ import annotations

import dagster as dg
import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.launch.dispatching.dispatch import reason_of


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StorageError("the bucket lab refuses", hint="Allow it."), "the bucket lab refuses\n  Allow it."),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (dg.Failure("1 of 2 partitions not made"), "1 of 2 partitions not made"),
    ],
)
def test_an_error_of_ours_is_its_message_alone(error: Exception, words: str) -> None:
    """What a person can mend is said without the name of a class; a bug keeps it."""

    @dg.op
    def fails() -> None:
        raise error

    @dg.job
    def work() -> None:
        fails()

    with dg.DagsterInstance.ephemeral() as instance:
        done = work.execute_in_process(instance=instance, raise_on_error=False)
        assert reason_of(instance, done.run_id) == words
