"""What code returns as data over axes, as a table."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

from helio_dagster.compute.operations.record_axes import left_meta, left_table
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import CodeError
from helio_dagster.domain.table import ColumnMeta, Role, Table, TableMeta, Times

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ +.-][A-Za-z0-9_]+)*")


def table_over_axes(result: pd.DataFrame, time: Times, *, unit: str, frame: str | None, name: str) -> Table:
    """Data over axes that code returned.

    Parameters
    ----------
    result
        As the sandbox gives it: a numbered column for each place of a record, then for each bin that varies; the axes in
        `attrs`.
    time
        Of the records, `datetime64[ns]`, naive UTC, shape (record,).
    unit, frame
        What the step declares.
    name
        Step id.

    Returns
    -------
    Table
        Kind `nd`; over one axis a spectrogram, or a vector where that has labels.

    Raises
    ------
    CodeError
        Names of axes are not those of Python, or not all different, or bins are infinite.
    """
    stated = result.attrs["axes"]
    _check_names([each["name"] for each in stated], name)
    numbers = result.to_numpy()
    at = math.prod(each["size"] for each in stated)
    columns = [ColumnMeta(name=name, label=name, unit=unit)]
    arrays = {name: numbers[:, :at].reshape(len(time), *(each["size"] for each in stated))}
    axes = []
    for each in stated:
        about: dict[str, Any] = {key: each[key] for key in ("name", "size", "label", "unit", "scale")}
        role: Role
        for what, fixed, own, role in (
            ("centers", "values", each["name"], "bin"),
            ("widths", "widths", f"{each['name']}_width", "width"),
        ):
            if not each[f"{what}_vary"]:
                about[fixed] = tuple(math.nan if value is None else value for value in each[what])
                continue
            about["column" if role == "bin" else "width_column"] = own
            columns.append(ColumnMeta(name=own, label=own, unit=each["unit"], role=role))
            arrays[own] = numbers[:, at : at + each["size"]]
            at += each["size"]
        axes.append(RecordAxis(**about, labels=tuple(each["labels"])))
    whole = Table(
        time, arrays, TableMeta(kind="nd", columns=tuple(columns), label=name, unit=unit, frame=frame, axes=tuple(axes))
    )
    if len(axes) > 1:
        return whole
    return left_table(whole, axes, arrays[name], left_meta(whole.meta, axes, name, label=name, unit=unit))


def _check_names(names: list[str], step: str) -> None:
    taken = [step, *names, *(f"{name}_width" for name in names)]
    for name in names:
        if not _NAME.fullmatch(name) or name == "time":
            raise CodeError(f"an axis of the result is named {name!r}", hint="Use letters, digits and _, and not `time`.")
        if taken.count(name) > 1:
            raise CodeError(
                f"the name of the axis {name!r} is taken", hint="Call each axis otherwise than the others and the step."
            )
