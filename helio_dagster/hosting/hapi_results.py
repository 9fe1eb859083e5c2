"""The stored results of a home as HAPI sees them: an asset is a dataset, its parameters are what an exported file holds."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.hapi.isotime import format_isotime
from helio_dagster.archives.hapi.served import cadence_of, known_centers, stamp_location
from helio_dagster.archives.hapi.source import FILL, NO_TIME, TIME_LENGTH, ServedDataset, time_parameter, write_records
from helio_dagster.assets.graph import AssetNode
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.named_results import single_result_fault
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.exporting.plain_text import ascii_text
from helio_dagster.launch.exporting.records import GRIDDED, survey_blocks, table_block
from helio_dagster.launch.exporting.variable import REACHES, Variable
from helio_dagster.launch.exporting.variables import lay_out
from helio_dagster.launch.running.reading import StoredParts, join_tables
from helio_dagster.storage.table_format import StoredTable

MOST_VALUES = 20_000_000
"""Values that one answer holds at most."""
_TEXT_BYTES = 64
"""Bytes of a text, such as an event's name; longer ones are cut, since HAPI wants one length for all records."""


@dataclass(frozen=True)
class ResultDataset(ServedDataset):
    """The dataset of an asset: the variables behind its parameters, by name."""

    variables: Mapping[str, Variable]


class ServedResults:
    """Results of pipelines with partitions in time, and the parameters they fetch; called from several threads at once.

    Curves, maps, figures, facts and what has one result for each event or range are not served.

    Parameters
    ----------
    site
        The home. What is run in it meanwhile is served, too.
    """

    title = "Results of pipelines, served by helio"

    def __init__(self, site: ServedHome) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._described: dict[str, tuple[tuple[object, ...], ResultDataset]] = {}

    def titles(self) -> Sequence[tuple[str, str]]:
        """Id and title of all datasets, in order of id: assets of which at least one partition with records is stored."""
        with self._lock:
            graph = self._site.home.graph
            served = [node for _, node in sorted(graph.nodes.items()) if self._newest(node) is not None]
            return [(node.name, self._title(node)) for node in served]

    def dataset(self, name: str) -> ResultDataset | None:
        """The dataset of an asset; None if there is no such asset, or nothing of it is stored.

        Raises
        ------
        StorageError
            Its newest table is damaged.
        """
        with self._lock:
            node = self._site.home.graph.nodes.get(name)
            newest = self._newest(node) if node is not None else None
            if node is None or newest is None or node.time_grain is None:
                return None
            keys = self._site.store.partitions(name)
            state = (tuple(keys), newest.place, newest.data_version, node.code_version)
            known = self._described.get(name)
            if known is None or known[0] != state:
                known = self._described[name] = state, self._describe(node, node.time_grain, keys, newest)
            return known[1]

    def records(self, dataset: ServedDataset, names: Sequence[str], span: TimeRange, *, is_binary: bool) -> bytes:
        """The records of parameters in `[start, stop)`, of the partitions that are stored.

        Raises
        ------
        InputError
            They are too many for one answer.
        ComputeError
            The partitions differ in their columns, units or bins.
        StorageError
            A stored file is damaged.
        """
        if not isinstance(dataset, ResultDataset):
            raise TypeError("a dataset of another source")
        node, store = self._site.home.graph.nodes.get(dataset.id), self._site.store
        if node is None or node.time_grain is None:
            raise InputError(f"{dataset.id} was changed or removed meanwhile: ask for its description again")
        keys = _within(node.time_grain, store.partitions(node.name), span)
        values = sum(_values(found) for key in keys if (found := store.peek(node.name, key)))
        if values > MOST_VALUES:
            raise InputError(f"{values:,} values are too many for one answer, which holds {MOST_VALUES:,}: ask for less time")
        filled = [table for table in StoredParts(store, node, keys, span).tables() if len(table)]
        if not filled:
            return b""
        table = join_tables(node, filled)
        if any(variable.use in REACHES for variable in dataset.variables.values()):
            table = table.with_extent_columns()
        block = table_block(table)
        if missing := {column for name in names for column in dataset.variables[name].columns} - block.columns.keys():
            known = ", ".join(sorted(missing))
            problem = f"the partitions of {node.name} in this range lack columns that the newest has: {known}"
            raise ComputeError(problem, hint=f"Make them again: helio run {node.pipeline or 'PIPELINE'} START STOP.")
        described = {each["name"]: each for each in dataset.parameters}
        arrays = [_sent(dataset.variables[name].take(block), described[name]) for name in names]
        return write_records(block.time, arrays, is_binary=is_binary)

    def _newest(self, node: AssetNode) -> StoredTable | None:
        """What was stored last of an asset that can be served, with records; None if there is none."""
        if node.time_grain is None or node.is_over_range or single_result_fault(node.step, node.pipeline):
            return None
        for found in self._site.store.newest(node.name):
            if found.rows and found.meta.kind not in GRIDDED:
                return found
        return None

    def _title(self, node: AssetNode) -> str:
        pipeline = self._site.home.graph.pipelines.get(node.pipeline)
        described = node.described
        words = [node.step.intent, described.parameter, described.dataset] if described is not None else [node.step.intent]
        return ": ".join(dict.fromkeys(each for each in (pipeline.title if pipeline else "", *words) if each)) or node.name

    def _describe(self, node: AssetNode, grain: Grain, keys: Sequence[str], newest: StoredTable) -> ResultDataset:
        store = self._site.store
        key = next(key for key in keys if store.place(node.name, key) == newest.place)
        table = store.read(node.name, key)
        table = table.with_extent_columns() if table.meta.has_extents_by_record else table
        survey = survey_blocks(table.meta, [table_block(table)])
        name = node.fetch.parameter if node.fetch is not None else node.name.rsplit("/", 1)[-1]
        laid_out = lay_out(survey, name)
        known = {each.name: each for each in laid_out}
        variables = {each.name: each for each in laid_out if each.varies}
        cadence = cadence_of(table.time)
        about = {
            "startDate": format_isotime(grain.window(self._first_filled(node, keys)).start),
            "stopDate": format_isotime(grain.window(self._first_filled(node, reversed(keys))).stop),
            "modificationDate": format_isotime(self._last_written(node, keys)),
            "description": self._title(node),
            "resourceID": f"{node.name}@{newest.data_version}",
            **({"cadence": cadence} if cadence else {}),
            **stamp_location({table.meta.extent}, cadence),
        }
        described = [_parameter(each, table, known) for each in variables.values()]
        return ResultDataset(node.name, about, [time_parameter(), *described], variables)

    def _first_filled(self, node: AssetNode, keys: Iterable[str]) -> str:
        """The first partition with records; one at least has some."""
        return next(key for key in keys if (found := self._site.store.peek(node.name, key)) is not None and found.rows)

    def _last_written(self, node: AssetNode, keys: Sequence[str]) -> datetime:
        written_ns = max(self._site.store.written_ns(node.name, key) for key in keys)
        return datetime.fromtimestamp(written_ns / 1e9, UTC).replace(microsecond=0)


def _values(stored: StoredTable) -> int:
    """How many values a stored table has."""
    return stored.rows * sum(math.prod(stored.meta.shape_of(column.name)) for column in stored.meta.columns)


def _within(grain: Grain, keys: Sequence[str], span: TimeRange) -> list[str]:
    """The partitions that overlap a range, in order."""
    windows = ((key, grain.window(key)) for key in keys)
    return [key for key, window in windows if window.start < span.stop and span.start < window.stop]


def _parameter(variable: Variable, table: Table, known: Mapping[str, Variable]) -> dict[str, Any]:
    """The HAPI parameter of a variable, with the variables that its axes and labels are."""
    said: dict[str, Any] = {"name": variable.name, **_typed(variable)}
    said["units"] = variable.unit or None
    said["description"] = said["label"] = variable.label or variable.name
    if variable.shape:
        said["size"] = list(variable.shape)
    labels = [[value.decode() for value in _given(known[name])] if name else [] for name in variable.labels]
    if len(labels) == 1:
        said["label"] = labels[0]
    if table.meta.frame and table.meta.kind == "vector" and variable.labels:
        said["coordinateSystemName"] = table.meta.frame
    if variable.axes:
        said["bins"] = [_bins(known[name]) for name in variable.axes]
        for bins, texts in zip(said["bins"], labels, strict=False):  # the format has no labels of bins of several axes
            bins |= {"description": ", ".join(texts)} if texts else {}
    return said


def _bins(axis: Variable) -> dict[str, Any]:
    """Bins along an axis: their centers, or the parameter that holds these."""
    centers = axis.name if axis.varies else known_centers(_given(axis))
    return {"name": axis.name, "label": axis.label, "units": axis.unit or None, "centers": centers}


def _given(variable: Variable) -> list[Any]:
    return [] if variable.values is None else variable.values.tolist()


def _typed(variable: Variable) -> dict[str, Any]:
    kind = variable.dtype.kind
    if kind == "M":
        return {"type": "isotime", "length": TIME_LENGTH, "fill": NO_TIME}
    if kind == "S":
        return {"type": "string", "length": _TEXT_BYTES, "fill": ""}
    return {"type": "double", "fill": str(FILL)}


def _sent(values: NDArray[Any], parameter: Mapping[str, Any]) -> NDArray[Any]:
    """Values of a parameter as they are sent, shape (record, *size)."""
    if parameter["type"] == "isotime":
        return values.astype("datetime64[ns]")
    if parameter["type"] == "string":
        texts = [ascii_text(str(value)).encode() for value in values.ravel()]
        return np.array(texts, dtype=f"S{_TEXT_BYTES}").reshape(values.shape)
    numbers = values.astype("<f8")
    return np.where(np.isnan(numbers), FILL, numbers)
