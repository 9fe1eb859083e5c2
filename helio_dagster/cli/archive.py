"""`helio archive`: serve a folder of CDF files over CDAS and HAPI."""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from helio_dagster.cli.terminal import flush, write, write_json
from helio_dagster.domain.amounts import counted

app = typer.Typer(help="Serve a folder of CDF files over CDAS and HAPI.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `serve` a subcommand, although it is the only one."""


@app.command()
def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of CDF files, including its subfolders.")],
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
    """Serve the CDF files in DIR over CDAS and HAPI until Ctrl-C.

    Coverage and dataset are read from the files; new files are picked up automatically.
    """
    from helio_dagster.archives.cdas.faults import FaultPlan, parse_fault
    from helio_dagster.archives.cdas.server import CdasServer
    from helio_dagster.archives.cdf.reader import CdfReader
    from helio_dagster.archives.files.index import FileIndex
    from helio_dagster.archives.hapi.answers import HAPI_PATH, HapiAnswers
    from helio_dagster.archives.hapi.served import ServedFiles

    faults = FaultPlan(*(parse_fault(text) for text in fault or []))
    with ExitStack() as held:
        reader = held.enter_context(CdfReader())
        index = FileIndex(folder, reader.description)
        datasets = index.datasets()
        extra = [HapiAnswers(ServedFiles(index, reader))]
        server = held.enter_context(CdasServer(index, host, port, faults, extra=extra, names=allow_host or ()))
        hapi = f"http://{server.address}{HAPI_PATH}"
        if as_json:
            write_json({"url": server.url, "hapi": hapi, "datasets": [dataset.id for dataset in datasets]})
        else:
            write(f"Serving {counted(len(datasets), 'dataset')} of {folder}. Ctrl-C stops. In another terminal:\n")
            write(f"export HELIO_CDAWEB_URL={server.url}\n")
            write(f"or, in a pipeline, by HAPI: archive: hapi:{hapi}\n")
        flush()
        _wait_for_signal()


def _wait_for_signal() -> None:
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
