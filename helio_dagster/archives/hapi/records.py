"""The bytes of a HAPI data answer as arrays: header, CSV, binary.

Both forms give the same arrays. Nothing in the bytes is trusted: what does not fit its header exactly is an error.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray
from pydantic import ValidationError

from helio_dagster.archives.hapi.messages import Info, Parameter, printable
from helio_dagster.archives.transfer.json_text import first_fault, read_json

_DTYPES = {"double": "<f8", "integer": "<i4"}
_LONGEST_HEADER = 4 * 2**20
_LONGEST_TIME = 64  # bytes of one time
_MOST_COLUMNS = 2**16
_MOST_VALUES = 60_000_000  # ten times what a chunk is cut for
_ARROW_TYPES = {"double": pa.float64(), "integer": pa.int64()}


def split_header(body: bytes) -> tuple[Info | None, bytes]:
    """The header that a data answer begins with, as lines after `#`, and the records; None where it has no header.

    Raises
    ------
    ValueError
        The header cannot be read.
    """
    lines, place = [], 0
    while body.startswith(b"#", place):
        stop = body.find(b"\n", place)
        if stop < 0:
            raise ValueError("the header is cut off")
        lines.append(body[place + 1 : stop])
        place = stop + 1
        if place > _LONGEST_HEADER:
            raise ValueError("the header is longer than any should be")
    if not lines:
        return None, body
    try:
        return Info.model_validate(read_json(b"\n".join(lines))), body[place:]
    except ValidationError as error:
        raise ValueError(f"the header is not HAPI's: {first_fault(error)}") from None
    except ValueError:
        raise ValueError("the header is not JSON") from None


def read_binary(body: bytes, parameters: Sequence[Parameter]) -> list[NDArray[Any]]:
    """One array per parameter, shape (record, value): float64, int32, or bytes for texts and times.

    Raises
    ------
    ValueError
        The bytes are not whole records of these parameters.
    """
    _require_short_times(parameters[0].length)
    row = np.dtype([(f"f{place}", _binary_type(each), (each.width,)) for place, each in enumerate(parameters)])
    if len(body) % row.itemsize:
        raise ValueError(f"{len(body)} bytes are not a whole number of records of {row.itemsize} bytes")
    rows = np.frombuffer(body, dtype=row)
    return [rows[f"f{place}"].astype(rows[f"f{place}"].dtype.newbyteorder("=")) for place in range(len(parameters))]


def read_csv(body: bytes, parameters: Sequence[Parameter]) -> list[NDArray[Any]]:
    """As `read_binary`, from lines of text; an empty number is NaN, texts beside the times are left empty.

    Raises
    ------
    ValueError
        A line has another number of values, a value is of another type, or the last line is cut off.
    """
    if not body.strip():
        return [np.empty((0, each.width), dtype=_native_type(each)) for each in parameters]
    if not body.endswith(b"\n"):
        raise ValueError("the last line is cut off")
    width = sum(each.width for each in parameters)
    if width > _MOST_COLUMNS or body.count(b",") + body.count(b"\n") > _MOST_VALUES:
        raise ValueError(f"{width} values a record, or too many records")
    owners = [each for each in parameters for _ in range(each.width)]
    names = [str(place) for place in range(len(owners))]
    types = {name: _ARROW_TYPES.get(each.type, pa.binary()) for name, each in zip(names, owners, strict=True)}
    try:
        table = pyarrow.csv.read_csv(
            io.BytesIO(body),
            read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False),
            convert_options=pyarrow.csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=False),
        )
    except pa.ArrowException as error:
        raise ValueError(f"the lines are not those of the header: {printable(str(error))}") from None
    _require_short_times(pc.max(pc.binary_length(table.column(0))).as_py())
    arrays, place = [], 0
    for each in parameters:
        columns = [_array(table.column(number), each) for number in range(place, place + each.width)]
        arrays.append(np.stack(columns, axis=1))
        place += each.width
    return arrays


def _array(column: pa.ChunkedArray, parameter: Parameter) -> NDArray[Any]:
    if parameter.type == "integer":
        values: NDArray[Any] = column.to_numpy()
        limits = np.iinfo(np.int32)
        if column.null_count or (len(values) and (values.min() < limits.min or values.max() > limits.max)):
            raise ValueError(f"{printable(parameter.name)} has values that are not 32-bit integers")
        return values.astype("int32")
    if parameter.type == "double":
        numbers: NDArray[Any] = column.to_numpy()
        return numbers
    if parameter.type == "isotime" and len(column):
        return np.array(column.to_pylist(), dtype=f"S{_LONGEST_TIME}")
    return np.zeros(len(column), dtype="S1")  # texts are not used


def _require_short_times(length: int | None) -> None:
    if length is not None and length > _LONGEST_TIME:
        raise ValueError(f"times of {length} letters")


def _binary_type(parameter: Parameter) -> str:
    if parameter.type in _DTYPES:
        return _DTYPES[parameter.type]
    if parameter.length is None:
        raise ValueError(f"the header does not say how long {printable(parameter.name)} is")
    return f"S{parameter.length}"


def _native_type(parameter: Parameter) -> np.dtype[Any]:
    return np.dtype(_DTYPES.get(parameter.type, "S1")).newbyteorder("=")
