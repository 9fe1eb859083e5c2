"""`helio` as a process of its own that need not import anything: it is forked from one that has imported all of it.

Importing Dagster, pandas and the rest takes longer than most commands do. What is forked has its own environment, folder,
standard streams and exit code, and at its end waits for its threads and does what was left for the end. Tests of the start
itself, of terminals and of signals start `python -m helio_dagster`; so do those that compare bytes between processes, which
should not share a hash seed.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from pathlib import Path

from tests import forked_python
from tests.security.processes import descendants, end

_ROOT = Path(__file__).parents[1]
_WAITING = 16
_FORK = "from tests.forking import main; main()"
_FOLDER = "FORKS_OF_TESTS"


class Preparing:
    """The process that imports everything once it is asked; it ends with this process, whose end of the lifeline closes."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="helio-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        python = self.folder / "python"
        python.write_text(f"#!{sys.executable} -IS\n{Path(forked_python.__file__).read_text()}")
        python.chmod(0o755)
        theirs, self._lifeline = os.pipe()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            listening.bind(str(self.folder / "socket"))
            listening.listen(_WAITING)
            command = [sys.executable, "-c", _FORK, str(listening.fileno()), str(theirs)]
            self._process = subprocess.Popen(
                command, cwd=_ROOT, pass_fds=[listening.fileno(), theirs], stdin=subprocess.DEVNULL
            )
        os.close(theirs)

    def share(self) -> None:
        """Let the processes that this one starts use it, too."""
        os.environ[_FOLDER] = str(self.folder)


class Prepared:
    """The process that has imported everything, as those use it who know its folder."""

    def __init__(self, folder: Path) -> None:
        self._python, self._place = folder / "python", str(folder / "socket")

    @cached_property
    def python(self) -> str:
        """A Python that starts servers and what they start as forks; whoever waits for these does not wait for the imports."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as channel:
            channel.connect(self._place)
            channel.shutdown(socket.SHUT_WR)
            assert channel.recv(1) == b"", "a request for nothing has no answer"
        return str(self._python)

    def run(
        self, arguments: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], said: str = "", timeout_s: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run `helio` to its end; `said` is what its standard input gives. One that does not end fails with where it waits."""
        given, input_end = os.pipe()
        output_end, out = os.pipe()
        error_end, err = os.pipe()
        request = {"module": "helio_dagster", "arguments": arguments, "cwd": str(cwd), "env": dict(env)}
        files = {"descriptors": [0, 1, 2], "leads": False}
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as channel, ThreadPoolExecutor(3) as threads:
            channel.settimeout(timeout_s)
            channel.connect(self._place)
            socket.send_fds(channel, [json.dumps(request | files).encode()], [given, out, err])
            for each in (given, out, err):
                os.close(each)
            threads.submit(_write, input_end, said)
            output, errors = threads.submit(_read, output_end), threads.submit(_read, error_end)
            pid = int(channel.recv(100))
            is_over = True
            try:
                code = channel.recv(100)
            except TimeoutError:
                is_over = False
                below = descendants(pid)
                os.kill(pid, signal.SIGABRT)  # it tells where its threads are
                code = channel.recv(100)
                end(below)
            assert is_over, f"helio {' '.join(arguments)} does not end: {output.result()[-2000:]}\n{errors.result()[-8000:]}"
            return subprocess.CompletedProcess(["helio", *arguments], int(code), output.result(), errors.result())


@cache
def prepared() -> Prepared:
    """The one that is shared; else one of this process, started when it is first needed."""
    if _FOLDER in os.environ:
        return Prepared(Path(os.environ[_FOLDER]))
    return Prepared(_preparing().folder)


@cache
def _preparing() -> Preparing:
    return Preparing()


def _read(descriptor: int) -> str:
    with os.fdopen(descriptor, encoding="utf-8", newline=None) as file:
        return file.read()


def _write(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
