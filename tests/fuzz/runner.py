"""Run many cases of a target from outside: count verdicts, end what hangs, go on after a crash, measure the worst case."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.fuzz.case_process import load_target
from tests.fuzz.memory import resident_mib
from tests.fuzz.target import Target

ROOT = Path(__file__).resolve().parents[2]
SAMPLE_S = 0.02
GRACE_S = 2.0
SETTLE_S = 2.0
START_S = 120.0


@dataclass
class Tally:
    """What became of a target's cases."""

    target: Target
    cases: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    defects: list[tuple[int, str]] = field(default_factory=list)
    worst_s: tuple[float, int] = (0.0, -1)
    worst_mib: tuple[float, int] = (0.0, -1)

    def count(self, number: int, *, seconds: float, mib: float, verdict: str | None, defect: str | None) -> None:
        """Add one case."""
        self.cases += 1
        self.worst_s = max(self.worst_s, (seconds, number))
        self.worst_mib = max(self.worst_mib, (mib, number))
        if defect is None and seconds > self.target.limit_s:
            defect = f"took {seconds:.1f} s; at most {self.target.limit_s:g} s are allowed"
        if defect is None and mib > self.target.limit_mib:
            defect = f"reached {mib:.0f} MiB; at most {self.target.limit_mib:g} MiB are allowed"
        self.verdicts[verdict if defect is None and verdict is not None else "DEFECT"] += 1
        if defect is not None:
            self.defects.append((number, defect))


def run_target(name: str, *, seed: int, cases: int, first: int = 0) -> Tally:
    """Run cases `first` to `first + cases` of a seed; a crash or a hang costs one case."""
    tally = Tally(load_target(name))
    number = first
    while number < first + cases:
        number = _run_until_it_dies(name, seed, number, first + cases, tally)
    return tally


def _run_until_it_dies(name: str, seed: int, number: int, stop: int, tally: Tally) -> int:
    """Run cases in one process; the number of the case to go on with."""
    scratch = tempfile.TemporaryDirectory(prefix=f"fuzz-{name}-")
    command = [sys.executable, "-m", "tests.fuzz.case_process", name, str(seed), str(number), str(stop - number)]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "TMPDIR": scratch.name}, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    messages: Queue[dict[str, Any] | None] = Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, messages), daemon=True)
    reader.start()
    try:
        _, ready, _ = _await(messages, process.pid, START_S)
        if ready is None:
            raise RuntimeError(f"the target {name} could not be loaded; its error stands above")
        while number < stop:
            if _await(messages, process.pid, START_S)[1] is None:
                return number
            seconds, outcome, mib = _await(messages, process.pid, tally.target.limit_s + GRACE_S)
            if outcome is None:
                how = _how_it_ended(process, settle_s=SETTLE_S if seconds > tally.target.limit_s else START_S)
                tally.count(number, seconds=seconds, mib=mib, verdict=None, defect=how)
                return number + 1
            tally.count(number, seconds=seconds, mib=mib, verdict=outcome.get("verdict"), defect=outcome.get("defect"))
            number += 1
        return number
    finally:
        _end(process)
        scratch.cleanup()


def _read(stream: Any, messages: Queue[dict[str, Any] | None]) -> None:
    for line in stream:
        messages.put(json.loads(line))
    messages.put(None)


def _await(messages: Queue[dict[str, Any] | None], pid: int, limit_s: float) -> tuple[float, dict[str, Any] | None, float]:
    """Seconds waited, the next message or None when the process ended or the limit passed, and the peak memory meanwhile."""
    start, peak = time.monotonic(), 0.0
    while True:
        peak = max(peak, resident_mib(pid))
        waited = time.monotonic() - start
        try:
            return waited, messages.get(timeout=SAMPLE_S), peak
        except Empty:
            if waited > limit_s:
                return waited, None, peak


def _how_it_ended(process: subprocess.Popen[str], *, settle_s: float) -> str:
    """What became of a process that said no more; one that closed its output may still be writing a core file."""
    try:
        return f"ended its process with code {process.wait(timeout=settle_s)}"
    except subprocess.TimeoutExpired:
        return "did not end"


def _end(process: subprocess.Popen[str]) -> None:
    """End the process and all of its session."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=GRACE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
