"""The working processes of a server: kept warm, used again, and never more than a few at work at once."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from helio_dagster.domain.errors import HelioError
from helio_dagster.serve.work.jobs import AnyJob

MOST_AT_WORK = 4
MOST_JOBS = 40
"""Jobs after which a process is replaced, so that what it keeps in memory is given back."""

_PATIENCE_S = 5


class AllAtWork(HelioError):
    """As much as the server does at once is at work."""


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    post: socket.socket
    job: str = ""
    jobs: int = 0
    sending: threading.Lock = field(default_factory=threading.Lock)

    def send(self, message: Mapping[str, object], descriptors: list[int]) -> None:
        with self.sending:
            data = json.dumps(message).encode() + b"\n"
            sent = socket.send_fds(self.post, [data], descriptors)
            self.post.sendall(data[sent:])


class WorkPool:
    """Working processes, which outlive the server when it goes while they are at work.

    Parameters
    ----------
    environment, folder
        Of the processes.
    log
        The file for what they write on standard error.
    most
        How many may be at work at once.
    """

    def __init__(self, environment: Mapping[str, str], folder: Path, log: Path, *, most: int = MOST_AT_WORK) -> None:
        self._environment, self._folder, self._log, self._most = environment, folder, log, most
        self._guard = threading.Lock()
        self._workers: list[_Worker] = []

    def warm(self) -> None:
        """Start a process, so that the first turn finds it ready."""
        with self._guard:
            if not self._workers:
                self._start()

    def require_place(self) -> None:
        """Refuse with AllAtWork where no more can be done at once."""
        with self._guard:
            self._require_place()

    def give(self, name: str, job: AnyJob, held: int) -> None:
        """Let a process do a job, and hold a lock meanwhile.

        Raises
        ------
        AllAtWork
            No more can be done at once.
        """
        message = {"name": name, "job": job.model_dump(mode="json")}
        with self._guard:
            self._require_place()
            for worker in [each for each in self._workers if not each.job]:
                worker.job, worker.jobs = name, worker.jobs + 1
                try:
                    worker.send(message, [held])
                except OSError:  # it has ended meanwhile; its listener takes it out of the list
                    continue
                return
            worker = self._start()
            worker.job, worker.jobs = name, 1
            worker.send(message, [held])

    def cancel(self, name: str) -> bool:
        """Stop a job of this server, as Ctrl-C does; False where it is not at work."""
        with self._guard:
            worker = next((each for each in self._workers if each.job == name), None)
        if worker is None:
            return False
        with suppress(OSError):
            worker.send({"cancel": name}, [])
        return True

    def has(self, name: str) -> bool:
        """Whether a job of this server is at work."""
        with self._guard:
            return any(each.job == name for each in self._workers)

    def close(self) -> None:
        """Let the processes end: idle ones now, the others after their jobs."""
        with self._guard:
            idle = [each.process for each in self._workers if not each.job]
            for worker in self._workers:
                with suppress(OSError):
                    worker.post.shutdown(socket.SHUT_RDWR)
        for process in idle:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE_S)

    def _require_place(self) -> None:
        if sum(bool(each.job) for each in self._workers) >= self._most:
            hint = "Wait until one is over, or cancel it."
            raise AllAtWork(f"{self._most} turns and runs are in progress, the most at one time", hint=hint)

    def _start(self) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs, self._log.open("ab") as words:
            process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, "-P", "-m", "helio_dagster.serve.work.process", str(theirs.fileno())],
                cwd=self._folder,
                env={**self._environment},
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )
        worker = _Worker(process, ours)
        self._workers.append(worker)
        threading.Thread(target=self._listen, args=(worker,), name="work", daemon=True).start()
        return worker

    def _listen(self, worker: _Worker) -> None:
        """Note which jobs of a process are done, until it ends."""
        kept = b""
        with suppress(OSError):
            while data := worker.post.recv(65536):
                *lines, kept = (kept + data).split(b"\n")
                for line in lines:
                    self._free(worker, is_leaving=bool(json.loads(line).get("is_leaving")))
        with self._guard:
            worker.job = ""
            self._workers = [each for each in self._workers if each is not worker]
        worker.process.wait()
        worker.post.close()

    def _free(self, worker: _Worker, *, is_leaving: bool) -> None:
        with self._guard:
            worker.job = ""
            idle = [each for each in self._workers if not each.job]
            if is_leaving or worker.jobs >= MOST_JOBS or len(idle) > 1:
                self._workers.remove(worker)
                with suppress(OSError):
                    worker.post.shutdown(socket.SHUT_RDWR)
