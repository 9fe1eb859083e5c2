"""Outcomes of a run on a worker, as lines of a file that whoever waits for the run reads. Does not import Dagster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.storage.atomic import storage_error


class _RecordedError(HelioError):
    """An error that another process had."""

    _details = ""

    @property
    def details(self) -> str:
        return self._details


class _RecordedInputError(_RecordedError, InputError):
    """The same, of what was asked wrongly."""


class OutcomeWriter:
    """Appends each settled partition to the file of a run, and survives that an earlier process was killed in mid-line.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    StorageError
        It cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
            self._file.write(b"\n")
        except OSError as error:
            raise storage_error(error, path) from error

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        """Write one outcome."""
        self._file.write(_line(asset, partition, outcome))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class OutcomeReader:
    """Reads what was appended to the file of a run since the last look; a line that is not whole yet is left for the next."""

    def __init__(self, path: Path) -> None:
        self._path, self._place = path, 0

    def new(self) -> Iterator[tuple[str, str | None, Outcome]]:
        """Asset, partition and outcome of each new line."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._place)
                found = file.read()
        except FileNotFoundError:
            return
        whole = found[: found.rfind(b"\n") + 1]
        self._place += len(whole)
        for line in whole.splitlines():
            try:
                words = json.loads(line)
            except ValueError:
                continue  # empty, or cut off by the death of who wrote it
            yield words["asset"], words["partition"], _outcome(words)


def _line(asset: str, partition: str | None, outcome: Outcome) -> bytes:
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
    return json.dumps(values).encode() + b"\n"


def _outcome(words: dict[str, object]) -> Outcome:
    fault, error = words["error"], None
    if isinstance(fault, dict):
        kind = _RecordedInputError if fault["is_input"] else _RecordedError
        error = kind(fault["problem"], where=fault["where"], hint=fault["hint"])
        error._details = fault["details"]
    return Outcome(words["state"], words["status"], words["data_version"], error)  # type: ignore[arg-type]  # as written above
