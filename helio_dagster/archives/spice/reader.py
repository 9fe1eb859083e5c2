"""Evaluating kernels safely: the entry for everyone else. CSPICE runs in one worker process, which is started when needed."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from types import TracebackType

from helio_dagster.archives.cdf.memory_bound import share_of_memory
from helio_dagster.archives.cdf.process import WorkerFailure, WorkerProcess
from helio_dagster.archives.spice.messages import (
    BINARY,
    Answer,
    Cover,
    Covered,
    CoverReply,
    ErrorReply,
    Evaluate,
    Kernel,
    read_answer,
)
from helio_dagster.domain.bodies import BODIES
from helio_dagster.domain.ephemeris import Ephemeris
from helio_dagster.domain.errors import ArchiveError, CorruptFile, InputError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_TIMEOUT_S = 300.0


class MissingPackage(InputError):
    """The optional package that reads kernels is not installed."""


class NotCovered(ArchiveError):
    """The kernels do not reach to the requested time."""


class DamagedKernel(CorruptFile):
    """A kernel cannot be read; `path` is where it is on this disk, empty where it is not known which one it is."""

    def __init__(self, problem: str, *, path: str = "", hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.path = path


class EphemerisReader:
    """One process with CSPICE; threads may share it, and take turns.

    Parameters
    ----------
    timeout_s
        Seconds one request may take.
    """

    def __init__(self, timeout_s: float = _TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._turn = threading.Lock()
        self._running: list[WorkerProcess[Answer]] = []
        weakref.finalize(self, _stop, self._running)

    def __enter__(self) -> EphemerisReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def evaluate(self, asked: Ephemeris, kernels: Iterable[Kernel], window: TimeRange) -> Table:
        """The samples of an ephemeris in a window that the kernels cover.

        Parameters
        ----------
        kernels
            In order of loading: of two that hold the same body and time, the later one counts.
        window
            `[start, stop)`.

        Raises
        ------
        MissingPackage
            spiceypy is not installed.
        DamagedKernel
            A kernel cannot be read.
        NotCovered
            The kernels cover nothing of the window; the message says how far they reach.
        ArchiveError
            Two kernels contradict each other, or the leap seconds are older than the data.
        """
        start, stop = (int(end.astype("datetime64[ns]").astype("int64")) for end in window.bounds_ns())
        request = Evaluate(
            kernels=tuple(kernels),
            bodies=tuple(body.naif_id for body in (asked.target, asked.observer, asked.other) if body is not None),
            names={body.naif_id: body.name for body in BODIES},
            quantity=asked.quantity,
            frame=asked.frame,
            axes=asked.target.axes if asked.quantity == "attitude" else "",
            in_au=asked.unit == "au",
            cadence_ns=duration_ns(asked.cadence),
            start_ns=start,
            stop_ns=stop,
            meta=asked.meta,
        )
        answer = self._ask(request)
        if not isinstance(answer, Table):
            raise TypeError(f"the worker answered {type(answer).__name__} where a table was asked for")
        return answer

    def cover(self, kernels: Iterable[Kernel]) -> tuple[Covered, ...]:
        """Which bodies kernels hold and when; a leap-second kernel must be among them.

        Raises
        ------
        MissingPackage
            spiceypy is not installed.
        DamagedKernel
            A kernel cannot be read.
        """
        answer = self._ask(Cover(kernels=tuple(kernels)))
        if not isinstance(answer, CoverReply):
            raise TypeError(f"the worker answered {type(answer).__name__} where coverage was asked for")
        return answer.covered

    def close(self) -> None:
        """End the process; the next request starts another."""
        _stop(self._running)

    def _ask(self, request: Evaluate | Cover) -> Table | CoverReply:
        with self._turn:
            worker = self._running[0] if self._running and self._running[0].is_alive else self._start()
            try:
                answer = worker.ask(request)
            except WorkerFailure as failure:
                names = ", ".join(kernel.name for kernel in request.kernels if kernel.kind in BINARY)
                raise DamagedKernel(
                    f"the process that reads the kernels failed: {failure}. One of them is damaged: {names}",
                    hint="`helio kernels rm` removes a kernel; the next run fetches it again.",
                ) from None
        if isinstance(answer, ErrorReply):
            raise _error(answer)
        return answer

    def _start(self) -> WorkerProcess[Answer]:
        _stop(self._running)
        worker: WorkerProcess[Answer] = WorkerProcess(
            "helio_dagster.archives.spice.worker",
            timeout_s=self._timeout_s,
            memory_bytes=share_of_memory(1),
            read_answer=read_answer,
        )
        self._running.append(worker)
        return worker


def _error(reply: ErrorReply) -> Exception:
    match reply.cause:
        case "absent":
            return MissingPackage(reply.problem, hint=reply.hint)
        case "corrupt":
            return DamagedKernel(reply.problem, path=reply.path, hint=reply.hint)
        case "uncovered":
            return NotCovered(reply.problem, hint=reply.hint)
        case _:
            return ArchiveError(reply.problem, hint=reply.hint)


def _stop(running: list[WorkerProcess[Answer]]) -> None:
    while running:
        running.pop().stop()
