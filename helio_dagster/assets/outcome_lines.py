"""Outcomes of a run on a worker, as lines in the record that whoever waits for the run reads. Does not import Dagster."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.resources.record_lines import LineReader, LineWriter

_ALL = "all"
"""The last line of a run that was not killed."""


class _RecordedError(HelioError):
    """An error that another process had."""

    _details = ""

    @property
    def details(self) -> str:
        return self._details


class _RecordedInputError(_RecordedError, InputError):
    """The same, of what was asked wrongly."""


class OutcomeWriter:
    """Writes each settled partition of a run, and at last that there is no more.

    Parameters
    ----------
    address
        The record's, in PostgreSQL.
    run_id
        The run.

    Raises
    ------
    StorageError
        The record cannot be used.
    """

    def __init__(self, address: str, run_id: str) -> None:
        self._lines = LineWriter(address, run_id)

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        """Write one outcome."""
        self._lines.write(_line(asset, partition, outcome))

    def close(self) -> None:
        """Write that this was all."""
        self._lines.write(_ALL)
        self._lines.close()


class OutcomeReader:
    """Reads what runs wrote since the last look.

    Parameters
    ----------
    address
        The record's, in PostgreSQL.
    """

    def __init__(self, address: str) -> None:
        self._lines = LineReader(address)
        self.complete: set[str] = set()
        """The runs that wrote that there is no more."""

    def new(self, run_ids: Collection[str]) -> Iterator[tuple[str, str | None, Outcome]]:
        """Asset, partition and outcome of each new line.

        Raises
        ------
        StorageError
            The record cannot be used.
        """
        for run_id, line in self._lines.new(run_ids):
            if line == _ALL:
                self.complete.add(run_id)
                continue
            words = json.loads(line)
            yield words["asset"], words["partition"], _outcome(words)

    def forget(self, run_id: str) -> None:
        """Delete what a run wrote, as nobody waits for more."""
        self._lines.forget(run_id)

    def sweep(self) -> None:
        """Delete what runs wrote for somebody who did not wait for their end."""
        self._lines.sweep()

    def close(self) -> None:
        """End the connection."""
        self._lines.close()


def _line(asset: str, partition: str | None, outcome: Outcome) -> str:
    error = outcome.error
    fault = error and {
        "problem": error.problem,
        "where": error.where,
        "hint": error.hint,
        "details": error.details,
        "is_input": isinstance(error, InputError),
    }
    values = {
        "asset": asset,
        "partition": partition,
        "state": outcome.state,
        "status": outcome.status,
        "data_version": outcome.data_version,
        "error": fault,
    }
    return json.dumps(values)


def _outcome(words: dict[str, object]) -> Outcome:
    fault, error = words["error"], None
    if isinstance(fault, dict):
        kind = _RecordedInputError if fault["is_input"] else _RecordedError
        error = kind(fault["problem"], where=fault["where"], hint=fault["hint"])
        error._details = fault["details"]
    return Outcome(words["state"], words["status"], words["data_version"], error)  # type: ignore[arg-type]  # as written above
