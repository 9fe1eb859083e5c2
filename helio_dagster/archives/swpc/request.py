"""What one fetch from SWPC does with a range or a day: ask for what is missing, keep it by day, decode."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from helio_dagster.archives.archive import SourceFile
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.swpc.answers import Answer, Values, select
from helio_dagster.archives.swpc.days import Day, day_table, edges, read_day
from helio_dagster.archives.swpc.server import LENGTHS_DAYS, SwpcServer, place_of
from helio_dagster.archives.transfer.settings import Received
from helio_dagster.domain.catalog_entry import CatalogDataset, CatalogParameter
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, CorruptFile
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.real_time import SWPC_URL
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange, format_time, ns_to_datetime

_CADENCE = timedelta(minutes=1)
_AHEAD = timedelta(hours=1)
"""How far ahead of this machine's clock a record may be."""
_GONE = "no longer at the archive"
_DEFINITIVE = (
    "Definitive data are in CDAWeb: OMNI_HRO_1MIN, DSCOVR_H0_MAG and AC_H0_MFI. A run every few days keeps what comes."
)


@dataclass
class SwpcRequest:
    """A dataset's parameter, asked for by one fetch; the server is asked at most once for each length of its answers.

    `now` is what time it is. Without a parameter, for its listing alone.
    """

    server: SwpcServer
    cache: FileCache
    dataset: CatalogDataset
    parameter: CatalogParameter | None
    now: datetime
    verify: bool
    teller: Teller
    _days: dict[str, tuple[TimeRange, Day]] = field(default_factory=dict)
    _answers: dict[int, dict[str, Values]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """The days around a time range that have begun; what was kept of them, and what the server has now.

        A day of which all is kept is not asked for again once the server has forgotten it. A day before all that the server
        has, and not kept, is listed without content: to obtain it is an error.

        Raises
        ------
        ArchiveError
            The server cannot be asked.
        """
        windows = [TimeRange(start, Grain.DAILY.following(start)) for start in Grain.DAILY.starts(span) if start <= self.now]
        kept = {window: self._kept(window) for window in windows}
        unknown = [window for window, day in kept.items() if not self._is_settled(window, day)]
        latest = self._ask(min(window.start for window in unknown)) if unknown else None
        listed = []
        for window, day in kept.items():
            found = day
            if latest is not None and window in unknown:
                later = _part(latest, window, self._columns)
                found = later if day is None else day.merged(later)
            if found is None:
                raise TypeError("a day that is not kept was asked for")
            if found.covers(*edges(window)) and not found.records:
                continue
            listed.append(self._listed(window, found))
        return listed

    def obtain(self, file: ListedFile) -> CachedFile:
        """The day's file, written if the server added to it.

        Raises
        ------
        ArchiveUnavailable
            The server no longer has all of the day.
        StorageError
            It cannot be kept.
        """
        window, day = self._of(file)

        def write(into: Path) -> Received:
            before = self._kept(window)  # another process may have added to it
            content = (day if before is None else before.merged(day)).to_bytes()
            into.write_bytes(content)
            return Received(len(content), hashlib.sha256(content).hexdigest())

        if day.records:
            kept = self._kept(window)
            is_new = kept is None or kept.revision != day.revision
            cached = self.cache.get(file.url, "", None, write, verify=self.verify, afresh=is_new)
        if _is_cut(day, window, self.now):
            raise gone(self.dataset.dataset, window, day)
        if not day.records:
            content = day.to_bytes()
            cached = CachedFile(self.cache.path(file.url, ""), len(content), hashlib.sha256(content).hexdigest(), is_new=True)
        self.teller.obtained(file, cached)
        return cached

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """The day's table; one that is not known to its end says up to when it is.

        Raises
        ------
        CorruptFile
            What is kept cannot be read.
        """
        parameter = self.parameter
        if parameter is None:
            raise TypeError("nothing was asked for")
        window, day = self._of(file)
        if day.records:
            content = cached.path.read_bytes()
            try:
                day = read_day(content)
            except ValueError as error:
                self.cache.quarantine(cached)
                hint = "It was put aside. Run the same command again."
                raise CorruptFile(f"{file.name}: {error}", where=str(cached.path), hint=hint) from error
            cached = replace(cached, size=len(content), sha256=hashlib.sha256(content).hexdigest())
        table = day_table(
            day, parameter.columns, kind=parameter.kind, label=parameter.name, unit=parameter.unit, frame=parameter.frame
        )
        if not day.covers(*edges(window)):
            until = ns_to_datetime(table.time[-1]) if len(table) else window.start
            table = replace(table, meta=table.meta.model_copy(update={"open_until": until}))
        return SourceFile(file.name, file.url, cached.size, file.last_modified, cached.sha256), table

    @property
    def _columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for each in self.dataset.parameters for name in each.columns))

    def _is_settled(self, window: TimeRange, day: Day | None) -> bool:
        """Whether a day is kept whole, and the server has nothing of it any more."""
        is_forgotten = window.stop <= self.now - timedelta(days=LENGTHS_DAYS[-1])
        return is_forgotten and day is not None and day.covers(*edges(window))

    def _url(self, window: TimeRange) -> str:
        return f"{SWPC_URL}/products/{place_of(self.dataset.dataset, LENGTHS_DAYS[-1])}/{self._name(window)}"

    def _name(self, window: TimeRange) -> str:
        return f"{self.dataset.dataset}_{window.start:%Y%m%d}.json"

    def _listed(self, window: TimeRange, day: Day) -> ListedFile:
        date = _GONE if _is_cut(day, window, self.now) else _date(day)
        file = ListedFile(self._url(window), self._name(window), window.start, window.stop, None, date)
        with self._lock:
            self._days[file.url] = window, day
        return file

    def _of(self, file: ListedFile) -> tuple[TimeRange, Day]:
        with self._lock:
            return self._days[file.url]

    def _kept(self, window: TimeRange) -> Day | None:
        return _read(self.cache.path(self._url(window), ""))

    def _ask(self, start: datetime) -> Answer:
        """The shortest answer that reaches back to a time, or the longest there is."""
        answer = Answer(self._columns, {})
        for days in LENGTHS_DAYS:
            if days < LENGTHS_DAYS[-1] and self.now - start > timedelta(days=days):
                continue
            answer = self._asked(days)
            first = next(iter(answer.records), None)
            if first is not None and first <= edges(TimeRange(start, start + _CADENCE))[1]:
                break
        return answer

    def _asked(self, days: int) -> Answer:
        with self._lock:
            if days not in self._answers:
                answer = self.server.solar_wind(self.dataset.dataset, days, self.teller.retried)
                where = f"swpc/{self.dataset.dataset}"
                try:
                    self._answers[days] = select(answer, self._columns)
                except ValueError as error:
                    raise ArchiveAnswerError(f"the answer cannot be read: {error}", where=where, hint="Tell us.") from None
                last = next(reversed(self._answers[days]), "")
                latest = edges(TimeRange(self.now, self.now + _AHEAD))[1]
                if last > latest:
                    hint = "Check this machine's clock; if it is right, run the same command again later."
                    raise ArchiveAnswerError(
                        f"the archive sent a record of {last}, which is yet to come", where=where, hint=hint
                    )
            return Answer(self._columns, self._answers[days])


def is_kept(cache: FileCache, file: ListedFile) -> bool:
    """Whether a day is kept with exactly the records that were listed."""
    day = _read(cache.path(file.url, ""))
    return day is not None and _date(day) == file.last_modified


def _date(day: Day) -> str:
    """What takes the place of a date in a listing: the server dates nothing."""
    return f"records {day.revision}"


def _part(answer: Answer, window: TimeRange, columns: tuple[str, ...]) -> Day:
    """What an answer says of a day: its records, known from the answer's first to its last."""
    start, stop = edges(window)
    times = list(answer.records)
    if not times:
        return Day(columns, start, start, {})
    first = edges(TimeRange(window.start, window.start + _CADENCE))[1]
    since = start if times[0] <= first else times[0]
    until = min(max(times[-1], start), stop)
    records = {time: values for time, values in answer.records.items() if start <= time < stop}
    return Day(columns, min(since, stop), until, records)


def _is_cut(day: Day, window: TimeRange, now: datetime) -> bool:
    """Whether the beginning of a day is missing, or its end, and cannot come any more."""
    start, stop = edges(window)
    if day.since > start:
        return True
    return day.until < stop and now - window.stop > timedelta(days=LENGTHS_DAYS[-1])


def gone(dataset: str, window: TimeRange, day: Day) -> ArchiveUnavailable:
    """The error of a day that the server has forgotten."""
    kept = f"; {len(day.records)} records of it were kept" if day.records else ""
    problem = f"SWPC keeps only the last {LENGTHS_DAYS[-1]} days, and {format_time(window.start)} is before that{kept}"
    return ArchiveUnavailable(problem, where=f"swpc/{dataset}", hint=_DEFINITIVE)


def _read(path: Path) -> Day | None:
    """A kept day; None where the file cannot be read, so that it is asked for again."""
    try:
        return read_day(path.read_bytes())
    except (OSError, ValueError):
        return None
