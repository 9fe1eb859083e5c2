"""`helio ui`: Dagster's web UI with daemon on the home."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Annotated, NoReturn

import typer

from helio_dagster.cli.words import settings_from_environment


def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
) -> int:
    """Open Dagster's web UI on the home: graph, runs, schedules, figures. Ctrl-C stops all of it."""
    from helio_dagster.launch.ui import web_ui

    settings = settings_from_environment()
    signal.signal(signal.SIGTERM, _interrupt)
    sys.stderr.write("Starting Dagster …\n")
    with web_ui(settings, host=host, port=port) as running:
        sys.stdout.write(f"{running.url}  (home {settings.home}; Ctrl-C stops)\n")
        sys.stdout.flush()
        try:
            running.wait()
        except KeyboardInterrupt:
            sys.stderr.write("\nStopping …\n")
    return 0


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
