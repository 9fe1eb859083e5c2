"""A pipeline as a Jupyter notebook (format 4.5) that runs from top to bottom where helio_dagster is installed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from helio_dagster import __version__
from helio_dagster.launch.carrying.cells import Cell


def notebook(cells: Sequence[Cell]) -> bytes:
    """The file of a notebook; the same cells give the same bytes."""
    document = {
        "cells": [_cell(number, cell) for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "helio_dagster": {"version": __version__},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _cell(number: int, cell: Cell) -> dict[str, Any]:
    common = {"id": f"cell-{number}", "metadata": {}}
    if cell.kind == "text":
        return {"cell_type": "markdown", **common, "source": cell.content.splitlines(keepends=True)}
    source = "\n".join(filter(None, (cell.content, cell.shown)))
    return {
        "cell_type": "code",
        **common,
        "execution_count": None,
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }
