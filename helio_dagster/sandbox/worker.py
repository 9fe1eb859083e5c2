"""The worker: loads the libraries once, confines itself, and forks for every call.

Run as `python -m helio_dagster.sandbox.worker DESCRIPTOR LAYERS scipy`; the last word is empty where no code needs SciPy. It
ends, with all its calls, when the other side of that socket is closed, also because the caller was killed.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import NoReturn

from helio_dagster.sandbox.confining import Confinement, confine_worker
from helio_dagster.sandbox.libraries import load_scipy, warm_up
from helio_dagster.sandbox.running import await_call
from helio_dagster.sandbox.wire import Ending, Order, Ready, receive_message, send_message

_TRIES = 5


@dataclass
class _Call:
    """A call whose process runs: who asked, and until when."""

    pid: int
    caller: socket.socket
    deadline: float
    is_timed_out: bool = False

    def kill(self) -> None:
        """End the process and all that it started."""
        for end in (os.killpg, os.kill):
            try:
                end(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # not its own leader yet, or gone
                continue


@dataclass(frozen=True)
class _Spare:
    """A child that is ready and waits for an order."""

    pid: int
    channel: socket.socket


class _Worker:
    """The loop: orders in, endings out."""

    def __init__(self, channel: socket.socket, confinement: Confinement) -> None:
        self._channel = channel
        self._confinement = confinement
        self._calls: dict[int, _Call] = {}
        self._spare: _Spare | None = None
        self._woken, waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Answer until the other side is gone."""
        self._spare = self._fork()
        try:
            while self._step():
                pass
        finally:
            for call in self._calls.values():
                call.kill()

    def _step(self) -> bool:
        poller = select.poll()
        poller.register(self._channel, select.POLLIN)
        poller.register(self._woken, select.POLLIN)
        callers = {call.caller.fileno(): call for call in self._calls.values()}
        for descriptor in callers:
            poller.register(descriptor, 0)  # hang-ups only: the caller gave up
        for descriptor, _ in poller.poll(self._milliseconds_left()):
            if descriptor == self._channel.fileno():
                if not self._take_order():
                    return False
            elif descriptor in callers:
                callers[descriptor].kill()
        self._end_late_calls()
        self._reap()
        return True

    def _milliseconds_left(self) -> float | None:
        pending = [call.deadline for call in self._calls.values() if not call.is_timed_out]
        return max(0.0, min(pending) - time.monotonic()) * 1000 + 1 if pending else None

    def _take_order(self) -> bool:
        text, descriptors = receive_message(self._channel)
        if not text:
            return False
        order = Order.from_json(text)
        pid = self._hand_over(order, descriptors)
        *others, caller = descriptors
        for descriptor in others:
            os.close(descriptor)
        self._calls[pid] = _Call(pid, socket.socket(fileno=caller), time.monotonic() + order.wall_s)
        self._spare = self._fork()
        return True

    def _hand_over(self, order: Order, descriptors: list[int]) -> int:
        """Give an order to a child; its process id."""
        for _ in range(_TRIES):
            spare, self._spare = self._spare or self._fork(), None
            try:
                send_message(spare.channel, order, descriptors)
            except OSError:  # it was killed while it waited
                os.waitpid(spare.pid, 0)
                continue
            finally:
                spare.channel.close()
            return spare.pid
        raise ChildProcessError("children die before they are asked")

    def _fork(self) -> _Spare:
        ours, theirs = socket.socketpair()
        worker = os.getpid()
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            self._close_all()
            ours.close()
            await_call(theirs, worker, self._confinement)
        theirs.close()
        return _Spare(pid, ours)

    def _close_all(self) -> None:
        """In a child: let go of what belongs to the worker and to other calls."""
        self._channel.close()
        for call in self._calls.values():
            call.caller.close()

    def _end_late_calls(self) -> None:
        now = time.monotonic()
        for call in self._calls.values():
            if call.deadline <= now and not call.is_timed_out:
                call.is_timed_out = True
                call.kill()

    def _reap(self) -> None:
        try:
            os.read(self._woken, 512)
        except BlockingIOError:
            return
        for pid, call in list(self._calls.items()):
            if hasattr(os, "waitid"):  # not on macOS
                if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                    continue
                call.kill()  # what it may have left behind, while its number is still its own
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if not ended:
                continue
            del self._calls[pid]
            ending = Ending(os.waitstatus_to_exitcode(status), call.is_timed_out, usage.ru_utime + usage.ru_stime)
            try:
                send_message(call.caller, ending)
            except OSError:  # the caller is gone
                pass
            finally:
                call.caller.close()


def main() -> NoReturn:
    """Get ready, say so, and serve."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's to handle
    if "scipy" in sys.argv[3:]:
        load_scipy()
    warm_up()
    confinement = confine_worker(frozenset(sys.argv[2].split(",")))
    gc.disable()
    send_message(channel, Ready(sorted(confinement.layers), confinement.missing, confinement.threads))
    _Worker(channel, confinement).serve()
    sys.exit(0)


if __name__ == "__main__":
    main()
