"""Decide which partitions are up to date, and why the others are not.

A partition is fresh if its code version and the data versions of all its inputs match its last record, its file is intact, and
no input will change. The time it was made does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Literal

from helio_dagster.assets.asset_names import short_name
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.judgements import Judgements
from helio_dagster.assets.open_partitions import open_end, replaced_in_words, still_open
from helio_dagster.assets.outcomes import Record, RecordReader
from helio_dagster.assets.project_assets import NO_PROJECT, ProjectAssets, ProjectReads, ProjectView, Versions
from helio_dagster.assets.range_results import RangeResults, Stored
from helio_dagster.domain.errors import CodeError, CodeRefused, ComputeError, FigureError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.tables import TableStore

PartitionState = Literal["fresh", "stale", "missing", "empty", "failed"]
_INPUTS_CHANGED = "its inputs changed"
_HOPELESS = frozenset({ComputeError.__name__, CodeError.__name__, CodeRefused.__name__, FigureError.__name__})
"""Kinds of failures that another try with the same code and inputs only repeats."""


@dataclass(frozen=True)
class Assessment:
    """State of one partition, the reasons for it, and its record.

    `is_hopeless` says that it, or something it is made from, failed in a way that the same code does with the same inputs.
    """

    state: PartitionState
    why: tuple[str, ...] = ()
    data_version: str | None = None
    code_version: str | None = None
    is_hopeless: bool = False

    @property
    def is_current(self) -> bool:
        """Whether a run would reuse it."""
        return self.state in ("fresh", "empty")


def attempt_of(node: AssetNode, inputs: str) -> str:
    """What a partition is made from in one attempt: its code and the fingerprint of its inputs."""
    return f"{node.code_version} {inputs}"


def fingerprint(upstream: Mapping[str, Versions]) -> str:
    """One hash over the data versions of a partition's inputs."""
    return hashlib.sha256(repr(sorted(upstream.items())).encode()).hexdigest()[:32] if upstream else "none"


def input_fingerprint(node: AssetNode, key: str | None, upstream: Mapping[str, Versions]) -> str:
    """The fingerprint of what a partition is made from; that of an event has its window too."""
    if node.events is None or key is None or not node.events.has_key(key):
        return fingerprint(upstream)
    return fingerprint({**upstream, "window": ((key, str(node.events.window(key))),)})


def upstream_versions(
    node: AssetNode,
    key: str | None,
    needs: Mapping[str, Sequence[str | None]],
    version: Callable[[str, str | None], str | None],
) -> dict[str, Versions]:
    """Input asset to the data versions of the partitions that one partition is made from.

    Of the list of events, a partition of one event reads only its own row; of a list of excluded intervals, what is inside its
    window.
    """
    found: dict[str, Versions] = {name: tuple((each, version(name, each)) for each in keys) for name, keys in needs.items()}
    window = node.grain.window(key) if key is not None and node.grain is not None and node.grain.has_key(key) else None
    for name, exclusion in node.excluded.items():
        if exclusion.packed is not None and window is not None:
            found[name] = ((None, exclusion.version(window)),)
    events = node.events
    if events is None or key is None or events.list_asset not in found:
        return found
    if not needs[events.list_asset]:  # computed by another pipeline
        found[events.list_asset] = ((key, events.events[key].version),)
    elif node.over != "range":
        found[events.list_asset] = ((None, events.events[key].version),)
    return found


def fetch_fingerprint(node: AssetNode, key: str | None, revision: str | None, record: Record | None) -> str:
    """Fingerprint of the archive's files that a fetch would be made from, as far as known.

    Unless the files of a partition were observed to differ, they count as those it was made from; but those of a partition
    that was open when it was made are never known. A partition that was made without the dataset's master is made from the
    files alone, whatever was observed of the master.
    """
    if revision is None:
        return record.inputs if record and open_end(record.inputs) is None else "none"
    of_files = fingerprint({node.files: ((key, revision.partition(".")[0]),)})
    return of_files if record and record.inputs == of_files else fingerprint({node.files: ((key, revision),)})


def recorded_upstream(
    node: AssetNode, upstream: Mapping[str, Versions], list_version: Callable[[str], str | None]
) -> dict[str, str]:
    """Input asset to the one data version that Dagster records of it.

    Of a list of which the partition reads its own rows alone, that is the version of the whole list: Dagster compares it with
    the list's own, so it calls stale what a changed list may have touched.
    """
    lists = [name for name in node.parted_lists if name in upstream and upstream[name][0][0] is None]
    own = {name: list_version(name) or "none" for name in lists}
    return {asset: combined_version(versions) for asset, versions in upstream.items()} | own


def combined_version(versions: Versions) -> str:
    """One version over the partitions of an input: that of a single partition, else a hash over all."""
    if len(versions) == 1:
        return versions[0][1] or "none"
    return hashlib.sha256(repr(versions).encode()).hexdigest()[:32]


def differs(
    node: AssetNode, key: str | None, inputs: str, record: Record | None, store: TableStore, *, has_failed: bool
) -> str | Stored:
    """Why a partition cannot be reused, or what can be; `has_failed` says whether its last attempt failed."""
    if record is None:
        return "not materialized"
    if record.code_version != node.code_version:
        return "its list changed" if node.kind == "table" else "its code changed"
    if (until := open_end(record.inputs)) is not None:
        return still_open(until)
    if record.inputs != inputs:
        return "the archive's files changed" if node.kind == "fetch" else _INPUTS_CHANGED
    if has_failed:
        return "its last attempt failed"
    if node.is_over_range:
        return Stored("data", record.data_version)
    stamp = store.stamp(node.name, key)
    if stamp is None:
        return "its file is damaged" if store.has_file(node.name, key) else "its file is missing"
    return Stored(stamp[1], stamp[0]) if stamp[0] == record.data_version else "its file differs from the recorded one"


def demand(graph: AssetGraph, targets: Mapping[str, Sequence[str | None]], now: datetime) -> dict[str, list[str | None]]:
    """The partitions of every asset that the targets need, halos and other grains included; inputs first."""
    wanted: dict[str, dict[str | None, None]] = {name: dict.fromkeys(keys) for name, keys in targets.items()}
    for name in reversed(graph.with_ancestors(targets)):
        for key in list(wanted.get(name, ())):
            for upstream, keys in graph.needs(graph[name], key, now).items():
                wanted.setdefault(upstream, {}).update(dict.fromkeys(keys))
    return {name: sorted(wanted[name], key=str) for name in graph.with_ancestors(targets) if name in wanted}


def assess(
    graph: AssetGraph,
    targets: Mapping[str, Sequence[str | None]],
    *,
    ledger: RecordReader,
    store: TableStore,
    now: datetime,
    ranges: RangeResults | None = None,
    judgements: Judgements | None = None,
    shown: TimeRange | None = None,
    project: ProjectAssets = NO_PROJECT,
) -> dict[str, dict[str | None, Assessment]]:
    """State of all partitions that the targets need, from one bulk read per asset.

    With `ranges`, a figure or other result over a range is fresh only if it exists for exactly the range that the targets make;
    without, if it was made last for any range. With `judgements`, what reads a result that is not as expected, of a step whose
    expectation blocks, has failed; `shown` is the range of results over ranges if it is shorter than the partitions. `project`
    knows the assets around that steps read; without it, what reads them is never up to date.

    Returns
    -------
    dict
        Asset to partition to assessment, inputs first; includes the assets that the targets are made from.
    """
    wanted = demand(graph, targets, now)
    found: dict[str, dict[str | None, Assessment]] = {}
    for name, keys in wanted.items():
        node, recorded, failures = graph[name], ledger.latest(name, keys), store.failures(name)
        revisions = (
            ledger.observed(node.files, [key for key in keys if key in recorded and key is not None]) if node.files else {}
        )
        needs = {key: graph.needs(node, key, now) for key in keys}
        view = ProjectView(node, project)
        around = {key: view.reads(key) for key in keys}
        inputs = {
            key: _inputs(node, key, needs[key], found, around[key], revision=revisions.get(key or ""), record=recorded.get(key))
            for key in keys
        }
        whole = ranges.stored(node, inputs) if ranges is not None and node.is_over_range else None
        found[name] = {
            key: _assess_one(
                node,
                key,
                inputs[key],
                needs[key],
                recorded.get(key),
                found,
                failure=failures.get(key),
                store=store,
                whole=whole.get(key) if whole else None,
            )
            for key in keys
        }
        found[name] |= {
            key: replace(found[name][key], state="stale" if key in recorded else "missing", why=(each.trouble.problem,))
            for key, each in around.items()
            if each.trouble is not None
        }
        found[name] |= {key: replace(each, is_hopeless=True) for key, each in found[name].items() if _waits(needs[key], found)}
        if whole is not None:
            found[name] |= {key: _not_for_this_range(each) for key, each in found[name].items() if key not in whole}
        if judgements is not None:
            found[name] |= _stopped(graph, node, needs, found, judgements, shown)
    return found


def _waits(needs: Mapping[str, Sequence[str | None]], found: Mapping[str, Mapping[str | None, Assessment]]) -> bool:
    """Whether an input of a partition is hopeless."""
    return any(found[name][key].is_hopeless for name, keys in needs.items() for key in keys)


def _stopped(
    graph: AssetGraph,
    node: AssetNode,
    needs: Mapping[str | None, Mapping[str, Sequence[str | None]]],
    found: Mapping[str, Mapping[str | None, Assessment]],
    judgements: Judgements,
    shown: TimeRange | None,
) -> dict[str | None, Assessment]:
    """Partitions that a run would skip because an input is up to date, but not as expected."""
    stopped: dict[str | None, Assessment] = {}
    for asset in dict.fromkeys(node.inputs.values()):
        if not graph[asset].expected:
            continue
        wanted = dict.fromkeys(each for needed in needs.values() for each in needed[asset])
        versions = {key: found[asset][key].data_version for key in wanted if found[asset][key].is_current}
        bad = judgements.blocking(node, graph[asset], versions, shown=shown)
        for key, needed in needs.items():
            for each in needed[asset]:
                if each in bad and key not in stopped:
                    why = f"its input {short_name(asset)} {each} is not as expected: {bad[each]}"
                    stopped[key] = replace(found[node.name][key], state="failed", why=(why,))
    return stopped


def _inputs(
    node: AssetNode,
    key: str | None,
    needs: Mapping[str, Sequence[str | None]],
    found: Mapping[str, Mapping[str | None, Assessment]],
    around: ProjectReads,
    *,
    revision: str | None,
    record: Record | None,
) -> str:
    """Fingerprint of what a partition would be made from."""
    if node.files:
        return fetch_fingerprint(node, key, revision, record)
    upstream = upstream_versions(node, key, needs, lambda name, each: found[name][each].data_version)
    return input_fingerprint(node, key, {**upstream, **around.versions})


def _not_for_this_range(assessed: Assessment) -> Assessment:
    """The state where every partition is current, but there is no result for exactly the range."""
    return replace(assessed, state="stale", why=("not made for this range yet",)) if assessed.is_current else assessed


def _assess_one(
    node: AssetNode,
    key: str | None,
    inputs: str,
    needs: Mapping[str, Sequence[str | None]],
    record: Record | None,
    found: Mapping[str, Mapping[str | None, Assessment]],
    *,
    failure: Mapping[str, str] | None,
    store: TableStore,
    whole: Stored | None = None,
) -> Assessment:
    """`whole` is the result for exactly the range that is asked for, where there is one."""
    own = node.parted_lists  # its own rows are among the inputs, whatever else a list holds
    needs = {name: keys for name, keys in needs.items() if name not in own} if own else needs
    version = record.data_version if record else None
    code = record.code_version if record else None
    if failure is not None:
        is_hopeless = failure.get("kind") in _HOPELESS and failure.get("attempt") == attempt_of(node, inputs)
        return Assessment("failed", (failure["error"],), version, code, is_hopeless)
    reason = differs(node, key, inputs, record, store, has_failed=False)
    if whole is not None and (reason == _INPUTS_CHANGED or isinstance(reason, Stored)):
        reason, version = whole, whole.data_version  # another range was run since
    if isinstance(reason, Stored):
        changing = _changing(needs, found)
        if changing:
            return Assessment("stale", changing, version, code)
        why: tuple[str, ...] = ("all values are fill",) if reason.status == "all_fill" else ()
        why += (replaced_in_words(record.replaced),) if record is not None and record.replaced else ()
        return Assessment("empty" if reason.status == "empty" else "fresh", why, version, code)
    if record is None:
        return _missing(reason)
    return Assessment(
        "stale", (_precise(reason, needs, found, own, node.project_names), *_changing(needs, found)), version, code
    )


@lru_cache(maxsize=16)
def _missing(reason: str) -> Assessment:
    """One object for all partitions that were never made: of a first run, that is all of them."""
    return Assessment("missing", (reason,), None, None)


def _changing(
    needs: Mapping[str, Sequence[str | None]], found: Mapping[str, Mapping[str | None, Assessment]]
) -> tuple[str, ...]:
    """One line per input that will change, by its short name."""
    return tuple(
        f"{short_name(name)} will change"
        for name, keys in needs.items()
        if any(not found[name][key].is_current for key in keys)
    )


def _precise(
    reason: str,
    needs: Mapping[str, Sequence[str | None]],
    found: Mapping[str, Mapping[str | None, Assessment]],
    lists: Iterable[str],
    around: Sequence[str],
) -> str:
    if reason != _INPUTS_CHANGED:
        return reason
    current = [name for name, keys in needs.items() if all(found[name][key].is_current for key in keys)]
    current += sorted(lists)
    names = ", ".join([*map(short_name, current), *around])
    return f"its inputs changed ({names})" if names else reason
