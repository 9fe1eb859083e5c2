"""Describe the trial of a step as text, with a small picture of block characters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.amounts import counted
from helio_dagster.domain.records import axis_words
from helio_dagster.domain.table import Table
from helio_dagster.launch.running.trial import Trial, Tried

_WIDTH = 64
_BLOCKS = " ▁▂▃▄▅▆▇█"
_MOST_LINES = 8


def describe_trial(found: Trial) -> str:
    """What a trial made as lines for people: records, coverage, extremes, a picture, of each result; what code printed."""
    place = f"{found.asset} {found.partition}"
    lines = [] if found.results else _describe(found, place)
    for name, each in found.results.items():
        lines += _describe(each, f"{place}, {name}")
    if found.is_twice_the_same:
        lines.append("  run twice more in different environments with the same result")
    if found.printed:
        lines += ["  printed:", *(f"    {line}" for line in found.printed.splitlines())]
    return "\n".join(lines)


def _describe(found: Tried, place: str) -> list[str]:
    described = found.description
    facts = [f"{counted(described['rows'], 'record')}", found.table.meta.unit, found.table.meta.frame or "", found.table.status]
    lines = [f"{place}: {', '.join(fact for fact in facts if fact)}"]
    if described.get("coverage") is not None:
        lines.append(f"  covers {described['coverage']:.1%} of the partition")
    lines += [f"  {each}" for each in map(axis_words, found.table.meta.axes)]
    for column in described["columns"]:
        unit = f" {column['unit']}" if column["unit"] else ""
        extremes = f"{column['min']} to {column['max']}{unit}, " if column["min"] else ""
        lines.append(f"  {column['column']}: {extremes}{column['valid'] or 'nothing'} valid")
    return lines + [f"  {line}" for line in picture(found.table)]


def picture(table: Table) -> list[str]:
    """A line of blocks for each column, showing its mean in each time bin; many columns are grouped into bands."""
    names = table.meta.data_names
    values = [table.columns[name].astype(np.float64) for name in names if table.columns[name].dtype.kind in "fiub"]
    if len(table) < 2 or not values:
        return []
    if table.meta.axes:
        values = [_means(each) for each in values]
    time = table.time.astype(np.int64)
    if time[0] == time[-1]:
        return []
    place = np.minimum((time - time[0]) * _WIDTH // (time[-1] - time[0]), _WIDTH - 1)
    bands = np.array_split(np.arange(len(values)), min(len(values), _MOST_LINES))
    rows = [_mean([_binned(values[each], place) for each in band]) for band in bands]
    if table.meta.kind == "spectrogram":
        rows = [np.log10(np.where(row > 0, row, np.nan)) for row in rows]
    labels = [names[band[0]] if len(band) == 1 else f"{names[band[0]]} …" for band in bands]
    limits = None if table.meta.kind == "series" else (np.nanmin(rows), np.nanmax(rows))
    return [f"{_blocks(row, limits)} {label}" for row, label in zip(rows, labels, strict=True)]


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the valid values of each record, NaN if there is none."""
    is_valid, axes = np.isfinite(values), tuple(range(1, values.ndim))
    count = is_valid.sum(axis=axes)
    means = np.full(len(values), np.nan)
    np.divide(np.where(is_valid, values, 0.0).sum(axis=axes), count, out=means, where=count > 0)
    return means


def _binned(values: NDArray[np.float64], place: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean of the valid values in each bin, NaN if there is none."""
    is_valid = np.isfinite(values)
    count = np.bincount(place[is_valid], minlength=_WIDTH)
    sums = np.bincount(place[is_valid], weights=values[is_valid], minlength=_WIDTH)
    means = np.full(_WIDTH, np.nan)
    np.divide(sums, count, out=means, where=count > 0)
    return means


def _mean(rows: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Mean of the valid values in each bin, NaN if there is none."""
    is_valid = np.isfinite(rows)
    count = is_valid.sum(axis=0)
    means = np.full(_WIDTH, np.nan)
    np.divide(np.where(is_valid, rows, 0.0).sum(axis=0), count, out=means, where=count > 0)
    return means


def _blocks(row: NDArray[np.float64], limits: tuple[Any, Any] | None) -> str:
    if np.isnan(row).all():
        return " " * _WIDTH
    low, high = limits or (np.nanmin(row), np.nanmax(row))
    share = (row - low) / (high - low) if high > low else np.full(_WIDTH, 0.5)
    return "".join(" " if np.isnan(each) else _BLOCKS[1 + round(each * (len(_BLOCKS) - 2))] for each in share)
