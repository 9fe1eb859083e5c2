"""Which spacecraft measured what a figure draws: that of the fetches a step is made from."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.assets.graph import AssetNode
from helio_dagster.catalog.fleets import member_of
from helio_dagster.catalog.missions import mission_of

_GROUPS = ("Ground stations", "Small satellites", "Sounding rockets", "Comets and planets", "Commercial lunar landers")
"""Missions of the catalog that say nothing of whose data a line is."""
_SERIES = ("GOES",)
"""Missions of several spacecraft of which each dataset is one's, by its number."""


def spacecraft_of_figure(nodes: Mapping[str, AssetNode], figure: AssetNode) -> dict[str, str]:
    """Which spacecraft measured the data of each reference in a figure.

    A reference is left out if its data come from several spacecraft, or from a dataset whose spacecraft the catalog does not
    know.
    """
    if figure.step.figure is None:
        return {}
    names = {reference: _spacecraft_of(nodes, asset) for reference, asset in figure.data_inputs.items()}
    drawn = {trace.data for panel in figure.step.figure.panels for trace in panel.traces}
    return {reference: name for reference, name in sorted(names.items()) if name and reference in drawn}


def _spacecraft_of(nodes: Mapping[str, AssetNode], asset: str) -> str:
    """The one spacecraft of all fetches that an asset is made from; empty where there is not exactly one."""
    found: set[str] = set()
    seen, waiting = {asset}, [asset]
    while waiting:
        node = nodes[waiting.pop()]
        if node.fetch is not None:
            found.add(_name_of(node.fetch.dataset))
        further = set(node.data_inputs.values()) - seen
        seen |= further
        waiting += further
    return found.pop() if len(found) == 1 else ""


def _name_of(dataset: str) -> str:
    """The name of a dataset's spacecraft, with its number in a series: `GOES 16`."""
    mission = mission_of(dataset)
    if mission is None or mission.name in _GROUPS:
        return ""
    member = member_of(dataset.upper(), "") if mission.name in _SERIES else ""
    return f"{mission.name} {member}".strip()
