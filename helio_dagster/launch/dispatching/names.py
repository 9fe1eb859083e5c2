"""What workers are called at a broker, which others may use too: those of one home, or of homes that work together."""

from __future__ import annotations

import os
import socket

from helio_dagster.resources.work_group import work_group
from helio_dagster.storage.settings import Settings


def queue_of(settings: Settings) -> str:
    """The queue of a home's runs, and of those of other homes with its record and its address of tables."""
    return f"helio-{work_group(settings)}"


def name_of_worker(settings: Settings) -> str:
    """What this process is called as a worker of a home."""
    return f"{queue_of(settings)}-{os.getpid()}@{socket.gethostname()}"


def workers_of(queue: str) -> str:
    """What the workers of a queue are called on all machines, as a pattern of a shell."""
    return f"{queue}-*"


def workers_here(settings: Settings) -> str:
    """What the workers of a home on this machine, or in this container, are called, as a pattern of a shell."""
    return f"{queue_of(settings)}-*@{socket.gethostname()}"
