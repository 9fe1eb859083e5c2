"""Run a Python module as a process that ends with its parent: `python -m helio_dagster.launch.web.lifeline MODULE ARG…`.

Standard input is the read end of a pipe whose write end only the parent holds. However the parent ends, even by SIGKILL, the
system closes it. This process group then gets SIGINT and, after a few seconds, SIGKILL.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time

GRACE_S = 5.0
"""How long processes may take to stop by themselves after the parent has gone."""


def main() -> None:
    """Run the module named in the arguments, until it or the parent ends."""
    if os.getpgrp() != os.getpid():
        os.setsid()
    lifeline = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - its descriptor is needed
        os.dup2(nothing.fileno(), 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the parent was started in the background
    is_alone = threading.Event()
    watch = threading.Thread(target=_end_with_parent, args=(lifeline, is_alone), name="lifeline", daemon=True)
    watch.start()
    del sys.argv[0]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    finally:
        if is_alone.is_set():
            watch.join()  # it ends the rest of the group, including this process


def _end_with_parent(lifeline: int, is_alone: threading.Event) -> None:
    while os.read(lifeline, 1):
        pass
    is_alone.set()
    os.killpg(0, signal.SIGINT)
    time.sleep(GRACE_S)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
