"""Archive files in a standalone script whose records have several axes: a cell of numbers for each record, and its bins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cdflib
import numpy as np
import pandas as pd

from helio_dagster.launch.carrying.plain.files import cdf_times, hapi_answer, in_order, masked


def read_cdf_records(path: Path, parameter: str, *, axes: list[dict[str, Any]]) -> pd.DataFrame:
    """A parameter of a CDF file: its values in the first column, then the bins, and their widths, of axes where they vary."""
    file = cdflib.CDF(path)
    about = file.varattsget(parameter)
    stored = parameter
    while file.varinq(stored).Last_Rec < 0:  # a view of another variable
        stored = file.varattsget(stored)["COMPONENT_0"].strip()
    values = np.asarray(file.varget(stored))
    times = cdf_times(file, about)[: len(values)]
    cells = [along(values, {**file.varattsget(stored), **about})]
    for number, axis in enumerate(axes, start=1):
        if axis["column"] is None and axis["width_column"] is None:
            continue
        name = about[f"DEPEND_{number}"].strip()
        if axis["column"] is not None:
            cells.append(of_records(file, name, len(values)))
        if axis["width_column"] is not None:
            sides = [file.varattsget(name)[f"DELTA_{side}_VAR"].strip() for side in ("MINUS", "PLUS")]
            lower, upper = (of_records(file, side, len(values)) for side in sides)
            cells.append(np.broadcast_to(lower + upper, (len(values), axis["size"])))
    return cells_of(cells, pd.DatetimeIndex(times, tz="UTC", name="time"))


def of_records(file: Any, name: str, records: int) -> np.ndarray:
    """The numbers of a variable for each record, also of one that does not vary, or has one record for all."""
    values = np.asarray(file.varget(name))
    if not file.varinq(name).Rec_Vary or (len(values) == 1 and records > 1):
        values = np.broadcast_to(values.reshape(1, -1), (records, values.size))
    return along(values[:records], file.varattsget(name))


def along(values: np.ndarray, limits: dict[str, Any]) -> np.ndarray:
    """Numbers by record, fill values and what is outside the valid range NaN."""
    return masked(values.reshape(len(values), -1), limits.get("FILLVAL"), limits.get("VALIDMIN"), limits.get("VALIDMAX"))


def read_hapi_records(path: Path, parameter: str, *, axes: list[dict[str, Any]]) -> pd.DataFrame:
    """A parameter of a HAPI server's answer: its values in the first column, then the bins of axes where they vary."""
    fields, index, values_of = hapi_answer(path)
    if not fields:
        return pd.DataFrame(index=index)
    field = next(each for each in fields if each["name"] == parameter)
    bins = [each for size, each in zip(field["size"], field["bins"], strict=False) if size > 1]
    centers = [each["centers"] for axis, each in zip(axes, bins, strict=False) if axis["column"] is not None]
    return cells_of([values_of(name) for name in (parameter, *centers)], index)


def cells_of(parts: list[np.ndarray], index: pd.DatetimeIndex) -> pd.DataFrame:
    """A column for each part, with the numbers of a record in one cell."""
    columns = {place: pd.Series(list(part), index=index, dtype="object") for place, part in enumerate(parts)}
    return in_order(pd.DataFrame(columns))
