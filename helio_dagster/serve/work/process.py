"""A working process: `python -m helio_dagster.serve.work.process N`, where N is the descriptor of a socket to the server.

It has loaded what turns and runs need before it is given one, so that a turn begins at once. Jobs come over the socket, each
with the descriptor of a lock that is held as long as the job is at work. When the server is gone, the job is still finished.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress

from helio_dagster.serve.work.jobs import JOB, AnyJob

LARGEST_MESSAGE = 8 << 20
_AT_ONCE_S = 1.0
_log = logging.getLogger(__name__)


class Post:
    """The socket to the server, read in a thread of its own, so that a job can be cancelled while it is at work."""

    def __init__(self, ours: socket.socket) -> None:
        self._socket = ours
        self._guard = threading.Lock()
        self._current = ""
        self._cancelled: set[str] = set()
        self.jobs: queue.Queue[tuple[str, AnyJob, int] | None] = queue.Queue()

    def listen(self) -> None:
        """Take messages until the server is gone."""
        kept, lock = b"", -1
        with suppress(OSError):
            while True:
                data, descriptors, _, _ = socket.recv_fds(self._socket, 65536, 4)
                if descriptors:
                    lock = descriptors[0]
                if not data or len(kept) > LARGEST_MESSAGE:
                    break
                *lines, kept = (kept + data).split(b"\n")
                for line in lines:
                    self._take(json.loads(line), lock)
        self.jobs.put(None)

    def begin(self, name: str) -> bool:
        """Note which job is at work; False if it was cancelled before it began."""
        with self._guard:
            self._current = name
            return name not in self._cancelled

    def end(self, name: str, *, is_leaving: bool) -> None:
        """Note that no job is at work, and tell the server, also whether this process ends now."""
        with self._guard:
            self._current = ""
        with suppress(OSError):
            self._socket.sendall(json.dumps({"done": name, "is_leaving": is_leaving}).encode() + b"\n")

    def _take(self, message: dict[str, object], lock: int) -> None:
        if "cancel" not in message:
            self.jobs.put((str(message["name"]), JOB.validate_python(message["job"]), lock))
            return
        with self._guard:
            self._cancelled.add(str(message["cancel"]))
            if self._current == message["cancel"]:
                os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Load everything, then work until the server is gone or a job was stopped."""
    from helio_dagster.resources.collector import collector_at_rest

    with collector_at_rest():
        from helio_dagster.serve.work.doing import Telling, do, load_running, prepare
    for number in (signal.SIGINT, signal.SIGTERM):  # both: Dagster gives SIGTERM whatever SIGINT has
        signal.signal(number, signal.default_int_handler)
    post = Post(socket.socket(fileno=int(sys.argv[1])))
    threading.Thread(target=post.listen, name="post", daemon=True).start()
    with suppress(KeyboardInterrupt):
        prepare()
        is_read = False
        while (given := _next_job(post, load_running if is_read else None)) is not None:
            name, job, lock = given
            os.set_inheritable(lock, False)
            is_clean, telling = False, Telling(job.events)
            try:
                os.pwrite(lock, str(os.getpid()).encode(), 0)
                if post.begin(name):
                    do(job, telling)
                else:
                    telling.fail(KeyboardInterrupt())
                is_clean, is_read = True, telling.awaits_approval
            except Exception:  # noqa: BLE001 - the outermost edge: its events say what happened, the log has the traceback
                sys.stderr.write(traceback.format_exc())
            finally:
                post.end(name, is_leaving=not is_clean)  # before the last event: who has read that finds this process free
                telling.close()
                os.close(lock)
            if not is_clean:
                break


def _next_job(post: Post, meanwhile: Callable[[], None] | None) -> tuple[str, AnyJob, int] | None:
    """The next job; something is done before it where a person reads a plan, unless the job comes at once."""
    if meanwhile is not None:
        try:
            return post.jobs.get(timeout=_AT_ONCE_S)
        except queue.Empty:
            meanwhile()
    return post.jobs.get()


if __name__ == "__main__":
    main()
