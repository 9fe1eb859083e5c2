"""`helio prune`: list and delete data that belong to no pipeline of the home."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import confirm, write, write_json_text
from helio_dagster.domain.amounts import counted, readable_size
from helio_dagster.domain.errors import AnswerNeeded

if TYPE_CHECKING:
    from helio_dagster.launch.upkeep.prune import PruneReport
    from helio_dagster.storage.settings import Settings

_MEANINGS = {
    "asset": "no pipeline has it",
    "partitions": "not of its pipeline's partitions",
    "figures": "the step no longer exists",
    "downloads": "nothing stored was made from them",
}


def prune(
    cache: Annotated[bool, typer.Option("--cache", help="Also delete downloaded files that no stored data came from.")] = False,
    forget_home: Annotated[
        str | None, typer.Option("--forget-home", metavar="ID", help="Keep no tables for this home, which was given up.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    as_json: AsJson = False,
) -> int:
    """Delete data that no pipeline uses (asks first)."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.upkeep.prune import delete_orphans, report_orphans

    settings = settings_from_environment()
    if forget_home is not None:
        return _forget(settings, forget_home, as_json=as_json)
    orphans, report = report_orphans(Home(settings), with_downloads=cache)
    if not as_json:
        _print(report)
    is_agreed = bool(orphans) and (yes or (not as_json and _agrees(report)))
    if is_agreed:
        delete_orphans(Home(settings), orphans, with_downloads=cache)
        report = report.model_copy(update={"deleted": True})
    if as_json:
        write_json_text(report.model_dump_json())
    elif is_agreed:
        write(f"Deleted {counted(report.files, 'file')}, {readable_size(report.bytes)}.\n")
    return 0 if is_agreed or not orphans else AnswerNeeded.exit_code


def _forget(settings: Settings, given: str, *, as_json: bool) -> int:
    from helio_dagster.launch.upkeep.sharing import forget_home

    found = forget_home(settings, given)
    if as_json:
        write_json_text(found.model_dump_json())
    else:
        write(
            f"No tables are kept for the home {found.id} any more ({found.place or 'place unknown'}, last seen {found.seen}).\n"
        )
    return 0


def _agrees(report: PruneReport) -> bool:
    question = f"Delete {counted(report.files, 'file')} ({readable_size(report.bytes)})?"
    if not sys.stdin.isatty():
        raise AnswerNeeded(question, hint="Nothing was deleted. Add --yes.")
    if not confirm(question):
        raise AnswerNeeded("nothing was deleted", hint="Answer yes to delete it.")
    return True


def _print(report: PruneReport) -> None:
    from rich.table import Table

    from helio_dagster.cli.console import Console

    console = Console()
    for name in report.kept:
        console.print(
            f"{name}.yaml cannot be read: everything that may belong to it, including fetches, is kept.", soft_wrap=True
        )
    if report.other_homes:
        shared = f"Tables are shared with {counted(report.other_homes, 'other home')}"
        console.print(f"{shared}, whose pipelines may need them: all are kept.", soft_wrap=True)
        for home in report.homes:
            console.print(f"  {home.id}  last seen {home.seen}  {home.place}", soft_wrap=True, markup=False, highlight=False)
        console.print("If one of them was given up: helio prune --forget-home ID", soft_wrap=True)
    if not report.orphans and report.other_homes:
        console.print("Nothing to delete: every figure belongs to a pipeline.")
        return
    if not report.orphans:
        console.print("Nothing to delete: everything stored belongs to a pipeline.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("what", "why", "files", "size"):
        table.add_column(title, justify="right" if title in ("files", "size") else "left", overflow="fold")
    for orphan in report.orphans:
        name = "downloads" if orphan.kind == "downloads" else f"{orphan.name}{' (figures)' if orphan.kind == 'figures' else ''}"
        table.add_row(name, _MEANINGS[orphan.kind], f"{orphan.files}", readable_size(orphan.bytes))
    console.print(table)
