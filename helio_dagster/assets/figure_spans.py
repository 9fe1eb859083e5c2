"""The ranges that a figure is drawn over, and the stamp of what it was drawn from. Loads no drawing code."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from helio_dagster.assets.graph import AssetNode
from helio_dagster.domain.time_range import TimeRange


def figure_stamp(node: AssetNode, inputs: Sequence[tuple[str | None, str]]) -> str:
    """Hash of a figure's code and of the inputs of the partitions it covers."""
    return hashlib.sha256(repr((node.code_version, list(inputs))).encode()).hexdigest()[:32]


def spans(node: AssetNode, keys: Sequence[str | None], *, shown: TimeRange | None = None) -> list[tuple[TimeRange, list[str]]]:
    """The contiguous ranges of a figure's partitions, clipped to `shown`, each with its keys."""
    if node.grain is None:
        raise TypeError(f"{node.name} has no partitions")
    found: list[tuple[TimeRange, list[str]]] = []
    for key in sorted(key for key in keys if key is not None):
        window = node.grain.window(key)
        if found and found[-1][0].stop == window.start:
            found[-1] = (TimeRange(found[-1][0].start, window.stop), [*found[-1][1], key])
        else:
            found.append((window, [key]))
    return [(span.part_in(shown) if shown and span.overlaps(shown) else span, keys) for span, keys in found]
