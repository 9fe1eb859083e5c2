"""Record materializations and observations per partition in Dagster's event log.

One run covers many partitions, each with its own data version, but Dagster's public results copy one version to all. So an
asset's body logs one event per partition itself and ends with `quiet_result`, which yields no further event. Dagster's planned
events remain, so in a failed run exactly the partitions without an event count as failed. A contract test checks that the
installed Dagster behaves this way.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

import dagster as dg

from helio_dagster.assets.metadata import dagster_metadata
from helio_dagster.assets.outcomes import Materialization, Observation, Record
from helio_dagster.resources.batched_events import BatchedEventLog
from helio_dagster.resources.dagster_internals import (
    BACKFILL_ID_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    INPUT_EVENT_POINTER_TAG_PREFIX,
    NULL_DATA_VERSION,
    SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION,
    AssetObservationData,
    DagsterEvent,
    DagsterEventType,
    NoValueSentinel,
    StepMaterializationData,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
    replace,
)
from helio_dagster.resources.record_tags import CODE_VERSION_TAG, DATA_VERSION_TAG, INPUTS_TAG, REPLACED_TAG

FLUSH_AT = 100
"""Maximum number of partitions in one transaction, and so the most that a kill can lose."""
FLUSH_AFTER_S = 2.0
"""Maximum time in s that a partition is buffered while others are made, and so the most work that a kill can lose."""
NO_VALUE = NoValueSentinel
"""What Dagster checks against an asset's type where the body gives it no value, as `quiet_result` does not."""
_PAGE = 1000
_READ_TAGS = [DATA_VERSION_TAG, CODE_VERSION_TAG, INPUTS_TAG, REPLACED_TAG]
_POINTER = f"{INPUT_EVENT_POINTER_TAG_PREFIX}/"
_MADE, _SEEN = DagsterEventType.ASSET_MATERIALIZATION, DagsterEventType.ASSET_OBSERVATION


@lru_cache(maxsize=4096)
def asset_key(name: str) -> dg.AssetKey:
    """The key of an asset named by its parts joined with `/`."""
    return dg.AssetKey(name.split("/"))


def quiet_result() -> dg.MaterializeResult[Any]:
    """The result of a body that has logged its own events: satisfies Dagster and records nothing."""
    return dg.MaterializeResult(metadata={SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION: True})


class DagsterLedger:
    """The event log of an instance as a ledger.

    With a `context`, records are events of the running step; without one they belong to no run, and Dagster treats them as
    reported from outside.
    """

    def __init__(
        self,
        instance: dg.DagsterInstance,
        context: dg.AssetExecutionContext | None = None,
        *,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._instance = instance
        self._context = context
        self._stopwatch = stopwatch
        self._since = 0.0
        self._pending: list[Materialization] = []
        self._newest: dict[str, int] = {}
        self._alike: dict[str, dg.AssetMaterialization] = {}
        self._last_ms = int(time.time() * 1000)

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:
        """The last record of each partition that has one."""
        key = asset_key(asset)
        if list(partitions) == [None]:
            unpartitioned = self._latest_events(key, partitions).get(None)
            record = _record_from_tags(unpartitioned.tags or {}) if unpartitioned else None
            return {None: record} if record else {}
        keys = [partition for partition in partitions if partition is not None]
        storage = self._instance.event_log_storage
        if isinstance(storage, BatchedEventLog):
            tags: Mapping[str, Mapping[str, str]] = storage.get_latest_tags_by_partition(
                key, DagsterEventType.ASSET_MATERIALIZATION, _READ_TAGS, _narrow(keys)
            )
            keys = [each for each in keys if DATA_VERSION_TAG in tags.get(each, {}) and CODE_VERSION_TAG not in tags[each]]
        else:
            tags = {}
        wanted = set(partitions)
        # Dagster's own storages index only some of the tags, and so do ours of what was recorded through them before
        tags = {
            **tags,
            **{each: event.tags or {} for each, event in self._latest_events(key, keys).items() if each is not None},
        }
        records = {partition: _record_from_tags(found) for partition, found in tags.items() if partition in wanted}
        return {partition: record for partition, record in records.items() if record is not None}

    def observed(self, files: str, partitions: Sequence[str]) -> Mapping[str, str]:
        """The last observed revision of each partition of an archive's files that has one."""
        if not partitions:
            return {}
        found = self._instance.event_log_storage.get_latest_tags_by_partition(
            asset_key(files), DagsterEventType.ASSET_OBSERVATION, [DATA_VERSION_TAG], _narrow(list(partitions))
        )
        wanted = set(partitions)
        return {partition: tags[DATA_VERSION_TAG] for partition, tags in found.items() if partition in wanted}

    def partitions(self, asset: str) -> set[str]:
        """The partitions of an asset that were ever recorded."""
        return set(self._instance.get_materialized_partitions(asset_key(asset)))

    def has_any(self, asset: str) -> bool:
        """Whether anything of an asset was ever recorded."""
        return self._instance.get_latest_materialization_event(asset_key(asset)) is not None

    def observe(self, files: str, observations: Mapping[str, Observation]) -> None:
        """Record observations by partition, immediately: as events of the running step, or of no run."""
        seen = [
            dg.AssetObservation(
                asset_key(files),
                partition=partition,
                metadata=dagster_metadata(observation.details),
                tags={DATA_VERSION_TAG: observation.revision, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"},
            )
            for partition, observation in observations.items()
        ]
        self._newest.pop(files, None)
        self._log(seen)

    def record(self, materialization: Materialization) -> None:
        """Record one partition at the next flush, at the latest after `FLUSH_AT` partitions or `FLUSH_AFTER_S`."""
        now = self._stopwatch()
        self._since = self._since if self._pending else now
        self._pending.append(materialization)
        if len(self._pending) >= FLUSH_AT or now - self._since >= FLUSH_AFTER_S:
            self.flush()

    def flush(self) -> None:
        """Write what is buffered, in one transaction if the storage supports it."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        events = [self._event(materialization) for materialization in pending]
        for materialization in pending:
            self._newest.pop(materialization.asset, None)
        self._log(events)

    def confirm(self, asset: str, files: str, partitions: Sequence[str]) -> None:
        """Record that partitions are made from the files as last observed, if their own record is older than the observation.

        If files changed and changed back, or a master that only others are made with, a partition is up to date, but Dagster
        only sees that something changed.
        """
        storage, key = self._instance.event_log_storage, asset_key(files)
        seen = storage.get_latest_storage_id_by_partition(key, _SEEN, set(_narrow(list(partitions)) or ()) or None)
        pointer = get_input_event_pointer_tag(key)
        made = self._latest_events(asset_key(asset), [each for each in partitions if each in seen])
        known = {each: int((event.tags or {}).get(pointer, 0)) for each, event in made.items()}
        late = [each for each in partitions if each in known and known[each] < seen[each]]
        self.repeat(asset, late, observed={files: self.observed(files, late)})

    def repeat(
        self,
        asset: str,
        partitions: Sequence[str | None],
        *,
        lists: Iterable[str] = (),
        observed: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Record up-to-date partitions again, unchanged: a backfill counts only events of its own runs.

        Of `lists`, which are inputs without partitions, they are up to date with the present version whatever changed in
        rows that are not theirs; Dagster, which compares the version of the whole list, then calls them fresh, too. The same
        holds of `observed` files and their revisions by partition.
        """
        key = asset_key(asset)
        found = self._latest_events(key, partitions)
        present = {
            get_input_data_version_tag(asset_key(name)): record.data_version
            for name in lists
            for record in self.latest(name, [None]).values()
        }
        events = []
        for partition in partitions:
            last = found.get(partition)
            if last is not None:
                tags = {name: value for name, value in (last.tags or {}).items() if name != BACKFILL_ID_TAG}
                inputs = [name.removeprefix(_POINTER) for name in tags if name.startswith(_POINTER)]
                tags |= {f"{_POINTER}{name}": str(self._newest_storage_id(name)) for name in inputs}
                tags |= {name: version for name, version in present.items() if name in tags}
                tags |= {
                    get_input_data_version_tag(asset_key(name)): revisions[partition]
                    for name, revisions in (observed or {}).items()
                    if partition is not None and partition in revisions
                }
                metadata: dict[str, Any] = {**last.metadata, "reused": True}
                events.append(dg.AssetMaterialization(key, partition=partition, metadata=metadata, tags=tags))
        self._newest.pop(asset, None)
        self._log(events)

    def report_checks(self, results: Iterable[dg.AssetCheckResult]) -> None:
        """Record check results for stored data, outside any run."""
        self.report_evaluations(_evaluation(result) for result in results)

    def report_evaluations(self, evaluations: Iterable[dg.AssetCheckEvaluation]) -> None:
        """Record evaluations of checks, outside any run; other storages than ours keep only one of them by partition."""
        is_ours = isinstance(self._instance.event_log_storage, BatchedEventLog)
        listed = [each if is_ours else _of_all_partitions(each) for each in evaluations]
        with _together(self._instance):
            for each in listed:
                self._instance.report_runless_asset_event(each)

    def _log(self, happened: Sequence[dg.AssetMaterialization | dg.AssetObservation]) -> None:
        """Log events of the running step, in one transaction if the storage supports it.

        Like `context.log_event`, but directly to the instance: a year of partitions need not pass through Python's logging.
        """
        if self._context is None:
            with _together(self._instance):
                for each in happened:
                    self._instance.report_runless_asset_event(each)
            return
        step = self._context.get_step_execution_context()
        moments = self._moments(len(happened))
        alike: dict[tuple[type, dg.AssetKey], DagsterEvent] = {}
        with _together(self._instance):
            for moment, each in zip(moments, happened, strict=True):
                like = alike.get((type(each), each.asset_key))
                if like is None:
                    what = _MADE if isinstance(each, dg.AssetMaterialization) else _SEEN
                    like = alike[type(each), each.asset_key] = DagsterEvent(
                        event_type_value=what.value,
                        job_name=step.job_name,
                        step_handle=step.step.handle,
                        node_handle=step.step.node_handle,
                        step_kind_value=step.step.kind.value,
                        logging_tags=step.event_tags,
                        event_specific_data=_data_of(each),
                        message=f"{'Materialized' if what is _MADE else 'Observed'} {each.label}.",
                        pid=os.getpid(),
                    )
                event = like._replace(event_specific_data=_data_of(each))  # without checking again what is the same
                self._instance.report_dagster_event(event, step.run_id, logging.DEBUG, timestamp=moment)

    def _moments(self, count: int) -> list[float]:
        """Times for so many events, each in a millisecond of its own: Dagster's page shows those of one millisecond as one."""
        first = max(self._last_ms + 1, int(time.time() * 1000) - count)
        self._last_ms = first + count - 1
        return [(first + place + 0.5) / 1000 for place in range(count)]

    def _event(self, made: Materialization) -> dg.AssetMaterialization:
        tags = {
            DATA_VERSION_TAG: made.record.data_version,
            CODE_VERSION_TAG: made.record.code_version,
            DATA_VERSION_IS_USER_PROVIDED_TAG: "true",
            INPUTS_TAG: made.record.inputs,
        }
        if made.record.replaced:
            tags[REPLACED_TAG] = made.record.replaced
        for name, version in made.upstream.items():
            version_tag, pointer_tag = _input_tags(name)
            tags[version_tag] = version or NULL_DATA_VERSION.value
            tags[pointer_tag] = str(self._newest_storage_id(name))
        metadata = dagster_metadata(made.metadata, is_partition=made.partition is not None)
        like = self._alike.get(made.asset)
        if like is None or tags.keys() != (like.tags or {}).keys():
            like = dg.AssetMaterialization(asset_key(made.asset), metadata=metadata, tags=tags)
            self._alike[made.asset] = like
        return like._replace(partition=made.partition, metadata=metadata, tags=tags)  # the names of its tags were checked

    def _newest_storage_id(self, name: str) -> int:
        """The storage id of the event that was an asset's latest when its child was made.

        For an asset that is only observed, use the newest event overall: with no id, Dagster would treat the first observation
        as already seen.
        """
        if name not in self._newest:
            found = self._instance.fetch_materializations(asset_key(name), limit=1).records
            newest = found[0].storage_id if found else self._instance.event_log_storage.get_maximum_record_id()
            self._newest[name] = newest or 1  # in an empty log, the first event, which is not the input's
        return self._newest[name]

    def _latest_events(self, key: dg.AssetKey, partitions: Sequence[str | None]) -> dict[str | None, dg.AssetMaterialization]:
        """The last event of each partition from any storage, searched newest first until every partition is found."""
        if list(partitions) == [None]:
            event = self._instance.get_latest_materialization_event(key)
            return {None: event.asset_materialization} if event and event.asset_materialization else {}
        events: dict[str | None, dg.AssetMaterialization] = {}
        keys = [partition for partition in partitions if partition is not None]
        for first in range(0, len(keys), _PAGE):
            wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=keys[first : first + _PAGE])
            cursor: str | None = None
            while True:
                page = self._instance.fetch_materializations(wanted, limit=_PAGE, cursor=cursor)
                for found in page.records:
                    if found.asset_materialization is not None:
                        events.setdefault(found.partition_key, found.asset_materialization)
                cursor = page.cursor
                if not page.has_more or all(each in events for each in keys[first : first + _PAGE]):
                    break
        return events


@lru_cache(maxsize=4096)
def _input_tags(name: str) -> tuple[str, str]:
    """Under which tags Dagster looks for the data version of an input, and for its newest event."""
    key = asset_key(name)
    return get_input_data_version_tag(key), get_input_event_pointer_tag(key)


def _record_from_tags(tags: Mapping[str, str]) -> Record | None:
    version = tags.get(DATA_VERSION_TAG)
    if not version:
        return None
    return Record(version, tags.get(CODE_VERSION_TAG, ""), tags.get(INPUTS_TAG, ""), replaced=tags.get(REPLACED_TAG, ""))


def _evaluation(result: dg.AssetCheckResult) -> dg.AssetCheckEvaluation:
    if result.asset_key is None or result.check_name is None:
        raise TypeError("a check's result must name its asset and check")
    return dg.AssetCheckEvaluation(
        asset_key=result.asset_key,
        check_name=result.check_name,
        passed=result.passed,
        metadata=dict(result.metadata or {}),
        severity=result.severity,
    )


def _of_all_partitions(evaluation: dg.AssetCheckEvaluation) -> dg.AssetCheckEvaluation:
    where = {"partition": evaluation.partition} if evaluation.partition else {}
    return replace(evaluation, partition=None).with_metadata({**evaluation.metadata, **where})


def _data_of(happened: dg.AssetMaterialization | dg.AssetObservation) -> StepMaterializationData | AssetObservationData:
    if isinstance(happened, dg.AssetMaterialization):
        return StepMaterializationData(happened)
    return AssetObservationData(happened)


def _together(instance: dg.DagsterInstance) -> AbstractContextManager[None]:
    """Store events logged inside the block in one transaction, if the storage supports it."""
    storage = instance.event_log_storage
    return storage.batch() if isinstance(storage, BatchedEventLog) else nullcontext()


def _narrow(keys: list[str]) -> list[str] | None:
    """The partitions to query; None, for all of them, if there are too many for one query."""
    return keys if len(keys) <= 500 else None
