"""The state of a pipeline by partition, over all its steps: what a calendar shows and a list counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.report import StatusReport
from helio_dagster.storage.tables import TableStore

STATES = ("failed", "stale", "missing", "empty", "fresh")
"""Those of partitions, the one that wants a person's eye most first."""
_MOST_REASONS = 6


@dataclass(frozen=True)
class Cell:
    """One partition of a pipeline.

    `state` is the worst of its steps, `why` the reasons by step, `excluded` the largest share of time that exclusions
    take out of a step. `is_known` is false where nothing was ever made or failed.
    """

    key: str
    state: str
    why: tuple[str, ...] = ()
    excluded: float = 0.0
    is_known: bool = True

    @property
    def mark(self) -> str:
        """A sign for the state: color alone tells some people nothing."""
        return {"failed": "✗", "stale": "↻", "missing": "·", "empty": "○", "fresh": "✓", "excluded": "⊘"}[self.kind]

    @property
    def kind(self) -> str:
        """The state; `excluded` for a fresh or empty partition that has exclusions."""
        return "excluded" if self.excluded and self.state in ("fresh", "empty") else self.state

    @property
    def words(self) -> str:
        """The state and its reasons in one line."""
        listed = [*self.why, *([f"exclusions leave out {self.excluded:.0%} of the time"] if self.excluded else [])]
        return f"{self.kind}: {'; '.join(listed)}" if listed else self.kind


@dataclass(frozen=True)
class Summary:
    """How a pipeline is, in a word, and state to number of partitions."""

    word: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Health:
    """The partitions of a pipeline that were ever made or failed, and all events of a list, in order."""

    cells: Mapping[str, Cell]
    notes: Sequence[str] = field(default=())

    @property
    def counts(self) -> dict[str, int]:
        """State to number of partitions, without those that are none."""
        found = Counter(cell.state for cell in self.cells.values())
        return {state: found[state] for state in STATES if found[state]}

    @property
    def summary(self) -> Summary:
        """The word and the counts alone."""
        return Summary(self.word, self.counts)

    @property
    def word(self) -> str:
        """How the pipeline is, in a word."""
        if not any(cell.is_known for cell in self.cells.values()):
            return "never run"
        return next((each for each in ("failed", "stale", "missing") if self.counts.get(each)), "fresh")


def health_of(report: StatusReport, graph: AssetGraph, store: TableStore) -> Health:
    """What a status report says, by partition; of what is fetched for events, only windows of time that failed."""
    states: dict[str, list[tuple[str, str, tuple[str, ...]]]] = {}
    excluded: dict[str, float] = {}
    is_over_events = report.pipeline in graph.events
    for asset in report.assets:
        is_window = is_over_events and graph[asset.asset].events is None
        masks = bool(graph[asset.asset].excluded) and graph[asset.asset].kind != "figure"
        for each in asset.partitions:
            if each.key is None or (is_window and each.state != "failed"):
                continue
            reasons = (*each.why, *(f"not as expected: {words}" for words in each.unmet))
            states.setdefault(each.key, []).append((asset.step, each.state, reasons))
            if masks and (stored := store.peek(asset.asset, each.key)) is not None:
                share = float(stored.provenance.get("excluded", {}).get("share_of_time", 0.0))
                excluded[each.key] = max(share, excluded.get(each.key, 0.0))
    cells = {key: _cell(key, found, excluded.get(key, 0.0)) for key, found in states.items()}
    return Health(cells, report.notes)


def _cell(key: str, steps: Sequence[tuple[str, str, tuple[str, ...]]], excluded: float) -> Cell:
    if all(found == "missing" for _, found, _ in steps):
        return Cell(key, "missing", ("never run",), is_known=False)
    worst = next(state for state in STATES if any(found == state for _, found, _ in steps))
    why = [
        f"{step}: {found}{' (' + ', '.join(reasons) + ')' if reasons else ''}"
        for step, found, reasons in steps
        if _tells(found, reasons)
    ]
    more = [f"and {len(why) - _MOST_REASONS} more"] if len(why) > _MOST_REASONS else []
    return Cell(key, worst, (*why[:_MOST_REASONS], *more), excluded)


def _tells(state: str, reasons: Sequence[str]) -> bool:
    return state != "fresh" or any(each.startswith("not as expected") for each in reasons)
