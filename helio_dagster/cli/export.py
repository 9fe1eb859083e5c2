"""`helio export`: write a stored asset over a range as CSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from helio_dagster.cli.options import AsJson, Times, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import write, write_json
from helio_dagster.domain.amounts import counted


def export(
    asset: Annotated[str, typer.Argument(metavar="ASSET", help="<archive>/<dataset>/<parameter> or <pipeline>/<step>.")],
    times: Times = None,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="A .csv or .parquet file.")] = ...,  # type: ignore[assignment]
    as_json: AsJson = False,
) -> int:
    """Write the records of ASSET from START to STOP to FILE."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.reading import export_table, find_asset, read_table
    from helio_dagster.resources.workbench import utc_now
    from helio_dagster.storage.tables import TableStore

    settings = settings_from_environment()
    store = TableStore(settings.data)
    node = find_asset(Home(settings).graph, asset, store=store)
    span = span_from_words(times, utc_now()) if times or node.grain is not None else None
    table = read_table(store, node, span)
    export_table(table, output)
    unit = f" in {table.meta.unit}" if table.meta.unit else ""
    if as_json:
        facts = {"asset": asset, "file": str(output), "rows": len(table), "unit": table.meta.unit, "frame": table.meta.frame}
        write_json(facts)
    else:
        when = f", {span}" if span else ""
        write(f"{output}: {counted(len(table), 'record')} of {', '.join(table.meta.data_names[:8])}{unit}{when}\n")
    return 0
