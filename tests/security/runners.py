"""Calling an attack, without any confinement and in the sandbox, and seeing from outside what came of it."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.domain.errors import CodeError, CodeRefused, CodeStopped
from helio_dagster.sandbox import Answer, Sandbox
from tests.security import plain
from tests.security.corpus import Attack
from tests.security.evidence import Outcome, text_of_result
from tests.security.processes import Watch, children_of, descendants, end, state
from tests.security.scene import Scene

Frames = Mapping[str, pd.DataFrame]
_READ_BYTES = 200_000
_GRACE_S = 30.0
_ENDING_S = 20.0
ROOT = Path(__file__).parents[2]


class Unconfined:
    """Calls bodies in plain processes, through the script `plain.py`."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._process: subprocess.Popen[bytes] | None = None

    def attack(self, attack: Attack, scene: Scene, inputs: Frames, *, limit_s: float) -> Outcome:
        """Call an attack and see what came of it."""
        alone = self._ask([attack.then], scene, inputs, "alone", limit_s=limit_s)[0] if attack.then else ""
        scene.changes()
        bodies = [attack.body, attack.then] if attack.then else [attack.body]
        beside = descendants() - self._processes()
        with Watch(beside=beside) as peaks:
            said, answers = self._ask(bodies, scene, inputs, "attack", limit_s=limit_s)
        folder = scene.calls / "attack"
        alive = bool(answers)
        left = descendants(beside=beside) - ({self._process.pid} if alive and self._process else set())
        outcome = Outcome(
            said=said,
            said_bytes=sum(path.stat().st_size for path in folder.iterdir() if path.suffix in {".txt", ".pkl"}),
            hung=any(answer["hung"] for answer in answers),
            crashed=any(answer["ended"] != 0 and not answer["hung"] for answer in answers),
            memory_bytes=max([answer["memory_bytes"] for answer in answers] or [0]),
            threads=peaks.threads,
            descriptors=peaks.descriptors,
            left=left,
            parent_harmed=not alive,
            inputs_changed=(folder / "inputs.txt").exists() and bool((folder / "inputs.txt").read_text()),
            then_differs=bool(attack.then) and said != alone,
            scene=scene.changes(),
        )
        end(left)
        if not alive:
            self.close()
        return outcome

    def _ask(
        self, bodies: list[str], scene: Scene, inputs: Frames, name: str, *, limit_s: float
    ) -> tuple[str, list[dict[str, Any]]]:
        folder = scene.calls / name
        folder.mkdir()
        given = folder / "inputs.bin"
        given.write_bytes(pickle.dumps(dict(inputs)))
        self._start_if_needed()
        request = {"bodies": bodies, "folder": str(folder), "inputs": str(given), "limit_s": limit_s}
        self._channel.sendall(json.dumps(request).encode())
        answer = self._await_answer()
        said = "\n".join(_begin_of(path) for path in (folder / "said.txt", folder / "result.txt") if path.exists())
        return said, json.loads(answer) if answer else []

    def _await_answer(self) -> bytes:
        """The answer, or nothing where the script was killed or stopped."""
        assert self._process is not None
        while state(self._process.pid) not in {"T", "Z", ""}:
            with suppress(TimeoutError):
                return self._channel.recv(1 << 20)
        return b""

    def _start_if_needed(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.settimeout(0.1)
        theirs.set_inheritable(True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", plain.__name__, str(theirs.fileno())],
            cwd=ROOT,
            close_fds=False,
            env={**os.environ, "CANARY": self._token, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        theirs.close()

    def _processes(self) -> set[int]:
        """The script's, as far as it runs."""
        return set() if self._process is None else {self._process.pid} | descendants(self._process.pid)

    def close(self) -> None:
        """End the script."""
        if self._process is not None:
            end(descendants(self._process.pid))
            self._process.kill()
            self._process.wait()
            self._process = None
            self._channel.close()


class Confined:
    """Calls bodies in the sandbox, as the tool does, but for its static check."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        sandbox.start(needs_scipy=True)  # the worker that has more to attack; one for all, so that its loss shows

    def attack(self, attack: Attack, scene: Scene, inputs: Frames) -> Outcome:
        """Call an attack and see what came of it; the scene's processes are known, others are left behind."""
        copies = {name: frame.copy(deep=True) for name, frame in inputs.items()}
        alone = _say(self._call(attack.then, inputs)) if attack.then else ""
        worker = self._sandbox.start().worker.pid
        beside = descendants() - {worker} - children_of(worker)
        with Watch(beside=beside) as peaks:
            answer = self._call(attack.body, inputs)
        then = _say(self._call(attack.then, inputs)) if attack.then else ""
        is_well = self._is_well(inputs)
        harmed = self._sandbox.start().worker.pid != worker or state(worker) in {"T", "Z", ""}
        left = self._left_behind(beside)
        table_bytes = int(answer.result.memory_usage().sum()) if isinstance(answer, Answer) else 0
        outcome = Outcome(
            said=_say(answer),
            said_bytes=len(_say(answer)) + table_bytes,
            hung=answer is None,
            crashed=not (is_well and isinstance(answer, (Answer, CodeError, CodeStopped, CodeRefused, type(None)))),
            memory_bytes=peaks.memory_bytes,
            threads=peaks.threads,
            descriptors=peaks.descriptors,
            left=left,
            parent_harmed=harmed,
            inputs_changed=not all(_is_same(copies[name], frame) for name, frame in inputs.items()),
            then_differs=then != alone,
            scene=scene.changes(),
        )
        end(left)
        return outcome

    def result(self, body: str, inputs: Frames, *, name: str) -> pd.DataFrame:
        """What honest code gives."""
        return self._sandbox.call(body, inputs, name=name).result

    def _left_behind(self, beside: set[int]) -> set[int]:
        """Who is there, but the sandbox and those beside it, after the time that the worker has for ending a call's process."""
        deadline = time.monotonic() + _ENDING_S
        while (left := descendants(beside=beside) - self._own_processes()) and time.monotonic() < deadline:
            time.sleep(0.002)
        return left

    def _own_processes(self) -> set[int]:
        """The worker, and the one process that it keeps ready for the next call."""
        worker = self._sandbox.start().worker.pid
        ready = children_of(worker)
        return {worker} | (ready if len(ready) <= 1 else set())

    def _is_well(self, inputs: Frames) -> bool:
        """Whether an honest call gives what it should."""
        answer = self._call("return b * 2", inputs)
        return isinstance(answer, Answer) and np.array_equal(answer.result.values, inputs["b"].values * 2, equal_nan=True)

    def _call(self, body: str, inputs: Frames) -> Answer | Exception | None:
        """What a call gives or raises; None where it does not come back."""
        found: list[Answer | Exception] = []

        def call() -> None:
            try:
                found.append(self._sandbox.call(body, inputs, name="attack"))
            except Exception as error:  # noqa: BLE001 - what it raises is what is looked at
                found.append(error)

        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(self._sandbox.limits.wall_s + _GRACE_S)
        return found[0] if found else None


def _say(answer: Answer | Exception | None) -> str:
    """All that reaches the caller as text."""
    if isinstance(answer, Answer):
        return f"{answer.printed}\n{text_of_result(answer.result)}"
    return f"{type(answer).__name__}\n{answer}\n{vars(answer) if isinstance(answer, Exception) else ''}"


def _is_same(before: pd.DataFrame, after: pd.DataFrame) -> bool:
    return before.equals(after) and before.attrs == after.attrs


def _begin_of(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_READ_BYTES).decode("utf-8", "replace")
