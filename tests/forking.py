"""The process that has imported everything and forks for each request; `tests/prepared.py` starts it and asks.

A request comes over a connection of its own: what to run, with which arguments, folder, environment and open files. The answer
is the fork's process id and, when it has ended, its exit code. If the connection closes before that, the fork is killed.
"""

from __future__ import annotations

import atexit
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
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TextIO

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
_LATE = (
    "dagster._core.execution.execute_in_process",
    "dagster._core.executor.in_process",
    "dagster._core.instance.factory",
    "dagster._core.storage.legacy_storage",
    "dagster._core.storage.root",
    "fontTools.unicode",
    "matplotlib.backends.backend_agg",
    "plotly.animation",
    "plotly.io.json",
    "upath",
)
"""What each run would import: parts of others that they import late."""


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
    try:
        run()
    except SystemExit as ended:
        _end(ended.code)
    _end(None)


def _end(code: str | int | None) -> NoReturn:
    """End as the interpreter does, but for taking apart what was imported: that copies every page of it, for half a second.

    Threads are waited for and what is to be done at the end is done, files of the standard streams are written out.
    """
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more, or it was closed
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


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
    """All that a command may need, and what the first one makes; the collector then leaves it alone: its pages stay shared."""
    _import_below("helio_dagster.")
    for name in _LATE:
        with suppress(ImportError):  # another version of theirs has other parts
            importlib.import_module(name)
    _make_commands_once()
    _plan_once()
    gc.collect()
    gc.freeze()


def _make_commands_once() -> None:
    """Typer makes its commands anew for each call of the program: a tenth of a second of every fork."""
    import typer.main

    from helio_dagster.cli.app import app

    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(app)


def _plan_once() -> None:
    """Compile the hundreds of regular expressions of the offline planner: half a second of every fork that plans."""
    from helio_dagster.agent.offline.offline_planner import OfflinePlanner
    from helio_dagster.agent.planner import Knowledge, Situation
    from helio_dagster.catalog.database import CatalogDatabase, packaged_path
    from helio_dagster.catalog.known import KnownCatalog
    from helio_dagster.catalog.searching import CatalogSearch
    from helio_dagster.resources.operation_library import OperationLibrary

    database = CatalogDatabase(packaged_path())  # not the one that is kept open: forks must not share a connection
    knowledge = Knowledge(KnownCatalog(lambda: database), CatalogSearch(database), OperationLibrary(_ROOT / "none"))
    OfflinePlanner(knowledge, "demo").answer(Situation("ACE |B| for 2003-10-29", datetime.now(UTC)))
    database.close()


def _import_below(prefix: str) -> None:
    """Import the modules of a package, those left out that `_WITHOUT` names below it."""
    package = importlib.import_module(prefix.rstrip("."))
    for module in pkgutil.walk_packages(package.__path__, prefix, onerror=lambda _: None):
        if not any(part in module.name.removeprefix(prefix[:-1]) for part in _WITHOUT):
            importlib.import_module(module.name)
