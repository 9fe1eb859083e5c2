"""The data files of a dataset by time: labels chosen by the dates in their names, and read for the times they give."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from helio_dagster.archives.files.selection import ListedFile, split_version
from helio_dagster.archives.pds.folders import LabelFile
from helio_dagster.archives.pds.layout import Product
from helio_dagster.archives.pds.places import PDS_URL
from helio_dagster.domain.errors import ArchiveAnswerError, CorruptFile, InputError
from helio_dagster.domain.time_range import TimeRange

_DAY = timedelta(days=1)
_TINY = timedelta(microseconds=1)
_ALWAYS = (datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))
_STEPS_BACK = 2
_MOST_UNDATED = 5000
_MISNAMED = timedelta(days=3)
_OVERLAP = 0.1
_MOST_NAMED = 12


@dataclass(frozen=True)
class DataFile:
    """A data file of a product, as listed; its label; and the error that reading the label gave, if it did."""

    listed: ListedFile
    label: LabelFile
    fault: CorruptFile | None = None

    @property
    def kind(self) -> str:
        """What the names of files like this one have in common: without dates and versions."""
        return kind_of(self.listed.name)


Read = Callable[[Sequence[LabelFile]], list[Product | CorruptFile]]


def find_files(labels: Sequence[LabelFile], span: TimeRange, kind: str, read: Read) -> list[DataFile]:
    """The data files that a time range may need, in order of start.

    Names with a date are taken in order of it: the labels from a day before the range to a day after are read, and before those
    as many as reach into it. Names without a date tell nothing, so all their labels are read; nor do names whose numbers turn
    out to be no dates.

    Parameters
    ----------
    labels
        The dataset's.
    kind
        A text that the names must hold once dates and versions are out of them; empty for any.
    read
        Reads labels.

    Raises
    ------
    InputError
        No product can be read, because of what it is.
    ArchiveAnswerError
        Too many labels have no date in their names.
    CorruptFile
        A label without a date cannot be read, so that it is not known which time it is of.
    """
    groups: dict[str, list[LabelFile]] = {}
    for label in labels:
        name = kind_of(label.name)
        if kind in name:
            groups.setdefault(name, []).append(label)
    if labels and not groups:
        raise InputError(f"no file of the dataset has {kind!r} in its name", hint=f"Its kinds: {_some(map(_kind, labels))}.")
    undated = [label for group in groups.values() for label in group if label.date is None]
    if len(undated) > _MOST_UNDATED:
        problem = f"{len(undated)} labels have no date in their names, and all would have to be read"
        raise ArchiveAnswerError(problem, hint="Choose among them: add @ and a part of their names to the dataset's id.")
    reading = _Reading(read)
    reading.take(undated)
    for group in groups.values():
        _take_dated([label for label in group if label.date is not None], span, reading)
    found = [file for files in reading.taken.values() for file in files]
    if reading.problems and not found:
        raise InputError(f"its products cannot be read: {reading.problems[0]}", hint="Choose another dataset.")
    return sorted(found, key=lambda file: (file.listed.start, file.listed.name))


def require_one_kind(files: Sequence[DataFile], dataset: str) -> None:
    """Refuse a dataset of which several kinds of files cover the same time: averages beside full resolution, other frames.

    Raises
    ------
    InputError
        There are several; the hint says how to choose.
    """
    kinds = sorted({file.kind for file in files})
    for one, other in itertools.combinations(kinds, 2):
        ours, theirs = ([file for file in files if file.kind == kind] for kind in (one, other))
        if any(_overlap(mine.listed, their.listed) for mine in ours for their in theirs):
            bare = dataset.partition("@")[0]
            example = kinds[0].strip("*_-.").rpartition("*")[2].strip("_-.") or kinds[0]
            raise InputError(
                f"the dataset has several kinds of files for the same time: {_some(kinds)}",
                where=f"pds/{dataset}",
                hint=f"Choose one: add @ and a part of its files' names to the dataset's id, as in {bare}@{example}.",
            )


def kind_of(name: str) -> str:
    """A file's name in small letters, without suffix and version, its dates and other long numbers as `*`."""
    stem = re.sub(r"\.[^.]{1,6}$", "", name)
    logical, _ = split_version(f"{stem}.x")
    return re.sub(r"\d{4}-\d{2}(?:-\d{2})?(?:t\d+)?|\d{3,}(?:[t_-]\d{3,})*", "*", logical)


def _kind(label: LabelFile) -> str:
    return kind_of(label.name)


@dataclass
class _Reading:
    """Labels that were read, with the data files they describe, and why some describe none."""

    read: Read
    taken: dict[LabelFile, list[DataFile]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    misnamed: set[LabelFile] = field(default_factory=set)

    def take(self, labels: Sequence[LabelFile]) -> None:
        """Read labels that were not read yet."""
        new = [label for label in labels if label not in self.taken]
        for label, product in zip(new, self.read(new), strict=True):
            self.taken[label] = self._files(label, product)

    def reaches(self, label: LabelFile, span: TimeRange) -> bool:
        """Whether a label's product ends only in the range or after it."""
        return any(file.listed.stop > span.start for file in self.taken[label])

    def _files(self, label: LabelFile, product: Product | CorruptFile) -> list[DataFile]:
        if isinstance(product, CorruptFile):
            if label.date is None:
                raise product
            return [DataFile(_listed(label, None, label.name), label, product)]
        if product.problem:
            self.problems.append(product.problem)
        if label.date and product.start and abs(product.start - label.date) > _MISNAMED:
            self.misnamed.add(label)
        files = dict.fromkeys(table.file for table in product.tables)
        return [DataFile(_listed(label, product, name), label) for name in files]


def _take_dated(labels: Sequence[LabelFile], span: TimeRange, reading: _Reading) -> None:
    """Read the labels of one kind that a range may need; all of them where the numbers in their names prove to be no dates."""
    dated = sorted(labels, key=lambda label: (label.date or _ALWAYS[0], label.name))
    near = [label for label in dated if label.date and span.start - _DAY <= label.date <= span.stop + _DAY]
    reading.take(near)
    ended, looked_at = 0, list(near)
    for label in reversed([label for label in dated if label.date and label.date < span.start - _DAY]):
        reading.take([label])
        looked_at.append(label)
        ended = 0 if reading.reaches(label, span) else ended + 1
        if ended >= _STEPS_BACK:
            break
    if not looked_at:
        reading.take(dated[:1])
        looked_at = dated[:1]
    if reading.misnamed.intersection(looked_at):
        reading.take(dated)


def _listed(label: LabelFile, product: Product | None, name: str) -> ListedFile:
    actual = next((each for each in label.beside if each.casefold() == name.casefold()), name)
    dated = f"{label.beside.get(actual, '')} (label {product.version if product else ''} {label.last_modified})"
    day = (label.date, label.date + _DAY) if label.date else _ALWAYS
    start, stop = (product.start, product.stop) if product and product.start and product.stop else day
    if stop < start:
        start, stop = day
    is_midnight = product is not None and (stop.hour, stop.minute, stop.second, stop.microsecond) == (0, 0, 0, 0)
    url = f"{PDS_URL}{quote(label.folder)}{quote(actual)}"
    return ListedFile(url, actual, start, stop + _TINY if is_midnight else stop, None, " ".join(dated.split()))


def _overlap(one: ListedFile, other: ListedFile) -> bool:
    """Whether two files cover the same time by more than their ends."""
    common = min(one.stop, other.stop) - max(one.start, other.start)
    shorter = min(one.stop - one.start, other.stop - other.start)
    return common >= timedelta(0) and common >= _OVERLAP * shorter


def _some(names: Iterable[str]) -> str:
    known = sorted(set(names))
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return ", ".join(known[:_MOST_NAMED]) + more
