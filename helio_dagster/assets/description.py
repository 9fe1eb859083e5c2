"""Describe a partition: rows, coverage, extremes, units, as plain values. `metadata` converts them for Dagster."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from helio_dagster.assets.outcomes import Quality
from helio_dagster.domain.catalog_entry import form_of
from helio_dagster.domain.coverage import cadence_s, coverage
from helio_dagster.domain.records import axis_document, count_valid, record_extremes
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.stated_facts import facts_in
from helio_dagster.domain.table import Status, Table
from helio_dagster.domain.time_range import TimeRange, format_time


def describe_figure(html: Path, png: Path, span: TimeRange) -> dict[str, Any]:
    """Where a figure's files are, and the addresses that the web UI serves them under; of a picture only where it is there."""
    found = {"figure": f"/figures/{quote(html.name)}", "html": str(html), "range": str(span)}
    return found | ({"png": str(png), "picture": f"/figures/{quote(png.stem)}.preview.png"} if png.is_file() else {})


def describe_table(table: Table, status: Status, window: TimeRange | None, excluded_s: float = 0.0) -> dict[str, Any]:
    """Rows, status, coverage of the window, cadence, and for each column its unit, extremes and share of valid values.

    Of `excluded_s` seconds of the window no data are expected: they do not count as a gap.
    """
    found: dict[str, Any] = {"rows": len(table), "status": status, "kind": table.meta.kind}
    cadence = None if table.meta.has_rows_of_intervals else cadence_s(table)
    if window is not None and not table.meta.has_rows_of_intervals:
        found["coverage"] = round(coverage(table, window, cadence, excluded_s=excluded_s), 4)
        if excluded_s:
            found["excluded"] = round(excluded_s / window.duration.total_seconds(), 4)
    if cadence is not None:
        found["cadence_s"] = round(cadence, 6)
    if table.meta.unit:
        found["unit"] = table.meta.unit
    if table.meta.frame:
        found["frame"] = table.meta.frame
    if table.meta.extent:
        found["extent"] = table.meta.extent.words
    if table.meta.synthetic:
        found["synthetic"] = True
    if table.meta.predicted:
        found["predicted"] = table.meta.attributes.get("PREDICTED_FROM", True)
    if table.meta.maturity:
        found["maturity"] = table.meta.maturity
    if table.meta.open_until is not None:
        found["open_until"] = format_time(table.meta.open_until)
    if WARNINGS in table.meta.attributes:
        found["warnings"] = table.meta.attributes[WARNINGS]
    if "COVERED" in table.meta.attributes:
        found["covered"] = table.meta.attributes["COVERED"]
    described = table.meta.value_columns[:MOST_COLUMNS]
    found["columns"] = [
        _describe_column(table.columns[column.name], column.name, column.unit or table.meta.unit) for column in described
    ]
    if table.meta.axes:
        found["axes"] = [axis_document(axis) for axis in table.meta.axes]
    if table.meta.kind == "facts" and len(table) == 1:
        found |= _numbers(table)
    return found


def _numbers(table: Table) -> dict[str, float | int]:
    """The facts of a single row, each under its name and unit, so that Dagster can plot them over partitions."""
    stated = list(facts_in(table))[:MOST_COLUMNS]
    numbers = [(each, each.value) for each in stated if isinstance(each.value, float | int)]
    return {f"fact {each.name}{f' ({each.unit})' if each.unit else ''}": value for each, value in numbers}


def quality_of(table: Table, described: Mapping[str, Any]) -> Quality:
    """The facts that the checks use, with `coverage` as computed by `describe_table`."""
    steps, none = np.diff(table.time), np.timedelta64(0, "ns")
    is_in_order = bool((steps >= none if table.meta.has_rows_of_intervals else steps > none).all())
    form = form_of(table.meta) if table.columns else None
    found = Quality(
        tuple(column.name for column in table.meta.without_extent.columns),  # extents may differ in one partition alone
        is_in_order,
        described.get("coverage"),
        form,
        is_excluded=described.get("excluded") == 1,
        is_list=table.meta.kind == "events",
    )
    return shared_quality(found)


@lru_cache(maxsize=1024)
def shared_quality(quality: Quality) -> Quality:
    """One object for all partitions of a run of which the same holds."""
    return quality


MOST_COLUMNS = 16
"""Maximum number of columns described individually; a spectrogram has more."""


def _describe_column(values: NDArray[Any], name: str, unit: str) -> dict[str, Any]:
    record: dict[str, Any] = {"column": name, "unit": unit, "dtype": str(values.dtype), "min": "", "max": "", "valid": ""}
    if values.dtype.kind in "fiu" and len(values):
        valid = count_valid(values)
        record["valid"] = f"{valid / values.size:.1%}"
        if valid:
            least, greatest = record_extremes(values) if values.ndim > 1 else (values, values)
            record["min"], record["max"] = f"{np.fmin.reduce(least):.6g}", f"{np.fmax.reduce(greatest):.6g}"
    return record
