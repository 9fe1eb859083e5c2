"""`helio settings`: every setting with its value and where it comes from. Their names stand in `storage.setting_names`."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.cli.options import AsJson, configuration, settings_from_environment
from helio_dagster.cli.terminal import write_json


def settings(as_json: AsJson = False) -> int:
    """List every setting with its value and where it comes from. Keys of language models are never shown."""
    from helio_dagster.cli.console import Console
    from helio_dagster.hosting.about import settings_document

    document = settings_document(configuration(), settings_from_environment(), Path.cwd())
    if as_json:
        write_json(document)
        return 0
    console, rows = Console(), document["settings"]
    widths = [max(len(row[name]) for row in rows) for name in ("key", "value")]
    for row in rows:
        console.print(f"{row['key']:{widths[0]}}  {row['value']:{widths[1]}}  {row['from']}", soft_wrap=True)
    for name, is_set in document["keys"].items():
        console.print(f"{name:{widths[0]}}  {'set' if is_set else 'not set'}", soft_wrap=True)
    files = [f"{file}{'' if is_there else ' (none)'}" for file, is_there in document["files"].items()]
    console.print("Settings files: " + ", ".join(files), soft_wrap=True)
    return 0
