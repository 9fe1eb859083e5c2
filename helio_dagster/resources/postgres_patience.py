"""Wait while a server of PostgreSQL is restarted, so that nothing that asks it in that moment fails.

Dagster's storages wait for a connection, but give up where it ends in mid-question. A run would then count as failed, although
its record is back a second later.
"""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from dagster_postgres.utils import DagsterPostgresException
from sqlalchemy.exc import DBAPIError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_delay, wait_exponential

from helio_dagster.resources.postgres_connection import PATIENCE_S, is_away

_log = logging.getLogger(__name__)
_QUIET_S = 2.0
"""What is back sooner is not spoken of."""
RECORD_ERRORS = (DBAPIError, DagsterPostgresException)
"""What storages of Dagster raise where the server does not answer as it should."""
_Type = TypeVar("_Type", bound=type)


def while_restarted(patience_s: float = PATIENCE_S) -> Retrying:
    """Attempts as long as the server may be restarted; the error of the last one is raised."""
    return Retrying(
        retry=retry_if_exception(is_cut_off),
        wait=wait_exponential(0.1, max=2),
        stop=stop_after_delay(patience_s),
        before_sleep=_Saying(patience_s),
        reraise=True,
    )


def is_cut_off(error: BaseException) -> bool:
    """Whether the server cannot be reached, or ended the connection: what waiting may mend."""
    if isinstance(error, DagsterPostgresException) and error.__cause__ is not None:
        return is_cut_off(error.__cause__)
    return isinstance(error, DBAPIError) and (error.connection_invalidated or is_away(error.orig))


def patient(storage: _Type) -> _Type:
    """Have each method of a storage ask again while the server is restarted; but `store_…`, as an event is stored once."""
    for name in dir(storage):
        method = inspect.getattr_static(storage, name)
        if not name.startswith(("_", "store_")) and inspect.isfunction(method):
            setattr(storage, name, _patiently(method))
    return storage


def _patiently(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def asked(*arguments: Any, **named: Any) -> Any:
        began = time.monotonic()
        try:
            return method(*arguments, **named)
        except RECORD_ERRORS as error:
            left_s = PATIENCE_S - (time.monotonic() - began)
            if left_s <= 0 or not is_cut_off(error):
                raise
        return while_restarted(left_s)(method, *arguments, **named)

    return asked


class _Saying:
    """Says once that the server is waited for, where that takes longer."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s, self._has_said = patience_s, False

    def __call__(self, state: RetryCallState) -> None:
        if not self._has_said and (state.seconds_since_start or 0.0) >= _QUIET_S:
            self._has_said = True
            _log.warning("the record in PostgreSQL does not answer: waiting for it, up to %.0f s", self._patience_s)
