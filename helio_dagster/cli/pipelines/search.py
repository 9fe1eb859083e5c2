"""`helio pipelines search`: find pipelines by words and by what they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json

if TYPE_CHECKING:
    from helio_dagster.launch.library.pipeline_search import Found


def search(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORDS]", help="Words in names, titles, intents, missions, datasets, operations."),
    ] = None,
    mission: Annotated[str | None, typer.Option(help="Only those that fetch from this mission.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Only those that fetch this dataset.")] = None,
    operation: Annotated[str | None, typer.Option(help="Only those that use this operation.")] = None,
    as_json: AsJson = False,
) -> int:
    """Find pipelines of the library, best matches first."""
    from helio_dagster.catalog.missions import find_mission
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.pipeline_search import Limits, describe
    from helio_dagster.launch.library.pipeline_search import search as find

    home = Home(settings_from_environment())
    limits = Limits(find_mission(mission).name if mission else None, dataset, operation)
    found = find([describe(file.pipeline, home.catalog) for file in home.files.values()], " ".join(words or []), limits)
    if as_json:
        write_json(_as_json(found))
    else:
        _print(found)
    return 0


def _as_json(found: Found) -> dict[str, object]:
    hits = [
        {
            "name": hit.entry.pipeline.name,
            "title": hit.entry.pipeline.title,
            "score": hit.score,
            "words": hit.words,
            "missions": hit.entry.missions,
            "datasets": hit.entry.datasets,
            "operations": hit.entry.operations,
        }
        for hit in found.hits
    ]
    return {"pipelines": hits, "instead": found.instead, "near": found.near}


def _print(found: Found) -> None:
    from helio_dagster.cli.entries import Entry, print_entries

    for word, other in found.instead.items():
        write(f"No pipeline contains {word!r}; searched for {other!r}.\n")
    if not found.hits:
        near = f" Did you mean {' or '.join(found.near)}?" if found.near else " `helio pipelines ls` lists them all."
        write(f"nothing found.{near}\n")
        return
    entries = [
        Entry((entry.pipeline.name, ", ".join(entry.missions)), (entry.pipeline.title, ", ".join(entry.datasets)))
        for entry in (hit.entry for hit in found.hits)
    ]
    print_entries(("name", "missions"), entries)
