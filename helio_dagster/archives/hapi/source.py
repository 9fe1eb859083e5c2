"""What a HAPI server serves: the `HapiSource` seam, its values, and how records are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.time_range import TimeRange

TIME = "Time"
TIME_LENGTH = 30  # 2023-01-02T00:00:00.000000000Z
FILL = -1.0e31
NO_TIME = "1900-01-01T00:00:00.000000000Z"
"""The fill value of times that are no time: HAPI has none of its own."""
_NO_TIME_NS = np.datetime64(NO_TIME.rstrip("Z"), "ns")


@dataclass(frozen=True)
class ServedDataset:
    """A dataset: its id and the rest of a HAPI `info`, its parameters with the times first."""

    id: str
    about: dict[str, Any]
    parameters: list[dict[str, Any]]


class HapiSource(Protocol):
    """Where a HAPI server's datasets and records come from. Called from several threads at once."""

    title: str

    def titles(self) -> Sequence[tuple[str, str]]:
        """Id and title of all datasets, in order of id."""
        ...

    def dataset(self, name: str) -> ServedDataset | None:
        """The dataset with this id; None if there is none."""
        ...

    def records(self, dataset: ServedDataset, names: Sequence[str], span: TimeRange, *, is_binary: bool) -> bytes:
        """The records of the parameters in `[start, stop)`; empty where there are none.

        Raises
        ------
        InputError
            These parameters, or this range, are too much for one request.
        HelioError
            What is stored cannot be read.
        """
        ...


def time_parameter() -> dict[str, Any]:
    """The first parameter of every dataset."""
    return {"name": TIME, "type": "isotime", "length": TIME_LENGTH, "units": "UTC", "fill": None, "label": TIME}


def write_records(times: NDArray[Any], arrays: Sequence[NDArray[Any]], *, is_binary: bool) -> bytes:
    """Records as HAPI sends them, binary or as lines.

    Parameters
    ----------
    times
        Shape (record,), `datetime64[ns]`.
    arrays
        One for each parameter, shape (record, *size): `<i4`, `<f8` with fills, `datetime64[ns]`, or `S` in UTF-8.
    is_binary
        Whether in binary.
    """
    written = [_texts(each) if each.dtype.kind == "M" else each for each in arrays]
    return _binary(times, written) if is_binary else _csv(times, written)


def _texts(times: NDArray[Any]) -> NDArray[np.bytes_]:
    known = np.where(np.isnat(times), _NO_TIME_NS, times)
    return np.array([f"{text}Z" for text in np.datetime_as_string(known, unit="ns").ravel()], dtype=f"S{TIME_LENGTH}").reshape(
        times.shape
    )


def _binary(times: NDArray[Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    fields = [("t", f"S{TIME_LENGTH}"), *((f"f{n}", each.dtype.str, each.shape[1:]) for n, each in enumerate(arrays))]
    rows = np.empty(len(times), dtype=fields)
    rows["t"] = _texts(times)
    for number, each in enumerate(arrays):
        rows[f"f{number}"] = each
    return rows.tobytes()


def _csv(times: NDArray[Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    columns = [_texts(times)] + [column for each in arrays for column in each.reshape(len(times), -1).T]
    lists = [[_field(value) for value in column] if column.dtype.kind == "S" else column.tolist() for column in columns]
    return "".join(f"{','.join(map(str, row))}\n" for row in zip(*lists, strict=True)).encode()


def _field(value: bytes) -> str:
    """A text as a field of a line, in quotes where it needs them."""
    text = value.decode().replace("\r", " ").replace("\n", " ")
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(mark in text for mark in ',"') else text
