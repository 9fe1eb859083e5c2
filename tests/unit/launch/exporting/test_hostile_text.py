"""What an archive or a person calls things cannot break a file, nor end a line of it."""

from __future__ import annotations

from pathlib import Path

import cdflib
import netCDF4
import numpy as np
import pandas as pd

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.launch.exporting.csv_file import comment_lines, write_csv
from tests.unit.launch.exporting.conftest import Write, make_header

NASTY = 'a\nb,1\x00\u2028\ud800 \x1b[31m"μ'


def test_texts_stay_on_their_line(as_cdf: Write, as_netcdf: Write, tmp_path: Path) -> None:
    """Names, labels, units, notes and values with line breaks, NULs, half characters and escapes."""
    names = [f"v{NASTY}", f"w{NASTY}"]
    columns = tuple(ColumnMeta(name=name, label=NASTY, unit=NASTY) for name in names)
    meta = TableMeta(kind="events", columns=columns, label=NASTY, attributes={"CATDESC": NASTY, "VAR_NOTES": NASTY})
    arrays = {names[0]: np.array([1.0, 2.0]), names[1]: np.array(["plain", "é\x00"], dtype=object)}
    table = Table(np.array(["2003-01-01", "2003-01-02"], dtype="datetime64[ns]"), arrays, meta)
    file = cdflib.CDF(as_cdf(table))
    assert file.cdf_info().zVariables == ["Epoch", "va_b_1_31m", "wa_b_1_31m"]
    assert file.varget("va_b_1_31m").tolist() == [1, 2]
    assert file.varattsget("va_b_1_31m")["CATDESC"].isascii()
    with netCDF4.Dataset(as_netcdf(table)) as data:
        assert data["wa_b_1_31m"][:].tolist() == ["plain", "é "]
        assert "\n" not in data["va_b_1_31m"].long_name
    path = tmp_path / "out.csv"
    write_csv(path, [Table(table.time, {"v": arrays[names[0]]}, _renamed(meta))], comment_lines(make_header(table)))
    assert pd.read_csv(path, comment="#")["v"].tolist() == [1, 2]


def _renamed(meta: TableMeta) -> TableMeta:
    return meta.model_copy(update={"columns": (ColumnMeta(name="v", label=NASTY, unit=NASTY),)})
