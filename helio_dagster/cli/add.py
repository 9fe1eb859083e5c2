"""`helio add`: make a pipeline of files of one's own."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import confirm, write, write_json
from helio_dagster.domain.errors import AnswerNeeded, InputError

if TYPE_CHECKING:
    from helio_dagster.launch.library.own_file_pipeline import Proposal

_MOST_GAPS = 5


def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="A file, or several whose names differ in a date.")],
    name: Annotated[str, typer.Option("--name", help="Name of the pipeline; by default that of the file.")] = "",
    time: Annotated[
        list[str] | None, typer.Option("--time", metavar="COLUMN", help="Column of the time; again for each part of it.")
    ] = None,
    time_format: Annotated[
        str, typer.Option("--time-format", metavar="FORMAT", help="iso, epoch_s, year_doy_seconds, or '%d.%m.%Y %H:%M'.")
    ] = "",
    table: Annotated[
        str, typer.Option("--table", metavar="TABLE", help="Sheet, HDU or table by name or number; group of HDF5 or netCDF.")
    ] = "",
    column: Annotated[
        list[str] | None, typer.Option("--column", metavar="COLUMN", help="Read only this column; may be given again.")
    ] = None,
    measures: Annotated[str, typer.Option("--measures", metavar="TEXT", help="What the columns are, in words.")] = "",
    spacecraft: Annotated[str, typer.Option("--spacecraft", metavar="NAME", help="Whose the data are, such as PSP.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Accept the proposal without asking.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a different pipeline.")] = False,
    as_json: AsJson = False,
) -> int:
    """Look at FILE..., propose how to read them, and save a pipeline. Files elsewhere are copied below the pipelines."""
    from helio_dagster.cli.plan import target_of
    from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline, pipeline_sha
    from helio_dagster.domain.time_range import format_time
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.own_file_pipeline import copy_files, propose
    from helio_dagster.storage.atomic import write_bytes
    from helio_dagster.storage.people import account

    settings = settings_from_environment()
    found = propose(
        files,
        settings,
        name=name,
        time=time or [],
        time_format=time_format,
        columns=column or [],
        measures=measures,
        spacecraft=spacecraft,
        table=table,
    )
    path, text = target_of(found.pipeline, settings.pipelines / f"{found.pipeline.name}.yaml", force=True)
    if not force and path.exists():
        raise InputError(
            f"there is a pipeline {found.pipeline.name} already", hint="Give another --name, or --force to replace it."
        )
    file = parse_pipeline(text, file=str(path))
    Home(settings).graph_with(file)
    if not as_json:
        write(_described(found) + "\n" + dump_pipeline(found.pipeline) + "\n")
    if not yes:
        if not sys.stdin.isatty():
            raise AnswerNeeded("nobody is there to say whether this is right", hint="Add --yes to accept the proposal.")
        if not confirm(f"Save it as {path}?"):
            write("Nothing is saved. Options say what was guessed wrong: helio add --help\n")
            return 0
        at = format_time(datetime.now(UTC).replace(microsecond=0))
        file = file.with_value("approved", {"by": account(), "at": at, "sha": pipeline_sha(file.pipeline)})
    copy_files(found.copies)
    write_bytes(path, file.text.encode())
    start, stop = format_time(found.span.start), format_time(found.span.stop)
    if as_json:
        write_json(
            {
                "pipeline": found.pipeline.name,
                "path": str(path),
                "start": start,
                "stop": stop,
                "records": sum(found.days.values()),
                "gaps": [str(gap) for gap in found.gaps],
                "notes": [*found.notes],
            }
        )
        return 0
    write(f"Saved: {path}\nRun it: helio run {found.pipeline.name} {start} {stop}\n")
    return 0


def _described(found: Proposal) -> str:
    from helio_dagster.domain.amounts import counted
    from helio_dagster.launch.running.trial_text import picture

    lines = found.guess.head.head(5).to_string(index=False, max_cols=8).splitlines()
    lines += ["", f"{counted(sum(found.days.values()), 'record')} on {counted(len(found.days), 'day')}, {found.span}"]
    gaps = [str(gap) for gap in found.gaps]
    if gaps:
        more = f", and {len(gaps) - _MOST_GAPS} more" if len(gaps) > _MOST_GAPS else ""
        lines.append(f"whole days without records: {'; '.join(gaps[:_MOST_GAPS])}{more}")
    if not found.is_sorted:
        lines.append("note: the records are not in order of time; they are sorted when they are read")
    if found.sample is not None:
        lines += [f"  {line}" for line in picture(found.sample)]
    lines += [f"note: {note}" for note in found.notes]
    lines += [f"to be copied: {source} to {target}" for source, target in found.copies]
    return "\n".join([*lines, ""])
