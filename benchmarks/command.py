"""One `helio` command as a fresh process: how long it took, how much memory it held, what it said. Judging is the caller's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile
from typing import Any

from benchmarks.trial import Answer, TrialFailed


def run_command(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[Answer, Any]:
    """Run `python -m …` and give its figures and the JSON document that it printed, None where it printed nothing.

    `wall_s` is the whole process, `peak_mib` the resident memory of the largest one among it and its workers.

    Raises
    ------
    TrialFailed
        It ended badly.
    """
    with TemporaryFile() as out, TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            stdout=out,
            stderr=err,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            said = (err.read() or out.read()).decode().strip()[-2000:]
            raise TrialFailed(f"{' '.join(arguments)} ended with {process.returncode}: {said}")
        text = out.read()
    answer: Answer = {"wall_s": wall_s, "cpu_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}
    return answer, json.loads(text) if text.strip() else None
