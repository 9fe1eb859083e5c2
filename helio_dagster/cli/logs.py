"""`helio logs`: what the last command that changed something did."""

from __future__ import annotations

from typing import Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json
from helio_dagster.domain.amounts import readable_size
from helio_dagster.storage.log_files import LogFiles
from helio_dagster.storage.small_files import read_small_file

_LARGEST = 10_000_000


def logs(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Name of a log, or part of one: run, 20240510.")] = "",
    is_listing: Annotated[bool, typer.Option("--list", "-l", help="List the logs, newest first.")] = False,
    as_json: AsJson = False,
) -> int:
    """Print the log of the last run, chat or other command that changed something."""
    files = LogFiles(settings_from_environment().logs)
    if is_listing:
        found = [(path, path.stat().st_size) for path in files.all() if name in path.name]
        if as_json:
            write_json({"logs": [{"log": str(path), "bytes": size} for path, size in found]})
        else:
            write("".join(f"{readable_size(size):>9}  {path}\n" for path, size in found) or "There are no logs yet.\n")
        return 0
    path = files.find(name)
    text = read_small_file(path, _LARGEST).decode("utf-8", "replace")
    if as_json:
        write_json({"log": str(path), "text": text})
    else:
        write(f"{path}\n{text}")
    return 0
