"""Results over ranges: figures, and steps with `over: range`. What is stored for each, and whether it can be reused.

A result over a range is one for exactly that range, recorded on the partitions that it covers. It is reused when the same range
is asked for again and nothing that it was made from has changed. Loads no drawing code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.result_spans import spans
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.table import Status
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.tables import TableStore

STAMP = "stamp"
"""What a stored result over a range calls the hash of all that it was made from, in its provenance."""

Inputs = Sequence[tuple[str | None, str]]
"""(partition, fingerprint of its inputs)."""


@dataclass(frozen=True)
class Stored:
    """A result that can be reused."""

    status: Status
    data_version: str


def range_stamp(node: AssetNode, inputs: Inputs) -> str:
    """Hash of a step's code and of the inputs of the partitions that a range covers."""
    return hashlib.sha256(repr((node.code_version, list(inputs))).encode()).hexdigest()[:32]


class RangeResults:
    """What a home holds of results over ranges.

    Parameters
    ----------
    store, figures
        The stored tables and figures.
    shown
        The range that is asked for if it is shorter than the partitions that cover it.
    """

    def __init__(self, store: TableStore, figures: FigureFiles, shown: TimeRange | None = None) -> None:
        self._store, self._figures, self._shown = store, figures, shown

    def spans(self, node: AssetNode, keys: Sequence[str | None]) -> list[tuple[TimeRange, list[str]]]:
        """The ranges to make a result for, each with its partitions."""
        return spans(node, keys, shown=self._shown)

    def stored(self, node: AssetNode, inputs: Mapping[str | None, str]) -> dict[str | None, Stored]:
        """What can be reused, for each partition of the ranges whose result exists and was made from just this.

        `inputs` maps each requested partition to the fingerprint of what it would be made from.
        """
        found: dict[str | None, Stored] = {}
        for span, keys in self.spans(node, list(inputs)):
            made = self._over(node, span, range_stamp(node, [(key, inputs[key]) for key in keys]))
            if made is None:
                continue
            for key in keys:
                version = made.data_version or range_stamp(node, [(key, inputs[key])])
                found[key] = Stored(made.status, version)
        return found

    def _over(self, node: AssetNode, span: TimeRange, stamp: str) -> Stored | None:
        """The result over one range; a figure has no data version of its own."""
        if node.kind == "figure":
            return Stored("data", "") if self._figures.drawn_from(node.name, span) == stamp else None
        key = span_key(span)
        known = self._store.peek(node.name, key)
        if known is None or known.provenance.get(STAMP) != stamp:
            return None
        whole = self._store.stamp(node.name, key)
        return Stored(whole[1], whole[0]) if whole is not None else None
