"""What became of the commit of a change, as a line for the person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helio_dagster.storage.pipeline_commits import Commit


def commit_line(made: Commit | None) -> str:
    """The line, with its end; empty if pipelines are not committed."""
    return f"{made.sentence}\n" if made is not None else ""
