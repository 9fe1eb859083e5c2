"""What the builders of assets are given and what they give back: partitions to make, and what was made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.outcomes import Outcome


@dataclass(frozen=True)
class Pending:
    """A partition that must be made, with the data versions of its inputs.

    `upstream` maps input asset to (partition, data version) in time order; a partition without data version is absent. For a
    fetch it holds the revision of the archive's files, which is certain only after fetching. `covered` are the partitions of a
    result over a range, whose own key is that of the range.
    """

    partition: str | None
    inputs: str
    upstream: Mapping[str, tuple[tuple[str | None, str | None], ...]]
    covered: tuple[Pending, ...] = ()


@dataclass(frozen=True)
class Made:
    """What a maker yields for a partition: an outcome, and metadata to record if it succeeded.

    `pending` says what it was actually made from; `replaced` which less mature data it replaced, as a tag.
    """

    pending: Pending
    outcome: Outcome
    metadata: Mapping[str, object]
    replaced: str = ""


@dataclass(frozen=True)
class Batch:
    """The partitions for one call of a maker: those to make, out of those requested that can be made.

    `revisions` is the last observed revision of the archive's files, by partition; `failed` are the partitions of which a
    failure is recorded.
    """

    pending: Sequence[Pending]
    asked: Sequence[Pending]
    revisions: Mapping[str | None, str] = field(default_factory=dict)
    failed: Collection[str | None] = ()


def made_from(item: Pending) -> dict[str, dict[str | None, str | None]]:
    """Input asset to the data version of each partition that was read, as provenance holds it."""
    return {asset: dict(versions) for asset, versions in item.upstream.items()}


class Maker(Protocol):
    """Makes pending partitions of one kind of asset; a partition's failure is an outcome, not an exception."""

    def __call__(self, node: AssetNode, batch: Batch) -> Iterable[Made]:
        """Make the batch's partitions, in order."""
