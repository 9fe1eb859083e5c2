"""Vectors that the catalog has only component by component: which belong together, and what vectors can be composed of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer

TURNED = ("GSE", "GSM", "SM", "GEO", "GEI")
"""Frames between which vectors can be rotated."""


def lone_axes(found: Sequence[Offer], target: Target, frame: str | None) -> list[Offer]:
    """The components of a vector that the catalog has only one by one: those of the dataset with most of them.

    They are not taken where a vector will do, or where its length, made by hand, stands for what is asked for.
    """
    vectors = [each for each in found if each.kind == "vector"]
    if any(frame is None or each.frame == frame or {each.frame, frame} <= set(TURNED) for each in vectors):
        return []
    if target.shape is None and any(each.is_by_hand for each in found):
        return []
    lone = [each for each in found if each.axis is not None and (frame is None or each.frame == frame)]
    if frame == "GSM":  # X is the same in GSE
        lone += [replace(each, frame="GSM") for each in found if (each.axis, each.frame) == ("x", "GSE")]
    if target.shape == "vector" and frame in TURNED and len({each.axis for each in lone}) < 3:
        lone = [each for each in found if each.axis is not None and each.frame in TURNED]
    homes = dict.fromkeys((each.dataset, each.frame) for each in lone)
    sets = [[each for each in lone if (each.dataset, each.frame) == home] for home in homes]
    best = max(sets, key=lambda offers: (len({each.axis for each in offers}), -found.index(offers[0])), default=[])
    by_axis = {str(each.axis): each for each in reversed(best)}
    order = "xyzrtn"
    return [by_axis[axis] for axis in sorted(by_axis, key=order.index)] if len(by_axis) > 1 else []


def composed_vectors(found: Sequence[Offer], target: Target, frame: str | None) -> Iterator[Offer]:
    """The vectors made of lone components, where one is asked for and all three have one unit.

    The best dataset comes first; others do as well where they are as dense.
    """
    left, first = list(found), None
    while target.shape == "vector" and (axes := lone_axes(left, target, frame)):
        first = first or axes[0]
        if len(axes) == 3 and len({each.unit for each in axes}) == 1 and axes[0].cadence == first.cadence:
            yield replace(axes[0], kind="vector", axis=None, parts=tuple(each.parameter for each in axes))
        left = [each for each in left if each.dataset != axes[0].dataset]
