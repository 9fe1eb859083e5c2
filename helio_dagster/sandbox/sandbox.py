"""The sandbox as others use it: call code over DataFrames, get a DataFrame or one clear error."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from types import TracebackType
from typing import Any, Self

import pandas as pd

from helio_dagster.domain.errors import CodeRefused, SandboxUnavailable
from helio_dagster.sandbox.answer import Answer
from helio_dagster.sandbox.endings import Called, error_of
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.modes import ModeName, WorkerSettings
from helio_dagster.sandbox.packing import check_source, pack_work
from helio_dagster.sandbox.replies import Forged, has_report, plain_text, read_report, read_tables, room_bytes
from helio_dagster.sandbox.shared_memory import create_file
from helio_dagster.sandbox.starting import Started, start_worker
from helio_dagster.sandbox.wire import Order, Rows
from helio_dagster.sandbox.worker_process import CallEnd, WorkerLost

CodeCheck = Callable[[str, Collection[str], SandboxLimits], None]
"""A static check of a body, the names it is given and the limits: raises CodeRefused. Used where the kernel cannot confine."""
_DEFAULT_LIMITS = SandboxLimits()
_TRIES = 2
_SCIPY_WORDS = ("scipy", "pywt", "interpolate", "win_type", "corr", "sparse")
"""Code with none of these needs neither SciPy nor PyWavelets; the last four are methods of pandas that load SciPy."""


class Sandbox:
    """Runs code in confined processes, one a call; safe to use from several threads, and after a fork.

    The worker is started by the first call, and again when it died. The first code that needs SciPy starts one that has it,
    which runs all code from then on. Results depend on nothing but body, inputs and options.

    Parameters
    ----------
    limits
        What one call may use.
    allow_weak
        Run code also where the operating system cannot confine it, after a static check.
    seed, hash_seed, zone
        Start of NumPy's and Python's random numbers for each call, order of sets, local time zone: a check of determinism
        varies them, and nothing else should.
    fill, is_reversed
        Byte that fresh memory is filled with, and where in it new objects are; varied by the same check.
    strongest
        Start the search for a mode here; for looking at weaker ones.
    check_code
        The static check for the weak mode; without it code is refused there.
    """

    def __init__(
        self,
        limits: SandboxLimits = _DEFAULT_LIMITS,
        *,
        allow_weak: bool = False,
        seed: int = 0,
        hash_seed: int = 0,
        zone: str = "UTC",
        fill: int | None = None,
        is_reversed: bool | None = None,
        strongest: ModeName = "kernel",
        check_code: CodeCheck | None = None,
    ) -> None:
        self.limits = limits
        self._allow_weak = allow_weak
        self._settings = WorkerSettings(seed=seed, hash_seed=hash_seed, zone=zone, fill=fill, is_reversed=is_reversed)
        self._strongest: ModeName = strongest
        self._check_code = check_code
        self._lock = threading.Lock()
        self._started: dict[bool, Started] = {}  # whether it has SciPy
        self._closings = 0
        _living().add(self)

    def call(
        self,
        body: str,
        inputs: Mapping[str, pd.DataFrame],
        *,
        name: str = "code",
        options: Mapping[str, Any] | None = None,
        rows: Rows = "samples",
        results: Mapping[str, Rows] | None = None,
    ) -> Answer:
        """Run a function body.

        Parameters
        ----------
        body
            Statements that end in `return`: a series or DataFrame over time.
        inputs
            Local name to DataFrame over time; units, frame and label are in `attrs`.
        name
            Id of the step, for messages; and the column of a series without a name.
        options
            Further local names: text, numbers, lists and mappings of them.
        rows
            What the rows of the result are.
        results
            Names of the results and what the rows of each are, if the code returns a mapping of several.

        Raises
        ------
        CodeError
            The code raised, or returned what is not a table over time.
        CodeStopped
            It reached a limit.
        CodeRefused
            It is not run: no text, too long, or this machine cannot confine it.
        SandboxUnavailable
            The worker cannot be started or kept alive.
        ComputeError
            An input cannot be handed over.
        """
        began = time.monotonic()
        check_source(body, self.limits, name=name)
        names = [*inputs, *(options or {})]
        needs_scipy = uses_scipy(body, options)
        self._check_mode(self.start(needs_scipy=needs_scipy), body, names, name)
        packed = pack_work(body, inputs, options or {}, name=name, limits=self.limits, rows=rows, results=results)
        with ExitStack() as opened:
            opened.callback(os.close, packed.descriptor)
            room = create_file(room_bytes(self.limits))
            opened.callback(os.close, room)
            order = Order(
                work_bytes=packed.size,
                head_offset=packed.head_offset,
                room_bytes=room_bytes(self.limits),
                cpu_s=self.limits.cpu_s,
                wall_s=self.limits.wall_s,
                memory_bytes=self.limits.memory_bytes,
                seed=self._settings.seed,
                is_reversed=self._settings.is_reversed,
            )

            def check(started: Started) -> None:
                self._check_mode(started, body, names, name)

            end = self._call(order, packed.descriptor, room, check, needs_scipy=needs_scipy)
            printed = _printed(end, self.limits)
            failure: Forged | None = None
            try:
                report = read_report(room) if end.ending.exit_code == 0 and not end.ending.is_timed_out else None
                if report is not None and report.outcome == "result":
                    asked = list(results or [name])
                    found = read_tables(room, report.size, self.limits, len(asked))
                    return Answer(dict(zip(asked, found, strict=True)), printed, report.cpu_s, time.monotonic() - began)
            except Forged as error:
                report, failure = None, error
            call = Called(body=body, inputs=inputs, name=name, limits=self.limits, printed=printed)
            raise error_of(report, end.ending, failure, call)

    def start(self, *, needs_scipy: bool = False) -> Started:
        """Start the worker if none runs that will do; give it with its mode.

        Raises
        ------
        SandboxUnavailable
            None can be started.
        """
        with self._lock:
            for has_scipy in (True,) if needs_scipy else (True, False):
                if has_scipy in self._started and self._started[has_scipy].worker.is_alive:
                    return self._started[has_scipy]
            if (dead := self._started.pop(needs_scipy, None)) is not None:
                dead.worker.stop()
            self._started[needs_scipy] = start_worker(self._strongest, replace(self._settings, has_scipy=needs_scipy))
            return self._started[needs_scipy]

    def close(self) -> None:
        """End the worker and all calls; the next call starts another."""
        with self._lock:
            running, self._started = self._started, {}
            self._closings += 1
        for started in running.values():
            started.worker.stop()

    def forget_worker(self) -> None:
        """After a fork: the worker is the parent process's; this process starts its own when it calls."""
        self._lock = threading.Lock()
        for started in self._started.values():
            started.worker.forget()
        self._started = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _call(self, order: Order, work: int, room: int, check: Callable[[Started], None], *, needs_scipy: bool) -> CallEnd:
        """Have the worker make a call, and another worker where that one is lost: a call only computes."""
        closings = self._closings
        for _ in range(_TRIES):
            started = self.start(needs_scipy=needs_scipy)
            check(started)  # another worker may be confined less
            os.pwrite(room, bytes(8), 0)  # no report of an earlier try
            try:
                return started.worker.call(
                    order, [work, room], most_printed=self.limits.printed_bytes, has_reported=lambda: has_report(room)
                )
            except WorkerLost as error:
                if self._closings != closings:
                    raise SandboxUnavailable("the sandbox was closed during the call") from error
                lost = error
        problem = f"the sandbox's worker was lost {_TRIES} times: {lost}"
        raise SandboxUnavailable(problem, hint="Check the machine's memory, and helio doctor.")

    def _check_mode(self, started: Started, body: str, names: Collection[str], name: str) -> None:
        if not started.mode.is_weak:
            return
        if not self._allow_weak or self._check_code is None:
            hint = "Use Linux 5.13 or newer, or install bubblewrap; or set HELIO_ALLOW_WEAK_SANDBOX=1 for code that you trust."
            raise CodeRefused(f"this machine cannot confine code: {started.why_weak}", where=f"step {name}", hint=hint)
        self._check_code(body, names, self.limits)


def uses_scipy(body: str, options: Mapping[str, Any] | None = None) -> bool:
    """Whether code may load SciPy or PyWavelets, by the words in it and in its options."""
    return any(word in text for text in (body, str(options)) for word in _SCIPY_WORDS)


def _printed(end: CallEnd, limits: SandboxLimits) -> str:
    text = plain_text(end.printed.decode("utf-8", "replace"))
    if end.printed_bytes <= len(end.printed):
        return text
    return f"{text}\n[… cut: {end.printed_bytes} bytes were printed, {limits.printed_bytes} are kept]"


@cache
def _living() -> weakref.WeakSet[Sandbox]:
    """All sandboxes of this process; from the first on, forked children start their own workers."""
    living: weakref.WeakSet[Sandbox] = weakref.WeakSet()

    def forget_all() -> None:
        for each in list(living):
            each.forget_worker()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget_all)
    return living
