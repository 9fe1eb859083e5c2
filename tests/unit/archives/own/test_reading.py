"""What is read of files of one's own: the same as pandas reads of the whole file and cuts out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.table import Table
from tests.unit.archives.own.conftest import MakeArchive
from tests.unit.archives.own.days import day

Read = Callable[..., Table]


@pytest.fixture
def whole() -> pd.DataFrame:
    """Three days of minutes with a gap, to the millisecond, two columns."""
    time = pd.date_range("2024-01-01", periods=4320, freq="min") + pd.Timedelta(250, "ms")
    frame = pd.DataFrame({"time": time, "H": np.random.default_rng(1).normal(20000, 30, 4320).round(3), "D": np.arange(4320.0)})
    return frame.drop(index=range(2000, 2300)).reset_index(drop=True)


def _same(table: Table, whole: pd.DataFrame, first: str, beyond: str) -> None:
    """The table is the part of the frame."""
    part = whole[(whole.time >= first) & (whole.time < beyond)]
    assert (table.time == part.time.to_numpy().astype("datetime64[ns]")).all()
    for name in table.meta.data_names:
        np.testing.assert_array_equal(table.columns[name], part[name].to_numpy())


LAYOUTS: dict[str, tuple[Callable[[pd.DataFrame, Path], object], dict[str, Any]]] = {
    "iso": (lambda frame, path: frame.to_csv(path, index=False), {}),
    "crlf": (lambda frame, path: frame.to_csv(path, index=False, lineterminator="\r\n"), {}),
    "quoted": (lambda frame, path: frame.astype(str).to_csv(path, index=False, quoting=1), {}),
    "semicolon": (
        lambda frame, path: frame.to_csv(path, index=False, sep=";", decimal=","),
        {"text": {"delimiter": ";", "decimal": ","}},
    ),
    "tab": (lambda frame, path: frame.to_csv(path, index=False, sep="\t"), {"format": "tsv"}),
    "parquet": (lambda frame, path: frame.to_parquet(path, row_group_size=700), {"format": "parquet"}),
    "epoch": (
        lambda frame, path: frame.assign(time=frame.time.astype(np.int64) // 10**6).to_csv(path, index=False),
        {"time": {"columns": "time", "format": "epoch_ms"}},
    ),
    "epoch_s": (
        lambda frame, path: frame.assign(time=frame.time.astype(np.int64) / 1e9).to_csv(path, index=False),
        {"time": {"columns": "time", "format": "epoch_s"}},
    ),
    "date_and_time": (
        lambda frame, path: frame.assign(
            date=frame.time.dt.strftime("%d.%m.%Y"), hour=frame.time.dt.strftime("%H:%M:%S.%f")
        ).to_csv(path, index=False),
        {"time": {"columns": ["date", "hour"], "format": "%d.%m.%Y %H:%M:%S.%f"}},
    ),
    "year_doy_seconds": (
        lambda frame, path: frame.assign(
            y=frame.time.dt.year,
            doy=frame.time.dt.dayofyear,
            s=(frame.time - frame.time.dt.normalize()).dt.total_seconds(),
        ).to_csv(path, index=False),
        {"time": {"columns": ["y", "doy", "s"], "format": "year_doy_seconds"}},
    ),
    "space": (
        lambda frame, path: path.write_text(
            "# made by a magnetometer\n"
            + "\n".join(f"  {time:%Y-%m-%dT%H:%M:%S.%f}  {h}   {d}" for time, h, d in frame.itertuples(index=False))
        ),
        {"text": {"delimiter": "space", "comment": "#", "names": ["time", "H", "D"]}},
    ),
    "fixed": (
        lambda frame, path: path.write_text(
            "\n".join(f"{time:%Y-%m-%d %H:%M:%S.%f}{h:12.3f}{d:9.1f}" for time, h, d in frame.itertuples(index=False)) + "\n"
        ),
        {"format": "fixed", "text": {"names": ["time", "H", "D"], "widths": [26, 12, 9]}},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_partition_is_the_part_of_the_whole(layout: str, whole: pd.DataFrame, folder: Path, read: Read) -> None:
    """Whatever the layout and the format of times."""
    write, given = LAYOUTS[layout]
    write(whole, folder / "g.csv")
    columns = {"H": {"unit": "nT"}, "D": {"unit": "deg"}}
    _same(read(day(2), columns=columns, **given), whole, "2024-01-02", "2024-01-03")
    _same(read(day(1, 4), columns=columns, **given), whole, "2024-01-01", "2024-01-04")


@pytest.mark.slow
def test_order_does_not_matter(whole: pd.DataFrame, folder: Path, read: Read) -> None:
    """Records in any order, and equal ones that are repeated, give the same table."""
    shuffled = pd.concat([whole, whole.iloc[100:200]]).sample(frac=1, random_state=3)
    shuffled.to_csv(folder / "g.csv", index=False)
    _same(read(day(2)), whole, "2024-01-02", "2024-01-03")


@pytest.mark.slow
def test_blocks_do_not_show(whole: pd.DataFrame, folder: Path, read: Read) -> None:
    """A file longer than a block is read as any other."""
    many = pd.concat([whole.assign(time=whole.time + pd.Timedelta(n * 137, "us")) for n in range(90)])
    many = many.sort_values("time").reset_index(drop=True)
    many.to_csv(folder / "g.csv", index=False)
    assert (folder / "g.csv").stat().st_size > 2 * 8 * 2**20 - 4 * 2**20
    _same(read(day(2)), many, "2024-01-02", "2024-01-03")


def test_fill_values_and_empty_fields_are_missing(folder: Path, read: Read) -> None:
    """As are NaN and NA; what other columns say does not matter."""
    (folder / "g.csv").write_text(
        "time,H,x\n2024-01-01,99999.9,a\n2024-01-01T01:00,,b\n2024-01-01T02:00,NaN,\n2024-01-01T03:00,4,c\n"
    )
    table = read(columns={"H": {"unit": "nT", "fill": [99999.9]}})
    np.testing.assert_array_equal(table.columns["H"], [np.nan, np.nan, np.nan, 4])


def test_marks_between_thousands_and_words_for_none(folder: Path, read: Read) -> None:
    """Only groups of three are thousands, only named words are missing; whatever else is there is an error."""
    (folder / "g.csv").write_text(
        'time,H,n\n2024-01-01,"1,234,567.5",1\n2024-01-01T01:00,***,2\n2024-01-01T02:00,"-1,234",\n2024-01-01T03:00,12.5,n.d.\n'
    )
    table = read(columns={"H": {}, "n": {}}, text={"thousands": ",", "missing": ["***", "n.d."]})
    np.testing.assert_array_equal(table.columns["H"], [1234567.5, np.nan, -1234, 12.5])
    np.testing.assert_array_equal(table.columns["n"], [1, 2, np.nan, np.nan])
    (folder / "g.csv").write_text('time,H\n2024-01-01,"12,34"\n')
    with pytest.raises(OwnFileError, match="line 2: the H '12,34' is not a number"):
        read(text={"thousands": ","})


def test_points_between_thousands_and_a_decimal_comma(folder: Path, read: Read) -> None:
    """As Germans write them."""
    (folder / "g.csv").write_text("time;H\n2024-01-01;1.234.567,5\n2024-01-01T01:00;-2,25\n")
    table = read(text={"delimiter": ";", "decimal": ",", "thousands": "."})
    np.testing.assert_array_equal(table.columns["H"], [1234567.5, -2.25])


def test_three_columns_with_a_frame_are_a_vector(folder: Path, read: Read) -> None:
    """Unit and frame are those of the description."""
    (folder / "g.csv").write_text("time,X,Y,Z\n2024-01-01,1,2,3\n")
    meta = read(columns={name: {"unit": "nanotesla"} for name in "XYZ"}, frame="GSE").meta
    assert (meta.kind, meta.unit, meta.frame, meta.data_names) == ("vector", "nT", "GSE", ("X", "Y", "Z"))


def test_offsets_are_converted(folder: Path, read: Read) -> None:
    """A time with an offset is exact."""
    (folder / "g.csv").write_text("time,H\n2024-01-01T03:00:00+02:00,1\n2024-01-01T03:00:00Z,2\n")
    assert [str(time)[:13] for time in read().time] == ["2024-01-01T01", "2024-01-01T03"]


def test_files_by_date_are_found_by_their_names(folder: Path, make_archive: MakeArchive) -> None:
    """Only the files near a window are opened; the others may be broken."""
    for number in range(1, 9):
        path = folder / "2024" / f"{number:03d}_mag.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"time,H\n2024-01-{number:02d}T12:00,{number}\n" if number < 6 else "broken")
    archive = make_archive(file="{%Y}/{%j}_mag.csv")
    found = [each.table for each in archive.fetch("", "", [day(1), day(2, 4), day(4)])]
    assert [list(table.columns["H"]) for table in found if table] == [[1], [2, 3], [4]]


def test_a_window_without_records_is_empty(folder: Path, read: Read) -> None:
    """That is no error."""
    (folder / "g.csv").write_text("time,H\n2024-01-01,1\n")
    assert read(day(5)).status == "empty"


def test_a_change_marks_the_days_that_it_touches(folder: Path, make_archive: MakeArchive) -> None:
    """Appended, edited and removed records change the revision of their own day."""
    path = folder / "g.csv"
    text = "time,H\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n"
    days = [day(number) for number in range(1, 5)]

    def changed(new: str) -> list[int]:
        path.write_text(text)
        before = [each.revision for each in make_archive().listed("", days)]
        path.write_text(new)
        after = [each.revision for each in make_archive().listed("", days)]
        return [number for number, (one, other) in enumerate(zip(before, after, strict=True), 1) if one != other]

    assert changed(text) == []
    assert changed(text + "2024-01-04,4\n") == [4]
    assert changed(text.replace("01-02,2", "01-02,5")) == [2]
    assert changed(text.replace("2024-01-01,1\n", "")) == [1]
    assert changed(text.replace("time,H", "H,time").replace("H,time", "time,H ", 1)) == [1, 2, 3]
