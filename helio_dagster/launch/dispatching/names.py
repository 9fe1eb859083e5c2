"""What the workers of a home are called at a broker, which other homes may use too."""

from __future__ import annotations

import os
import socket

from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings


def queue_of(settings: Settings) -> str:
    """The queue of a home's runs."""
    return f"helio-{home_identity(settings.home)}"


def name_of_worker(settings: Settings) -> str:
    """What this process is called as a worker of a home."""
    return f"{queue_of(settings)}-{os.getpid()}@{socket.gethostname()}"


def workers_of(queue: str) -> str:
    """What the workers of a queue are called on all machines, as a pattern of a shell."""
    return f"{queue}-*"


def workers_here(settings: Settings) -> str:
    """What the workers of a home on this machine, or in this container, are called, as a pattern of a shell."""
    return f"{queue_of(settings)}-*@{socket.gethostname()}"
