"""One trial in a fresh process: starting it, its clock, its answer. Standard library only: foreign interpreters run it too."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
Answer = dict[str, float | int | str]


def cpu_s() -> float:
    """CPU seconds of this process and of all its children, the living ones included."""
    spent = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return spent + sum(_living_cpu_s(os.getpid()))


def least_cpu_s(step: Callable[[], object], *, of: int = 3) -> float:
    """The least CPU seconds that this process takes for a step, of some times."""
    took = []
    for _ in range(of):
        began = time.process_time()
        step()
        took.append(time.process_time() - began)
    return min(took)


@contextmanager
def timed(answer: Answer, phase: str) -> Iterator[None]:
    """Note wall and CPU seconds of the block as `<phase>_wall_s` and `<phase>_cpu_s`."""
    wall, cpu = time.perf_counter(), cpu_s()
    yield
    answer[f"{phase}_wall_s"], answer[f"{phase}_cpu_s"] = time.perf_counter() - wall, cpu_s() - cpu


def reply(answer: Answer) -> None:
    """Hand the answer to the process that started this one."""
    answer["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer["children_peak_mib"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps(answer), flush=True)


class TrialFailed(RuntimeError):
    """The process gave no answer; the message is the end of what it said."""


def run_trial(
    python: str, module: str, arguments: Sequence[str], environment: Mapping[str, str] | None = None, timeout_s: float = 900
) -> Answer:
    """Run a module (with its dots) or a script of this folder (without) and return its answer, with the whole `process_wall_s`.

    Raises
    ------
    TrialFailed
        It ended badly.
    """
    began = time.perf_counter()
    command = [python, "-m", module] if "." in module else [python, str(Path(__file__).with_name(f"{module}.py"))]
    found = subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        timeout=timeout_s,
        check=False,
    )
    lines = found.stdout.strip().splitlines()
    if found.returncode or not lines:
        raise TrialFailed(f"{module} {' '.join(arguments)}: {(found.stderr or found.stdout).strip()[-2000:]}")
    answer: Answer = json.loads(lines[-1])
    answer["process_wall_s"] = time.perf_counter() - began
    return answer


def _living_cpu_s(parent: int) -> Iterator[float]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(") ", 1)[1].split()
        except OSError:
            continue  # gone meanwhile
        if int(fields[1]) == parent:
            yield sum(map(int, fields[11:15])) / _TICKS
            yield from _living_cpu_s(int(folder.name))
