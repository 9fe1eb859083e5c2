"""The process that has imported everything and forks for each request; `tests/prepared.py` starts it and asks.

A request comes over a connection of its own: what to run, with which arguments, folder, environment and open files. The answer
is the fork's process id and, when it has ended, its exit code. If the connection closes before that, the fork is killed.
"""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

_ROOT = Path(__file__).parents[1]
_REQUEST_BYTES = 1 << 20
_MOST_FILES = 200
_ABOVE_ALL = 512
"""Above the numbers that open files are to have."""
_FOR_MODELS = ".agent.model"
_WITHOUT = (
    ".component",
    _FOR_MODELS,
    ".sandbox.worker",
    ".archives.cdf.worker",
    ".archives.cdf.fast_file",
    ".__main__",
    ".dispatching.worker",
    ".worker_launcher",
)
"""Parts that `helio` itself loads in other processes only, or never, or at the price of a second."""


class Forks:
    """The connections of those that ask, and the forks made for them."""

    def __init__(self, listening: socket.socket, lifeline: int) -> None:
        self._listening, self._lifeline = listening, lifeline
        self._asking: dict[int, socket.socket] = {}
        self._woken, waking = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(waking, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        self._waking = waking

    def serve(self) -> dict[str, Any]:
        """Fork for each request; in what was forked, return the request. End where nobody is left to ask.

        Everything is imported when somebody asks first.
        """
        has_imported = False
        while True:
            pids = {channel.fileno(): pid for pid, channel in self._asking.items()}
            ready, _, _ = select.select([self._listening.fileno(), self._lifeline, self._woken, *pids], [], [])
            if self._lifeline in ready:
                for pid in self._asking:
                    os.kill(pid, signal.SIGKILL)
                os._exit(0)
            if self._woken in ready:
                self._reap()
            for each in pids.keys() & set(ready):
                self._give_up(pids[each])
            if self._listening.fileno() in ready:
                if not has_imported:
                    _import_all()
                    has_imported = True
                if (request := self._accept()) is not None:
                    return request

    def _accept(self) -> dict[str, Any] | None:
        """The request, in the fork that was made for it; None in this process."""
        channel, _ = self._listening.accept()
        message, files, _, _ = socket.recv_fds(channel, _REQUEST_BYTES, _MOST_FILES)
        if not message:
            channel.close()
            return None
        request: dict[str, Any] = json.loads(message)
        if request["arguments"][:1] == ["mcp"]:
            _import_below("helio_dagster.agent.model.")  # a second, once for all servers
        pid = os.fork()
        if pid == 0:
            self._forget(channel)
            _become(request, files)
            return request
        for each in files:
            os.close(each)
        self._asking[pid] = channel
        channel.send(str(pid).encode())
        return None

    def _reap(self) -> None:
        """Tell those that asked which forks have ended, and how."""
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
                channel = self._asking.pop(ended[0], None)
                if channel is not None:
                    with suppress(OSError):
                        channel.send(str(os.waitstatus_to_exitcode(ended[1])).encode())
                    channel.close()

    def _give_up(self, pid: int) -> None:
        """End a fork, and its group where it leads one: whoever asked for it is gone."""
        channel = self._asking.pop(pid, None)
        if channel is None:
            return
        channel.close()
        with suppress(ProcessLookupError):
            (os.killpg if os.getpgid(pid) == pid else os.kill)(pid, signal.SIGKILL)

    def _forget(self, channel: socket.socket) -> None:
        """In a fork: hold nothing that is this process's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in (self._woken, self._waking, self._lifeline):
            os.close(number)
        for each in (channel, self._listening, *self._asking.values()):
            each.close()


def main() -> None:
    """Fork for each request, and in each fork do what was asked for."""
    listening, lifeline = (int(each) for each in sys.argv[1:])
    request = Forks(socket.socket(fileno=listening), lifeline).serve()
    if request["module"] == "helio_dagster":
        from helio_dagster.cli import main as begin
    else:
        begin = importlib.import_module(request["module"]).main
    run: Callable[[], None] = begin
    run()


def _become(request: dict[str, Any], files: list[int]) -> None:
    """What `python -m` of the module is when it begins."""
    above = [fcntl.fcntl(each, fcntl.F_DUPFD, _ABOVE_ALL) for each in files]
    for each in files:
        os.close(each)
    for each, number in zip(above, request["descriptors"], strict=True):
        os.dup2(each, number)
        os.close(each)
    if request["leads"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.stdin, sys.stdout, sys.stderr = _streams()
    faulthandler.enable(2)
    sys.argv = [str(_ROOT / "helio_dagster" / "__main__.py"), *request["arguments"]]
    sys.path[0] = request["cwd"]
    sys.executable = request.get("python", sys.executable)
    sys.modules["__main__"].__package__ = "helio_dagster"  # from which the help tells how it is called


def _streams() -> tuple[TextIO, TextIO, TextIO]:
    """The standard streams as the interpreter opens them where they are pipes; those at hand know the old descriptors."""
    is_unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    out = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), encoding="utf-8", write_through=is_unbuffered)
    err = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True)
    return os.fdopen(0, encoding="utf-8", closefd=False), out, err


def _import_all() -> None:
    """All that a command may need, the planner's terms too; the collector then leaves it alone: its pages stay shared."""
    from helio_dagster.agent.offline.vocabulary import vocabulary

    _import_below("helio_dagster.")
    vocabulary()  # two hundred regular expressions: half a second of each process that plans
    gc.collect()
    gc.freeze()


def _import_below(prefix: str) -> None:
    """Import the modules of a package, those left out that `_WITHOUT` names below it."""
    package = importlib.import_module(prefix.rstrip("."))
    for module in pkgutil.walk_packages(package.__path__, prefix, onerror=lambda _: None):
        if not any(part in module.name.removeprefix(prefix[:-1]) for part in _WITHOUT):
            importlib.import_module(module.name)
