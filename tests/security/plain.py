"""Running code with no confinement at all: what an attack can do where nothing stops it. Started only by the tests.

Run as a script: `plain.py <descriptor of a socket>`. Each request forks a process that calls the bodies one after the other,
and then one that handles the pickled result as a trusting caller would: it loads it, prints it, and saves it under its label.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pickle
import signal
import socket
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pywt
import scipy

from tests.security.evidence import text_of_result

_POLL_S = 0.002
_LONGEST_NAME = 200


def run_bodies(bodies: list[str], inputs: dict[str, Any]) -> Any:
    """Call each body over the inputs, in one process; the last one's result."""
    result: Any = None
    for body in bodies:
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        space = {"np": np, "pd": pd, "scipy": scipy, "pywt": pywt}
        exec(f"def step({', '.join(inputs)}):\n{lines}\n", space)  # noqa: S102 - to show what code can do, it is run
        result = space["step"](**inputs)
    return result


def handle_trustingly(folder: Path) -> None:
    """What careless code does with a result from elsewhere."""
    result = pickle.loads((folder / "result.pkl").read_bytes())  # noqa: S301 - see above
    (folder / "result.txt").write_text(text_of_result(result))
    (folder / "saved").mkdir()
    for label in (result.attrs.get("label"), result.index.name, result.columns[0]):
        if len(str(label)) < _LONGEST_NAME:
            Path(f"{folder}/saved/{label}.csv").write_text("saved")


def _handle(request: dict[str, Any]) -> None:
    handle_trustingly(Path(request["folder"]))


def _begin(folder: Path) -> None:
    """Point the standard streams at files of this request."""
    out = os.open(folder / "said.txt", os.O_WRONLY | os.O_CREAT, 0o600)
    silent, _kept_open = os.pipe()
    os.dup2(silent, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)


def _attack(request: dict[str, Any]) -> None:
    folder = Path(request["folder"])
    _begin(folder)
    inputs = pickle.loads(Path(request["inputs"]).read_bytes())  # noqa: S301 - written by the test
    before = {name: frame.copy(deep=True) for name, frame in inputs.items()}
    before_attrs = {name: repr(frame.attrs) for name, frame in inputs.items()}
    try:
        result = run_bodies(request["bodies"], inputs)
        result = result.to_frame() if isinstance(result, pd.Series) else result
    except Exception:  # noqa: BLE001 - whatever the code raised is told
        traceback.print_exc()
    else:
        (folder / "result.pkl").write_bytes(pickle.dumps(result))
    changed = [
        name for name in inputs if not before[name].equals(inputs[name]) or before_attrs[name] != repr(inputs[name].attrs)
    ]
    (folder / "inputs.txt").write_text(" ".join(changed))


def _wait(pid: int, limit_s: float) -> dict[str, Any]:
    """How a process ended; one that has not ended at the limit is killed."""
    deadline = time.monotonic() + limit_s
    while True:
        done, ended, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return {"ended": os.waitstatus_to_exitcode(ended), "hung": False, "memory_bytes": usage.ru_maxrss * 1024}
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            _, ended, usage = os.wait4(pid, 0)
            return {"ended": os.waitstatus_to_exitcode(ended), "hung": True, "memory_bytes": usage.ru_maxrss * 1024}
        time.sleep(_POLL_S)


def _end_as_interpreters_do() -> NoReturn:
    """End with what is registered for the end, but without taking every module apart, which takes its time."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(0)


def _serve(server: socket.socket) -> None:
    """Answer requests, one at a time."""
    while line := server.recv(1 << 20):
        request = json.loads(line)
        answers = []
        for work in (_attack, _handle):
            pid = os.fork()
            if pid == 0:
                server.close()
                work(request)
                _end_as_interpreters_do()
            answers.append(_wait(pid, request["limit_s"]))
            if not Path(request["folder"], "result.pkl").exists():
                break
        server.sendall(json.dumps(answers).encode())


if __name__ == "__main__":
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
