"""The data version: the content's and nothing else's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from helio_dagster.domain.table import BinAxis, Table
from helio_dagster.storage.data_version import data_version


def with_values(table: Table, name: str, values: object) -> Table:
    """The table with another column."""
    return replace(table, columns={**table.columns, name: np.asarray(values)})


def test_it_is_the_known_one(table: Table) -> None:
    """It is the same on every machine and in every release: a change of it would make all that is stored stale."""
    assert data_version(table) == "f3a1ca138e5af4c8eccfbc2b3dad8c69189795bf61da737ccff4064ec2bf4bbd"


def test_all_nans_count_alike(table: Table) -> None:
    """Bits of a NaN that no one sees do not count, in double and in single precision."""
    for dtype, bits in (("float64", 0xFFF8_0000_0000_0001), ("float32", 0xFFC0_0001)):
        values = table.columns["bx"].astype(dtype)
        other = values.copy()
        other.view(f"uint{8 * other.itemsize}")[1] = bits
        assert np.isnan(other[1])
        assert data_version(with_values(table, "bx", values)) == data_version(with_values(table, "bx", other))


def test_the_machines_byte_order_does_not_count(table: Table) -> None:
    """Big-endian values are the same numbers."""
    assert data_version(with_values(table, "by", table.columns["by"].astype(">f8"))) == data_version(table)


def test_memory_layout_does_not_count(table: Table) -> None:
    """A strided view is the same numbers."""
    wide = np.repeat(table.columns["by"], 2)[::2]
    assert data_version(with_values(table, "by", wide)) == data_version(table)


def test_the_archives_other_attributes_do_not_count(table: Table) -> None:
    """A new CATDESC does not make what was computed stale."""
    other = table.meta.model_copy(update={"attributes": {"CATDESC": "reworded"}})
    assert data_version(replace(table, meta=other)) == data_version(table)


def test_text_counts_as_text(table: Table) -> None:
    """Object and fixed-width text are the same words."""
    words = ["a", "b", "long", "Ü"]
    first = with_values(table, "by", np.array(words, dtype=object))
    second = with_values(table, "by", np.array(words, dtype="U10"))
    assert data_version(first) == data_version(second)


def renamed(table: Table) -> Table:
    """One column of another name."""
    columns = tuple(one.model_copy(update={"name": "b_x"}) if one.name == "bx" else one for one in table.meta.columns)
    values = {"b_x" if name == "bx" else name: array for name, array in table.columns.items()}
    return Table(table.time, values, table.meta.model_copy(update={"columns": columns}))


def reordered(table: Table) -> Table:
    """The columns in another order."""
    columns = table.meta.columns[::-1]
    values = {column.name: table.columns[column.name] for column in columns}
    return Table(table.time, values, table.meta.model_copy(update={"columns": columns}))


def with_column(table: Table, **change: str) -> Table:
    """The first column described otherwise."""
    columns = (table.meta.columns[0].model_copy(update=change), *table.meta.columns[1:])
    return replace(table, meta=table.meta.model_copy(update={"columns": columns}))


CHANGES: dict[str, Callable[[Table], Table]] = {
    "value": lambda table: with_values(table, "by", [0.0, 1.0, 2.0, 3.0 + 1e-15]),
    "sign of zero": lambda table: with_values(table, "by", [-0.0, 1.0, 2.0, 3.0]),
    "dtype": lambda table: with_values(table, "by", table.columns["by"].astype("float32")),
    "fill instead of a value": lambda table: with_values(table, "by", [0.0, 1.0, np.nan, 3.0]),
    "time": lambda table: replace(table, time=table.time + np.timedelta64(1, "ns")),
    "fewer records": lambda table: Table(table.time[:3], {n: v[:3] for n, v in table.columns.items()}, table.meta),
    "unit": lambda table: replace(table, meta=table.meta.model_copy(update={"unit": "T"})),
    "a column's unit": lambda table: with_column(table, unit="T"),
    "a column's label": lambda table: with_column(table, label="B_X"),
    "frame": lambda table: replace(table, meta=table.meta.model_copy(update={"frame": "GSM"})),
    "kind": lambda table: replace(table, meta=table.meta.model_copy(update={"kind": "spectrogram"})),
    "bins": lambda table: replace(table, meta=table.meta.model_copy(update={"bins": BinAxis(centers=(1.0, 2.0, 3.0))})),
    "synthetic": lambda table: replace(table, meta=table.meta.model_copy(update={"synthetic": True})),
    "name": renamed,
    "order of columns": reordered,
}


@pytest.mark.parametrize("change", CHANGES)
def test_content_counts(table: Table, change: str) -> None:
    """Another value, time, dtype, unit, label, name or order is another version."""
    assert data_version(CHANGES[change](table)) != data_version(table)


def test_words_cannot_be_shifted_between_records(table: Table) -> None:
    """A separator inside a text is not one between texts."""
    first = with_values(table, "by", np.array(["a\0b", "c", "", ""], dtype=object))
    second = with_values(table, "by", np.array(["a", "b\0c", "", ""], dtype=object))
    assert data_version(first) != data_version(second)
