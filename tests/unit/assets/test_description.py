"""What a partition says of itself, as plain values and as Dagster's."""

from __future__ import annotations

import dagster as dg
import numpy as np
import pytest

from helio_dagster.assets.description import describe_table
from helio_dagster.assets.metadata import dagster_metadata
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

DAY = Grain.DAILY.window("2023-01-02")


@pytest.fixture
def table() -> Table:
    """Half a day of hourly values, one of them missing."""
    time = np.datetime64("2023-01-02", "ns") + np.arange(12) * np.timedelta64(1, "h")
    values = np.arange(12.0)
    values[3] = np.nan
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b", unit="nT"),), unit="nT", frame="GSE")
    return Table(time, {"b": values}, meta)


def test_a_table_is_described_by_its_facts(table: Table) -> None:
    """Twelve rows of an hour cover half the day; extremes and valid share leave the missing value out."""
    found = describe_table(table, table.status, DAY)
    assert (found["rows"], found["status"], found["unit"], found["frame"]) == (12, "data", "nT", "GSE")
    assert found["cadence_s"] == 3600
    assert found["coverage"] == pytest.approx(0.5)
    (column,) = found["columns"]
    assert (column["min"], column["max"], column["valid"], column["dtype"]) == ("0", "11", "91.7%", "float64")


def test_an_empty_table_can_be_described(table: Table) -> None:
    """No rows, no coverage, no extremes, and no division by nothing."""
    found = describe_table(Table.empty(table.meta), "empty", DAY)
    assert (found["rows"], found["status"], found["coverage"]) == (0, "empty", 0.0)
    assert "cadence_s" not in found


def test_dagster_shows_rows_schema_sources_and_path(table: Table) -> None:
    """Under the names that its pages know."""
    sources = [{"name": "a.cdf", "sha256": "00"}]
    found = dagster_metadata({**describe_table(table, table.status, DAY), "sources": sources, "path": "/x/2023-01-02.parquet"})
    assert found["dagster/row_count"] == dg.MetadataValue.int(12)
    schema = found["dagster/column_schema"]
    assert isinstance(schema, dg.TableSchemaMetadataValue)
    assert [(column.name, column.description) for column in schema.schema.columns] == [("time", "UTC"), ("b", "nT")]
    assert found["sources"] == dg.MetadataValue.json(sources)
    assert found["path"] == dg.MetadataValue.path("/x/2023-01-02.parquet")


def test_a_picture_is_shown_inline_and_its_page_linked() -> None:
    """Markdown with the image in it, and a URL that the web UI serves."""
    found = dagster_metadata({"picture": "/figures/a.png", "figure": "/figures/a.html"})
    assert found["preview"] == dg.MetadataValue.md("[![the figure, shown under helio ui](/figures/a.png)](/figures/a.html)")
    assert found["figure"] == dg.MetadataValue.url("/figures/a.html")
