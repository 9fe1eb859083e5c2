"""A Python whose `-m helio_dagster` begins at once: a fork of the process that has imported all of it (`tests/forking.py`).

`tests/prepared.py` writes this program beside that process's socket. What it is asked to start it hands over, with its folder,
environment and open files, and then stands for it: it passes signals on, and ends as the fork ends; where it is killed, the
fork is killed. Everything else it is asked for, the interpreter does. It imports little: this is what its start costs.
"""

import json
import os
import signal
import socket
import sys
from types import FrameType

FORKED = ("helio_dagster", "helio_dagster.serve.work.process")
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT)


def main() -> None:
    """Stand for a fork, or become the interpreter."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["-P"]:
        del arguments[0]
    if arguments[:1] != ["-m"] or arguments[1] not in FORKED:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    open_files = [number for number in map(int, os.listdir("/proc/self/fd")) if _is_open(number)]
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel.connect(os.path.join(os.path.dirname(sys.argv[0]), "socket"))
    request = {
        "python": sys.argv[0],
        "module": arguments[1],
        "arguments": arguments[2:],
        "cwd": os.getcwd(),
        "env": dict(os.environ),
        "descriptors": open_files,
        "leads": os.getsid(0) == os.getpid(),
    }
    socket.send_fds(channel, [json.dumps(request).encode()], open_files)
    for number in open_files:
        os.close(number)
    pid = int(channel.recv(100))

    def pass_on(number: int, _frame: FrameType | None) -> None:
        os.kill(pid, number)

    for each in _PASSED_ON:
        signal.signal(each, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
    code = int(channel.recv(100) or 1)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _is_open(number: int) -> bool:
    """Whether it is still open: the listing's own descriptor is not."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
