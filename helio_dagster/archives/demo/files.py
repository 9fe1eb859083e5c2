"""ISTP CDF files from variables in memory, the same bytes each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from cdflib.cdfwrite import CDF
from numpy.typing import NDArray

CdfType = Literal["CDF_EPOCH", "CDF_REAL4", "CDF_INT4", "CDF_CHAR"]

_TYPE_NUMBERS: dict[CdfType, int] = {"CDF_INT4": 4, "CDF_REAL4": 21, "CDF_EPOCH": 31, "CDF_CHAR": 51}
_SPEC = {  # fixed, so that no machine writes other bytes; 6 is little-endian IBMPC
    "Majority": "row_major",
    "Encoding": 6,
    "Compressed": 0,
}
_EPOCH_1970_MS = 62_167_219_200_000.0


@dataclass(frozen=True)
class CdfVariable:
    """One variable of a file.

    Parameters
    ----------
    name, cdf_type
        Its name and the CDF's data type.
    values
        Shape (record, ...) where it varies over records, else that of one record; text as a list of strings.
    attributes
        ISTP attributes; numbers are written in the variable's own type.
    """

    name: str
    cdf_type: CdfType
    values: NDArray[Any] | Sequence[str]
    attributes: Mapping[str, str | float | Sequence[float]] = field(default_factory=dict)
    varies: bool = True


_DELTAS = {"DELTA_MINUS_VAR": "Epoch_minus", "DELTA_PLUS_VAR": "Epoch_plus"}


def epoch_variables(seconds: NDArray[np.float64], deltas_s: tuple[float, float] | None = None) -> list[CdfVariable]:
    """The variable `Epoch` (CDF_EPOCH) of times in s since 1970, shape (record,), and its deltas, where it has some.

    `deltas_s` are how far each record reaches before and after its time.
    """
    epoch = _epoch_variable(seconds)
    if deltas_s is None:
        return [epoch]
    named = {**epoch.attributes, **_DELTAS, "CATDESC": "Time, start of interval" if not deltas_s[0] else "Time"}
    about = {"UNITS": "s", "VAR_TYPE": "support_data"}
    return [
        replace(epoch, attributes=named),
        *(
            CdfVariable(name, "CDF_REAL4", np.array([delta]), {**about, "CATDESC": text, "FIELDNAM": text}, varies=False)
            for name, delta, text in zip(_DELTAS.values(), deltas_s, ("Reach before Epoch", "Reach after Epoch"), strict=True)
        ),
    ]


def _epoch_variable(seconds: NDArray[np.float64]) -> CdfVariable:
    attributes: dict[str, str | float | Sequence[float]] = {
        "CATDESC": "Time, centre of interval",
        "FIELDNAM": "Time",
        "FILLVAL": -1e31,
        "VALIDMIN": _EPOCH_1970_MS,
        "VALIDMAX": _EPOCH_1970_MS + 7.3e12,
        "UNITS": "ms",
        "LABLAXIS": "Epoch",
        "MONOTON": "INCREASE",
        "SCALETYP": "linear",
        "VAR_TYPE": "support_data",
    }
    return CdfVariable("Epoch", "CDF_EPOCH", seconds * 1000.0 + _EPOCH_1970_MS, attributes)


def cdf_bytes(global_attributes: Mapping[str, str | Sequence[str]], variables: Sequence[CdfVariable]) -> bytes:
    """A whole CDF file.

    Parameters
    ----------
    global_attributes
        Name to text, or to several entries of text; at least one.
    variables
        In the order of the file.
    """
    with TemporaryDirectory(prefix="helio-demo-") as folder:
        path = Path(folder) / "made.cdf"
        with CDF(path, cdf_spec=_SPEC) as cdf:
            cdf.write_globalattrs({name: _entries(value) for name, value in global_attributes.items()})
            for variable in variables:
                cdf.write_var(_spec(variable), var_attrs=_attributes(variable), var_data=_data(variable))
        return path.read_bytes()


def _entries(value: str | Sequence[str]) -> dict[int, str]:
    return dict(enumerate([value] if isinstance(value, str) else value))


def _spec(variable: CdfVariable) -> dict[str, object]:
    sizes = list(np.shape(variable.values))
    return {
        "Variable": variable.name,
        "Data_Type": _TYPE_NUMBERS[variable.cdf_type],
        "Num_Elements": max(map(len, map(str, variable.values))) if variable.cdf_type == "CDF_CHAR" else 1,
        "Rec_Vary": variable.varies,
        "Dim_Sizes": sizes[1:] if variable.varies else sizes,
        "Compress": 0,
    }


def _data(variable: CdfVariable) -> object:
    if variable.cdf_type == "CDF_CHAR":
        return [str(text) for text in variable.values]
    dtype = {"CDF_INT4": "<i4", "CDF_REAL4": "<f4", "CDF_EPOCH": "<f8"}[variable.cdf_type]
    return np.ascontiguousarray(variable.values, dtype=dtype)


def _attributes(variable: CdfVariable) -> dict[str, object]:
    def typed(value: str | float | Sequence[float]) -> object:
        if isinstance(value, str):
            return value
        return [value if isinstance(value, (int, float)) else list(value), variable.cdf_type]

    return {name: typed(value) for name, value in variable.attributes.items()}
