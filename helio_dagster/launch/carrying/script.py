"""A pipeline as one Python script, in cells that editors know (`# %%`)."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.launch.carrying.cells import Cell


def script(cells: Sequence[Cell]) -> bytes:
    """The file of a script: texts as comments, values printed, figures saved beside it."""
    return ("\n\n".join(map(_part, cells)) + "\n").encode()


def _part(cell: Cell) -> str:
    if cell.kind == "text":
        return "\n".join(["# %% [markdown]", *(f"# {line}".rstrip() for line in cell.content.splitlines())])
    return "\n".join(["# %%", *filter(None, (cell.content, cell.printed))])
