"""`helio` as a process of its own that need not import anything: it is forked from one that has imported all of it.

Importing Dagster, pandas and the rest takes longer than most commands do. What is forked has its own environment, folder,
standard streams and exit code, and ends as an interpreter does. Tests of the start itself, of terminals and of signals start
`python -m helio_dagster`; so do those that compare bytes between processes, which should not share a hash seed.
"""

from __future__ import annotations

import faulthandler
import gc
import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from tests.security.processes import descendants, end

_ROOT = Path(__file__).parents[1]
_REQUEST_BYTES = 1 << 20
_WITHOUT = (".component", ".agent.model", ".sandbox.worker", ".archives.cdf.worker", ".archives.cdf.fast_file", ".__main__")
"""Parts that `helio` itself loads in other processes only, or never, or at the price of a second."""
_SERVE = "from tests.prepared import serve\nserve()\nfrom helio_dagster.cli import main\nmain()"


class Prepared:
    """The process that has imported everything."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-c", _SERVE, str(theirs.fileno())]
            self._process = subprocess.Popen(command, cwd=_ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)

    def run(
        self, arguments: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], said: str = "", timeout_s: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run `helio` to its end; `said` is what its standard input gives. One that does not end fails with where it waits."""
        given, input_end = os.pipe()
        output_end, out = os.pipe()
        error_end, err = os.pipe()
        request = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": dict(env)}).encode()
        self._channel.settimeout(timeout_s)
        socket.send_fds(self._channel, [request], [given, out, err])
        for each in (given, out, err):
            os.close(each)
        with ThreadPoolExecutor(3) as threads:
            threads.submit(_write, input_end, said)
            output, errors = threads.submit(_read, output_end), threads.submit(_read, error_end)
            pid = int(self._channel.recv(100))
            is_over = True
            try:
                code = self._channel.recv(100)
            except TimeoutError:
                is_over = False
                below = descendants(pid)
                os.kill(pid, signal.SIGABRT)  # it tells where its threads are
                code = self._channel.recv(100)
                end(below)
            assert is_over, f"helio {' '.join(arguments)} does not end: {output.result()[-2000:]}\n{errors.result()[-8000:]}"
            return subprocess.CompletedProcess(["helio", *arguments], int(code), output.result(), errors.result())


@cache
def prepared() -> Prepared:
    """The one of this process, started when it is first needed; it ends with this process, whose end of the channel closes."""
    return Prepared()


def serve() -> None:
    """Fork for each request; return in what was forked, and end where nobody is left to ask."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    _import_all()
    while True:
        message, streams, _, _ = socket.recv_fds(channel, _REQUEST_BYTES, 3)
        if not message:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            channel.close()
            _become(json.loads(message), streams)
            return
        for each in streams:
            os.close(each)
        channel.send(str(pid).encode())
        channel.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """What `python -m helio_dagster` is when it begins."""
    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = _streams()
    faulthandler.enable(2)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [str(_ROOT / "helio_dagster" / "__main__.py"), *request["arguments"]]
    sys.path[0] = request["cwd"]
    sys.modules["__main__"].__package__ = "helio_dagster"  # from which the help tells how it is called


def _streams() -> tuple[TextIO, TextIO, TextIO]:
    """The standard streams as the interpreter opens them where they are pipes; those at hand know the old descriptors."""
    is_unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    out = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), encoding="utf-8", write_through=is_unbuffered)
    err = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True)
    return os.fdopen(0, encoding="utf-8", closefd=False), out, err


def _import_all() -> None:
    """All that a command may need, the planner's terms too; the collector then leaves it alone: its pages stay shared."""
    import importlib
    import pkgutil

    import helio_dagster
    from helio_dagster.agent.offline.vocabulary import vocabulary

    for module in pkgutil.walk_packages(helio_dagster.__path__, "helio_dagster.", onerror=lambda _: None):
        if not any(part in module.name for part in _WITHOUT):
            importlib.import_module(module.name)
    vocabulary()  # two hundred regular expressions: half a second of each process that plans
    gc.collect()
    gc.freeze()


def _read(descriptor: int) -> str:
    with os.fdopen(descriptor, encoding="utf-8", newline=None) as file:
        return file.read()


def _write(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
