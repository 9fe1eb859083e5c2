"""One `helio` command as a fresh process: how long it took, how much memory it held, what it said. Judging is the caller's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Any

from benchmarks.trial import Answer, TrialFailed

_LAUNCHER = """
import json, os, sys, time
began = time.perf_counter()
_, status, used = os.wait4(os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ), 0)
measured = {"wall_s": time.perf_counter() - began, "cpu_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}
with open(sys.argv[1], "w") as file:
    json.dump({**measured, "code": os.waitstatus_to_exitcode(status)}, file)
"""
"""A small process between us and the command: the peak memory of a process counts what its parent held when it started it."""


def run_command(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[Answer, Any]:
    """Run `python -m …` and give its figures and the JSON document that it printed, None where it printed nothing.

    `wall_s` is the whole process, `peak_mib` the resident memory of the largest one among it and its workers.

    Raises
    ------
    TrialFailed
        It ended badly.
    """
    with TemporaryFile() as out, TemporaryFile() as err, NamedTemporaryFile() as figures:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, figures.name, sys.executable, "-m", *arguments],
            stdout=out,
            stderr=err,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environment},
            check=True,
        )
        measured = json.loads(figures.read())
        out.seek(0)
        err.seek(0)
        if measured.pop("code"):
            said = (err.read() or out.read()).decode().strip()[-2000:]
            raise TrialFailed(f"{' '.join(arguments)} failed: {said}")
        text = out.read()
    answer: Answer = measured
    return answer, json.loads(text) if text.strip() else None
