"""`helio pipelines export` and `import`: exchange a pipeline with everything it needs as one file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_error, write_file, write_json
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.launch.library.pipeline_exchange import Arrival

_MEANINGS = {"new": "new", "same": "already there, unchanged", "replaced": "replaced", "refused": "refused"}


def export_pipeline(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a pipeline, or path to its file.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File to write. Default: standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a different file.")] = False,
    as_json: AsJson = False,
) -> int:
    """Write a pipeline, the pipelines it reads, and the saved operations and lists of events they use to one file."""
    from helio_dagster.domain.bundle import pack
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.pipeline_exchange import collect
    from helio_dagster.storage.atomic import write_bytes
    from helio_dagster.storage.small_files import has_content

    items = collect(Home(settings_from_environment()), name)
    content = pack(items)
    if output is not None:
        if output.is_dir():
            raise InputError(f"{output} is a folder", hint=f"Name a file in it: -o {output / 'NAME.bundle.yaml'}")
        if not force and output.exists() and not has_content(output, content):
            raise InputError(f"{output} already exists and differs", hint="Give another FILE, or --force to replace it.")
        write_bytes(output, content)
    if as_json:
        facts = {"path": str(output) if output else None, "bytes": len(content), "files": [item.label for item in items]}
        write_json(facts | ({} if output else {"text": content.decode()}))
    elif output is None:
        write_file(content)
    else:
        write(f"{output}: {', '.join(item.label for item in items)}\n")
        for item in items:
            if item.kind == "lists":
                write(f"{item.label} sha256 {item.sha256}\n")
    return 0


def import_pipelines(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file that `export` wrote, or one pipeline; `-` reads standard input.")
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Replace pipelines and lists that differ.")] = False,
    as_json: AsJson = False,
) -> int:
    """Check a file and add everything in it to the library, or nothing if any part is refused."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.pipeline_exchange import bring

    arrivals = bring(Home(settings_from_environment()), _read(file), file=file, replace=replace)
    refused = [each for each in arrivals if each.state == "refused"]
    if as_json:
        found = [asdict(each) | {"path": str(each.path)} for each in arrivals]
        write_json({"status": "refused" if refused else "done", "files": found})
    else:
        for each in arrivals:
            write(f"{_arrival_line(each)}\n")
    if refused:
        is_replaceable = any(each.kind != "operations" for each in refused)
        hint = "--replace replaces pipelines and lists." if is_replaceable else "`helio operations rm` deletes yours first."
        write_error(f"Nothing was imported: {len(refused)} of {len(arrivals)} refused. {hint}\n")
    return InputError.exit_code if refused else 0


def _read(file: str) -> bytes:
    from helio_dagster.domain.bundle import LARGEST_BUNDLE

    if file == "-":
        return sys.stdin.buffer.read(LARGEST_BUNDLE + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(LARGEST_BUNDLE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"{file!r:.200} cannot be read: {reason}", hint="Give a file written by `helio pipelines export`."
        ) from None


def _arrival_line(each: Arrival) -> str:
    why = f": {each.why}" if each.why else ""
    approved = f" (approved by {each.approved_by})" if each.approved_by and each.state in ("new", "replaced") else ""
    label = f"pipelines/{each.name}" if each.kind == "lists" else f"{each.kind}/{each.name}"
    digest = f", sha256 {each.sha256}" if each.sha256 else ""
    return f"{label} {_MEANINGS[each.state]}{why}{approved}{digest}"
