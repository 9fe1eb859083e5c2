"""The files below a dataset's folder: walked as far as a time range needs, labels beside the data files they name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.archives.pds.label_times import name_date
from helio_dagster.archives.transfer.folder_page import Entry
from helio_dagster.domain.errors import ArchiveAnswerError
from helio_dagster.domain.time_range import TimeRange

_LABELS = (".xml", ".lblx", ".lbl")
_NO_PRODUCTS = re.compile(
    r"(collection|bundle|inventory|voldesc|aareadme|readme|errata|catinfo|docinfo|data_?info)", re.IGNORECASE
)
_NO_DATA = ("browse", "document", "catalog", "calib", "checksum", "index", "software", "extras", "errata", "geometry", "label")
_DEEPEST = 8
_MOST_FOLDERS = 3000


@dataclass(frozen=True)
class LabelFile:
    """A label in a folder: its path at the server, its date, the first date in its name, and the dates of the files around."""

    folder: str
    name: str
    last_modified: str
    date: datetime | None
    beside: dict[str, str]

    @property
    def path(self) -> str:
        """Its path at the server."""
        return f"{self.folder}{self.name}"

    def __hash__(self) -> int:
        return hash((self.folder, self.name, self.last_modified))


def find_labels(entries: Callable[[str], list[Entry]], folder: str, span: TimeRange, most: int) -> tuple[list[LabelFile], bool]:
    """The labels below a folder that may be of a time range, in order of path; and whether folders were left out.

    Parameters
    ----------
    entries
        Lists a folder.
    folder
        The dataset's.
    span
        Folders that are named for other years, or for other months below a year, are not looked into.
    most
        How many labels may be found.

    Raises
    ------
    ArchiveError
        A folder cannot be listed, or there are too many.
    """
    found: list[LabelFile] = []
    waiting, seen, is_cut = [(folder, 0, 0)], 0, False
    while waiting:
        place, depth, year = waiting.pop()
        seen += 1
        if seen > _MOST_FOLDERS or depth > _DEEPEST:
            problem = f"the dataset has more than {_MOST_FOLDERS} folders, or folders more than {_DEEPEST} deep"
            raise ArchiveAnswerError(problem, where=folder, hint="Choose one of its folders: add it to the id after a colon.")
        listed = entries(place)
        found += _labels(place, listed)
        if len(found) > most:
            problem = f"the dataset has more than {most} labels"
            raise ArchiveAnswerError(problem, where=folder, hint="Run a shorter time range.")
        for entry in listed:
            if not entry.is_folder or (depth == 0 and entry.name.casefold().startswith(_NO_DATA)):
                continue
            inner = _year(entry.name)
            if _is_of_another_time(entry.name, year, span):
                is_cut = True
            else:
                waiting.append((f"{place}{entry.name}/", depth + 1, inner or year))
    return sorted(found, key=lambda label: label.path), is_cut


def _labels(folder: str, listed: list[Entry]) -> list[LabelFile]:
    """The labels of a folder; of two for one product the one of PDS4."""
    beside = {entry.name: entry.last_modified for entry in listed if not entry.is_folder}
    chosen: dict[str, str] = {}
    for name in beside:
        stem, dot, suffix = name.rpartition(".")
        kind = f"{dot}{suffix}".casefold()
        if kind not in _LABELS or _NO_PRODUCTS.match(name):
            continue
        known = chosen.get(stem.casefold())
        if known is None or _LABELS.index(kind) < _LABELS.index(f".{known.rpartition('.')[2]}".casefold()):
            chosen[stem.casefold()] = name
    return [LabelFile(folder, name, beside[name], name_date(name), beside) for name in chosen.values()]


def _year(name: str) -> int:
    return int(name) if re.fullmatch(r"(?:19|20)\d{2}", name) else 0


def _is_of_another_time(name: str, year: int, span: TimeRange) -> bool:
    """Whether a folder `2016`, `201608`, or `08` below a year, is more than one before or after the range."""
    if own := _year(name):
        return not span.start.year - 1 <= own <= span.stop.year + 1
    match = re.fullmatch(r"((?:19|20)\d{2})?[-_]?(0[1-9]|1[0-2])", name)
    if match is None or not (match[1] or year):
        return False
    months = int(match[1] or year) * 12 + int(match[2])
    return not span.start.year * 12 + span.start.month - 1 <= months <= span.stop.year * 12 + span.stop.month + 1
