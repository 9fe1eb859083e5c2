"""One worker process: starting it, asking it under a deadline, ending it. What its failure means is the reader's to decide."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

import helio_dagster
from helio_dagster.archives.cdf.messages import READY, ReadInto
from helio_dagster.domain.errors import ArchiveError

WorkerModule = Literal[
    "helio_dagster.archives.cdf.worker",
    "helio_dagster.archives.cdf.second_opinion",
    "helio_dagster.archives.own.binary.worker",
    "helio_dagster.archives.pds.worker",
    "helio_dagster.archives.spice.worker",
]
_A = TypeVar("_A")

_READ = {"cdf": "CDF files", "own": "binary files of your own", "pds": "products of the PDS", "spice": "SPICE kernels"}
_START_TIMEOUT_S = 60.0
_PIPE_BYTES = 1 << 20
_PASSED_ON = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"),
    *("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"),
)
_TUNING = {
    "OPENBLAS_NUM_THREADS": "1",  # each thread would reserve address space, which is limited
    "MALLOC_TRIM_THRESHOLD_": str(1 << 29),  # keep big arrays' memory for the next file: a third less time for a 16 Hz day
    "MALLOC_MMAP_THRESHOLD_": str(1 << 29),
}


class WorkerFailure(Exception):
    """The worker died or did not answer in time; it is ended by then."""


class WorkerProcess(Generic[_A]):
    """A worker that has been started; one thread at a time may ask it, and the first request waits until it is ready.

    Parameters
    ----------
    module
        The worker's main module.
    timeout_s
        Seconds it may take until it goes on with its answer, of which a large one has many parts.
    memory_bytes
        Address space it may use.
    read_answer
        Receives one answer.
    """

    def __init__(
        self, module: WorkerModule, *, timeout_s: float, memory_bytes: int, read_answer: Callable[[ReadInto], _A]
    ) -> None:
        self._reads, self._read_answer = module.split(".")[2], read_answer
        self._timeout_s = timeout_s
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        self._process = subprocess.Popen(  # noqa: S603 - our own module under our own interpreter
            [sys.executable, "-P", "-m", module, str(memory_bytes), str(timeout_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            pipesize=_PIPE_BYTES,
            env=_environment(),
        )
        self._is_ready = False

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    def ask(self, request: BaseModel) -> _A:
        """Send a request and wait for its answer.

        Raises
        ------
        ArchiveError
            It cannot be started: the installation is broken.
        WorkerFailure
            It died, or the time was up and it was killed.
        """
        self._wait_until_ready()
        if self._process.stdin is None:
            raise WorkerFailure("it was stopped")
        try:
            self._process.stdin.write(request.model_dump_json().encode() + b"\n")
            return self._read_answer(lambda buffer: self._read_into(buffer, deadline=time.monotonic() + self._timeout_s))
        except BrokenPipeError as error:
            raise self._failure() from error
        except BaseException:
            self.kill()  # Ctrl-C amid an answer: what is left of it must not be taken for the next one
            raise

    def kill(self) -> None:
        """End the process and wait until it is gone; any thread may, also while another one waits for an answer."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End the process and let go of its pipes; for the thread that asks it, and more than once if need be."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None:
                stream.close()

    def _wait_until_ready(self) -> None:
        if self._is_ready:
            return
        ready = bytearray(len(READY))
        try:
            self._read_into(memoryview(ready), deadline=time.monotonic() + _START_TIMEOUT_S)
        except WorkerFailure as failure:
            raise ArchiveError(
                f"the process that reads {_READ[self._reads]} does not start: {failure}",
                hint=f"Check the installation. {self._last_words()}".strip(),
            ) from failure
        self._is_ready = True

    def _read_into(self, buffer: memoryview, *, deadline: float) -> None:
        """Fill a buffer from the worker's output, or end the worker."""
        if self._process.stdout is None or self._process.stdout.closed:
            raise WorkerFailure("it was stopped")
        descriptor = self._process.stdout.fileno()
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        while buffer:
            left_s = deadline - time.monotonic()
            if left_s <= 0 or not poller.poll(left_s * 1000):
                self.kill()
                raise WorkerFailure(f"it gave no answer within {self._timeout_s:g} s")
            count = os.readv(descriptor, [buffer])
            if not count:
                raise self._failure()
            buffer = buffer[count:]

    def _failure(self) -> WorkerFailure:
        self._process.kill()
        code = self._process.wait()
        if code < 0:
            return WorkerFailure(f"it was ended by {signal.Signals(-code).name}")
        return WorkerFailure(f"it ended with exit code {code}")

    def _last_words(self) -> str:
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        self.stop()
        return lines[-1] if lines else ""


def _environment() -> dict[str, str]:
    """What the worker needs of the environment, and no secret: it runs native code on bytes from elsewhere."""
    passed = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    root = str(Path(helio_dagster.__file__).parents[1])
    path = os.pathsep.join(filter(None, (root, passed.get("PYTHONPATH", ""))))
    return {**passed, **_TUNING, "PYTHONPATH": path}
