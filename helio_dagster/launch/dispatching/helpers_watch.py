"""Says, while a run is waited for, that those who would do it are gone: the broker, Dagster's daemon, or all workers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from helio_dagster.domain.errors import HelioError

_log = logging.getLogger(__name__)
_EVERY_S = 30.0


class HelpersWatch:
    """Looks again and again whether queued runs will be done; nothing is canceled, since helpers may come back.

    Something counts as gone at the second look in a row, because a busy worker may miss a question. It is said once.

    Parameters
    ----------
    require
        Raises HelioError, which says what is missing and what to do.
    every_s
        How long between two looks.
    clock
        Seconds that only go forward.
    """

    def __init__(
        self, require: Callable[[], None], *, every_s: float = _EVERY_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._require, self._every, self._clock = require, every_s, clock
        self._looked, self._missing, self._said = clock(), "", ""

    def look(self) -> None:
        """Look if it is time."""
        if self._clock() - self._looked < self._every:
            return
        found = self._found()
        self._looked = self._clock()
        if found and found == self._missing != self._said:
            _log.warning("waiting: %s", found)
            self._said = found
        elif not found:
            self._said = ""
        self._missing = found

    def _found(self) -> str:
        """What is missing, and what to do; empty where nothing is."""
        try:
            self._require()
        except HelioError as error:
            return str(error)
        return ""
