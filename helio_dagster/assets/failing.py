"""Fail a step of a run, and say whether Dagster may try the run again: not where it would only fail again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import dagster as dg

from helio_dagster.domain.errors import ArchiveUnavailable, HelioError, MachineShort, StorageError
from helio_dagster.resources.record_tags import RETRY_TAG

_PASSING = (ArchiveUnavailable, MachineShort, StorageError)
"""What may pass: an archive or a store that does not answer, a machine that is short of memory."""


def failure(
    context: dg.AssetExecutionContext, text: str, errors: Iterable[HelioError | None], *, partitions: Sequence[str | None] = ()
) -> dg.Failure:
    """The failure of a step, to be raised.

    A project may let Dagster run failed runs again (`run_retries`). The run is marked so that it does not, unless one of the
    errors may pass: code that raised, or data that are wrong, would be tried again for nothing.

    Parameters
    ----------
    context
        Of the step.
    text
        Why, for a person.
    errors
        What went wrong.
    partitions
        Those that are missing.
    """
    if not any(isinstance(error, _PASSING) for error in errors):
        context.instance.add_run_tags(context.run.run_id, {RETRY_TAG: "false"})
    metadata = {"partitions": ", ".join(str(key) for key in partitions)} if partitions else None
    return dg.Failure(text, metadata=metadata, allow_retries=False)
