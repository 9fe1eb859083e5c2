"""Dagster's web UI that also serves a home's figures, as a process of its own: `python -m helio_dagster.launch.webserver`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import dagster as dg
import uvicorn
from dagster._core.workspace.context import WorkspaceProcessContext, WorkspaceRequestContext
from dagster._core.workspace.load_target import GrpcServerTarget
from dagster_webserver.webserver import DagsterWebserver
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from helio_dagster.launch.instance import LOCATION
from helio_dagster.storage.home import Settings


class FigureServingWebserver(DagsterWebserver[WorkspaceProcessContext, WorkspaceRequestContext]):
    """Dagster's webserver with the figures of a home under `/figures/`."""

    def __init__(self, context: WorkspaceProcessContext, figures: Path) -> None:
        self._figures = figures
        super().__init__(context)

    def build_routes(self) -> list[Any]:
        """Dagster's routes after ours."""
        self._figures.mkdir(parents=True, exist_ok=True)
        return [Mount("/figures", StaticFiles(directory=self._figures, html=True)), *super().build_routes()]  # type: ignore[no-untyped-call]


def serve(settings: Settings, *, host: str, port: int, code_server_port: int) -> None:
    """Serve the web UI of a home until interrupted."""
    target = GrpcServerTarget(host="127.0.0.1", port=code_server_port, socket=None, location_name=LOCATION)
    with (
        dg.DagsterInstance.from_config(str(settings.instance)) as instance,
        WorkspaceProcessContext(instance, version=dg.__version__, workspace_load_target=target) as context,
    ):
        app = FigureServingWebserver(context, settings.figures).create_asgi_app()
        uvicorn.run(app, host=host, port=port, log_level="warning")


def main() -> None:
    """Parse the process's arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--code-server-port", type=int, required=True)
    given = parser.parse_args()
    settings = Settings.from_environment(os.environ, Path.cwd())
    serve(settings, host=given.host, port=given.port, code_server_port=given.code_server_port)


if __name__ == "__main__":
    main()
