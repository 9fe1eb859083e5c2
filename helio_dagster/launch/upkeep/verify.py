"""Remake stored partitions in a temporary home and compare them. Does not change the home or run Dagster."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.materialize import Materializer, Request
from helio_dagster.assets.memory_ledger import MemoryLedger
from helio_dagster.assets.outcomes import Outcome, Progress
from helio_dagster.assets.result_spans import stored_spans
from helio_dagster.assets.run_scope import build_materializer
from helio_dagster.assets.staleness import demand
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.verify_report import PartitionVerdict, StepVerdict, VerifyReport
from helio_dagster.figures.origin import without_texts
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.upkeep.differences import damage, explain, explain_figures
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.figure_files import FigureFiles

Wanted = Mapping[str, list[str | None]]


def verify(request: RunRequest, workbench: Workbench, *, listener: Progress | None = None) -> VerifyReport:
    """Remake the partitions of a pipeline in a temporary folder, starting from the archive's files, and compare.

    Cached downloads are reused after their hash is checked; files that the archive has changed since are downloaded.

    Parameters
    ----------
    request
        The partitions to verify.
    workbench
        The home's parts; only read.
    listener
        Called for every remade partition.

    Raises
    ------
    InputError
        None of it is stored.
    """
    nodes, name, span = request.graph.of_pipeline(request.pipeline), request.pipeline.name, request.span
    if not any(_is_stored(node, request, workbench) for node in nodes.values()):
        hint = f"Make it first: helio run {name} {format_time(span.start)} {format_time(span.stop)}"
        raise InputError(f"nothing of {name} is stored for {span}", hint=hint)
    with tempfile.TemporaryDirectory(prefix="helio-verify-") as folder:
        settings = replace(workbench.settings, home=Path(folder), tables=None)
        scratch = Workbench(settings, clock=workbench.clock, workers=workbench.workers)
        try:
            redo = _Redo(request, workbench, scratch, listener)
            steps = [StepVerdict(asset=node.name, step=step, partitions=redo.compare(node)) for step, node in nodes.items()]
        finally:
            scratch.close()
    verdicts = {each.verdict for step in steps for each in step.partitions}
    return VerifyReport(
        pipeline=name,
        start=format_time(span.start),
        stop=format_time(span.stop),
        status="differs" if verdicts & {"differs", "not_redone"} else "same",
        steps=steps,
    )


class _Redo:
    """Remakes one request in a temporary home."""

    def __init__(self, request: RunRequest, workbench: Workbench, scratch: Workbench, listener: Progress | None) -> None:
        self._request, self._workbench, self._scratch, self._listener = request, workbench, scratch, listener
        self._ledger = MemoryLedger()
        needed = demand(request.graph, request.targets, workbench.clock())
        wanted = {name: keys for name, keys in needed.items() if not request.graph[name].is_over_range}
        _borrow_downloads(request, wanted, workbench, scratch)
        self._outcomes: dict[tuple[str, str | None], Outcome] = {}
        materializer = self._materializer()
        for name, keys in wanted.items():
            for key, outcome in materializer.materialize(name, keys).items():
                self._outcomes[name, key] = outcome

    def compare(self, node: AssetNode) -> list[PartitionVerdict]:
        """Compare a step's tables, or its results over ranges inside the requested one."""
        if node.over == "range":
            found = [self._compare_result(node, span) for span in _table_spans(node, self._request, self._workbench)]
            return found or [PartitionVerdict(key=str(self._request.span), verdict="not_stored")]
        if node.kind != "figure":
            keys = self._request.targets.get(node.name) or [key for name, key in self._outcomes if name == node.name]
            return [self._compare_table(node, key) for key in keys]
        found = [self._compare_figure(node, span) for span in _figure_spans(node, self._request, self._workbench)]
        return found or [PartitionVerdict(key=str(self._request.span), verdict="not_stored")]

    def _keys(self, node: AssetNode, span: TimeRange) -> list[str | None]:
        """The partitions that a result over a range covers."""
        if node.events is not None and node.over != "range":
            return [key for key, event in node.events.events.items() if event.window == span]
        if node.events is not None:
            return list(_covered(node, span, self._workbench))
        return list(self._request.graph.partitions_of(self._request.pipeline).keys(span))

    def _compare_result(self, node: AssetNode, span: TimeRange) -> PartitionVerdict:
        """Remake the result over one range and compare it."""
        keys: list[str | None] = list(self._keys(node, span))
        outcomes = self._materializer(shown=span).materialize(node.name, keys)
        self._outcomes[node.name, span_key(span)] = outcomes[keys[0]]
        return self._compare_table(node, span_key(span))

    def _is_same_file(self, node: AssetNode, key: str | None) -> bool:
        """Whether both tables are stored as identical bytes."""
        ours, theirs = (each.store.content(node.name, key) for each in (self._workbench, self._scratch))
        return ours == theirs

    def _compare_table(self, node: AssetNode, key: str | None) -> PartitionVerdict:
        stored, redone = self._workbench.store.peek(node.name, key), self._scratch.store.peek(node.name, key)
        if stored is None and not self._workbench.store.has_file(node.name, key):
            return PartitionVerdict(key=key, verdict="not_stored")
        known = stored.data_version if stored else None
        if redone is None:
            error = self._outcomes[node.name, key].error
            why = [f"{error.problem}. {error.hint}".rstrip(". ") if error else "it was not made"]
            return PartitionVerdict(key=key, verdict="not_redone", why=why, stored=known)
        if stored is not None and self._is_same_file(node, key):
            return PartitionVerdict(key=key, verdict="same", stored=known, redone=redone.data_version)
        fault = damage(self._workbench.store, node.name, key)
        reasons = [fault] if fault or stored is None else explain(stored.provenance, redone.provenance)
        is_same = fault is None and known == redone.data_version
        return PartitionVerdict(
            key=key,
            verdict="differs",
            why=[reason for reason in reasons if reason] or ["the recorded provenance does not show why"],
            same_values=is_same,
            stored=known,
            redone=redone.data_version,
        )

    def _compare_figure(self, node: AssetNode, span: TimeRange) -> PartitionVerdict:
        keys: list[str | None] = list(self._keys(node, span))
        ours, theirs = self._workbench.figures, self._scratch.figures
        has_picture = ours.brought(node.name, span).with_suffix(".png").is_file()
        outcomes = self._materializer(has_pictures=has_picture, shown=span).materialize(node.name, keys)
        stored, redone = ours.drawn_from(node.name, span), theirs.drawn_from(node.name, span)
        errors = [outcome.error for outcome in outcomes.values() if outcome.error is not None]
        if errors or redone is None:
            why = [errors[0].problem if errors else "it was not drawn"]
            return PartitionVerdict(key=str(span), verdict="not_redone", why=why, stored=stored)
        is_same_page = ours.html(node.name, span).read_bytes() == theirs.html(node.name, span).read_bytes()
        if is_same_page and stored == redone:
            why = [_OTHER_PICTURE] if has_picture and not _is_same_picture(ours, theirs, node.name, span) else []
            return PartitionVerdict(key=str(span), verdict="differs" if why else "same", why=why, stored=stored, redone=redone)
        reasons = explain_figures(ours.provenance(node.name, span), theirs.provenance(node.name, span))
        why = reasons or ["the page was edited, or drawn by another version of helio_dagster or plotly"]
        return PartitionVerdict(key=str(span), verdict="differs", why=why, stored=stored, redone=redone)

    def _materializer(self, *, has_pictures: bool = False, shown: TimeRange | None = None) -> Materializer:
        return build_materializer(
            self._request.graph,
            self._scratch,
            self._ledger,
            request=Request(shown=shown),
            progress=self._listener,
            has_pictures=has_pictures,
        )


_OTHER_PICTURE = "the page is the same, but its PNG was edited, or drawn with other fonts"


def _is_same_picture(ours: FigureFiles, theirs: FigureFiles, asset: str, span: TimeRange) -> bool:
    """Whether the PNG came out the same; what it says of its pipeline may be of another time."""
    redone, stored = (files.png(asset, span).read_bytes() for files in (theirs, ours))
    return without_texts(redone) == without_texts(stored)


def _is_stored(node: AssetNode, request: RunRequest, workbench: Workbench) -> bool:
    if node.is_over_range:
        return bool((_figure_spans if node.kind == "figure" else _table_spans)(node, request, workbench))
    return any(workbench.store.has_file(node.name, key) for key in request.targets.get(node.name, []))


def _figure_spans(node: AssetNode, request: RunRequest, workbench: Workbench) -> list[TimeRange]:
    asked, grain = request.span, request.graph.partitions_of(request.pipeline)
    if node.events is not None and node.over != "range":
        drawn_of = [node.events.window(str(key)) for key in request.targets.get(node.name, [])]
        return [span for span in workbench.figures.spans(node.name) if span in drawn_of]
    if node.events is not None:
        return _of_requested_events(node, workbench.figures.spans(node.name), request, workbench)
    inside = [span for span in workbench.figures.spans(node.name) if asked.start <= span.start and span.stop <= asked.stop]
    drawn = [(span, workbench.figures.provenance(node.name, span).get("partitions")) for span in inside]
    is_of_now = [not isinstance(of, dict) or sorted(of) == grain.keys(span) for span, of in drawn]  # or of an earlier grain
    return [span for (span, _), is_so in zip(drawn, is_of_now, strict=True) if is_so]


def _of_requested_events(
    node: AssetNode, stored: Sequence[TimeRange], request: RunRequest, workbench: Workbench
) -> list[TimeRange]:
    """The ranges whose result was made of requested events alone."""
    requested = set(request.targets.get(node.name, []))
    return [span for span in stored if (covered := set(_covered(node, span, workbench))) and covered <= requested]


def _covered(node: AssetNode, span: TimeRange, workbench: Workbench) -> Mapping[str, object]:
    """The partitions that a stored result over a range covers, by its own provenance."""
    if node.kind == "figure":
        found = workbench.figures.provenance(node.name, span)
    else:
        stored = workbench.store.peek(node.name, span_key(span))
        found = stored.provenance if stored else {}
    partitions = found.get("partitions")
    return partitions if isinstance(partitions, dict) else {}


def _table_spans(node: AssetNode, request: RunRequest, workbench: Workbench) -> list[TimeRange]:
    asked = request.span
    stored = stored_spans(node.name, workbench.store)
    if node.events is not None:
        return _of_requested_events(node, stored, request, workbench)
    return [span for span in stored if asked.start <= span.start and span.stop <= asked.stop]


def _borrow_downloads(request: RunRequest, wanted: Wanted, workbench: Workbench, scratch: Workbench) -> None:
    """Link the downloads that the stored partitions name."""
    for name, keys in wanted.items():
        fetch = request.graph[name].fetch
        if fetch is None:
            continue
        ours, theirs = (FileCache(archive_folder(each.settings.cache, fetch.archive)) for each in (workbench, scratch))
        for key in keys:
            stored = workbench.store.peek(name, key)
            for source in stored.provenance.get("sources", []) if stored else []:
                theirs.borrow(ours, source["url"], source["last_modified"])
