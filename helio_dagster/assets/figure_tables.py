"""What a figure is drawn from: whole tables while they are small, else partitions that are read one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import Status, Table, concatenate, mismatch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.table_format import StoredTable

if TYPE_CHECKING:
    from helio_dagster.figures.long_table import LongTable

MOST_CELLS = 6_000_000
"""Numbers and times of a table that is read whole: those of a day of 16 vectors a second."""
_FEWEST_ROWS = 640_000
"""Records below which a line would show more of them than its levels have."""
_STORED_CELLS = 200_000
"""Numbers of a partition below which its levels are made anew each time: reading it takes no longer."""
_LONG_KINDS = ("series", "vector", "spectrogram")
_WAYS = (None, "line", "steps", "points", "spectrogram")
_TRACE_KEYS = {"data", "component", "color", "label", "width", "draw", "dash", "marker"}
_PANEL_KEYS = {"traces", "x", "y", "z", "height", "marks"}

Versions = Sequence[tuple[str | None, str]]


class FigureTables:
    """The tables of figures.

    Parameters
    ----------
    tables
        The stored tables, and those still in memory.
    most_cells
        Numbers and times above which a table is read partition by partition.
    """

    def __init__(self, tables: TableCache, *, most_cells: int = MOST_CELLS, fewest_rows: int = _FEWEST_ROWS) -> None:
        self._tables, self._most_cells, self._fewest_rows = tables, most_cells, fewest_rows

    def read(self, asset: str, versions: Versions, *, of_events: bool = False, is_over_time: bool = False) -> Table:
        """Consecutive partitions of an asset as one table.

        Parameters
        ----------
        versions
            Partition and data version of each, in order.
        is_over_time
            Whether nothing but lines and spectrograms is drawn of it, so that a long table need not be in memory.

        Raises
        ------
        StorageError
            One is not stored, or damaged.
        ValueError
            They do not fit together.
        """
        if is_over_time and not of_events:
            long = self._long(asset, versions)
            if long is not None:
                return long
        return concatenate([self._tables.read(asset, key, version) for key, version in versions], of_events=of_events)

    def read_window(
        self, asset: str, versions: Mapping[str | None, str], grain: Grain | None, window: TimeRange, *, is_over_time: bool
    ) -> Table:
        """At least the records of a window that partitions of these versions hold; as `read` where a line thins them anyway.

        Raises
        ------
        LookupError
            A partition is not stored in this version.
        StorageError
            One is damaged.
        ValueError
            They do not fit together.
        """
        store = self._tables.store
        window = window.widened(*[2 * self._longest_step(asset, versions, grain, window)] * 2)  # to have their neighbours
        shares = {key: _share(grain, key, window) for key in versions}
        touched = [key for key, share in shares.items() if share] or list(versions)[:1]
        rows = sum(shares[key] * self._stored(asset, key, versions[key]).rows for key in touched)
        if is_over_time and rows >= self._fewest_rows:
            long = self._long(asset, [(key, versions[key]) for key in touched])
            if long is not None:
                return long
        found = []
        for key in touched:
            held = self._tables.held(asset, key, versions[key])
            part = held if held is not None else store.read_window(asset, key, window)
            found.append(part if part is not None else self._tables.read(asset, key, versions[key]))
        return concatenate(found)

    def _stored(self, asset: str, key: str | None, version: str) -> StoredTable:
        """A stored partition of this version; LookupError where there is none."""
        stored = self._tables.store.peek(asset, key)
        if stored is None or stored.data_version != version:
            raise LookupError(asset)
        return stored

    def _longest_step(
        self, asset: str, versions: Mapping[str | None, str], grain: Grain | None, window: TimeRange
    ) -> timedelta:
        """The longest mean step between records of the partitions that a window touches; a day at most."""
        steps = [timedelta()]
        for key in versions:
            if grain is not None and key is not None and _share(grain, key, window):
                rows = self._stored(asset, key, versions[key]).rows
                steps.append(min(grain.window(key).duration / max(1, rows), timedelta(days=1)))
        return max(steps)

    def _long(self, asset: str, versions: Versions) -> LongTable | None:
        found = [self._tables.store.peek(asset, key) for key, _ in versions]
        stored = [each for each in found if each is not None]
        filled = [each for each in stored if each.rows]
        if len(stored) < len(found) or not filled or any(each.meta.kind not in _LONG_KINDS for each in filled):
            return None
        rows = sum(each.rows for each in filled)
        is_spectrogram = filled[-1].meta.kind == "spectrogram"
        if rows * (1 + len(filled[-1].meta.columns)) <= self._most_cells or (rows < self._fewest_rows and not is_spectrogram):
            return None
        telling = _telling(filled)
        parts = [
            StoredPart(self._tables, asset, key, version, each)
            for (key, version), each in zip(versions, found, strict=True)
            if each is not None and each.rows
        ]
        from helio_dagster.figures.long_table import LongTable

        dtypes = {name: values.dtype.str for name, values in self._tables.store.empty(asset, parts[-1].key).columns.items()}
        statuses: list[Status] = [each.status for each in filled]
        return LongTable.of(
            parts,
            telling.meta.without_extent,
            {column.name: dtypes[column.name] for column in telling.meta.without_extent.columns},
            status="data" if "data" in statuses else "all_fill",
            has_reach=any(each.meta.extent is not None or each.meta.has_extents_by_record for each in filled),
        )


@dataclass(frozen=True)
class StoredPart:
    """One stored partition of a long table."""

    tables: TableCache
    asset: str
    key: str | None
    version: str
    stored: StoredTable

    @property
    def rows(self) -> int:
        """How many records it has."""
        return self.stored.rows

    def table(self, names: Sequence[str] | None = None) -> Table:
        """Its records, of all columns or of these alone; they are not kept in memory."""
        held = self.tables.held(self.asset, self.key, self.version)
        if held is not None and names is None:
            return held
        return self.tables.store.read(self.asset, self.key, names)

    def levels(self) -> Mapping[str, NDArray[Any]]:
        """Its lines in fewer samples, kept beside the table where it is long; see `levels_of`."""
        from helio_dagster.figures.overview import FORMAT, levels_of

        if self.rows * len(self.stored.meta.columns) < _STORED_CELLS:
            return levels_of(self.table())
        version = f"{FORMAT} {self.stored.data_version}"
        return self.tables.store.levels(self.asset, self.key, version, lambda: levels_of(self.table()))


def _share(grain: Grain | None, key: str | None, window: TimeRange) -> float:
    """Which share of a partition lies in a window; 1 of what has no partitions."""
    if grain is None or key is None:
        return 1.0
    own = grain.window(key)
    start, stop = max(own.start, window.start), min(own.stop, window.stop)
    return max(0.0, (stop - start) / (own.stop - own.start))


def references_over_time(spec: Figure) -> set[str]:
    """The references of which a figure shows nothing but lines and spectrograms, if their tables are over time."""
    if spec.color_bar is not None:
        return set()  # its scale is that of all values
    others = {row.data for row in spec.below} | {spec.events} | {reference for _, reference in spec.listed}
    others |= {reference for path, reference in spec.traced if not path.endswith("].data")}
    found: set[str] = set()
    for panel in spec.panels:
        keys = set(panel.model_dump(exclude_none=True, exclude_defaults=True))
        for trace in panel.traces:
            is_plain = trace.draw in _WAYS and set(trace.model_dump(exclude_none=True, exclude_defaults=True)) <= _TRACE_KEYS
            if keys <= _PANEL_KEYS and is_plain:
                found.add(trace.data)
            else:
                others.add(trace.data)
    return found - others


def _telling(filled: Sequence[StoredTable]) -> StoredTable:
    """The partition that gives the metadata, as `concatenate` chooses it; ValueError where they do not fit together."""
    names = tuple(column.name for column in filled[-1].meta.without_extent.columns)
    if any(tuple(column.name for column in each.meta.without_extent.columns) != names for each in filled):
        raise ValueError("the partitions' columns differ")
    telling = [each for each in filled if each.status == "data"] or [filled[-1]]
    for each in telling[:-1]:
        difference = mismatch(each.meta, telling[-1].meta)
        if difference:
            raise ValueError(f"the partitions differ in {difference}")
    return telling[-1]
