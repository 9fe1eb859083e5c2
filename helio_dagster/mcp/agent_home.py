"""What all tools share: the home, and what was looked up lately."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.mcp.replies import compact

_MOST_LOOKED_UP = 60


@dataclass
class AgentHome(ServedHome):
    """The home that a server works in.

    Parameters
    ----------
    is_trusting
        Whether plans are approved without a person.
    """

    is_trusting: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by the one call that works; the others wait for it."""
    looked_up: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_LOOKED_UP))

    def remember(self, document: Mapping[str, Any]) -> None:
        """Keep what was looked up: a plan may state numbers that stand in it."""
        self.looked_up.append(compact(document))
