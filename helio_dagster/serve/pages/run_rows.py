"""The runs of a pipeline as lines of a table: who or what began each, over what, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from helio_dagster.assets.recorded_runs import RecordedRun, RunsCursor
from helio_dagster.domain.amounts import readable_duration
from helio_dagster.launch.record.history import page_of_runs
from helio_dagster.storage.settings import Settings

SHOWN = 20
_CONVERSATION = "conversation "
_WORDS = {
    "HTTP": "this page, or a program over HTTP",
    "schedule": "its schedule",
    "on change": "a change of its data",
    "backfill": "a backfill in Dagster",
    "Dagster": "a person in Dagster",
}


@dataclass(frozen=True)
class RunRow:
    """One run; `talk` is the address of the conversation that began it, `dagster` that of its page in Dagster."""

    begun: str
    by: str
    talk: str
    partitions: str
    state: str
    took: str
    dagster: str


@dataclass(frozen=True)
class RunRows:
    """A page of runs; `older` is what the address of the next one says, empty where there is none."""

    rows: Sequence[RunRow] = ()
    older: str = ""


def run_rows(settings: Settings, pipeline: str, below: str, *, has_dagster: bool) -> RunRows:
    """A page of a pipeline's runs, the one begun last first.

    Raises
    ------
    StorageError
        The record cannot be read.
    InputError
        `below` is not the `older` of a page.
    """
    page = page_of_runs(settings, pipeline, SHOWN, RunsCursor.parse(below) if below else None)
    return RunRows([_row(each, pipeline, has_dagster) for each in page.runs], str(page.older or ""))


def _row(run: RecordedRun, pipeline: str, has_dagster: bool) -> RunRow:
    by = _WORDS.get(run.begun_by, run.begun_by) + (f", by {run.person}" if run.person else "")
    is_talk = run.begun_by.startswith(_CONVERSATION)
    return RunRow(
        begun=f"{run.begun:%Y-%m-%d %H:%M}",
        by=by if run.pipeline in ("", pipeline) else f"{by}, for {run.pipeline}",
        talk=f"/talk/{quote(run.begun_by.removeprefix(_CONVERSATION), safe='')}" if is_talk else "",
        partitions=run.first if run.first == run.last else f"{run.first} to {run.last}",
        state=run.state,
        took=readable_duration(run.seconds) if run.seconds is not None else "",
        dagster=f"/dagster/runs/{quote(run.id, safe='')}" if has_dagster else "",
    )
