"""Lists of lines without a header: `start stop`, with or without labels, between blanks, tabs, commas or semicolons.

AMDA writes its time tables and catalogs so: `#` lines about the table, then two ISO times a line, in UTC without saying so; in
a catalog, `# Parameter 1: id:…; name:…; size:…; type:…;` names each further column. AMDA also takes times whose parts are apart
by `-`, `:`, `/` or blanks in the usual order, and days of the year that it counts from 0: the latter are refused in its tables,
since ISO 8601 counts them from 1. (CDPP, help of AMDA: "Uploading Time Table" and "ASCII Catalog Format",
https://gitlab.irap.omp.eu/CDPP/AMDA_IHM, `help/uploadTTHelp` and `help/catAsciiFormat`.) Other texts of the kind are event
lists of PySPEDAS and of CLWeb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.domain.event_lists.listed import (
    EventTableError,
    ListColumn,
    ListedRows,
    looks_like_time,
    named_once,
    parse_moment,
)

_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?")
_PARTS = re.compile(r"(\d{4})([-/ ])(\d{2})\2(\d{2})[T /](\d{2})([: ])(\d{2})\6(\d{2}(?:\.\d+)?)(?![\d:])")
"""A time whose parts are apart by blanks or slashes, or its date from its time of day by a blank."""
_DAY_OF_YEAR = re.compile(r"\d{4}-\d{3}(T.*)?")
_PARAMETER = re.compile(r"^#\s*Parameter\s+\d+\s*:\s*id\s*:([^;]+);(?:\s*name\s*:([^;]*);)?", re.IGNORECASE | re.MULTILINE)
_LINES = "start and stop a line"


def read_lines(text: str, *, first_line: int = 1, header: Sequence[str] | None = None, amda: str | None = None) -> ListedRows:
    """The rows of lines that begin with a time.

    Parameters
    ----------
    text
        The lines; those that begin with `#` are comments.
    first_line
        The line of the whole text in which this one begins.
    header
        Names of the columns, where a line above gives them.
    amda
        The comments above, where they are those of an AMDA time table or catalog.

    Raises
    ------
    EventTableError
        A line does not begin with a time, has more or fewer cells than the others, or a time of an AMDA table is a day of the
        year.
    """
    read = []
    for number, line in enumerate(text.splitlines(), first_line):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            read.append((number, *_cells(_PARTS.sub(r"\1-\3-\4T\5:\7:\8", stripped))))
    if not read:
        raise EventTableError(
            "the list holds no event", line=first_line, hint="Write one event a line: start and stop.", what="line"
        )
    has_stop = looks_like_time(read[0][1][1]) if len(read[0][1]) > 1 else False
    times = 2 if has_stop else 1
    columns = _parameters(amda or "")
    if amda is not None:
        _refuse_days_of_year(read, times)
    rows = [
        (number, _joined(cells, times) if is_blank and len(cells) != times + len(columns) else cells)
        for number, cells, is_blank in read
    ]
    width = max(len(cells) for _, cells in rows)
    for number, cells in rows:
        if len(cells) < times or not looks_like_time(cells[0]):
            hint = "Write one event a line: its start, its stop, and its label if it has one."
            raise EventTableError(f"{' '.join(cells)!r:.80} is not an event", line=number, hint=hint, what="line")
    filled = [(number, [*cells, *[""] * (width - len(cells))]) for number, cells in rows]
    if columns and width == times + len(columns):
        named = named_once([*map(ListColumn, ("start", "stop")[:times]), *columns], line=1, what="line")
        return ListedRows("AMDA catalog", named, filled, "start", "stop" if has_stop else None, None, "line")
    names = _names(width, times, header)
    name = names[times] if width > times and any(parse_moment(cells[times]) is None for _, cells in filled) else None
    form = _LINES if amda is None else "AMDA time table"
    return ListedRows(form, tuple(map(ListColumn, names)), filled, names[0], names[1] if has_stop else None, name, "line")


def begins_with_time(line: str) -> bool:
    """Whether the first cell of a line is a time."""
    stripped = line.strip().lstrip('"')
    return looks_like_time(stripped) or _PARTS.match(stripped) is not None


def _parameters(comments: str) -> list[ListColumn]:
    """The columns that the comments of an AMDA catalog name after start and stop."""
    return [ListColumn(found[1].strip(), label=(found[2] or found[1]).strip()) for found in _PARAMETER.finditer(comments)]


def _refuse_days_of_year(read: Sequence[tuple[int, list[str], bool]], times: int) -> None:
    """Report a time of an AMDA table that is a day of the year."""
    for number, cells, _ in read:
        for cell in cells[:times]:
            if _DAY_OF_YEAR.fullmatch(cell):
                problem = f"{cell!r} is a day of the year, which AMDA counts from 0 and ISO 8601 from 1"
                raise EventTableError(problem, line=number, hint="Write its month and day.", what="line")


def _cells(line: str) -> tuple[list[str], bool]:
    """The cells of a line, and whether blanks separate them, so that the label at its end may hold some."""
    for separator in ("\t", ",", ";"):
        if separator in line:
            found = [cell.strip().strip('"') for cell in line.split(separator)]
            if parse_moment(found[0]) is not None:
                return found, False
    return _whole_times(line.split()), True


def _whole_times(words: Sequence[str]) -> list[str]:
    """Words of a line, in which a date and the time of day after it are one time."""
    found: list[str] = []
    for word in words:
        if found and _CLOCK.fullmatch(word) and re.fullmatch(r"\d{4}-(\d{2}-\d{2}|\d{3})", found[-1]):
            found[-1] = f"{found[-1]}T{word}"
        else:
            found.append(word)
    return found


def _joined(cells: Sequence[str], times: int) -> list[str]:
    """The times, and the rest of the line as one label."""
    rest = " ".join(cells[times:]).strip('"')
    return [*cells[:times], *([rest] if rest else [])]


def _names(width: int, times: int, header: Sequence[str] | None) -> list[str]:
    if header is not None and len(header) == width and len(set(header)) == width and "" not in header:
        return list(header)
    others = ["name"] if width > times else []
    return [*("start", "stop")[:times], *others, *(f"column_{number}" for number in range(times + 2, width + 1))]
