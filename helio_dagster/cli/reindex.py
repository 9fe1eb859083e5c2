"""`helio reindex`: rebuild Dagster's record from the home's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write_error, write_json_text
from helio_dagster.domain.amounts import counted

if TYPE_CHECKING:
    from helio_dagster.launch.upkeep.reindex import ReindexReport


def reindex(as_json: AsJson = False) -> int:
    """Rebuild Dagster's lost record from the stored files."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.upkeep.reindex import reindex as launch
    from helio_dagster.resources.workbench import Workbench

    settings = settings_from_environment()
    report = launch(Home(settings).graph, Workbench(settings), on_asset=_print_progress)
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        _print(report)
    return report.exit_code


def _print_progress(asset: str, count: int) -> None:
    write_error(f"{asset}: {counted(count, 'partition')}\n")


def _print(report: ReindexReport) -> None:
    from rich.table import Table

    from helio_dagster.cli.console import Console

    console = Console()
    if not report.assets:
        console.print("Nothing stored belongs to a pipeline of this home.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("asset", "recorded", "known", "damaged"):
        table.add_column(title, justify="left" if title == "asset" else "right", overflow="fold")
    for asset in report.assets:
        numbers = (asset.recorded, asset.known, len(asset.damaged))
        table.add_row(asset.asset, *(str(number) if number else "·" for number in numbers))
    console.print(table)
    for asset in report.assets:
        for file in asset.damaged:
            console.print(f"  {asset.asset} {file.partition or ''}: {file.problem}", soft_wrap=True)
    if report.exit_code:
        console.print("Damaged files were not recorded: the next run remakes them.")
