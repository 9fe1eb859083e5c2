"""Parts for tests of partition invariance: an archive of generated series, and laboratories that materialize over it.

All is real below Dagster: graph, materializer, makers, store, merging of files. What stands in for the outside is the archive,
whose files are tables in memory, and the ledger, which is a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.archive import Fetched, Listed, SourceFile
from helio_dagster.archives.files.merge import merge_files
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.assets.batches import Maker
from helio_dagster.assets.compute_builder import ComputeMaker
from helio_dagster.assets.fetch_builder import FetchMaker
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.graph_building import build_graph
from helio_dagster.assets.list_builder import EventTableMaker
from helio_dagster.assets.materialize import Materializer
from helio_dagster.assets.outcomes import Materialization, Observation, Outcome, Record
from helio_dagster.assets.range_results import RangeResults
from helio_dagster.assets.revisions import Inspector
from helio_dagster.assets.staleness import demand
from helio_dagster.compute.operation import UNKNOWN_META, get_operation
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import EventTable, Pipeline
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.sandbox.determinism import differing_sandboxes
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

Key = str | None
COLUMNS: dict[Kind, tuple[str, ...]] = {
    "series": ("v",),
    "vector": ("bx", "by", "bz"),
    "spectrogram": ("e0", "e1"),
    "nd": ("f", "e"),
}
AXES = (
    RecordAxis(name="phi", unit="deg", size=3, values=(0.0, 120.0, 240.0)),
    RecordAxis(name="elevation", unit="deg", size=2, values=(-30.0, 45.0)),
    RecordAxis(name="e", unit="eV", scale="log", size=4, column="e"),
)
PARAMETERS: dict[str, tuple[Kind, dict[str, str]]] = {
    "series": ("series", {}),
    "other": ("series", {}),
    "vector": ("vector", {}),
    "vector2": ("vector", {}),
    "spectrogram": ("spectrogram", {}),
    "speed": ("series", {"unit": "km/s"}),
    "density": ("series", {"unit": "cm^-3"}),
    "temperature": ("series", {"unit": "eV"}),
    "pressure": ("series", {"unit": "nPa"}),
    "far": ("series", {"unit": "AU"}),
    "north": ("series", {"unit": "deg"}),
    "mach": ("series", {"unit": ""}),
    "bz": ("series", {"frame": "GSM"}),
    "velocity": ("vector", {"unit": "km/s"}),
    "imf": ("vector", {"frame": "GSM"}),
    "place": ("vector", {"unit": "km"}),
    "distribution": ("nd", {}),
    "psd": ("nd", {"unit": "s^3 m^-6"}),
    "volts": ("series", {"unit": "V"}),
    "gsm": ("vector", {"unit": "km", "frame": "GSM"}),
    "place2": ("vector", {"unit": "km"}),
    "place3": ("vector", {"unit": "km"}),
    "place4": ("vector", {"unit": "km"}),
}
"""Made-up parameters: kind, and in what their metadata differ from nT, vectors from GSE."""


def meta_of(kind: Kind, *, unit: str = "nT", **changes: Any) -> TableMeta:
    """Metadata of a made-up parameter of a kind."""
    columns = tuple(
        ColumnMeta(name=name, label=name, unit=unit, role="bin" if name == "e" else "data") for name in COLUMNS[kind]
    )
    bins = BinAxis(label="Energy", unit="eV", centers=(10.0, 100.0)) if kind == "spectrogram" else None
    frame = "GSE" if kind == "vector" else None
    meta = TableMeta(kind=kind, columns=columns, label=kind, unit=unit, frame=frame, bins=bins, attributes={"CATDESC": kind})
    return meta.model_copy(update={"axes": AXES if kind == "nd" else (), **changes})


@dataclass
class MemoryArchive:
    """An archive whose files are tables: `files` maps a parameter to (name, coverage, records)."""

    files: Mapping[str, Sequence[tuple[str, TimeRange, Table]]]
    name: str = "memory"
    is_synthetic: bool = False

    def fetch(self, dataset: str, parameter: str, windows: Sequence[TimeRange], **_: Any) -> Iterator[Fetched]:
        """Fetch a parameter for each window, merged out of the files that cover it as a real archive merges them."""
        del dataset
        for window in windows:
            found = [(name, table) for name, span, table in self.files[parameter] if span.overlaps(window)]
            table = merge_files(found, window) if found else Table.empty(UNKNOWN_META)
            sources = tuple(SourceFile(each, f"https://a/{each}", 1, "then", "0") for each, _ in found)
            yield Fetched(window, table, sources, None, revision="first")

    def listed(self, dataset: str, windows: Sequence[TimeRange], **_: Any) -> Iterator[Listed]:
        """No test here asks for what changed."""
        raise NotImplementedError

    def is_at_hand(self, file: ListedFile) -> bool:
        """No test here estimates a download."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class MemoryLedger:
    """A ledger in memory; what is kept back shows only after `flush`, as in Dagster's event log."""

    records: dict[tuple[str, Key], Record] = field(default_factory=dict)
    _pending: list[Materialization] = field(default_factory=list)

    def latest(self, asset: str, partitions: Sequence[Key]) -> Mapping[Key, Record]:
        """The last record of each partition that has one."""
        return {key: self.records[asset, key] for key in partitions if (asset, key) in self.records}

    def record(self, materialization: Materialization) -> None:
        """Keep one back."""
        self._pending.append(materialization)

    def observed(self, files: str, partitions: Sequence[str]) -> Mapping[str, str]:
        """Nothing ever changes in these archives."""
        del files, partitions
        return {}

    def partitions(self, asset: str) -> set[str]:
        """Those that were recorded."""
        return {key for name, key in self.records if name == asset and key is not None}

    def has_any(self, asset: str) -> bool:
        """Whether one was recorded."""
        return any(name == asset for name, _ in self.records)

    def observe(self, files: str, observations: Mapping[str, Observation]) -> None:
        """As nothing changes, nothing is observed."""
        assert not observations, files

    def confirm(self, asset: str, files: str, partitions: Sequence[str]) -> None:
        """Nor confirmed."""
        assert not partitions, (asset, files)

    def flush(self) -> None:
        """Show what was kept back."""
        self.records |= {(made.asset, made.partition): made.record for made in self._pending}
        self._pending.clear()


@cache
def shared_sandbox() -> Sandbox:
    """Where the code of all laboratories runs."""
    return Sandbox()


@cache
def shared_pair() -> tuple[Sandbox, Sandbox]:
    """Where the code of all laboratories is run twice more."""
    return differing_sandboxes()


@dataclass
class Laboratory:
    """A home without Dagster: a store, a ledger, and runs that begin with nothing in memory, as processes do."""

    folder: Path
    graph: AssetGraph
    archive: MemoryArchive
    now: datetime
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    shown: TimeRange | None = None

    @property
    def store(self) -> TableStore:
        """Where the tables lie."""
        return TableStore(self.folder)

    @property
    def ranges(self) -> RangeResults:
        """The results over ranges that lie there."""
        return RangeResults(self.store, FigureFiles(self.folder / "figures"), self.shown)

    def run(self, names: Sequence[str], keys: Sequence[Key]) -> dict[tuple[str, Key], Outcome]:
        """Bring the same partitions of some assets up to date in one run, as the bodies of a Dagster run do."""
        store = self.store
        tables = TableCache(store)
        makers: dict[str, Maker] = {
            "fetch": FetchMaker(lambda _: self.archive, store, tables, verify=False, now=self.now),
            "compute": ComputeMaker(self.graph, store, tables, shared_sandbox, shared_pair, self.ranges, threads=2),
            "table": EventTableMaker(store, tables),
        }
        materializer = Materializer(
            self.graph,
            store,
            self.ledger,
            makers,
            Inspector(lambda _: self.archive, store),
            ranges=self.ranges,
            clock=lambda: self.now,
        )
        wanted = demand(self.graph, dict.fromkeys(names, keys), self.now)
        outcomes: dict[tuple[str, Key], Outcome] = {}
        for name in [name for name in self.graph.nodes if name in names]:
            made = materializer.materialize(name, keys, beside=wanted[name])
            outcomes |= {(name, key): outcome for key, outcome in made.items()}
        return outcomes

    def files(self) -> dict[str, bytes]:
        """Path to the bytes of every table."""
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in sorted(self.folder.rglob("*.parquet"))}

    def versions(self) -> dict[tuple[str, Key], str]:
        """(asset, partition) to recorded data version."""
        return {of: record.data_version for of, record in sorted(self.ledger.records.items())}

    def table(self, name: str, keys: Sequence[Key]) -> Table:
        """The stored partitions of an asset, put together."""
        return concatenate([self.store.read(name, key) for key in keys])

    def is_like(self, other: Laboratory) -> bool:
        """Whether both hold the same files, byte by byte, and the same data versions, and have any."""
        return bool(self.files()) and self.files() == other.files() and self.versions() == other.versions()

    def continuous(
        self,
        name: str,
        options: Mapping[str, Any],
        inputs: Mapping[str, str],
        window: TimeRange,
        events: EventTable | None = None,
        made: Mapping[str, Table] | None = None,
    ) -> Table:
        """An operation on the continuous series of the archive, from the first partition to the last complete one.

        `made` has inputs that are no parameters of the archive.
        """
        operation = get_operation(name)
        grain = next(iter(self.graph.starts))
        whole = TimeRange(self.graph.starts[grain], grain.floor(self.now))
        fetched = {key: parameter for key, parameter in inputs.items() if parameter != "events"}
        listed = [key for key, parameter in inputs.items() if parameter == "events"]
        given = dict(made or {}) | {
            key: next(self.archive.fetch("D", parameter, [whole])).table for key, parameter in fetched.items()
        }
        if events is not None:
            given |= {key: read_events(events) for key in listed}
        return operation.apply(given, operation.read_options(options), window, "step")  # type: ignore[arg-type]


MakeLab = Callable[..., Laboratory]


@pytest.fixture(scope="session")
def make_lab(tmp_path_factory: pytest.TempPathFactory) -> MakeLab:
    """Laboratories over an archive, with the pipelines given."""

    def make(archive: MemoryArchive, now: datetime, *pipelines: Mapping[str, Any]) -> Laboratory:
        graph = build_graph([Pipeline.model_validate({"version": 1, **given}) for given in pipelines], lambda *_: None)
        return Laboratory(tmp_path_factory.mktemp("lab"), graph, archive, now)

    return make


STRETCHES = ("even", "uneven", "edges", "fill", "wild", "burst", "spill", "no records", "no file")
"""What a partition's data may be like. `even` and `uneven` hold fills; `edges` has records on both edges, a nanosecond from
them and 1.5 microseconds before the stop; `wild` has infinities, signed zeros and sizes from 1e-200 to 1e200; `burst` many
records at once; the file of `spill` reaches into the next partition, and repeats times of it with other values."""


def _times_ns(stretch: str, start: int, stop: int, generator: np.random.Generator) -> np.ndarray:
    length = stop - start
    if stretch == "edges":
        inside = [start + length // 4, start + length // 2, stop - length // 24]
        return np.array([start, start + 1, *inside, stop - 1_500, stop - 1])
    if stretch == "burst":
        return start + length // 3 + np.arange(60) * 1_000_003
    if stretch == "uneven":
        return np.unique(start + generator.integers(0, length, 40))
    if stretch == "spill":
        return start + np.arange(36) * (length // 24)
    return start + np.arange(0, length, length // 24)


def make_file(parameter: str, stretch: str, window: TimeRange, generator: np.random.Generator) -> Table:
    """Records of one file: those of a stretch."""
    kind, changes = PARAMETERS[parameter]
    start, stop = (int(edge.astype(np.int64)) for edge in window.bounds_ns())
    times = _times_ns(stretch, start, stop, generator) if stretch != "no records" else np.empty(0, dtype=np.int64)
    columns = {}
    for name in COLUMNS[kind]:
        shape = (len(times), *meta_of(kind).shape_of(name))
        values = generator.normal(0, 1, shape) * 10 ** generator.uniform(-6, 6, shape)
        values[generator.random(shape) < 0.2] = np.nan
        if stretch == "fill":
            values[:] = np.nan
        if stretch == "wild":
            odd = np.array([np.inf, -np.inf, 0.0, -0.0, 1e200, -1e200, 1e-200, 5e-324])
            values = np.where(generator.random(shape) < 0.4, generator.choice(odd, shape), values)
        columns[name] = values
    return Table(times.astype("datetime64[ns]"), columns, meta_of(kind, **changes))


def make_archive(grain: Grain, first: str, stretches: Mapping[str, Sequence[str]], seed: int) -> MemoryArchive:
    """An archive of parameters of `PARAMETERS`, from one partition on.

    Parameters
    ----------
    grain, first
        The files begin with the grain's windows, from that of the key `first` on.
    stretches
        Parameter to what its data are like in each window.
    seed
        Of the values.
    """
    files: dict[str, list[tuple[str, TimeRange, Table]]] = {}
    for place, (parameter, given) in enumerate(stretches.items()):
        window, files[parameter] = grain.window(first), []
        for number, stretch in enumerate(given):
            following = TimeRange(window.stop, grain.following(window.stop))
            if stretch != "no file":
                table = make_file(parameter, stretch, window, np.random.default_rng([seed, place, number]))
                span = TimeRange(window.start, following.stop) if stretch == "spill" else window
                files[parameter].append((f"{parameter}_{number:03d}.cdf", span, table))
            window = following
    return MemoryArchive(files)


@dataclass(frozen=True)
class Cuts:
    """Ways to ask for the same partitions, drawn from a seed."""

    keys: Sequence[Key]

    def one_by_one(self, seed: int) -> list[list[Key]]:
        """Each in a run of its own, in any order."""
        return [[self.keys[place]] for place in np.random.default_rng(seed).permutation(len(self.keys))]

    def in_blocks(self, seed: int) -> list[list[Key]]:
        """In blocks of any length, in any order, one of them asked for again."""
        drawn = np.random.default_rng(seed)
        edges = sorted({0, len(self.keys), *(int(edge) for edge in drawn.integers(0, len(self.keys), 2))})
        blocks = [list(self.keys[begin:stop]) for begin, stop in pairwise(edges)]
        order = drawn.permutation(len(blocks))
        return [blocks[place] for place in (*order, order[0])]

    def scattered(self, seed: int) -> list[list[Key]]:
        """Every second one, then the others."""
        order = [list(self.keys[::2]), list(self.keys[1::2])]
        return order if seed % 2 else order[::-1]

    def all(self, seed: int) -> dict[str, list[list[Key]]]:
        """Every cut by its name."""
        return {
            "one by one": self.one_by_one(seed),
            "in blocks": self.in_blocks(seed),
            "scattered": self.scattered(seed),
        }


@pytest.fixture(scope="session")
def cuts_of() -> type[Cuts]:
    """Ways to ask for the same partitions."""
    return Cuts


@pytest.fixture(scope="session")
def archive_of() -> Callable[..., MemoryArchive]:
    """Archives of generated series."""
    return make_archive


@pytest.fixture(scope="session")
def stretches() -> tuple[str, ...]:
    """What a partition's data may be like."""
    return STRETCHES


def utc(text: str) -> datetime:
    """An aware time from ISO text."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(scope="session")
def at() -> Callable[[str], datetime]:
    """Aware times."""
    return utc
