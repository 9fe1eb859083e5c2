"""Reading CDF files safely: the entry for everyone else. Decoding happens in worker processes that a damaged file may kill.

A worker walks a file and compares its checksums, then decodes it with the fast native reader. What contradicts itself is
corrupt at once. Should the worker die or hang, or the fast reader refuse, the slow pure-Python reader gets one try, in a
separate process; should that fail too, the file is corrupt.
"""

from __future__ import annotations

import queue
import threading
import weakref
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from helio_dagster.archives.cdf.coverage import FileCoverage
from helio_dagster.archives.cdf.credit import Credit
from helio_dagster.archives.cdf.description import CdfDescription
from helio_dagster.archives.cdf.header import REFETCH_HINT, check_header
from helio_dagster.archives.cdf.master import MasterDescription
from helio_dagster.archives.cdf.memory_bound import share_of_memory
from helio_dagster.archives.cdf.messages import Answer, ErrorReply, Request, read_answer
from helio_dagster.archives.cdf.process import WorkerFailure, WorkerModule, WorkerProcess
from helio_dagster.domain.errors import ArchiveError, CorruptFile, InputError, UnknownDataset
from helio_dagster.domain.table import Table

_Answer = TypeVar("_Answer")
_FAST: WorkerModule = "helio_dagster.archives.cdf.worker"
_SECOND_OPINION: WorkerModule = "helio_dagster.archives.cdf.second_opinion"


class CdfReader:
    """A pool of worker processes that decode CDF files; threads may share it.

    Processes start when first needed and end with `close`, at the interpreter's exit at the latest. Their address space is
    limited to what a file can honestly need, so a damaged one cannot take the machine's memory.

    Parameters
    ----------
    workers
        Files decoded at a time.
    timeout_s
        Seconds each of the two readers may take for one file.
    memory_bytes
        What a worker may take for any file; by default its share of the machine's memory.
    """

    def __init__(self, workers: int = 2, timeout_s: float = 60.0, memory_bytes: int | None = None) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = share_of_memory(workers) if memory_bytes is None else memory_bytes
        self._idle: queue.LifoQueue[WorkerProcess[Answer] | None] = queue.LifoQueue()
        for _ in range(workers):
            self._idle.put(None)
        self._running: set[WorkerProcess[Answer]] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        weakref.finalize(self, _kill, self._running)

    def __enter__(self) -> CdfReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def read(self, path: Path, parameter: str, *, synthetic: bool = False, master: Path | None = None) -> Table:
        """All records of one parameter of a file, in order of time, each time once, invalid values NaN.

        Parameters
        ----------
        path
            A local CDF file.
        parameter
            The parameter's exact name.
        synthetic
            Mark the table as generated data.
        master
            The dataset's master file, whose definitions of computed variables count where the file lacks them.

        Raises
        ------
        UnknownDataset
            The file has no such parameter, and the master does not compute it; the hint offers near names.
        InputError
            The parameter is not a time series of numbers, too wide, or not stored; see `decode.decode`.
        CorruptFile
            No reader can decode the file.
        """
        beside = str(master.absolute()) if master is not None else ""
        request = Request(task="read", path=str(path.absolute()), parameter=parameter, synthetic=synthetic, master=beside)
        return self._ask_for(Table, request, path)

    def coverage(self, path: Path) -> FileCoverage:
        """A file's dataset, version, time axes and parameters.

        Raises
        ------
        CorruptFile
            No reader can decode the file.
        """
        return self._ask_for(FileCoverage, Request(task="coverage", path=str(path.absolute())), path)

    def master(self, path: Path) -> MasterDescription:
        """What a master file says of its dataset.

        Raises
        ------
        CorruptFile
            No reader can decode the file.
        """
        return self._ask_for(MasterDescription, Request(task="master", path=str(path.absolute())), path)

    def description(self, path: Path) -> CdfDescription:
        """What an index of files keeps of a file.

        Raises
        ------
        CorruptFile
            No reader can decode the file.
        """
        return self._ask_for(CdfDescription, Request(task="description", path=str(path.absolute())), path)

    def credit(self, path: Path) -> Credit:
        """Whom a file names.

        Raises
        ------
        CorruptFile
            No reader can decode the file.
        """
        return self._ask_for(Credit, Request(task="credit", path=str(path.absolute())), path)

    def start(self) -> None:
        """Start one worker beside other work, so that the first file need not wait for it."""
        slot = self._idle.get()
        try:
            slot = slot or self._start(_FAST)
        finally:
            self._idle.put(slot)

    @property
    def processes(self) -> tuple[int, ...]:
        """Process ids of the running workers, for diagnosis."""
        with self._lock:
            return tuple(worker.pid for worker in self._running)

    def close(self) -> None:
        """End all worker processes, those at work too; reading afterwards is a mistake."""
        with self._lock:
            self._closed.set()
            running = list(self._running)
        for worker in running:
            worker.kill()
        for idle in [self._idle.get() for _ in range(self._idle.qsize())]:
            if idle is not None:
                self._end(idle)
            self._idle.put(None)

    def _ask_for(self, kind: type[_Answer], request: Request, path: Path) -> _Answer:
        answer = self._ask(request, path)
        if not isinstance(answer, kind):
            raise TypeError(f"a worker answered {type(answer).__name__} where {kind.__name__} was asked for")
        return answer

    def _ask(self, request: Request, path: Path) -> Answer:
        check_header(path)
        slot = self._idle.get()
        try:
            slot, answer = self._ask_fast(slot, request)
            if isinstance(answer, ErrorReply) and answer.cause == "damaged":
                answer = self._ask_second_opinion(request, first=answer.problem)
        finally:
            self._idle.put(slot)
        if not isinstance(answer, ErrorReply):
            return answer
        if answer.cause == "corrupt":
            raise CorruptFile(answer.problem, where=str(path), hint=REFETCH_HINT)
        if answer.cause == "damaged":
            raise CorruptFile(f"cannot be decoded: {answer.problem}", where=str(path), hint=REFETCH_HINT)
        kind = UnknownDataset if answer.cause == "unknown" else InputError
        raise kind(answer.problem, where=str(path), hint=answer.hint)

    def _ask_fast(self, worker: WorkerProcess[Answer] | None, request: Request) -> tuple[WorkerProcess[Answer] | None, Answer]:
        """The fast reader's answer, and the worker if it lived through it."""
        if worker is not None and not worker.is_alive:
            self._end(worker)
            worker = None
        worker = worker or self._start(_FAST)
        try:
            return worker, worker.ask(request)
        except WorkerFailure as failure:
            self._end(worker)
            return None, ErrorReply(cause="damaged", problem=f"the process decoding it failed: {failure}")
        except ArchiveError as error:
            self._end(worker)
            raise RuntimeError("the CDF reader is closed") if self._closed.is_set() else error from None

    def _ask_second_opinion(self, request: Request, *, first: str) -> Answer:
        worker = self._start(_SECOND_OPINION)
        try:
            answer = worker.ask(request)
        except WorkerFailure as failure:
            return ErrorReply(cause="damaged", problem=f"{first}; and in the second reader: {failure}")
        finally:
            self._end(worker)
        if isinstance(answer, ErrorReply) and answer.cause == "damaged" and answer.problem != first:
            return ErrorReply(cause="damaged", problem=f"{first}; and in the second reader: {answer.problem}")
        return answer

    def _start(self, module: WorkerModule) -> WorkerProcess[Answer]:
        if not self._closed.is_set():
            worker = WorkerProcess(module, timeout_s=self._timeout_s, memory_bytes=self._memory_bytes, read_answer=read_answer)
            with self._lock:
                if not self._closed.is_set():  # it may have been closed meanwhile
                    self._running.add(worker)
                    return worker
            worker.stop()
        raise RuntimeError("the CDF reader is closed")

    def _end(self, worker: WorkerProcess[Answer]) -> None:
        worker.stop()
        with self._lock:
            self._running.discard(worker)


def _kill(running: set[WorkerProcess[Answer]]) -> None:
    for worker in running:
        worker.kill()
