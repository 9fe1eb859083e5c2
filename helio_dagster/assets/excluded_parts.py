"""Which excluded intervals reach which assets: through what they are computed from, to the panels of figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from helio_dagster.assets.graph import EXCLUDED_INPUT, AssetNode
from helio_dagster.domain.exclusions import Exclusion


def with_exclusions(nodes: Mapping[str, AssetNode]) -> dict[str, AssetNode]:
    """The nodes, in order, where figures read the lists of what their data leave out, to hatch it."""
    behind: dict[str, dict[str, Exclusion]] = {}
    found: dict[str, AssetNode] = {}
    for name, node in nodes.items():
        behind[name] = dict(node.excluded)
        for asset in node.data_inputs.values():
            behind[name] |= behind[asset]
        if node.kind == "figure" and behind[name]:
            lists = {EXCLUDED_INPUT + asset: asset for asset in sorted(behind[name])}
            of = {reference: tuple(sorted(behind[asset])) for reference, asset in node.inputs.items()}
            node = replace(node, inputs={**node.inputs, **lists}, excluded=behind[name], excluded_of=of)
        found[name] = node
    return found
