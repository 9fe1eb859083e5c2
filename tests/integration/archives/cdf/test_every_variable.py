"""Every variable of the real files at hand that varies with time is read, or refused by name."""

from __future__ import annotations

from pathlib import Path

import cdflib
import pytest

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.errors import InputError


def test_every_variable_is_read_or_refused(shared_data: Path) -> None:
    """As cdflib lists them: numbers over a time are tables with as many records, or fewer where times repeat; times are not."""
    with CdfReader(workers=1) as reader:
        for path in sorted((shared_data / "cdf").glob("*.cdf")):
            file = cdflib.CDF(path)
            info = file.cdf_info()
            for name in [*info.rVariables, *info.zVariables]:
                stored = file.varinq(name)
                if not stored.Rec_Vary:
                    continue
                if stored.Data_Type in (31, 32, 33):
                    with pytest.raises(InputError, match=f"{name} holds times"):
                        reader.read(path, name)
                    continue
                table = reader.read(path, name)
                assert len(table) <= max(stored.Last_Rec + 1, 0)
                assert bool(len(table)) == (stored.Last_Rec >= 0), (path.name, name)
