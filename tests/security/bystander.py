"""A process that has nothing to do with a call: it keeps a secret, notes every signal, and waits.

Run as a script: `bystander.py <file for its notes>`. It prints where its memory holds eight known bytes.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

KNOWN_BYTES = b"untouched"


def main() -> None:
    """Note signals for ever."""
    notes = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    kept = ctypes.create_string_buffer(KNOWN_BYTES)
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, lambda number, _: os.write(notes, f"{number}\n".encode()))
    print(ctypes.addressof(kept), flush=True)  # noqa: T201 - its answer to who started it
    while True:
        threading.Event().wait(3600)


if __name__ == "__main__":
    main()
