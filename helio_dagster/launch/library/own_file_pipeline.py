"""Make a pipeline of files of one's own: describe them, look at what they hold, draw their columns."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from helio_dagster.archives.own.archive import OwnArchive
from helio_dagster.archives.own.guess import Guess
from helio_dagster.archives.own.guessing import guess_description, template_of
from helio_dagster.archives.own.headings import shared_name
from helio_dagster.archives.own.index import FileIndex
from helio_dagster.archives.own.places import Places
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.settings import Settings

LARGEST_COPY_BYTES = 500_000_000
_DATE = r"(?<!\d)(19|20)\d{2}([-_.]?)(\d{2}\2\d{2}|\d{2,3})?(?!\d)"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Proposal:
    """A pipeline over files, and what a person should know of them before saying yes.

    `copies` are files to be copied below the folder of pipelines, from and to. `days` holds the number of records of each day,
    counted since 1970; `sample` the records of the first day.
    """

    pipeline: Pipeline
    guess: Guess
    copies: Sequence[tuple[Path, Path]]
    days: Mapping[int, int]
    is_sorted: bool
    sample: Table | None
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def span(self) -> TimeRange:
        """From the first day with records to the midnight after the last."""
        return TimeRange(_EPOCH + min(self.days) * _DAY, _EPOCH + (max(self.days) + 1) * _DAY)

    @property
    def gaps(self) -> list[TimeRange]:
        """Whole days without records, joined where they follow each other."""
        steps = pairwise(sorted(self.days))
        return [TimeRange(_EPOCH + (one + 1) * _DAY, _EPOCH + other * _DAY) for one, other in steps if other > one + 1]


def propose(
    files: Sequence[Path],
    settings: Settings,
    *,
    name: str = "",
    time: Sequence[str] = (),
    time_format: str = "",
    columns: Sequence[str] = (),
    measures: str = "",
    spacecraft: str = "",
    table: str = "",
) -> Proposal:
    """Look at files and propose a pipeline; writes nothing but the index of files that stay where they are.

    Parameters
    ----------
    files
        One file, or several of one kind whose names differ in numbers.
    settings
        The home.
    name
        Of the pipeline; by default from the first file's.
    time, time_format, columns
        What is known of the files; the rest is guessed from the first one.
    measures, spacecraft
        What they hold, in words, and whose data they are.
    table
        Which table of a workbook, FITS file or VOTable, or which group of an HDF5 or netCDF file; by default the first.

    Raises
    ------
    InputError, OwnFileError
        A file is not there, cannot be read, or cannot be described.
    """
    for path in files:
        if fault := _why_not_a_file(path):
            raise InputError(fault[0], hint=fault[1])
    workers = Workers(settings)
    try:
        known = {"time": time, "time_format": time_format, "columns": columns, "table": table}
        said = {key: text for key, text in (("measures", measures), ("spacecraft", spacecraft)) if text}
        return _propose(files, settings, workers, name, said, **known)
    finally:
        workers.close()


def _why_not_a_file(path: Path) -> tuple[str, str] | None:
    """Why a path is not a file that can be read, and what to do; None if it is one."""
    if path.is_file():
        return None
    if path.is_dir():
        return f"{path} is a folder", f"Give the files in it, such as {path}/*.csv."
    if path.is_symlink():
        return f"{path} is a link that leads to no file", "Give the file itself."
    if path.exists():
        return f"{path} is a pipe or a device, not a file", "Write what it gives to a file, and add that."
    return f"there is no file {path}", "Give the files to add."


def _propose(
    files: Sequence[Path], settings: Settings, workers: Workers, name: str, said: Mapping[str, str], **known: Any
) -> Proposal:
    guess = guess_description(files[0], workers, **known)
    folder = settings.pipelines
    allowed = [each.resolve() for each in (folder, *settings.own_files)]
    is_outside = not all(any(path.resolve().is_relative_to(each) for each in allowed) for path in files)
    given = [str(path.resolve()) for path in files]
    copies: list[tuple[Path, Path]] = []
    if is_outside:
        copies = _copies(files, folder)
        shown = [str(target.relative_to(folder)) for _, target in copies]
    else:
        shown = [each.removeprefix(f"{folder.resolve()}/") for each in given]
    described = {"file": template_of(shown), **guess.document}
    at_hand = _described_files({**described, "file": template_of(given)})
    places = Places(folder, [*settings.own_files, *(path.parent.resolve() for path in files)])
    archive = OwnArchive(at_hand, places, settings.cache, workers)
    indexes = [index for _, index in archive.survey()]
    days = _days(indexes)
    if not days:
        raise InputError(f"{files[0].name} holds no records", hint="Add a file with some.")
    first = _EPOCH + min(days) * _DAY
    (found,) = archive.fetch("", "", [TimeRange(first, first + _DAY)])
    if found.error is not None:
        raise found.error
    name = name or _name_of(files)
    pipeline = Pipeline.model_validate(_document(name, described, guess, days, indexes, said))
    is_sorted = all(index.is_sorted for index in indexes)
    return Proposal(pipeline, guess, copies, days, is_sorted, found.table, tuple(guess.notes))


def _name_of(files: Sequence[Path]) -> str:
    """A name for the pipeline: that of the first file, without its date, a number at its end, and those that differ."""
    stem = files[0].stem
    for pattern in (r"\d+",) if len(files) > 1 else (_DATE, r"\d{6,}", r"([ _-]+\d+)+$"):
        stem = re.sub(pattern, "", stem)
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_") or "own_file"
    return name if name[0].isalpha() else f"own_{name}"


def _described_files(document: Mapping[str, Any]) -> Fetch:
    try:
        return Fetch.model_validate(document)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        problem, _, hint = fault["msg"].removeprefix("Value error, ").partition(". ")
        raise InputError(f"{where}: {problem}", hint=hint or "Correct the option.") from None


def copy_files(copies: Sequence[tuple[Path, Path]]) -> None:
    """Copy files below the folder of pipelines; InputError if another one is there already."""
    for source, target in copies:
        if target.exists() and target.read_bytes() != source.read_bytes():
            raise InputError(f"{target} already exists and differs", hint="Rename one of them, or remove it.")
    for source, target in copies:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _copies(files: Sequence[Path], folder: Path) -> list[tuple[Path, Path]]:
    size = sum(path.stat().st_size for path in files)
    if size > LARGEST_COPY_BYTES:
        hint = f"Move them below {folder}, or name their folder in the setting HELIO_OWN_FILES, and add them again."
        raise InputError(f"the files are outside {folder}, and {size:,} bytes are too many to copy", hint=hint)
    return [(path, folder / "data" / path.name) for path in files]


def _days(indexes: Sequence[FileIndex]) -> dict[int, int]:
    found: dict[int, int] = {}
    for index in indexes:
        for day, part in index.days.items():
            found[day] = found.get(day, 0) + part.records
    return found


def _document(
    name: str,
    described: Mapping[str, Any],
    guess: Guess,
    days: Mapping[int, int],
    indexes: Sequence[FileIndex],
    said: Mapping[str, str],
) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    taken: set[str] = {"overview"}
    meanings = guess.document["columns"]
    for columns in guess.groups or [[column] for column in meanings]:
        whole = columns[0] if len(columns) == 1 else shared_name(columns)
        if columns[0] in guess.bins and not columns[0].endswith("_1"):
            whole = guess.bins[columns[0]].get("name") or "spectrum"
        step = _step_id(whole, taken)
        fetch = {**described, "columns": {column: meanings[column] for column in columns}}
        if columns[0] in guess.frames:
            fetch["frame"] = guess.frames[columns[0]]
        if columns[0] in guess.bins:
            fetch["bins"] = guess.bins[columns[0]]
        fetch |= said
        steps.append({"id": step, "intent": f"Read {whole} from {described['file']}", "fetch": fetch})
    panels = [{"traces": [{"data": step["id"]}]} for step in steps]
    steps.append({"id": "overview", "intent": "All columns, one panel each", "figure": {"panels": panels}})
    return {
        "version": 1,
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "partitions": _grain(days, indexes),
        "start": (_EPOCH + min(days) * _DAY).date().isoformat(),
        "steps": steps,
    }


def _step_id(column: str, taken: set[str]) -> str:
    text = re.sub(r"[\[(].*", "", column)
    step = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60] or "column"
    step = step if step[0].isalpha() else f"column_{step}"
    unique, number = step, 2
    while unique in taken:
        unique, number = f"{step}_{number}", number + 1
    taken.add(unique)
    return unique


def _grain(days: Mapping[int, int], indexes: Sequence[FileIndex]) -> str:
    """Partitions of a day, or longer ones where a day holds few records."""
    records = sum(index.records for index in indexes) / len(days)
    return (Grain.DAILY if records > 100 else Grain.MONTHLY if records > 2 else Grain.YEARLY).value
