"""Convert a partition's plain description to Dagster metadata, shown on an asset's page in the web UI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import dagster as dg

_NUMBERS: dict[type, Callable[..., dg.MetadataValue[Any]]] = {float: dg.MetadataValue.float, int: dg.MetadataValue.int}
_HIDDEN = {
    "picture",
    "columns",
    "axes",
    "rows",
    "figure",
    "html",
    "png",
    "path",
    "size_bytes",
    "sources",
    "masters",
    "made_from",
}


def dagster_metadata(plain: Mapping[str, Any], *, is_partition: bool = False) -> dict[str, dg.MetadataValue[Any]]:
    """Convert a maker's description of a partition to Dagster's typed values.

    Parameters
    ----------
    plain
        As `description.describe_table` and the makers yield it.
    is_partition
        Whether it is one partition's: its rows are then not all of the asset's.
    """
    found: dict[str, dg.MetadataValue[Any]] = {}
    if "figure" in plain:
        found["figure"] = dg.MetadataValue.url(str(plain["figure"]))
    if "picture" in plain:  # served beside Dagster's pages, so the event log need not hold it
        found["preview"] = dg.MetadataValue.md(f"[![the figure, shown under helio ui]({plain['picture']})]({plain['figure']})")
    if "rows" in plain:
        found["dagster/partition_row_count" if is_partition else "dagster/row_count"] = dg.MetadataValue.int(int(plain["rows"]))
    for name, value in plain.items():
        if name not in _HIDDEN:
            found[name] = _NUMBERS[type(value)](value) if type(value) in _NUMBERS else dg.MetadataValue.text(str(value))
    columns = plain.get("columns")
    if columns:
        found["columns"] = dg.MetadataValue.json(columns)
        found["dagster/column_schema"] = _schema(tuple((each["column"], each["dtype"], each["unit"]) for each in columns))
    if plain.get("axes"):
        found["axes"] = dg.MetadataValue.json(list(plain["axes"]))
    for name in ("sources", "masters"):
        if plain.get(name):
            found[name] = dg.MetadataValue.json(list(plain[name]))
    if plain.get("made_from"):
        found["made_from"] = dg.MetadataValue.json(plain["made_from"])
    for name in ("path", "html", "png"):
        if name in plain:
            found[name] = dg.MetadataValue.path(str(plain[name]))
    return found


@lru_cache(maxsize=256)
def _schema(columns: tuple[tuple[str, str, str], ...]) -> dg.TableSchemaMetadataValue:
    """The columns' names, dtypes and units; cached: costly to build and the same for all partitions of an asset."""
    time = dg.TableColumn("time", "timestamp[ns]", description="UTC")
    listed = [dg.TableColumn(name, dtype, description=unit) for name, dtype, unit in columns]
    return dg.MetadataValue.table_schema(dg.TableSchema([time, *listed]))
