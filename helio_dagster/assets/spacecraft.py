"""Which spacecraft measured what a figure draws: that of the fetches a step is made from."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.assets.graph import AssetNode
from helio_dagster.catalog.missions import mission_of


def spacecraft_of_lines(nodes: Mapping[str, AssetNode], figure: AssetNode) -> dict[str, str]:
    """Reference to the spacecraft's name, of those that a panel draws together with another spacecraft's.

    What is computed from several spacecraft, or from a dataset of none that the catalog knows, has no name.
    """
    if figure.step.figure is None:
        return {}
    names = {reference: _spacecraft_of(nodes, asset) for reference, asset in figure.data_inputs.items()}
    found: dict[str, str] = {}
    for panel in figure.step.figure.panels:
        drawn = {trace.data: names[trace.data] for trace in panel.traces if names.get(trace.data)}
        if len(set(drawn.values())) > 1:
            found |= drawn
    return dict(sorted(found.items()))


def _spacecraft_of(nodes: Mapping[str, AssetNode], asset: str) -> str:
    """The one spacecraft of all fetches that an asset is made from; empty where there is not exactly one."""
    found: set[str] = set()
    seen, waiting = {asset}, [asset]
    while waiting:
        node = nodes[waiting.pop()]
        if node.fetch is not None:
            mission = mission_of(node.fetch.dataset)
            found.add(mission.name if mission is not None else "")
        further = set(node.data_inputs.values()) - seen
        seen |= further
        waiting += further
    return found.pop() if len(found) == 1 else ""
