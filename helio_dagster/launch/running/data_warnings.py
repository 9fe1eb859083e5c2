"""What was wrong with the data that results of a run are made from: warnings that stand in their tables, told once a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from helio_dagster.assets.graph import AssetNode
from helio_dagster.domain.report import WarningReport
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.launch.running.facts import Keys, windows_of
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.storage.tables import TableStore


def warnings_of_run(request: RunRequest, store: TableStore, usable: Keys | None = None) -> Iterator[WarningReport]:
    """The warnings of the steps whose operations say why they found nothing, with how many partitions have each.

    Parameters
    ----------
    request
        What was run.
    store
        Holds the results.
    usable
        Asset to the partitions that have a result; by default all that were asked for.
    """
    for step, node in request.graph.of_pipeline(request.pipeline).items():
        if not _may_warn(node, request):
            continue
        keys = [key for key, _ in windows_of(node, request, (request.targets if usable is None else usable).get(node.name, []))]
        stored = [found for key in keys if (found := store.peek(node.name, key)) is not None]
        texts = Counter(str(text) for each in stored for text in each.meta.attributes.get(WARNINGS, ()))
        for text, count in texts.items():
            yield WarningReport(step=step, text=text, partitions=count, of=len(stored))


def _may_warn(node: AssetNode, request: RunRequest) -> bool:
    """Whether a step's result may have such a warning, so that its tables need to be looked at."""
    compute = node.step.compute
    if node.kind != "compute" or compute is None or compute.operation is None:
        return False
    operation = request.graph.operation(compute.operation)
    return operation.gives_reasons or bool(operation.sample_demands(operation.read_options(compute.options)))
