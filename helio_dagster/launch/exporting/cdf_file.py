"""Write records as an ISTP CDF file: cdflib says what the variables are, their records are appended block by block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from cdflib.cdfwrite import CDF
from numpy.typing import NDArray

from helio_dagster.domain.table import Times
from helio_dagster.launch.exporting.cdf_records import CdfRecords, records_per_block
from helio_dagster.launch.exporting.header import Header
from helio_dagster.launch.exporting.istp import (
    FILL_REAL,
    Entry,
    cdf_type,
    epoch_attributes,
    global_attributes,
    variable_attributes,
)
from helio_dagster.launch.exporting.plain_text import ascii_text
from helio_dagster.launch.exporting.records import Block, Survey
from helio_dagster.launch.exporting.tt2000 import utc_to_tt2000
from helio_dagster.launch.exporting.variable import Variable
from helio_dagster.storage.atomic import atomic_path

_NUMBERS = {"CDF_INT8": 8, "CDF_REAL4": 21, "CDF_REAL8": 22, "CDF_TIME_TT2000": 33, "CDF_CHAR": 51}
_SPEC = {"Majority": "row_major", "Encoding": 6, "Compressed": 0}
"""Fixed, so that no machine writes other bytes; 6 is little-endian IBMPC."""
_LEVEL = 6
EPOCH = Variable("Epoch", "axis", dtype=np.dtype("datetime64[ns]"))


def write_cdf(path: Path, header: Header, survey: Survey, variables: Sequence[Variable], blocks: Iterable[Block]) -> None:
    """Write a CDF file that follows the ISTP guidelines.

    Parameters
    ----------
    path
        The file, which appears whole or not at all; its name without suffix becomes `Logical_file_id`.
    header
        Where its data come from.
    survey, variables
        What all records are, and the variables that they are laid out in.
    blocks
        The records in order of time; only one block is in memory at a time.
    """
    variables = [_with_ascii_labels(variable) for variable in variables]
    attributes = global_attributes(header, file_id=path.stem)
    varying = [EPOCH, *(variable for variable in variables if variable.varies)]
    sizes = {variable.name: records_per_block(_record_bytes(variable), len(varying)) for variable in varying}
    with atomic_path(path) as temporary:
        temporary.write_bytes(_described(attributes, survey, variables, sizes))
        with temporary.open("r+b") as file:
            records = CdfRecords(file, sizes)
            for block in blocks:
                if len(block):
                    records.append(EPOCH.name, utc_to_tt2000(block.time).astype("<i8"))
                    for variable in varying[1:]:
                        records.append(variable.name, _encoded(variable, variable.take(block)))
            records.close()


def _described(attributes: dict[str, list[str]], survey: Survey, variables: Sequence[Variable], sizes: dict[str, int]) -> bytes:
    """The file without its records."""
    with TemporaryDirectory(prefix="helio-export-") as folder:
        path = Path(folder) / "described.cdf"
        with CDF(path, cdf_spec=_SPEC) as cdf:
            cdf.write_globalattrs({name: dict(enumerate(entries)) for name, entries in attributes.items()})
            deltas = {variable.use: variable.name for variable in variables}
            words = epoch_attributes(
                is_monotonic=survey.is_strict, minus=deltas.get("before", ""), plus=deltas.get("after", "")
            )
            cdf.write_var(_spec(EPOCH, sizes), var_attrs=_typed(words), var_data=None)
            for variable in variables:
                words = variable_attributes(variable, survey.meta)
                data = None if variable.values is None else _constant(variable, variable.values)
                cdf.write_var(_spec(variable, sizes), var_attrs=_typed(words), var_data=data)
        return path.read_bytes()


def _spec(variable: Variable, sizes: dict[str, int]) -> dict[str, Any]:
    kind = cdf_type(variable)
    return {
        "Variable": variable.name,
        "Data_Type": _NUMBERS[kind],
        "Num_Elements": variable.dtype.itemsize if kind == "CDF_CHAR" else 1,
        "Rec_Vary": variable.varies,
        "Dim_Sizes": list(variable.shape),
        "Compress": _LEVEL if variable.varies else 0,
        "Block_Factor": sizes.get(variable.name, 1),
    }


def _typed(attributes: dict[str, Entry]) -> dict[str, Any]:
    return {name: value if isinstance(value, str) else list(value) for name, value in attributes.items()}


def _constant(variable: Variable, values: NDArray[Any]) -> Any:
    if variable.dtype.kind == "S":
        return [value.decode("ascii").ljust(variable.dtype.itemsize) for value in values]  # blanks, as archives write
    return _encoded(variable, values)


def _with_ascii_labels(variable: Variable) -> Variable:
    """Names of components in ASCII: cdflib counts letters where the file counts bytes."""
    if variable.values is None or variable.dtype.kind != "S":
        return variable
    values = np.array([ascii_text(value.decode()).encode() for value in variable.values])
    return replace(variable, values=values, dtype=values.dtype)


def _encoded(variable: Variable, values: NDArray[Any]) -> NDArray[Any]:
    """Values as the bytes of the file: little-endian, the fill value for what is missing, text in ASCII with blanks behind."""
    kind = cdf_type(variable)
    if kind == "CDF_TIME_TT2000":
        return utc_to_tt2000(_times(values)).astype("<i8")
    if kind == "CDF_CHAR":
        width = variable.dtype.itemsize
        texts = [ascii_text(str(value)).encode().ljust(width) for value in values.ravel()]
        return np.array(texts, dtype=f"S{width}").reshape(values.shape)
    if kind == "CDF_INT8":
        return values.astype("<i8")
    dtype = np.dtype("<f4" if kind == "CDF_REAL4" else "<f8")
    return np.where(np.isnan(values), dtype.type(FILL_REAL), values).astype(dtype)


def _times(values: NDArray[Any]) -> Times:
    return values.astype("datetime64[ns]")


def _record_bytes(variable: Variable) -> int:
    width = variable.dtype.itemsize if variable.dtype.kind == "S" else 4 if cdf_type(variable) == "CDF_REAL4" else 8
    return int(width * np.prod(variable.shape, dtype=int))
