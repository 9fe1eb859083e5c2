"""Lists in JSON: by columns, by records, or as the answer of a HAPI server.

HELIO4CAST publishes its ICMECAT by columns, as `pandas.DataFrame.to_json` writes them:
`{"icmecat_id": {"0": "ICME_WIND_…", "1": …}, "icme_start_time": {"0": "2022-05-26T20:10Z", …}, …}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from helio_dagster.domain.event_lists.conventions import known_columns
from helio_dagster.domain.event_lists.hapi_lists import hapi_rows
from helio_dagster.domain.event_lists.listed import EventTableError, ListColumn, ListedRows, named_once

_DEEP = "A list is an array of records, an object of columns, or the answer of a HAPI server."


def read_json(text: str) -> ListedRows:
    """The rows of a JSON document.

    Raises
    ------
    EventTableError
        It is not JSON, or not a list of events.
    """
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise EventTableError(f"not JSON: {error.msg}", line=error.lineno, hint="Save the list again.", what="line") from None
    except (RecursionError, ValueError):
        raise EventTableError("JSON nested too deeply, or with a number too long", line=1, hint=_DEEP, what="line") from None
    if isinstance(document, dict) and isinstance(document.get("parameters"), list):
        return hapi_rows(document["parameters"], document.get("data"), "HAPI JSON")
    if isinstance(document, dict) and isinstance(document.get("columns"), list) and isinstance(document.get("data"), list):
        return _table(document["columns"], document["data"], "JSON by rows")
    if isinstance(document, list) and all(isinstance(each, dict) for each in document):
        names = list(dict.fromkeys(name for record in document for name in record))
        return _table(names, [[record.get(name) for name in names] for record in document], "JSON records")
    if isinstance(document, dict):
        return _by_columns(document)
    raise _no_list("the JSON is not a list of events")


def _by_columns(document: Mapping[str, Any]) -> ListedRows:
    columns = list(document.values())
    if columns and all(isinstance(column, dict) for column in columns):
        keys = list(columns[0])
        if any(list(column) != keys for column in columns):
            raise _no_list("the columns have different rows")
        return _table(list(document), [[column[key] for column in columns] for key in keys], "JSON columns")
    if columns and all(isinstance(column, list) for column in columns):
        if len({len(column) for column in columns}) > 1:
            raise _no_list("the columns differ in length")
        return _table(list(document), list(zip(*columns, strict=True)), "JSON columns")
    raise _no_list("the JSON is not a list of events")


def _table(names: Sequence[Any], data: Sequence[Any], form: str) -> ListedRows:
    columns = named_once([ListColumn(str(name).strip()) for name in names], line=1, what="row")
    if not data:
        raise EventTableError("the list has no events", line=1, hint="Add at least one event.", what="row")
    rows = []
    for number, record in enumerate(data, 1):
        if not isinstance(record, (list, tuple)) or len(record) != len(columns):
            raise EventTableError(f"not a row of {len(columns)} values", line=number, hint=_DEEP, what="row")
        rows.append((number, [_text(value, number) for value in record]))
    return known_columns(form, columns, rows, what="row")


def _text(value: Any, row: int) -> str:
    if value is None:
        return ""
    if isinstance(value, (dict, list)):
        raise EventTableError("a value that is itself a list", line=row, hint=_DEEP, what="row")
    return str(value).strip()


def _no_list(problem: str) -> EventTableError:
    return EventTableError(problem, line=1, hint=_DEEP, what="row")
