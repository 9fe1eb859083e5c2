"""The worker as its caller sees it: starting it, calling it from any thread, ending it."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import site
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import helio_dagster
from helio_dagster.domain.errors import SandboxUnavailable
from helio_dagster.domain.shortage import shortage_of
from helio_dagster.sandbox.bubblewrap import bubblewrap_command
from helio_dagster.sandbox.modes import Mode, WorkerSettings
from helio_dagster.sandbox.wire import Ending, Order, Ready, receive_message, send_message

_START_TIMEOUT_S = 120.0
_GRACE_S = 10.0
_READ_BYTES = 1 << 16
_TUNING = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # a worker that forks must have one thread
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    **{f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")},
}
_PASSED_ON = (
    *("PYTHONHOME", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"),
    *("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR", "NPY_DISABLE_CPU_FEATURES"),  # they decide the last bit of a result
)


class WorkerLost(Exception):
    """The worker died, or does not answer; it is ended by then."""


@dataclass(frozen=True)
class CallEnd:
    """How a call's process ended, and what it printed, with its whole size.

    A process that has reported is not waited for: it counts as ended well, and is killed if it goes on.
    """

    ending: Ending
    printed: bytes
    printed_bytes: int


class WorkerProcess:
    """A running worker; any number of threads may call it at once.

    Parameters
    ----------
    mode
        With which means it is to confine itself.
    settings
        What its results may depend on.

    Raises
    ------
    SandboxUnavailable
        It does not start.
    """

    def __init__(self, mode: Mode, settings: WorkerSettings) -> None:
        self._sending = threading.Lock()
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        self._channel, theirs = socket.socketpair()
        command = [
            sys.executable,
            "-P",
            "-m",
            "helio_dagster.sandbox.worker",
            str(theirs.fileno()),
            ",".join(mode.layers),
            "scipy" if settings.has_scipy else "",
        ]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module under our own interpreter
                [*bubblewrap_command(_root()), *command] if mode.uses_bubblewrap else command,
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
                pass_fds=[theirs.fileno()],
                env=_environment(settings),
                start_new_session=True,
            )
        except OSError as error:
            self._channel.close()
            self._words.close()
            refused = SandboxUnavailable(f"the sandbox does not start: {error}", hint="Check the installation.")
            raise shortage_of(error) or refused from error
        finally:
            theirs.close()
        try:
            self.ready = self._await_ready()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can still be called."""
        return self._process.poll() is None

    def call(self, order: Order, descriptors: Sequence[int], *, most_printed: int, has_reported: Callable[[], bool]) -> CallEnd:
        """Have a call run to its end.

        Parameters
        ----------
        order
            Its limits.
        descriptors
            Its work, and room for its result.
        most_printed
            Bytes kept of what it prints; the rest is read and dropped.
        has_reported
            Whether its report is there; asked when it closes what it prints to.

        Raises
        ------
        WorkerLost
            The worker died meanwhile, or was dead; or it gave no answer long after the call's time.
        """
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            try:
                with self._sending:
                    send_message(self._channel, order, [*descriptors, writing, theirs.fileno()])
            except OSError as error:
                self.stop()
                raise WorkerLost("it is gone") from error
            finally:
                os.close(writing)
                theirs.close()
            prints = _Prints(reading, most_printed)
            ending = self._await_end(ours, prints, has_reported, deadline=time.monotonic() + order.wall_s + _GRACE_S)
            return CallEnd(ending, bytes(prints.kept), prints.size)
        finally:
            os.close(reading)
            ours.close()  # the worker ends a call whose caller has left

    def stop(self) -> None:
        """End the process and all its calls; more than once if need be."""
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        with self._sending:
            self.forget()

    def forget(self) -> None:
        """Let go of the worker without ending it: it belongs to the process that this one was forked from."""
        self._channel.close()
        self._words.close()

    def _await_ready(self) -> Ready:
        self._channel.settimeout(_START_TIMEOUT_S)
        try:
            text, _ = receive_message(self._channel)
        except OSError:
            text = b""
        self._channel.settimeout(None)
        if not text:
            self._process.kill()
            self._process.wait()
            self._words.seek(0)
            lines = self._words.read().decode(errors="replace").strip().splitlines()
            problem = f"the sandbox does not start: {lines[-1] if lines else f'exit code {self._process.returncode}'}"
            raise SandboxUnavailable(problem, hint="Check the installation: helio doctor")
        return Ready.from_json(text)

    def _await_end(self, ours: socket.socket, prints: _Prints, has_reported: Callable[[], bool], *, deadline: float) -> Ending:
        poller = select.poll()
        poller.register(ours, select.POLLIN)
        poller.register(prints.descriptor, select.POLLIN)
        while True:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                self.stop()
                raise WorkerLost("it does not answer")
            ready = {descriptor for descriptor, _ in poller.poll(left_s * 1000)}
            if prints.descriptor in ready and not prints.read():
                if has_reported():
                    return Ending(exit_code=0, is_timed_out=False, cpu_s=0.0)
                poller.unregister(prints.descriptor)
            if ours.fileno() in ready:
                text, _ = receive_message(ours)
                if not text:
                    self.stop()
                    raise WorkerLost("it died")
                prints.read_rest()
                return Ending.from_json(text)


class _Prints:
    """What a call prints: kept up to a size, read and dropped beyond."""

    def __init__(self, descriptor: int, most: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._most = most
        self.kept = bytearray()
        self.size = 0

    def read(self) -> bool:
        """Read what is there; whether there may be more later."""
        piece = os.read(self.descriptor, _READ_BYTES)
        self.size += len(piece)
        self.kept += piece[: max(0, self._most - len(self.kept))]
        return bool(piece)

    def read_rest(self) -> None:
        """Read all that is there, not waiting for others who may hold the writing end, such as a process forked meanwhile."""
        with contextlib.suppress(BlockingIOError):
            while self.read():
                pass


def find_bubblewrap() -> str | None:
    """Path of the bubblewrap program, or None."""
    return shutil.which("bwrap")


def _root() -> str:
    return str(Path(helio_dagster.__file__).parents[1])


def _environment(settings: WorkerSettings) -> dict[str, str]:
    """What the worker needs of the environment to start, and no secret; what code sees of it is less."""
    passed = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    of_user = site.getusersitepackages() if site.ENABLE_USER_SITE else ""  # it is found by HOME, which the worker has not
    path = os.pathsep.join(filter(None, (_root(), passed.get("PYTHONPATH", ""), of_user)))
    own = {"PYTHONPATH": path, "PYTHONHASHSEED": str(settings.hash_seed), "TZ": settings.zone}
    if settings.fill is not None:
        own["MALLOC_PERTURB_"] = str(settings.fill)
    return {**passed, **_TUNING, **own}
