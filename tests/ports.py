"""Ports of this machine for servers of tests."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free_port() -> int:
    """A port that nothing listens at."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Different ports that nothing listens at.

    Linux gives them odd numbers. The even ones between them are those that it gives to connections of clients, so the port
    after a free one is often in use.
    """
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
