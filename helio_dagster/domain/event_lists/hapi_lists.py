"""Event lists of HAPI servers, saved as CSV with header or as JSON (https://github.com/hapi-server/data-specification, 3.2).

The header describes the columns as `parameters`: `name`, `type`, `units`, `fill`, `size`. The first is the time of the event.
An event list has its stop as a further `isotime`, mostly the second one; one named after a stop or end is taken first.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from helio_dagster.domain.event_lists.conventions import ID_NAMES, named
from helio_dagster.domain.event_lists.listed import EventTableError, ListColumn, ListedRows, named_once

_STOP = re.compile(r"stop|end", re.IGNORECASE)
_MOST_COLUMNS = 10_000
_HINT = "Save it with its header: `include=header` in the address, or `format=json`."


def read_hapi_csv(header: str, body: str, *, first_line: int) -> ListedRows:
    """The rows of a CSV answer with header.

    Parameters
    ----------
    header
        The JSON of the lines that begin with `#`, without it.
    body
        The records.
    first_line
        The line of the whole text in which the body begins.

    Raises
    ------
    EventTableError
        The header or a record cannot be read, or there is none.
    """
    try:
        described = json.loads(header)
    except (ValueError, RecursionError):
        raise EventTableError("the header is not that of a HAPI answer", line=1, hint=_HINT, what="line") from None
    parameters = described.get("parameters") if isinstance(described, dict) else None
    if not isinstance(parameters, list):
        raise EventTableError("the header names no parameters", line=1, hint=_HINT, what="line")
    lines = [(number, line) for number, line in enumerate(body.splitlines(), first_line) if line.strip()]
    try:
        data = list(csv.reader((line for _, line in lines), skipinitialspace=True))
    except csv.Error as error:
        raise EventTableError(f"not CSV: {error}", line=first_line, hint=_HINT, what="line") from None
    return hapi_rows(parameters, data, "HAPI CSV", [number for number, _ in lines])


def hapi_rows(parameters: Sequence[Any], data: Any, form: str, lines: Sequence[int] | None = None) -> ListedRows:
    """The rows of a HAPI answer: what its header says of the columns, and the records.

    Raises
    ------
    EventTableError
        A parameter or a record cannot be read, or there is no record.
    """
    what = "row" if lines is None else "line"
    described = [
        parameter for parameter in parameters if isinstance(parameter, dict) and isinstance(parameter.get("name"), str)
    ]
    if len(described) < len(parameters) or not described:
        raise EventTableError("a parameter without a name", line=1, hint=_HINT, what=what)
    placed = [column for parameter in described for column in _columns(parameter)]
    columns = named_once([column for column, _, _ in placed], line=1, what=what)
    if not isinstance(data, list) or not data:
        raise EventTableError("the list holds no event", line=1, hint="Ask the server for a longer range.", what=what)
    rows = []
    for row, record in enumerate(data):
        line = row + 1 if lines is None else lines[row]
        cells = list(chain.from_iterable(_flat(record)))
        if len(cells) != len(columns):
            problem = f"{len(cells)} values, where the header describes {len(columns)}"
            raise EventTableError(problem, line=line, hint=_HINT, what=what)
        rows.append((line, ["" if _is_fill(cell, fill) else cell for cell, (_, fill, _) in zip(cells, placed, strict=True)]))
    times = [column.name for column, _, kind in placed[1:] if kind == "isotime"]
    stop = next((name for name in times if _STOP.search(name)), times[0] if times else None)
    return ListedRows(form, columns, rows, columns[0].name, stop, named([column.name for column in columns], ID_NAMES), what)


def _columns(parameter: Mapping[str, Any]) -> Iterator[tuple[ListColumn, str, str]]:
    """Each column of a parameter, its fill as text, and its type."""
    name, size, units = str(parameter["name"]).strip(), parameter.get("size"), parameter.get("units")
    count = 1
    for length in size if isinstance(size, list) else [size] if isinstance(size, int) else []:
        count *= length if isinstance(length, int) and 0 < length <= _MOST_COLUMNS else 1
    if count > _MOST_COLUMNS:
        raise EventTableError(
            f"the parameter {name!r} has {count:,} columns", line=1, hint="An event list has few columns.", what="row"
        )
    label = str(parameter.get("description") or "")
    fill = parameter.get("fill")
    for place in range(count):
        unit = units[place] if isinstance(units, list) and place < len(units) else units
        text = str(unit) if isinstance(unit, str) else ""
        column = ListColumn(name if count == 1 else f"{name}_{place}", "" if text.upper() == "UTC" else text, label)
        yield column, "" if fill is None else str(fill), str(parameter.get("type") or "")


def _is_fill(cell: str, fill: str) -> bool:
    """Whether a cell holds the fill value, as text or as the same number written in another way."""
    if not fill or cell == fill:
        return cell == fill
    try:
        return float(cell) == float(fill)
    except ValueError:
        return False


def _flat(record: Any) -> Iterator[list[str]]:
    for value in record if isinstance(record, (list, tuple)) else [record]:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield ["" if value is None else str(value).strip()]
