"""A pipeline as a script that needs no helio_dagster: plain pandas over the archive's files, for a reviewer to read and run."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from helio_dagster import __version__
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.carrying.function_sources import gather
from helio_dagster.launch.carrying.needs import Needs
from helio_dagster.launch.carrying.plain_statements import results_of, statements
from helio_dagster.launch.carrying.plain_steps import LIBRARIES, PlainStep, functions_of, planned_steps
from helio_dagster.launch.carrying.python_text import LINE, call, dictionary, literal, moment, plain_line
from helio_dagster.launch.running.request import OpenPipeline

_PACKAGES = {"pyerfa": "import erfa", "geopack": "from geopack"}
"""Packages that only some operations need, and the line that says so."""


def standalone(opened: OpenPipeline, needs: Needs, tables: Mapping[str, Table], asked: TimeRange, folder: str) -> str:
    """The text of the script.

    Parameters
    ----------
    opened
        The pipeline; nothing of it lacks a plain form (`plain_steps.check_plain`).
    needs
        What of each asset it needs, and from which files.
    tables
        Asset to its stored records in the range; of a table to all of it.
    asked
        The range.
    folder
        Name of the folder beside the script that holds the archive's files.

    Raises
    ------
    InputError
        A step has no plain form for the tables that it has, or no data; all such steps are named.
    """
    steps = planned_steps(opened, needs, tables)
    gathered = gather(functions_of(steps))
    parts = [
        _heading(opened, steps, asked, folder, packages=[name for name, line in _PACKAGES.items() if line in gathered.text]),
        gathered.text,
        _constants(steps, needs.shown, folder),
    ]
    parts += ["\n\n".join(statements(steps, needs)), _closing(steps)]
    return "\n\n\n".join(filter(None, parts)) + "\n"


def _heading(
    opened: OpenPipeline, steps: Sequence[PlainStep], asked: TimeRange, folder: str, *, packages: Sequence[str]
) -> str:
    pipeline = opened.pipeline
    left_out = [step.id for step in pipeline.steps if step.figure is not None]
    lines = [
        pipeline.title or pipeline.name,
        pipeline.description or "",
        "",
        f"Written by helio_dagster {__version__} from the pipeline {pipeline.name}, for {asked} (UTC). It needs Python 3.11, "
        f"{', '.join(['numpy', 'pandas', 'scipy', *packages])} and cdflib, not helio_dagster. It reads the very files that "
        f"were used, which it takes from the folder {folder} beside it or downloads into that, and compares each result with "
        f"what helio_dagster has stored. With the name of a folder as argument it writes the results there as CSV.",
        *([f"Figures are not drawn: {', '.join(left_out)}."] if left_out else []),
        *([""] + [f"Assumed: {each}" for each in pipeline.assumptions] if pipeline.assumptions else []),
        "",
        *(f"{step.variable}: {_about(step)}" for step in steps),
    ]
    wrapped = [part for line in lines for part in (textwrap.wrap(plain_line(line), LINE) or [""])]
    return "\n".join(f"# {line}".rstrip() for line in wrapped) + "\n\nfrom __future__ import annotations"


def _about(step: PlainStep) -> str:
    unit = f" [{step.table.meta.unit}]" if step.table.meta.unit else ""
    return f"{step.node.step.intent or step.node.step.kind}{unit}"


def _constants(steps: Sequence[PlainStep], asked: TimeRange, folder: str) -> str:
    lines = [
        f"START, STOP = {moment(asked.start)}, {moment(asked.stop)}",
        f"FILES = Path(__file__).with_name({literal(folder)})",
        f"STORED = {literal({step.variable: _stored(step.table) for step in steps if step.has_table and not step.is_list})}",
    ]
    codes = " ".join(step.code for step in steps)
    used = [name for name in LIBRARIES if re.search(rf"\b{name}\b", codes)]
    return "\n".join([*(f"import {name}" for name in used), *([""] if used else []), *lines])


def _stored(table: Table) -> dict[str, Any]:
    """What of a stored table a result is compared with."""
    means: dict[str, float] = {}
    largest = 0.0
    for name, values in table.columns.items():
        if values.dtype.kind in "fiu":
            known = values[~np.isnan(values.astype(float))].astype(float)
            means[name] = float(np.mean(known)) if len(known) else float("nan")
            largest = max(largest, float(np.max(np.abs(known), initial=0.0)))
    return {"records": len(table), "means": means, "atol": 1e-9 * largest}


def _closing(steps: Sequence[PlainStep]) -> str:
    results = dictionary(results_of(steps))
    return 'if __name__ == "__main__":\n' + textwrap.indent(call("report", [results, "STORED", "START", "STOP"]), "    ")
