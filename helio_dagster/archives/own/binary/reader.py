"""Reading binary files safely: the entry for everyone else. Decoding happens in one worker process that a file may kill."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import TypeVar

from helio_dagster.archives.cdf.memory_bound import share_of_memory
from helio_dagster.archives.cdf.process import WorkerFailure, WorkerProcess
from helio_dagster.archives.own.binary.messages import (
    Answer,
    Describe,
    DescribeReply,
    ErrorReply,
    Read,
    Scan,
    ScanReply,
    read_answer,
)
from helio_dagster.archives.own.binary.seen import Seen
from helio_dagster.archives.own.day_scan import begun_digest, digest_records
from helio_dagster.archives.own.index import Day, FileIndex, changed_while_read
from helio_dagster.archives.own.text_files import Records
from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.own_files import Format, OwnFileFields

_TIMEOUT_S = 600.0
_Answer = TypeVar("_Answer")


class BinaryReader:
    """One process that decodes binary files; threads may share it, and take turns.

    Parameters
    ----------
    timeout_s
        Seconds one request may take.
    memory_bytes
        What the process may take; by default its share of the machine's memory.
    """

    def __init__(self, timeout_s: float = _TIMEOUT_S, memory_bytes: int | None = None) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = share_of_memory(2) if memory_bytes is None else memory_bytes
        self._turn = threading.Lock()
        self._running: list[WorkerProcess[Answer]] = []
        weakref.finalize(self, _stop, self._running)

    def describe(self, path: Path, name: str, form: Format, table: str | None = None) -> tuple[Seen, ...]:
        """The columns of a file.

        Raises
        ------
        OwnFileError
            It cannot be read.
        """
        request = Describe(path=str(path.absolute()), name=name, format=form, table=table)
        return self.ask(DescribeReply, request).columns

    def ask(self, kind: type[_Answer], request: Describe | Scan | Read) -> _Answer:
        """The answer to a request.

        Raises
        ------
        OwnFileError
            The file cannot be read as described, or ended the process.
        """
        with self._turn:
            worker = self._running[0] if self._running and self._running[0].is_alive else self._start()
            try:
                answer = worker.ask(request)
            except WorkerFailure as failure:
                problem = f"{request.name}: the process that reads it failed: {failure}"
                hint = "The file is damaged, or too large to be read at once. Open it with the program that wrote it."
                raise OwnFileError(problem, where=request.path, hint=hint) from None
        if isinstance(answer, ErrorReply):
            raise OwnFileError(answer.problem, where=request.path, hint=answer.hint)
        if not isinstance(answer, kind):
            raise TypeError(f"the worker answered {type(answer).__name__} where {kind.__name__} was asked for")
        return answer

    @property
    def processes(self) -> tuple[WorkerProcess[Answer], ...]:
        """The running process, for diagnosis."""
        return tuple(self._running)

    def close(self) -> None:
        """End the process; the next request starts another."""
        with self._turn:
            _stop(self._running)

    def _start(self) -> WorkerProcess[Answer]:
        _stop(self._running)
        worker: WorkerProcess[Answer] = WorkerProcess(
            "helio_dagster.archives.own.binary.worker",
            timeout_s=self._timeout_s,
            memory_bytes=self._memory_bytes,
            read_answer=read_answer,
        )
        self._running.append(worker)
        return worker


class BinaryFile:
    """A binary file with its description. The hash of a day is over the times and values that the description reads.

    Parameters
    ----------
    described
        The description.
    path, name
        Where it is, and what messages call it.
    reader
        What reads it.
    """

    def __init__(self, described: OwnFileFields, path: Path, name: str, reader: BinaryReader) -> None:
        given = described.model_dump(mode="json", include=set(OwnFileFields.model_fields))
        self._described = OwnFileFields.model_validate({key: value for key, value in given.items() if value is not None})
        self._path, self._name, self._reader = path, name, reader

    def scan(self, _path: Path) -> FileIndex:
        """Read the file through once.

        Raises
        ------
        OwnFileError
            It is not as described.
        """
        return self._reader.ask(ScanReply, Scan(path=self._where, name=self._name, described=self._described)).index

    def read(self, day: Day, columns: list[str]) -> Records:
        """The records of one day, in the order of the file.

        Raises
        ------
        OwnFileError
            They are not as described, or no longer those of the index.
        """
        request = Read(path=self._where, name=self._name, described=self._described, runs=tuple(day.runs))
        found = self._reader.ask(Records, request)
        digest = begun_digest(columns)
        digest_records(digest, found.time, found.values)
        if digest.hexdigest() != day.sha256:
            raise changed_while_read(self._name, self._path)
        return found

    @property
    def _where(self) -> str:
        return str(self._path.absolute())


def _stop(running: list[WorkerProcess[Answer]]) -> None:
    while running:
        running.pop().stop()
