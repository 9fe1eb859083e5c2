"""What evaluated kernels answer with: the times of samples, their table, and what kernels do not cover. In the worker only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.spice.kernel_set import Intervals
from helio_dagster.archives.spice.kernel_times import utc_of_et
from helio_dagster.archives.spice.messages import ErrorReply, Evaluate
from helio_dagster.domain.table import Table

Floats = NDArray[np.float64]


def grid(asked: Evaluate) -> NDArray[np.int64]:
    """The multiples of the cadence since 1970 inside the window, shape (time,): the same however a range is cut."""
    first = -(-asked.start_ns // asked.cadence_ns)
    last = -(-asked.stop_ns // asked.cadence_ns)
    return np.arange(first, last, dtype=np.int64) * asked.cadence_ns


def moments(at_ns: NDArray[np.int64]) -> list[str]:
    """Times in ns since 1970, shape (time,), as text, to the second."""
    return [f"{moment}Z" for moment in at_ns.astype("datetime64[ns]").astype("datetime64[s]")]


def sampled_table(
    asked: Evaluate, at_ns: NDArray[np.int64], columns: list[Floats], reconstructed: NDArray[np.bool_], *, is_whole: bool
) -> Table:
    """The table of samples, which says from when on they are predicted, and which part is covered where it is not all.

    Parameters
    ----------
    asked
        What is asked for.
    at_ns
        Times in ns since 1970 UTC, shape (time,).
    columns
        Values, shape (time,) each.
    reconstructed
        Whether each sample is, shape (time,).
    is_whole
        Whether the kernels cover all of the window.
    """
    attributes = dict(asked.meta.attributes)
    if not reconstructed.all():
        attributes["PREDICTED_FROM"] = moments(at_ns[[int(np.argmin(reconstructed))]])[0]
    if not is_whole:
        attributes["COVERED"] = " to ".join(moments(at_ns[[0, -1]]))
    meta = asked.meta.model_copy(update={"predicted": not reconstructed.all(), "attributes": attributes})
    return Table(at_ns.astype("datetime64[ns]"), dict(zip(meta.data_names, columns, strict=True)), meta)


def uncovered(what: str, intervals: Intervals) -> ErrorReply:
    """That kernels hold nothing of a body or attitude at the time, and how far they reach."""
    if not intervals:
        hint = "`helio kernels ls` shows what each kernel holds."
        return ErrorReply(cause="uncovered", problem=f"no kernel of the set holds {what}", hint=hint)
    ends = moments(utc_of_et(np.array([intervals[0][0], intervals[-1][1]])))
    problem = f"the kernels do not cover {what} at this time: they reach from {ends[0]} to {ends[1]}"
    return ErrorReply(cause="uncovered", problem=problem, hint="`helio kernels refresh` asks for newer ones.")
