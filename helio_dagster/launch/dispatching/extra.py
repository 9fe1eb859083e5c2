"""The extra `celery`, and what its broker says."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from helio_dagster.domain.dispatch import BROKER_VARIABLE, Dispatch, with_password
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.launch.dispatching.names import queue_of, workers_here, workers_of
from helio_dagster.storage.settings import Settings

if TYPE_CHECKING:
    from celery import Celery

_ANSWER_S = 2.0
_PATIENCE_S = 5.0
_AWAY = "Check that it is running and that runs.broker is right. If it needs a password, set HELIO_BROKER_PASSWORD."
_REFUSALS: dict[int | None, str] = {
    403: "Set HELIO_BROKER_PASSWORD, and check the user in runs.broker. The user guest may only connect on RabbitMQ's machine.",
    530: "Create the virtual host with rabbitmqctl add_vhost, and let the user use it, or correct the end of runs.broker.",
}
"""What to do, by RabbitMQ's own code of the refusal."""


def needed_dispatch(settings: Settings) -> Dispatch:
    """How the home gives its runs to workers.

    Raises
    ------
    InputError
        It does not.
    """
    if settings.dispatch is None:
        hint = 'Set it in helio.toml, below [runs]: broker = "redis://host:6379/0".'
        raise InputError("this home has no workers: runs.broker is not set", hint=hint)
    return settings.dispatch


def open_app(settings: Settings) -> Celery:
    """The Celery app of a home, after checking that its broker answers.

    Raises
    ------
    InputError
        The home has no broker, or the extra is not installed.
    HelioError
        The broker does not answer.
    """
    dispatch = needed_dispatch(settings)
    try:
        from helio_dagster.resources.worker_launcher import celery_app
    except ImportError:
        raise _missing() from None
    app = celery_app(with_password(dispatch.broker, os.environ), queue_of(settings))
    _require_answer(app, dispatch)
    return app


def require_worker_here(settings: Settings) -> str:
    """The name of a worker of a home that answers on this machine; found out without loading Dagster.

    Raises
    ------
    InputError
        The home has no broker, or the extra is not installed.
    HelioError
        The broker does not answer, or no worker does.
    """
    dispatch = needed_dispatch(settings)
    try:
        from celery import Celery
    except ImportError:
        raise _missing() from None
    app = Celery(broker=with_password(dispatch.broker, os.environ))
    _require_answer(app, dispatch)
    asking = app.control.inspect(timeout=_PATIENCE_S, limit=1, pattern=workers_here(settings), matcher="glob")
    for name in asking.ping() or ():
        return str(name)
    problem = f"no worker of this home on this machine answers at {dispatch.place}"
    raise HelioError(problem, hint="Start one: helio worker")


def _missing() -> InputError:
    hint = "Install it: pip install 'helio-dagster[celery]'"
    return InputError("workers need the extra celery, which is not installed", where=BROKER_VARIABLE, hint=hint)


def _require_answer(app: Celery, dispatch: Dispatch) -> None:
    """Raise HelioError if the broker does not answer, or refuses."""
    from kombu.exceptions import OperationalError

    with app.connection_for_write(connect_timeout=_ANSWER_S) as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0.2, timeout=_ANSWER_S)
            connection.default_channel.close()
        except (OperationalError, OSError, *connection.connection_errors, *connection.channel_errors) as error:
            said = str(getattr(error, "reply_text", "") or error)
            reason = said.splitlines()[0] if said else type(error).__name__
            code = getattr(error, "code", None)
            did = "refuses" if code in _REFUSALS else "does not answer"
            problem = f"the broker of the workers {did} ({dispatch.place}): {reason}"
            raise HelioError(problem, hint=_REFUSALS.get(code, _AWAY)) from error


def answering_workers(app: Celery, queue: str, *, enough: int = 1) -> int:
    """How many workers of a home answer now; as soon as there are enough, the others are not waited for.

    Asked twice: a process that asked before keeps a connection, which ends where the broker is restarted.

    Raises
    ------
    HelioError
        The broker ended the connection.
    """
    for is_last in (False, True):
        with app.connection_for_write(connect_timeout=_ANSWER_S) as connection:
            asking = app.control.inspect(
                timeout=_ANSWER_S, limit=enough, pattern=workers_of(queue), matcher="glob", connection=connection
            )
            try:
                return len(asking.ping() or {})
            except connection.connection_errors as error:
                if is_last:
                    raise HelioError("the broker of the workers ended the connection", hint="See that it runs.") from error
    return 0
