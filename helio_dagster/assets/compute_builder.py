"""Compute partitions: apply a shipped operation or a step's code to the tables that they are made from."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from textwrap import indent
from typing import TYPE_CHECKING, Any

from helio_dagster import __version__
from helio_dagster.assets.batches import Batch, Made, Pending, made_from
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.new_code import CodeAcceptance, Judgement, StepCode
from helio_dagster.assets.open_partitions import derived_table
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.project_assets import NO_PROJECT, ProjectAssets
from helio_dagster.assets.range_results import STAMP, RangeResults, range_stamp
from helio_dagster.assets.record_wise import LongInput, apply_by_parts
from helio_dagster.assets.table_keeping import Storing, TableKeeping, in_order, in_thread, stored, window_of
from helio_dagster.assets.writing.table_writer import SMALL_BYTES, TableWriter
from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.code_result import CodeResult
from helio_dagster.compute.operation import UNKNOWN_META
from helio_dagster.domain.errors import ComputeError, HelioError
from helio_dagster.domain.exclusions import NO_INTERVALS, Masked, intervals_of, mask, union_of
from helio_dagster.domain.named_tables import unpack_table
from helio_dagster.domain.pipeline import NamedResult, ProjectAsset
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.table import Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.claims import Claims
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.sandbox.sandbox import Sandbox

_log = logging.getLogger(__name__)
_LIBRARIES_OF_CODE = ("numpy", "pandas", "scipy", "PyWavelets")
_MOST_PRINTED = 4000
"""Maximum characters of a code step's printed output recorded with a partition."""


class ComputeMaker:
    """Apply an operation or a step's code to each partition, reading the inputs over the partition and its halo.

    `sandbox` returns the sandbox that runs code; `differing` returns the two sandboxes in which code new to the home is run
    again for comparison. Both are called only when needed. A step `over: range` is evaluated once for each of the ranges that
    `ranges` makes of the requested partitions; its table is stored under the range's key.
    """

    def __init__(
        self,
        graph: AssetGraph,
        store: TableStore,
        tables: TableCache,
        sandbox: Callable[[], Sandbox],
        differing: Callable[[], tuple[Sandbox, Sandbox]],
        ranges: RangeResults,
        claims: Claims | None = None,
        writer: TableWriter | None = None,
        *,
        threads: int,
        project: ProjectAssets = NO_PROJECT,
    ) -> None:
        self._graph, self._tables, self._sandbox, self._threads = graph, tables, sandbox, threads
        self._ranges, self._project = ranges, project
        self._keeping = TableKeeping(store, tables, claims, writer)
        self._acceptance = CodeAcceptance(store, differing)

    def __call__(self, node: AssetNode, batch: Batch) -> Iterator[Made]:
        """Make the partitions and yield them in order; several run at once after a large one, or if code runs in a sandbox."""
        with self._project.loading() if node.project else nullcontext():
            yield from self._make_batch(node, batch)

    def _make_batch(self, node: AssetNode, batch: Batch) -> Iterator[Made]:
        if not node.is_over_range:
            yield from self._make_all(node, batch.pending)
            return
        by_key = {item.partition: item for item in batch.pending}
        covered = {span: [by_key[key] for key in keys] for span, keys in self._ranges.spans(node, list(by_key))}
        wholes = [self._over_range(node, span, items) for span, items in covered.items()]
        for made, items in zip(self._make_all(node, wholes), covered.values(), strict=True):
            yield from (Made(item, made.outcome, made.metadata) for item in items)

    def _over_range(self, node: AssetNode, span: TimeRange, items: Sequence[Pending]) -> Pending:
        """What a result over a range is made from: the inputs of all partitions that it covers, under the key of the range."""
        key, upstream = span_key(span), {}
        for asset in items[0].upstream:
            pairs = [pair for item in items for pair in item.upstream[asset]]
            if asset in self._graph.nodes and self._graph[asset].is_over_range:
                pairs = [(key, version) for _, version in pairs]
            upstream[asset] = tuple(dict.fromkeys(pairs))
        stamp = range_stamp(node, [(item.partition, item.inputs) for item in items])
        return Pending(key, stamp, upstream, tuple(items))

    def _make_all(self, node: AssetNode, pending: Sequence[Pending]) -> Iterator[Made]:
        code, left = self._code(node), deque(pending)
        judged = Judgement() if code is None else self._judge(node, code, pending)
        if code is None:
            yield from in_order(self._one_by_one(node, left, judged))
        with ThreadPoolExecutor(self._threads, thread_name_prefix="compute") as pool:
            yield from in_order(in_thread(pool, partial(self._begin, node, item, judged)) for item in left)

    def _one_by_one(self, node: AssetNode, left: deque[Pending], judged: Judgement) -> Iterator[Storing]:
        """Begin partitions in this thread, up to one that is worth another thread."""
        while left:
            begun = self._begin(node, left.popleft(), judged)
            yield begun
            if begun.bytes_here > SMALL_BYTES:
                return

    def _code(self, node: AssetNode) -> StepCode | None:
        """The code that a step runs; None for a shipped operation."""
        compute = node.step.compute
        if compute is None or isinstance(node.step, NamedResult):
            return None
        if compute.operation is None:
            return StepCode(compute.code or "", tuple(compute.inputs))
        operation = self._graph.operation(compute.operation)
        if not isinstance(operation, CodeOperation):
            return None
        return StepCode(operation.file.code, (*operation.inputs, *operation.file.options))

    def _judge(self, node: AssetNode, code: StepCode, pending: Sequence[Pending]) -> Judgement:
        judged = self._acceptance.judge(node, code, pending, lambda item, place: self._result(node, item, lambda: place))
        if judged.compared is not None:
            _log.info(
                "step %s: new code, run twice more on %s in different environments with the same result",
                node.step.id,
                judged.compared,
            )
        return judged

    def _begin(self, node: AssetNode, item: Pending, judged: Judgement) -> Storing:
        """Compute a partition and begin to store it."""
        if item.partition in judged.errors:
            return stored(Made(item, Outcome("failed", error=judged.errors[item.partition]), {}))
        window = window_of(node, item.partition)
        try:
            result = self._result(node, item, self._sandbox)
            masked = self._masked(node, item, window, result.table)
        except HelioError as error:
            return stored(Made(item, Outcome("failed", error=error), {}))
        provenance: dict[str, Any] = {"code": node.code_version, **self._what_was_done(node), "inputs": made_from(item)}
        if node.excluded:
            provenance["excluded"] = masked.summary(list(node.excluded), window)
        if node.is_over_range:
            provenance |= {STAMP: item.inputs, "partitions": {each.partition: made_from(each) for each in item.covered}}
        extra: dict[str, Any] = {"made_from": {asset: [key for key, _ in found] for asset, found in item.upstream.items()}}
        if result.printed:
            _log.info("step %s, %s, printed:\n%s", node.step.id, item.partition, indent(result.printed, "  | ", lambda _: True))
            extra["printed"] = result.printed[:_MOST_PRINTED]
        if item.partition == judged.compared:
            extra["is_twice_the_same"] = True
        is_read = bool(self._graph.children[node.name] or node.expected)
        return self._keeping.begin(
            node, item, window, masked.table, provenance, extra, excluded_s=masked.seconds, is_read=is_read
        )

    def _result(self, node: AssetNode, item: Pending, sandbox: Callable[[], Sandbox]) -> CodeResult:
        """Compute a partition without storing it; it has the marks of what it is made from, such as that it is predicted."""
        window = window_of(node, item.partition)
        if (by_parts := self._by_parts(node, item, window)) is not None:
            return by_parts
        inputs = {name: self._read(node, asset, item, window) for name, asset in node.data_inputs.items()}
        if node.project and node.step.compute is not None:
            inputs |= {name: self._read_project(node, given, item, window) for name, given in node.project.items()}
            inputs = {name: inputs[name] for name in node.step.compute.inputs}
        result = self._computed(node, inputs, window, sandbox)
        return _marked(node, result, [each.meta for each in inputs.values()], window)

    def _by_parts(self, node: AssetNode, item: Pending, window: TimeRange) -> CodeResult | None:
        """What a record-wise operation makes of a large first input, read some records at a time; None of any other step."""
        compute = node.step.compute
        if compute is None or isinstance(node.step, NamedResult) or compute.operation is None:
            return None
        operation = self._graph.operation(compute.operation)
        first = next(iter(operation.inputs), "")
        if not operation.is_record_wise or first not in node.data_inputs:
            return None
        long = LongInput(self._tables.store, node.data_inputs[first], item)
        if not long.is_long:
            return None
        others = {name: self._read(node, asset, item, window) for name, asset in node.data_inputs.items() if name != first}
        options = operation.read_options(compute.options)
        table = apply_by_parts(operation, long.parts(node, window), others, options, window, node.step.id)
        return _marked(node, CodeResult(table, ""), [*long.metas, *(each.meta for each in others.values())], window)

    def _computed(
        self, node: AssetNode, inputs: Mapping[str, Table], window: TimeRange, sandbox: Callable[[], Sandbox]
    ) -> CodeResult:
        compute = node.step.compute
        if compute is None:  # what is left of a fetch
            return CodeResult(inputs["data"], "")
        if isinstance(node.step, NamedResult):
            return CodeResult(unpack_table(inputs["code"], node.step.id), "")
        if compute.operation is not None:
            operation = self._graph.operation(compute.operation)
            options = operation.read_options(compute.options)
            if isinstance(operation, CodeOperation):
                return operation.confined_by(sandbox).run(inputs, options, window, node.step.id)
            return CodeResult(operation.apply(inputs, options, window, node.step.id).clip(window), "")
        from helio_dagster.compute.code_step import run_code, run_code_for_results  # pandas, for which a run need not wait

        if compute.results is not None:
            return run_code_for_results(
                sandbox(),
                compute.code or "",
                inputs,
                compute.results,
                window=window,
                lookback=node.lookback,
                lookahead=node.lookahead,
                name=node.step.id,
            )
        return run_code(
            sandbox(),
            compute.code or "",
            inputs,
            window=window,
            lookback=node.lookback,
            lookahead=node.lookahead,
            unit=compute.unit,
            frame=compute.frame,
            name=node.step.id,
            kind=compute.kind,
            units=compute.units,
        )

    def _masked(self, node: AssetNode, item: Pending, window: TimeRange, table: Table) -> Masked:
        """A result without the samples inside excluded intervals."""
        if not node.excluded:
            return Masked(table, 0, NO_INTERVALS)
        lists = []
        for asset, exclusion in node.excluded.items():
            if exclusion.packed is not None:
                lists.append(exclusion.intervals)
                continue
            found = [self._tables.read(asset, key, version) for key, version in item.upstream[asset] if version is not None]
            lists.append(intervals_of(concatenate(found), asset) if found else NO_INTERVALS)
        return mask(table, union_of(lists), window)

    def _what_was_done(self, node: AssetNode) -> dict[str, Any]:
        """Operation and options, or the code; and the relevant versions."""
        compute = node.step.compute
        if compute is None:
            return {"versions": {"helio_dagster": __version__}}
        operation = self._graph.operation(compute.operation) if compute.operation is not None else None
        body = operation.file.code if isinstance(operation, CodeOperation) else compute.code
        if isinstance(node.step, NamedResult):
            return {"result": f"{node.step.id} of {node.step.made_by}", "versions": {"helio_dagster": __version__}}
        done: dict[str, Any] = {} if operation is None else {"operation": compute.operation, "options": compute.options}
        if body is None:
            return {**done, "versions": {"helio_dagster": __version__}}
        return {**done, "body": body, "versions": {"helio_dagster": __version__, **_library_versions()}}

    def _read(self, node: AssetNode, asset: str, item: Pending, window: TimeRange) -> Table:
        upstream, versions = self._graph[asset], item.upstream[asset]
        if node.events is not None and asset == node.events.list_asset:
            return node.events.rows_of([each.partition or "" for each in item.covered or (item,)])
        found = [self._tables.read(asset, key, version) for key, version in versions if version is not None]
        if not found:
            return Table.empty(UNKNOWN_META)
        try:
            parts = [node.read_part(table, window) for table in found] if upstream.grain is not None else found
            return concatenate(parts, of_events=upstream.events is not None)
        except ValueError as error:
            hint = "The archive changed the product between them: split the pipeline at that date."
            hint = "Read a step with a row for each event, such as facts_of or superposed_epoch." if upstream.events else hint
            raise ComputeError(f"partitions of {asset} do not fit together: {error}", hint=hint) from error

    def _read_project(self, node: AssetNode, given: ProjectAsset, item: Pending, window: TimeRange) -> Table:
        """The records of an asset of the project around; one without partitions of time is read whole."""
        keys = [key for key, version in item.upstream[given.asset] if version is not None]
        found = sorted((self._project.read(given, key) for key in keys), key=lambda table: table.time[:1].tolist())
        try:
            joined = concatenate(found) if found else Table.empty(UNKNOWN_META)
        except ValueError as error:
            hint = "Let it have the same columns and units in all of them, and each time in one of them."
            raise ComputeError(f"partitions of the asset {given.asset} do not fit together: {error}", hint=hint) from error
        return joined if keys == [None] else node.read_part(joined, window)


@cache
def _library_versions() -> dict[str, str]:
    """Versions of the libraries that code may call; cached, because looking them up reads files."""
    return {name: version(name) for name in _LIBRARIES_OF_CODE}


def _marked(node: AssetNode, result: CodeResult, inputs: Iterable[TableMeta], window: TimeRange) -> CodeResult:
    """A result with the marks of what it is made from."""
    return replace(result, table=derived_table(result.table, inputs, window, node.lookahead))
