"""Guess a description of a file of measurements from its first records. A person decides whether the guess is right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from helio_dagster.archives.own.archive import OwnReaders
from helio_dagster.archives.own.binary.guessing import guess_of_columns
from helio_dagster.archives.own.binary.magic import format_of
from helio_dagster.archives.own.binary.seen import Seen
from helio_dagster.archives.own.cdf_files import seen_of_cdf
from helio_dagster.archives.own.guess import Guess, unit_in_heading
from helio_dagster.archives.own.headings import groups_in, is_iaga, units_in_parquet, units_in_remarks
from helio_dagster.archives.own.layout_guess import guess_layout
from helio_dagster.archives.own.number_guess import as_numbers, fill_of, why_no_numbers, with_marks
from helio_dagster.archives.own.number_text import NO_NUMBER
from helio_dagster.archives.own.parquet_files import ParquetFile
from helio_dagster.archives.own.text_files import TextFile
from helio_dagster.archives.own.time_guess import guess_time
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, OwnFileError
from helio_dagster.domain.own_files import FORMAT_OF_SUFFIX, FORMATS_WITH_TABLES, TEXT_FORMATS, OwnFileFields, TextLayout
from helio_dagster.domain.units import normalize_unit

HEAD_RECORDS = 2000
_MOST_COLUMNS = 2000
_IAGA_FILLS = [88_888.0, 99_999.0]
"""Elements that were not recorded, and values that are missing, in the format IAGA-2002."""


def guess_description(
    path: Path,
    readers: OwnReaders,
    *,
    time: Sequence[str] = (),
    time_format: str = "",
    columns: Sequence[str] = (),
    table: str = "",
) -> Guess:
    """Guess how a file is laid out and what its columns hold.

    Parameters
    ----------
    path
        The file.
    readers
        The worker processes that decode files other than text and Parquet.
    time, time_format
        The columns of the time and their format, if they are known.
    columns
        The columns to read; by default all that hold numbers.
    table
        Which table of a workbook, FITS file or VOTable, by name or number counted from 1; which group or compound dataset of an
        HDF5 or netCDF file. By default the first table, and all groups.

    Raises
    ------
    InputError, OwnFileError
        The file holds no records or no such table, or nothing in it can be taken for a time.
    """
    by_name = FORMAT_OF_SUFFIX.get(path.suffix.casefold())
    binary = format_of(path, by_name)
    if binary is not None or by_name not in (None, "parquet", *TEXT_FORMATS):
        form = binary or by_name or "hdf5"
        if table and form == "cdf":
            raise _no_tables(path.name, "Choose variables with --column.")
        chosen = table if table and form in FORMATS_WITH_TABLES else None
        seen = seen_of_cdf(path, readers.reader) if form == "cdf" else readers.own_files.describe(path, path.name, form, chosen)
        if table and chosen is None:
            seen = _in_group(seen, table, path.name)
        guess = guess_of_columns(path.name, seen, time=time, time_format=time_format, columns=columns)
        said: dict[str, str] = {"format": form} if form != by_name else {}
        said |= {"table": chosen} if chosen is not None else {}
        return replace(guess, document={**said, **guess.document}) if said else guess
    if table:
        raise _no_tables(path.name, "Choose columns with --column.")
    form = by_name or "csv"
    document: dict[str, Any] = {} if by_name is not None else {"format": form}
    probe: dict[str, Any] = {"file": path.name, "time": {"columns": ["?"]}, "columns": {"?": {}}, **document}
    if form == "parquet":
        head = ParquetFile(OwnFileFields.model_validate(probe), path, path.name).head(HEAD_RECORDS)
        said_units = units_in_parquet(path)
    else:
        layout = guess_layout(path)
        if layout:
            document["text"] = probe["text"] = layout
        file = TextFile(OwnFileFields.model_validate(probe), path, path.name)
        if len(file.names()) > _MOST_COLUMNS:
            problem = f"{path.name}: it has {len(file.names()):,} columns, and a guess looks at {_MOST_COLUMNS:,} at most"
            hint = "Write those that you need to a file of their own, or describe it in a pipeline (docs/own-files.md)."
            raise OwnFileError(problem, where=str(path), hint=hint)
        head = file.head(HEAD_RECORDS)[1]
        said_units = units_in_remarks(path, layout.get("encoding", "utf-8"))
    if not len(head):
        raise OwnFileError(f"{path.name}: it holds no records", where=str(path), hint="Add a file with some.")
    when = guess_time(head, time, time_format, path)
    return _described(document, head, when, columns, path, said_units)


def _no_tables(name: str, hint: str) -> InputError:
    return InputError(f"{name} is a single table, so that --table chooses nothing", hint=f"Leave --table out. {hint}")


def _in_group(seen: Sequence[Seen], group: str, name: str) -> tuple[Seen, ...]:
    """The columns inside a group, or the fields of a compound dataset."""
    place = f"{group.strip('/')}/"
    found = tuple(each for each in seen if each.name.startswith(place))
    if not found:
        groups = sorted({each.name.rpartition("/")[0] for each in seen} - {""})
        hint = remedy(group.strip("/"), groups, what="Its groups") if groups else "It has no groups: leave --table out."
        raise InputError(f"{name} has no group {group!r} that holds columns", hint=hint)
    return found


def _described(
    document: dict[str, Any],
    head: pd.DataFrame,
    when: dict[str, Any],
    columns: Sequence[str],
    path: Path,
    said_units: Mapping[str, str],
) -> Guess:
    name = path.name
    notes: list[str] = []
    if document.get("format", FORMAT_OF_SUFFIX.get(path.suffix.casefold())) != "parquet":
        document, notes = with_marks(document, head.drop(columns=when["columns"]))
    layout = TextLayout.model_validate(document.get("text", {}))
    numbers = {each: as_numbers(head[each], layout) for each in head.columns if each not in when["columns"]}
    missing = [each for each in columns if each not in numbers]
    if missing:
        raise InputError(
            f"{name} has no column {missing[0]!r} of numbers", hint=f"Its columns: {', '.join(map(str, head.columns))}."
        )
    wanted = {each: values for each in (columns or numbers) if each and (values := numbers[each]) is not None}
    why = {each: why_no_numbers(head, each, layout) for each, values in numbers.items() if values is None}
    if not wanted and (reason := next(filter(None, why.values()), None)):
        problem = f"{name}: it has no column of numbers beside its time; {reason[0]}: {reason[1]}"
        raise OwnFileError(problem, where=str(path), hint=reason[2])
    if not wanted:
        raise InputError(
            f"{name} has no column of numbers beside its time", hint=f"Its columns: {', '.join(map(str, head.columns))}."
        )
    notes += ["not read: a column without a name"] if "" in numbers else []
    described: dict[str, dict[str, Any]] = {}
    units: dict[str, str] = {}
    by_format = _IAGA_FILLS if layout.skip and is_iaga(path) else []
    if by_format and not columns:
        wanted.pop("DOY", None)
    for each, values in wanted.items():
        unit = unit_in_heading(str(each)) or normalize_unit(said_units.get(str(each), ""))
        units[each] = unit
        described[each] = {"unit": unit} if unit else {}
        fill = by_format or fill_of(values)
        if fill:
            described[each]["fill"] = fill
            notes.append(f"{each}: {', '.join(f'{one:g}' for one in fill)} is taken for a missing value")
    if not any(units.values()):
        notes.append("the file names no units: add `unit:` to its columns")
    for each, left in why.items():
        if str(each):
            said = f" ({left[0]}: {left[1]}){f'. {left[2]}' if left[2] != NO_NUMBER else ''}" if left else ""
            notes.append(f"not read, because it is not all numbers: {each}{said}")
    return Guess({**document, "time": when, "columns": described}, head, units, notes, *groups_in(units))


def template_of(paths: Sequence[str]) -> str:
    """One path that means several files: their date as fields, or else a star for each number that differs.

    Raises
    ------
    InputError
        The names have nothing in common.
    """
    if len(paths) == 1:
        return paths[0]
    for pattern, fields in _DATES.items():
        found = {re.sub(pattern, fields, path, count=1) for path in paths}
        if len(found) == 1 and "{" in next(iter(found)):
            return found.pop()
    found = {re.sub(r"\d+", "*", path) for path in paths}
    if len(found) == 1:
        return found.pop()
    raise InputError("the names of the files differ in more than numbers", hint="Add them one by one.")


_DATES: Mapping[str, str] = {
    r"(?<!\d)(19|20)\d{2}/(0[1-9]|1[0-2])/(19|20)\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)": "{%Y}/{%m}/{%Y}{%m}{%d}",
    r"(?<!\d)(19|20)\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)": "{%Y}{%m}{%d}",
    r"(?<!\d)(19|20)\d{2}([-_])(0[1-9]|1[0-2])\2([0-2]\d|3[01])(?!\d)": r"{%Y}\2{%m}\2{%d}",
    r"(?<!\d)(19|20)\d{2}([/_-]?)([0-2]\d{2}|3[0-6]\d)(?!\d)": r"{%Y}\2{%j}",
    r"(?<!\d)(19|20)\d{2}([-_/]?)(0[1-9]|1[0-2])(?!\d)": r"{%Y}\2{%m}",
    r"(?<!\d)(19|20)\d{2}(?!\d)": "{%Y}",
}
