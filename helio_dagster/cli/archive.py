"""`helio archive`: serve a folder of CDF files over CDAS and HAPI, and the results of pipelines over HAPI."""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write, write_json
from helio_dagster.domain.amounts import counted

if TYPE_CHECKING:
    from helio_dagster.archives.hapi.source import HapiSource

app = typer.Typer(help="Serve CDF files over CDAS and HAPI, or results over HAPI.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `serve` a subcommand, although it is the only one."""


@app.command()
def serve(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Folder of CDF files, including its subfolders; without it, results are served."),
    ] = None,
    results: Annotated[bool, typer.Option("--results", help="Also serve the stored results of pipelines.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also accept requests for this host name, such as a proxy's. May be repeated."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="Simulate a fault, for tests: KIND[:TIMES|always][:listing|file], such as truncate:2. May be repeated."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")] = False,
) -> None:
    """Serve the CDF files in DIR over CDAS and HAPI until Ctrl-C; without DIR, the stored results of pipelines over HAPI.

    Coverage and dataset are read from the files; new files and results are picked up automatically. Whoever reaches the
    address can read what is served.
    """
    from helio_dagster.archives.cdas.faults import FaultPlan, parse_fault
    from helio_dagster.archives.cdas.server import CdasServer
    from helio_dagster.archives.cdf.reader import CdfReader
    from helio_dagster.archives.files.index import FileIndex
    from helio_dagster.archives.hapi.answers import HAPI_PATH, HapiAnswers
    from helio_dagster.archives.hapi.served import ServedFiles

    faults = FaultPlan(*(parse_fault(text) for text in fault or []))
    with ExitStack() as held:
        sources: list[HapiSource] = []
        index: FileIndex | None = None
        if folder is not None:
            reader = held.enter_context(CdfReader())
            index = FileIndex(folder, reader.description)
            sources.append(ServedFiles(index, reader))
        if folder is None or results:
            sources.append(_results(held))
        names = [name for source in sources for name, _ in source.titles()]
        server = held.enter_context(
            CdasServer(index, host, port, faults, extra=[HapiAnswers(*sources)], names=allow_host or ())
        )
        hapi = f"http://{server.address}{HAPI_PATH}"
        if as_json:
            write_json({**({"url": server.url} if index is not None else {}), "hapi": hapi, "datasets": names})
        else:
            of = str(folder) if folder is not None else "this home"
            write(f"Serving {counted(len(names), 'dataset')} of {of}. Ctrl-C stops. In another terminal:\n")
            if index is not None:
                write(f"export HELIO_CDAWEB_URL={server.url}\n")
            write(f"{'or, in' if index is not None else 'In'} a pipeline, by HAPI: archive: hapi:{hapi}\n")
        flush()
        _wait_for_signal()


def _results(held: ExitStack) -> HapiSource:
    """The stored results of the home."""
    import os

    from helio_dagster.hosting.hapi_results import ServedResults
    from helio_dagster.hosting.served_home import ServedHome

    site = ServedHome(settings_from_environment(), os.environ, Path.cwd())
    held.callback(site.close)
    return ServedResults(site)


def _wait_for_signal() -> None:
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
