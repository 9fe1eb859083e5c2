"""What of a run's results is not as expected, whichever run made them; what Dagster's record lacks is recorded."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.assets.graph import AssetNode, Expected
from helio_dagster.assets.judgements import Judgements, Verdict, judgements_of, new_verdicts
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.staleness import Assessment
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import UnmetReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.resources.workbench import Workbench

Verdicts = list[tuple[AssetNode, Expected, dict[str | None, Verdict]]]


def judge_run(
    request: RunRequest, workbench: Workbench, outcomes: Mapping[tuple[str, str | None], Outcome]
) -> list[UnmetReport]:
    """What of a run's results is not as its pipeline expects, in the order of the steps.

    Results that were reused are judged too. Verdicts that no run has recorded yet, as of a new expectation, are recorded now;
    Dagster is loaded only for that.
    """
    nodes = [node for node in request.graph.of_pipeline(request.pipeline).values() if node.expected]
    if not nodes:
        return []
    judgements, targets, found = judgements_of(workbench), request.targets, Verdicts()
    for node in nodes:
        own = {key: outcome for (name, key), outcome in outcomes.items() if name == node.name and outcome.is_usable}
        versions = {key: own[key].data_version for key in targets.get(node.name, list(own)) if key in own}
        found += _verdicts(judgements, request.pipeline, node, versions, request.shown)
    _record(found, judgements, workbench)
    return _unmet(found)


def judge_states(
    pipeline: Pipeline,
    node: AssetNode,
    states: Mapping[str | None, Assessment],
    judgements: Judgements,
    shown: TimeRange | None = None,
) -> dict[str | None, list[str]]:
    """Partition of an asset to what of it is not as a pipeline expects, in words, of those that are up to date."""
    versions = {key: state.data_version for key, state in states.items() if state.is_current}
    found: dict[str | None, list[str]] = {}
    for _, _, verdicts in _verdicts(judgements, pipeline, node, versions, shown):
        for key, verdict in verdicts.items():
            found.setdefault(key, []).extend(each.text for each in verdict.unmet)
    return found


def tell_expectations(pipeline: str, node: AssetNode, key: str | None, version: str, workbench: Workbench) -> list[str]:
    """What is expected of a stored result, and whether it is so, a line for each expectation.

    Parameters
    ----------
    pipeline
        Of a fetch, every pipeline expects something; its name is given where it is not this one.
    node, key, version
        The asset, the key of the result as stored, and its data version.
    workbench
        The home's parts.
    """
    judgements, lines = judgements_of(workbench), []
    for expected in node.expected:
        verdict = judgements.on(node, expected, key, version)
        if verdict is not None:
            whose = "" if expected.pipeline == pipeline else f"{expected.pipeline}: "
            lines.append(f"{whose}{f'not met: {verdict.text}' if verdict.unmet else f'met: {expected.expect}'}")
    return lines


def _verdicts(
    judgements: Judgements,
    pipeline: Pipeline,
    node: AssetNode,
    versions: Mapping[str | None, str | None],
    shown: TimeRange | None,
) -> Verdicts:
    own = [each for each in node.expected if each.pipeline == pipeline.name]
    return [(node, each, judgements.of(node, each, versions, shown=shown)) for each in own]


def _unmet(found: Verdicts) -> list[UnmetReport]:
    reports: dict[tuple[str, str | None, str], UnmetReport] = {}
    for node, expected, verdicts in found:
        for key, verdict in verdicts.items():
            place = verdict.key if node.over == "range" else key
            for each in verdict.unmet:
                reports[expected.step, place, each.text] = UnmetReport(
                    step=expected.step, partition=place, severity=expected.expect.severity, **each.as_plain()
                )
    return list(reports.values())


def _record(found: Verdicts, judgements: Judgements, workbench: Workbench) -> None:
    due = [(node, each, {key: verdicts[key] for key in new_verdicts(verdicts)}) for node, each, verdicts in found]
    due = [(node, each, verdicts) for node, each, verdicts in due if verdicts]
    if not due:
        return
    from helio_dagster.assets.expectation_checks import evaluations
    from helio_dagster.assets.recording import DagsterLedger
    from helio_dagster.launch.record.instance import open_instance

    with open_instance(workbench.settings) as instance:
        ledger = DagsterLedger(instance)
        for node, expected, verdicts in due:
            ledger.report_evaluations(evaluations(node, expected, verdicts, instance))
            judgements.keep(node, expected, verdicts.values())
