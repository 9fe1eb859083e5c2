"""Report the steps of a run, each when all its partitions are settled."""

from __future__ import annotations

from collections.abc import Callable

from helio_dagster.assets.asset_names import asset_name
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.inquiry import Progress
from helio_dagster.domain.report import RunReport, StepReport
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import count_outcomes

_MOST_REPORTS = 50
"""Maximum number of progress reports per run."""


class StepsDone:
    """Listens to a run and reports a step once all its partitions are settled."""

    def __init__(self, request: RunRequest, tell: Callable[[str, StepReport], None], progress: Progress) -> None:
        self._tell, self._progress = tell, progress
        self._total = sum(len(keys) for keys in request.targets.values())
        self._settled = 0
        self._steps = {asset_name(request.pipeline, step): step.id for step in request.pipeline.nodes}
        self._open: dict[str, dict[str | None, Outcome | None]] = {
            name: dict.fromkeys(keys) for name, keys in request.targets.items()
        }

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        """Count one settled partition."""
        wanted = self._open.get(asset)
        if wanted is None or partition not in wanted:
            return
        self._settled += wanted[partition] is None
        wanted[partition] = outcome
        if self._settled % max(1, self._total // _MOST_REPORTS) == 0:
            self._progress(f"{self._settled:,} of {counted(self._total, 'partition')} done ({self._steps[asset]})")
        if all(wanted.values()):
            del self._open[asset]
            self._tell(self._steps[asset], count_outcomes(asset, list(wanted.values())))

    def finish(self, report: RunReport) -> None:
        """Report the steps that are not yet complete."""
        for asset in list(self._open):
            del self._open[asset]
            self._tell(self._steps[asset], report.steps[self._steps[asset]])
