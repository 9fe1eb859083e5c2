"""Lists in VOTable, as AMDA and the Virtual Observatory write them: the first table, with its data as TABLEDATA.

VOTable 1.4 (https://www.ivoa.net/documents/VOTable/). AMDA's time tables have `FIELD`s with the IDs `TimeIntervalStart` and
`TimeIntervalStop` and the UCDs `time.start` and `time.end`; other columns keep their unit. The XML is read with Python's own
expat; a document type or an entity in it is refused, so that nothing is expanded or fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.parsers import expat

from helio_dagster.domain.event_lists.conventions import ID_NAMES, STOP_NAMES, TIME_NAMES, named
from helio_dagster.domain.event_lists.listed import EventTableError, ListColumn, ListedRows, named_once

_HINT = "Save the list as a VOTable with TABLEDATA, or as text."
_STARTS, _STOPS = ("timeintervalstart", "time.start"), ("timeintervalstop", "time.end", "time.stop")


def read_votable(text: str) -> ListedRows:
    """The rows of a VOTable's first table.

    Raises
    ------
    EventTableError
        It is not XML, not a VOTable, has a document type, holds binary data, or no row.
    """
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.stop
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    parser.buffer_text = True
    reader.line = lambda: parser.CurrentLineNumber
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        problem = f"not XML: {expat.ErrorString(error.code)}"
        raise EventTableError(problem, line=error.lineno, hint=_HINT, what="line") from None
    if not reader.is_votable:
        raise EventTableError("the XML is not a VOTable", line=1, hint=_HINT, what="line")
    columns = named_once([column for column, _ in reader.fields], line=1, what="line")
    if not columns or not reader.rows:
        raise EventTableError("the table has no row", line=1, hint="Add events to it." if columns else _HINT, what="line")
    names = [column.name for column in columns]
    marks = {name: mark for name, (_, mark) in zip(names, reader.fields, strict=True)}
    start = _marked(marks, _STARTS) or named(names, TIME_NAMES) or names[0]
    stop = _marked(marks, _STOPS) or named(names, STOP_NAMES)
    return ListedRows(
        "VOTable", columns, reader.rows, start, stop, _marked(marks, ("meta.id",)) or named(names, ID_NAMES), "line"
    )


def _marked(marks: Mapping[str, tuple[str, ...]], wanted: tuple[str, ...]) -> str | None:
    """The column whose ID or UCD is one of those wanted."""
    return next((name for name, mark in marks.items() if any(each in wanted for each in mark)), None)


class _Reader:
    """Collects the fields and rows of the first table."""

    def __init__(self) -> None:
        self.is_votable = False
        self.fields: list[tuple[ListColumn, tuple[str, ...]]] = []
        self.rows: list[tuple[int, list[str]]] = []
        self.line: Callable[[], int] = lambda: 1
        self._tables = 0
        self._row: list[str] | None = None
        self._cell: list[str] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rsplit(" ", 1)[-1]
        self.is_votable = self.is_votable or name == "VOTABLE"
        if name == "TABLE":
            self._tables += 1
        if self._tables != 1:
            return
        if name == "FIELD":
            called = (attributes.get("name") or attributes.get("ID") or "").strip()
            marks = (attributes.get("ID", "").lower(), *attributes.get("ucd", "").lower().split(";"))
            self.fields.append((ListColumn(called, attributes.get("unit", ""), called), marks))
        elif name in ("BINARY", "BINARY2", "FITS"):
            raise EventTableError(f"the VOTable holds its data as {name}", line=self.line(), hint=_HINT, what="line")
        elif name == "TR":
            self._row = []
        elif name == "TD":
            self._cell = []

    def text(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def stop(self, tag: str) -> None:
        name = tag.rsplit(" ", 1)[-1]
        if name == "TD" and self._row is not None and self._cell is not None:
            self._row.append("".join(self._cell).strip())
            self._cell = None
        elif name == "TR" and self._row is not None:
            if len(self._row) != len(self.fields):
                problem = f"{len(self._row)} cells, where the table has {len(self.fields)} fields"
                raise EventTableError(problem, line=self.line(), hint="Give every cell a TD.", what="line")
            self.rows.append((self.line(), self._row))
            self._row = None

    def refuse(self, *_: object) -> None:
        hint = "A list of events needs neither: remove it."
        raise EventTableError("the XML has a document type or entities", line=self.line(), hint=hint, what="line")
