"""Ports of this machine for servers of tests."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
