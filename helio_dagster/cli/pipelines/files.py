"""`helio pipelines`: list, show, rename and delete pipelines of the library."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.pipelines.commit_line import commit_line
from helio_dagster.cli.terminal import confirm, write, write_file, write_json, write_json_text

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a pipeline.")]


def list_pipelines(as_json: AsJson = False) -> int:
    """List the pipelines of the library."""
    from helio_dagster.cli.console import Console
    from helio_dagster.cli.entries import Entry, print_entries
    from helio_dagster.domain.pipeline_comparison import families
    from helio_dagster.launch.home import Home

    home = Home(settings_from_environment())
    files = home.files
    alike = families(file.pipeline for file in files.values())
    if as_json:
        listed = [
            {
                "name": name,
                "title": file.pipeline.title,
                "partitions": file.pipeline.model_dump(mode="json", include={"partitions"})["partitions"],
                "steps": len(file.pipeline.steps),
                "family": next((family for family in alike if name in family), []),
            }
            for name, file in files.items()
        ]
        write_json({"folder": str(home.settings.pipelines), "pipelines": listed})
        return 0
    if not files:
        write(f"There are no pipelines in {home.settings.pipelines}. `helio plan` makes one.\n")
        return 0
    entries = [
        Entry(
            (
                name,
                "event" if file.pipeline.is_over_events else file.pipeline.grain.value,
                str(len(file.pipeline.steps)),
            ),
            (file.pipeline.title,),
        )
        for name, file in files.items()
    ]
    print_entries(("name", "partitions", "steps"), entries)
    console = Console()
    for family in alike:
        console.print(f"Same data steps: {', '.join(family)}", soft_wrap=True)
    return 0


def show_pipeline(name: Name, as_json: AsJson = False) -> int:
    """Print a pipeline's file."""
    from helio_dagster.launch.home import Home

    found = Home(settings_from_environment()).library.load(name)
    if as_json:
        write_json_text(found.pipeline.model_dump_json(exclude_defaults=True))
    else:
        write_file(found.text.encode())
    return 0


def rename(
    old: Annotated[str, typer.Argument(metavar="OLD", help="Name of a pipeline.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new name: lower-case letters, digits and _.")],
    as_json: AsJson = False,
) -> int:
    """Rename a pipeline, and its name in pipelines that read its steps. Tables and figures stay under the old name."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.pipeline_rename import rename_pipeline
    from helio_dagster.storage.pipeline_commits import commit_change

    settings = settings_from_environment()
    home = Home(settings)
    source = home.library.path(old)
    done = rename_pipeline(home, old, new)
    changed = [source, done.path, *(home.library.path(each.partition(": ")[0]) for each in done.references)]
    made = commit_change(settings, f"rename {old} to {new}", dict.fromkeys(changed))
    if as_json:
        facts = {"old": old, "new": new, "path": str(done.path), "references": done.references, "tables": done.tables}
        write_json(facts | {"was_approved": done.was_approved, "is_approved": done.is_approved})
        return 0
    write(f"{old} is now {new}: {done.path}\n{commit_line(made)}")
    for reference in done.references:
        write(f"  follows: {reference}\n")
    if done.was_approved:
        stays = "stays valid: only the name changed" if done.is_approved else "is for an earlier text"
        write(f"Its approval {stays}.\n")
    if done.tables:
        listed = ", ".join(done.tables)
        write(
            f"Stored tables and figures stay under the old name ({listed}); `helio prune` lists and deletes them.\n"
            f"`helio run {new} START STOP` makes them under the new one; downloads are kept.\n"
        )
    return 0


def remove_pipeline(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> int:
    """Delete a pipeline's file; its tables and figures are kept."""
    from helio_dagster.domain.errors import AnswerNeeded
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.pipeline_rename import readers
    from helio_dagster.storage.pipeline_commits import commit_change

    home = Home(settings_from_environment())
    path = home.library.find(name)
    reading = sorted(readers(home, path.stem))
    warned = f"Delete {path}?" + (
        f" Pipelines that read it and will not run without it: {', '.join(reading)}." if reading else ""
    )
    if not yes:
        if not sys.stdin.isatty():
            raise AnswerNeeded(warned, hint="Nothing was deleted. Add --yes.")
        if not confirm(warned):
            raise AnswerNeeded("nothing was deleted", hint="Answer yes to delete it.")
    home.library.remove(name)
    made = commit_change(home.settings, f"remove {path.stem}", [path])
    write(f"Deleted {path}. Its tables and figures stay in {home.settings.home}.\n{commit_line(made)}")
    return 0
