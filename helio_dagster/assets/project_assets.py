"""Assets of the Dagster project around that steps read: which partitions, with which data versions, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.pipeline import ProjectAsset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

Versions = tuple[tuple[str | None, str | None], ...]
"""(partition, data version) in time order; a partition without data version is absent."""
KeysIn = Callable[[TimeRange], Sequence[tuple[str, TimeRange]]]
"""The partitions whose windows overlap a range, in time order."""


@dataclass(frozen=True)
class SeenAsset:
    """An asset of the project as it is now.

    `made` maps the partitions that were ever materialized or observed to their data versions; None is the key of an asset
    without partitions. `keys_in` finds partitions that are windows of time; it is None for an asset that is read whole.
    """

    name: str
    made: Mapping[str | None, str]
    keys_in: KeysIn | None

    def versions(self, window: TimeRange | None, reach: TimeRange | None) -> Versions:
        """What a partition reads of it.

        Parameters
        ----------
        window
            The partition's own window; its part of the asset must exist.
        reach
            The window with the step's halo, of which partitions that do not exist are left out.

        Raises
        ------
        InputError
            It has no partitions for a part of the window.
        """
        if self.keys_in is None or window is None or reach is None:
            return tuple((key, self.made[key]) for key in sorted(self.made, key=str)) or ((None, None),)
        found = self.keys_in(reach)
        self._require(window, [span for _, span in found if span.overlaps(window)])
        return tuple((key, self.made.get(key)) for key, _ in sorted(found))

    def _require(self, window: TimeRange, spans: Sequence[TimeRange]) -> None:
        """InputError where the partitions leave out a part of a window."""
        reached = window.start
        for span in spans:
            if span.start > reached:
                break
            reached = max(reached, span.stop)
        if reached < window.stop:
            rest = TimeRange(reached, window.stop)
            hint = (
                "Its partitions begin later, or are not over yet. Choose another range, or give the pipeline a later `start`."
            )
            raise InputError(f"the asset {self.name} has no partition for {rest}", hint=hint)


class ProjectAssets(Protocol):
    """Knows and reads the assets of a project."""

    def seen(self, name: str) -> SeenAsset:
        """An asset as it is now; InputError where the project has none that can be read."""

    def loading(self) -> AbstractContextManager[None]:
        """Keep what reading needs, such as connections of the IO managers, while in the context."""

    def read(self, given: ProjectAsset, key: str | None) -> Table:
        """A partition of an asset, or an asset without partitions; HelioError where it is not a table over time."""


class NoProject:
    """What commands have that load no project: they cannot read any of its assets."""

    def seen(self, name: str) -> SeenAsset:
        """Refuses."""
        raise cannot_see(name)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Nothing to keep."""
        yield

    def read(self, given: ProjectAsset, key: str | None) -> Table:  # noqa: ARG002
        """Refuses."""
        raise cannot_see(given.asset)


NO_PROJECT = NoProject()


def cannot_see(name: str, *, step: str = "") -> InputError:
    """The refusal of a command that loads no project."""
    who = f"the step {step} reads the asset {name} of a Dagster project" if step else f"{name} is an asset of a Dagster project"
    hint = "Run it in that project: on Dagster's page, by its schedules, or with `dg launch --assets` (docs/dagster.md)."
    return InputError(f"{who}, which `helio` itself does not load", hint=hint)


def require_no_project(graph: AssetGraph, names: Sequence[str]) -> None:
    """Refuse to run assets that are made from those of a project; InputError names the first."""
    for name in graph.with_ancestors(names):
        for given in graph[name].project.values():
            raise cannot_see(given.asset, step=name)


@dataclass(frozen=True)
class ProjectReads:
    """What a partition reads of the project: asset to (partition, data version), and why it cannot be made, if so."""

    versions: Mapping[str, Versions]
    trouble: HelioError | None = None


class ProjectView:
    """What the partitions of one step read of a project, which is looked at once."""

    def __init__(self, node: AssetNode, project: ProjectAssets) -> None:
        self._node = node
        self._seen: dict[str, SeenAsset] = {}
        self._trouble: HelioError | None = None
        for given in node.project.values():
            try:
                self._seen[given.asset] = project.seen(given.asset)
            except HelioError as error:
                self._trouble = error

    def reads(self, key: str | None) -> ProjectReads:
        """What one partition reads."""
        if not self._node.project or self._trouble is not None:
            return ProjectReads({}, self._trouble)
        window = self._node.window(key) if key is not None else None
        reach = window.widened(self._node.lookback, self._node.lookahead) if window is not None else None
        try:
            versions = {name: seen.versions(window, reach) for name, seen in self._seen.items()}
        except HelioError as error:
            return ProjectReads({}, error)
        needed = {given.asset for given in self._node.project.values() if not given.allow_missing}
        missing = [(name, part) for name in versions if name in needed for part, version in versions[name] if version is None]
        return ProjectReads(versions, _not_made(missing) if missing else None)


def _not_made(missing: Sequence[tuple[str, str | None]]) -> HelioError:
    name, key = missing[0]
    more = f", nor were {len(missing) - 1} more partitions" if len(missing) > 1 else ""
    hint = "Materialize it in its Dagster project first, or let the step allow it: {asset: ..., allow_missing: true}."
    return HelioError(f"the asset {name}{f' {key}' if key else ''} was never materialized{more}", hint=hint)
