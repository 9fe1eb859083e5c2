"""Asset checks of what a pipeline's steps expect of their results: one evaluation for each partition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import dagster as dg

from helio_dagster.assets.graph import AssetNode, Expected
from helio_dagster.assets.judgements import Verdict
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.expectation_judging import Unmet
from helio_dagster.resources.dagster_internals import AssetCheckEvaluationTargetMaterializationData, RawMetadataValue

_PAGE = 500


def expectation_specs(node: AssetNode, partitions: dg.PartitionsDefinition[str] | None) -> list[dg.AssetCheckSpec]:
    """One check for each expectation of an asset, over its partitions."""
    return [
        dg.AssetCheckSpec(
            each.check,
            asset=asset_key(node.name),
            description=_description(each),
            blocking=each.expect.is_blocking,
            partitions_def=partitions,
        )
        for each in node.expected
    ]


def evaluations(
    node: AssetNode, expected: Expected, verdicts: Mapping[str | None, Verdict], instance: dg.DagsterInstance
) -> Iterator[dg.AssetCheckEvaluation]:
    """The verdicts as evaluations of a check, each of the newest materialization of its partition.

    None says that it blocks: Dagster would then stop every partition of the run, not only those that are not as expected, and
    the materializer stops these already.
    """
    targets = _newest(instance, asset_key(node.name), [key for key in verdicts if key is not None])
    severity = dg.AssetCheckSeverity.ERROR if expected.expect.is_blocking else dg.AssetCheckSeverity.WARN
    for key, verdict in verdicts.items():
        facts: dict[str, RawMetadataValue] = {"data version": verdict.data_version, **_facts(verdict.unmet)}
        yield dg.AssetCheckEvaluation(
            asset_key=asset_key(node.name),
            check_name=expected.check,
            passed=not verdict.unmet,
            severity=severity,
            description=verdict.text or f"As expected: {expected.expect}",
            metadata=facts,
            target_materialization_data=targets.get(key),
            blocking=False,
            partition=key,
        )


def _facts(unmet: Sequence[Unmet]) -> dict[str, RawMetadataValue]:
    """What is not as expected, for people and programs."""
    if not unmet:
        return {}
    first = unmet[0]
    shown: dict[str, RawMetadataValue] = {"limit": dg.MetadataValue.text(first.limit)}
    if first.value is not None:
        shown["value"] = dg.MetadataValue.float(first.value)
    if first.when:
        shown["when"] = dg.MetadataValue.text(first.when)
    return {**shown, "unmet": dg.MetadataValue.json([each.as_plain() for each in unmet])}


def _description(expected: Expected) -> str:
    consequence = "If not, the steps that read it are not made" if expected.expect.is_blocking else "If not, a run warns"
    return f"{expected.pipeline} expects of {expected.step}: {expected.expect}. {consequence}"


def _newest(
    instance: dg.DagsterInstance, key: dg.AssetKey, partitions: Sequence[str]
) -> dict[str | None, AssetCheckEvaluationTargetMaterializationData]:
    """The newest materialization of each partition."""
    found: dict[str | None, AssetCheckEvaluationTargetMaterializationData] = {}
    for first in range(0, len(partitions), _PAGE):
        part = partitions[first : first + _PAGE]
        ids = instance.event_log_storage.get_latest_storage_id_by_partition(
            key, dg.DagsterEventType.ASSET_MATERIALIZATION, set(part)
        )
        wanted = dg.AssetRecordsFilter(asset_key=key, storage_ids=list(ids.values()))
        for record in instance.fetch_materializations(wanted, limit=len(part)).records if ids else ():
            found[record.partition_key] = AssetCheckEvaluationTargetMaterializationData(
                storage_id=record.storage_id, run_id=record.run_id, timestamp=record.timestamp
            )
    return found
