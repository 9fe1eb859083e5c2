"""What figures are drawn from: whole tables, or partitions one after the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.assets.figure_tables import FigureTables, references_over_time
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.long_table import LongTable
from helio_dagster.figures.printing.picture import Print, picture
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

DAYS = 3
START = datetime(2023, 1, 2, tzinfo=UTC)
SPAN = TimeRange(START, START + timedelta(days=DAYS))
KEYS = [f"{START + timedelta(days=day):%Y-%m-%d}" for day in range(DAYS)]
ASSET = "demo/A/B"


def stamps(day: int, count: int) -> np.ndarray:
    """So many times in a day."""
    step = np.timedelta64(86_400 * 10**9 // count, "ns")
    return np.datetime64((START + timedelta(days=day)).replace(tzinfo=None), "ns") + np.arange(count) * step


def vectors(day: int, count: int = 86_400) -> Table:
    """A day of vectors, one a second, with a gap of an hour on the second day."""
    rng = np.random.default_rng(day)
    meta = TableMeta(kind="vector", columns=tuple(ColumnMeta(name=name) for name in "xyz"), unit="nT", label="B", frame="GSE")
    table = Table(stamps(day, count), {name: rng.normal(size=count).cumsum() for name in "xyz"}, meta)
    keep = np.ones(count, dtype=bool)
    keep[count // 4 : count // 3] = day != 1
    return replace(table, time=table.time[keep], columns={name: values[keep] for name, values in table.columns.items()})


def spectra(day: int, *, varying: bool, count: int = 2_000) -> Table:
    """A day of spectra of four bins, whose energies differ from day to day where they vary."""
    rng = np.random.default_rng(day)
    centers = np.geomspace(10, 10_000, 4) * (1 + day * varying)
    names = [f"f{place}" for place in range(4)]
    columns = [ColumnMeta(name=name) for name in names]
    values = {name: rng.lognormal(size=count) for name in names}
    if varying:
        columns += [ColumnMeta(name=f"e{place}", role="bin") for place in range(4)]
        values |= {f"e{place}": np.full(count, centers[place]) for place in range(4)}
    bins = BinAxis(label="Energy", unit="eV", scale="log", centers=() if varying else tuple(centers.tolist()))
    return Table(stamps(day, count), values, TableMeta(kind="spectrogram", columns=tuple(columns), unit="eV", bins=bins))


class Stored:
    """Tables in a store, and how they are read."""

    def __init__(self, folder: Path, tables: list[Table]) -> None:
        self.store = TableStore(folder)
        self.versions = [
            (key, self.store.write(ASSET, key, table, {}).data_version) for key, table in zip(KEYS, tables, strict=True)
        ]
        self.whole = concatenate(tables)

    def long(self) -> Table:
        """Partition by partition."""
        return FigureTables(TableCache(self.store), most_cells=0, fewest_rows=0).read(ASSET, self.versions, is_over_time=True)


def pixels(table: Table, **panel: object) -> np.ndarray:
    """The picture of a figure of one panel."""
    from io import BytesIO

    from PIL import Image

    spec = Figure.model_validate({"panels": [{"traces": [{"data": "b"}], **panel}]})
    with Image.open(BytesIO(picture(draw(spec, {"b": table}, SPAN, title="t"), "png", Print()))) as found:
        return np.asarray(found.convert("L"), dtype=int)


@pytest.mark.parametrize("panel", [{}, {"y": {"scale": "log"}}])
def test_the_picture_of_partitions_is_that_of_the_whole(tmp_path: Path, panel: dict[str, object]) -> None:
    """Hardly a pixel of three thinned lines with a gap is another; the axes and texts are the same."""
    stored = Stored(tmp_path, [vectors(day) for day in range(DAYS)])
    long = stored.long()
    assert isinstance(long, LongTable)
    ours, whole = pixels(long, **panel), pixels(stored.whole, **panel)
    assert ours.shape == whole.shape
    assert (np.abs(ours - whole) > 96).mean() < 0.001
    assert (whole < 128).mean() > 0.02, "there are lines to compare"


@pytest.mark.parametrize("varying", [False, True])
def test_a_spectrogram_of_partitions_is_that_of_the_whole(tmp_path: Path, varying: bool) -> None:
    """The same picture, of fixed bins and of bins that vary."""
    stored = Stored(tmp_path, [spectra(day, varying=varying) for day in range(DAYS)])
    long = stored.long()
    assert isinstance(long, LongTable)
    np.testing.assert_array_equal(pixels(long), pixels(stored.whole))


def test_short_tables_are_read_whole(tmp_path: Path) -> None:
    """With the usual limits three days of one vector a second are in memory, byte for byte as stored."""
    stored = Stored(tmp_path, [vectors(day) for day in range(DAYS)])
    found = FigureTables(TableCache(stored.store)).read(ASSET, stored.versions, is_over_time=True)
    assert not isinstance(found, LongTable)
    np.testing.assert_array_equal(found.columns["x"], stored.whole.columns["x"])
    assert not list(tmp_path.rglob("*.npz"))


def test_partitions_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    """As when they are read whole: another unit on the last day."""
    last = vectors(2)
    other = replace(last, meta=last.meta.model_copy(update={"frame": "GSM"}))
    stored = Stored(tmp_path / "fits", [vectors(day) for day in range(DAYS)])
    stored.versions[-1] = (KEYS[-1], stored.store.write(ASSET, KEYS[-1], other, {}).data_version)
    with pytest.raises(ValueError, match="GSE, GSM"):
        stored.long()


def test_a_window_reads_the_part_of_the_file_that_holds_it(tmp_path: Path) -> None:
    """A minute of a day that is stored in many groups of records; what was written since is not taken for it."""
    store = TableStore(tmp_path)
    table = vectors(0, count=1_000_000)
    version = store.write(ASSET, KEYS[0], table, {}).data_version
    window = TimeRange(START + timedelta(hours=7), START + timedelta(hours=7, minutes=1))
    tables = FigureTables(TableCache(store))
    found = tables.read_window(ASSET, {KEYS[0]: version}, Grain("daily"), window, is_over_time=True)
    assert len(found) < 300_000
    np.testing.assert_array_equal(found.clip(window).columns["y"], table.clip(window).columns["y"])
    with pytest.raises(LookupError):
        tables.read_window(ASSET, {KEYS[0]: "another"}, Grain("daily"), window, is_over_time=True)


def test_only_what_is_drawn_over_time_alone_may_be_long() -> None:
    """Rows below the axis take the nearest record, and marked events are all of them."""
    spec = Figure.model_validate(
        {
            "panels": [{"traces": [{"data": "a"}, {"data": "b", "draw": "steps", "color": "red"}], "y": {"scale": "log"}}],
            "below": [{"data": "b", "component": "x", "label": "X"}],
            "events": "storms",
        }
    )
    assert references_over_time(spec) == {"a"}
