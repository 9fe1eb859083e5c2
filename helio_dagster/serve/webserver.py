"""The process of `helio ui` that serves everything with Dagster's own UI: `python -m helio_dagster.serve.webserver`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.web.dagster_ui import dagster_ui
from helio_dagster.serve.serving import Listening, serve
from helio_dagster.storage.access_token import open_token
from helio_dagster.storage.settings import Settings


def main() -> None:
    """Parse the process's arguments and serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--temporary", required=True)
    parser.add_argument("--code-server", type=Path, required=True)
    parser.add_argument("--archive", default="cdaweb")
    parser.add_argument("--token", action="store_true")
    parser.add_argument("--allow-host", action="append", default=[])
    parser.add_argument("--given", action="append", default=[], help="a setting that the person's own environment has")
    given = parser.parse_args()
    settings = Settings.read(os.environ, Path.cwd())
    environment = {**os.environ, "TMPDIR": given.temporary}  # this process's own ends with it, and turns may outlive it
    filled = settings.to_environment().keys() - set(given.given)
    surroundings = {name: value for name, value in os.environ.items() if name not in filled}
    site = ServedHome(settings, environment, given.folder, given.archive, surroundings=surroundings)
    with (
        Listening.at(given.host, given.port, given.allow_host) as listening,
        dagster_ui(settings, given.code_server, lambda: site.person) as dagster,
    ):
        serve(site, listening, dagster=dagster, token=open_token(settings.home, site.clock(), "serve") if given.token else None)


if __name__ == "__main__":
    main()
