"""Whether Dagster's daemon lives, by the heartbeats in a home's record; read without loading Dagster."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.record.history import open_runs
from helio_dagster.launch.record.instance_files import has_own_configuration
from helio_dagster.storage.settings import Settings

QUEUE, MONITORING = "QUEUED_RUN_COORDINATOR", "MONITORING"
_ALWAYS = ("SCHEDULER", "SENSOR", "BACKFILL")
LONGEST_SILENCE = timedelta(minutes=3)
"""Each part of the daemon writes every half minute, or when a slow turn is over."""


def read_heartbeats(settings: Settings) -> Mapping[str, datetime]:
    """When each part of the daemon gave a sign of life last, in UTC; nothing is created in the home.

    Raises
    ------
    StorageError
        The record is damaged, or cannot be read.
    """
    if not has_own_configuration(settings):
        from helio_dagster.launch.record.instance import open_instance

        with open_instance(settings, is_reading=True) as instance:
            beats = instance.get_daemon_heartbeats()
        return {kind: datetime.fromtimestamp(beat.timestamp, UTC) for kind, beat in beats.items()}
    with open_runs(settings) as database:
        rows = database.rows("SELECT daemon_type, body FROM daemon_heartbeats") if database is not None else []
        return {kind: datetime.fromtimestamp(float(json.loads(body)["timestamp"]), UTC) for kind, body in rows}


def require_daemon(settings: Settings, now: datetime) -> datetime:
    """Check that the daemon of a home's record lives, with all parts that the home needs.

    Parameters
    ----------
    settings
        The home.
    now
        The current time.

    Returns
    -------
    datetime
        The oldest of its signs of life that count.

    Raises
    ------
    HelioError
        It does not run, or is stuck.
    """
    found = read_heartbeats(settings)
    needed = (*_ALWAYS, QUEUE, MONITORING) if settings.dispatch is not None else _ALWAYS
    hint = "Start it: helio daemon, or helio ui, which includes it."
    if not any(kind in found for kind in needed):
        raise HelioError(f"Dagster's daemon has never run on this record ({settings.record_place})", hint=hint)
    for kind in needed:
        if kind not in found:
            raise HelioError(f"the part {kind} of Dagster's daemon has never run on this record", hint=hint)
        silence = now - found[kind]
        if silence > LONGEST_SILENCE:
            seconds = round(silence.total_seconds())
            raise HelioError(f"the part {kind} of Dagster's daemon gave no sign of life for {seconds} s", hint=hint)
    return min(found[kind] for kind in needed)
