"""Reading products safely: the entry for everyone else. Labels and tables are read in a worker process that may be ended."""

from __future__ import annotations

import queue
import threading
import weakref
from pathlib import Path
from types import TracebackType

from helio_dagster.archives.cdf.memory_bound import share_of_memory
from helio_dagster.archives.cdf.process import WorkerFailure, WorkerProcess
from helio_dagster.archives.pds.layout import Product
from helio_dagster.archives.pds.messages import Answer, ErrorReply, ReadLabel, ReadTable, read_answer
from helio_dagster.domain.errors import CorruptFile, HelioError, InputError, UnknownDataset
from helio_dagster.domain.table import Table

_HINT = "Run the same command again later; if it stays so, tell the archive."


class ProductReader:
    """Worker processes that read products; threads may share it.

    Parameters
    ----------
    workers
        Files read at a time.
    timeout_s
        Seconds one file may take.
    memory_bytes
        What a worker may take for any file; by default its share of the machine's memory.
    """

    def __init__(self, workers: int = 2, timeout_s: float = 120.0, memory_bytes: int | None = None) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = share_of_memory(workers) if memory_bytes is None else memory_bytes
        self._idle: queue.LifoQueue[WorkerProcess[Answer] | None] = queue.LifoQueue()
        for _ in range(workers):
            self._idle.put(None)
        self._running: set[WorkerProcess[Answer]] = set()
        self._lock = threading.Lock()
        weakref.finalize(self, _kill, self._running)

    def __enter__(self) -> ProductReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def label(self, path: Path, name: str) -> Product:
        """What a label describes.

        Raises
        ------
        CorruptFile
            It cannot be read, or contradicts itself.
        """
        answer = self._ask(ReadLabel(path=str(path.absolute()), name=name), name)
        if not isinstance(answer, Product):
            raise TypeError(f"the worker answered {type(answer).__name__} where a product was asked for")
        return answer

    def read(self, label: Path, name: str, path: Path, file: str, parameter: str) -> Table:
        """All records of a parameter of a product's file, in order of time, each time once, missing values NaN.

        Parameters
        ----------
        label, name
            The label on this disk, and its name at the archive.
        path, file
            The data file on this disk, and its name at the archive.
        parameter
            A field's name, or several joined with commas.

        Raises
        ------
        UnknownDataset
            The product has no such parameter.
        InputError
            It cannot be fetched: no number, no time in UTC, a structure that is not read.
        CorruptFile
            The file does not hold what its label says.
        """
        request = ReadTable(label=str(label.absolute()), name=name, path=str(path.absolute()), file=file, parameter=parameter)
        answer = self._ask(request, file)
        if not isinstance(answer, Table):
            raise TypeError(f"the worker answered {type(answer).__name__} where a table was asked for")
        return answer

    def close(self) -> None:
        """End the processes; the next request starts others."""
        with self._lock:
            running = list(self._running)
            self._running.clear()
        for worker in running:
            worker.kill()

    def _ask(self, request: ReadLabel | ReadTable, name: str) -> Table | Product:
        worker = self._idle.get()
        try:
            if worker is None or not worker.is_alive:
                if worker is not None:
                    self._forget(worker)
                worker = self._start()
            answer = worker.ask(request)
        except WorkerFailure as failure:
            raise CorruptFile(f"{name} cannot be read: {failure}", where=name, hint=_HINT) from None
        finally:
            if worker is not None and not worker.is_alive:
                self._forget(worker)
                worker = None
            self._idle.put(worker)
        if isinstance(answer, ErrorReply):
            raise _error(answer, name)
        return answer

    def _start(self) -> WorkerProcess[Answer]:
        worker: WorkerProcess[Answer] = WorkerProcess(
            "helio_dagster.archives.pds.worker",
            timeout_s=self._timeout_s,
            memory_bytes=self._memory_bytes,
            read_answer=read_answer,
        )
        with self._lock:
            self._running.add(worker)
        return worker

    def _forget(self, worker: WorkerProcess[Answer]) -> None:
        with self._lock:
            self._running.discard(worker)
        worker.stop()


def _error(reply: ErrorReply, name: str) -> HelioError:
    match reply.cause:
        case "unknown":
            return UnknownDataset(reply.problem, where=name, hint=reply.hint)
        case "unfit":
            return InputError(reply.problem, where=name, hint=reply.hint)
        case _:
            return CorruptFile(f"{name}: {reply.problem}", where=name, hint=_HINT)


def _kill(running: set[WorkerProcess[Answer]]) -> None:
    while running:
        running.pop().stop()
