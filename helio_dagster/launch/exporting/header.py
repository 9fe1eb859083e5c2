"""What an exported file says of where it comes from, in every format. It asks no clock: the same input, the same words."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helio_dagster import __version__
from helio_dagster.assets.graph import AssetGraph, AssetNode, fetch_node
from helio_dagster.catalog.opening import known_catalog
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.citation import DatasetCredit, credit_dataset
from helio_dagster.launch.credit.sources import source_key, trace_sources
from helio_dagster.launch.running.reading import StoredParts
from helio_dagster.resources.workbench import Workbench

SOFTWARE = f"helio_dagster {__version__}"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CELL_METHODS = {
    "mean": "mean",
    "median": "median",
    "min": "minimum",
    "max": "maximum",
    "std": "standard_deviation",
    "sum": "sum",
}
"""Method of `resample` to its name in CF, appendix E."""


@dataclass(frozen=True)
class UsedDataset:
    """A dataset of an archive behind a result: whom to credit, and the mission and kind of instrument, blank if not known."""

    credit: DatasetCredit
    mission: str
    instrument_type: str

    @property
    def doi(self) -> str:
        """Its DOI, as its newest file or the catalog gives it; empty where neither does."""
        return next((each.doi for each in self.credit.credits if each.doi), self.credit.catalog_doi)


@dataclass(frozen=True)
class Header:
    """Where a file comes from.

    Parameters
    ----------
    asset, name
        The asset, and the step or parameter that it ends with.
    title, intent
        The pipeline's title and what the step is for; of a fetch, what the catalog calls it.
    span
        The range that was asked for; None for a table, which has no partitions.
    datasets
        What it was made from.
    parents
        Names of the archive's files behind it, in order.
    newest
        When the archive last changed one of these; empty where that is not known.
    made_by
        The operation with its options, or the code's version: what the newest partition's file says.
    formula
        The formula of the operation, with its source.
    data_version
        A hash over the data versions of all partitions.
    partitions
        Partition to its data version; `""` stands for the whole of what has no partitions.
    cell_method
        What CF calls that which was taken of each bin, such as `mean`; empty where it is not known of all partitions.
    """

    asset: str
    name: str
    meta: TableMeta
    title: str
    intent: str
    span: TimeRange | None
    datasets: tuple[UsedDataset, ...]
    parents: tuple[str, ...]
    newest: str
    made_by: dict[str, Any]
    formula: str
    data_version: str
    partitions: dict[str, str]
    cell_method: str = ""

    @property
    def source(self) -> str:
        """The name of the dataset that files of its asset make."""
        return logical_source(self.asset)

    @property
    def dois(self) -> tuple[str, ...]:
        """DOIs of its datasets."""
        return tuple(dict.fromkeys(each.doi for each in self.datasets if each.doi))

    @property
    def references(self) -> tuple[str, ...]:
        """The DOIs of its datasets as addresses."""
        return tuple(f"https://doi.org/{doi}" for doi in self.dois)

    @property
    def range_words(self) -> str:
        """The range with its stop, which does not belong to it."""
        return f"{self.span} (end exclusive)" if self.span else "all"

    @property
    def dataset_words(self) -> tuple[str, ...]:
        """Each dataset with its archive, its parameters and its DOI."""
        return tuple(
            f"{each.credit.archive} {each.credit.dataset} ({', '.join(each.credit.parameters)})"
            + (f", doi:{each.doi}" if each.doi else "")
            for each in self.datasets
        )

    def provenance_json(self) -> str:
        """The partitions with their data versions, and what made them, as one line of JSON in ASCII."""
        stated = {"asset": self.asset, "partitions": self.partitions, "made_by": self.made_by, "software": SOFTWARE}
        return json.dumps(stated, sort_keys=True)


def logical_source(asset: str) -> str:
    """The name of the dataset that files of an asset make."""
    return re.sub(r"[^A-Za-z0-9-]+", "_", asset).strip("_").lower()


def read_header(
    graph: AssetGraph, parts: StoredParts, asked: TimeRange | None, meta: TableMeta, workbench: Workbench
) -> Header:
    """What a file of stored partitions says of where it comes from.

    Of each dataset the newest file that was used is asked for its investigators.

    Parameters
    ----------
    graph
        All assets of the home.
    parts
        The partitions that are exported.
    asked
        The range that was asked for.
    meta
        Metadata of the whole.
    workbench
        The home's parts; only read.
    """
    node, store = parts.node, parts.store
    stored = {key: found for key in parts.keys if (found := store.peek(node.name, key)) is not None}
    versions = {key or "": found.data_version for key, found in stored.items()}
    made_by = dict(next(reversed(stored.values())).provenance) if stored else {}
    for name in ("inputs", "sources", "partitions", "stamp", "excluded"):
        made_by.pop(name, None)
    traced = trace_sources(store, node.name, parts.keys)
    files = {key: source for found in traced.values() for key, source in found.items()}
    pipeline = graph.pipelines.get(node.pipeline)
    operation = node.step.compute.operation if node.step.compute is not None else None
    return Header(
        asset=node.name,
        name=node.fetch.parameter if node.fetch is not None else node.name.rsplit("/", 1)[-1],
        meta=meta,
        title=node.title or (pipeline.title if pipeline is not None else ""),
        intent=_intent(node),
        span=asked,
        datasets=tuple(_datasets(graph, traced, workbench)),
        parents=tuple(sorted({str(source["name"]) for source in files.values()})),
        newest=newest_date(str(source.get("last_modified") or "") for source in files.values()),
        made_by=made_by,
        formula=graph.operation(operation).reference if operation else "",
        data_version=hashlib.sha256(json.dumps(versions, sort_keys=True).encode()).hexdigest()[:16],
        partitions=versions,
        cell_method=find_cell_method([found.provenance for found in stored.values()]),
    )


def newest_date(changed: Iterable[str]) -> str:
    """The newest of the dates at which files changed; empty without one. Masters and files of one's own have hashes instead."""
    return max((each for each in changed if _DATE.match(each)), default="")


def find_cell_method(provenances: Sequence[Mapping[str, Any]]) -> str:
    """What was taken of each bin in all partitions, as their provenance says; empty for all but `resample`."""
    methods = {
        _CELL_METHODS.get(str(made.get("options", {}).get("method", "mean")), "") if made.get("operation") == "resample" else ""
        for made in provenances
    }
    return methods.pop() if len(methods) == 1 else ""


def _intent(node: AssetNode) -> str:
    """What a step is for. A fetch has the archive's words: several pipelines may share it, each with words of its own."""
    described = node.described
    words = " of ".join(each for each in (described.parameter, described.dataset) if each) if described is not None else ""
    return words if node.fetch is not None else node.step.intent or words


def _datasets(graph: AssetGraph, traced: dict[str, dict[str, dict[str, Any]]], workbench: Workbench) -> list[UsedDataset]:
    newest: dict[tuple[str, str], tuple[list[str], dict[str, Any]]] = {}
    for name, files in traced.items():
        node = graph.nodes.get(name) or fetch_node(name)
        if node is None or node.step.fetch is None:
            continue
        fetch = node.step.fetch
        last = max(files.values(), key=lambda source: str(source["name"]))
        parameters, known = newest.get((fetch.archive, fetch.dataset), ([], last))
        last = max(known, last, key=lambda source: str(source["name"]))
        newest[(fetch.archive, fetch.dataset)] = ([*parameters, fetch.parameter], last)
    catalog, found = known_catalog(workbench.settings), []
    for (archive, dataset), (parameters, last) in sorted(newest.items()):
        credit = credit_dataset(archive, dataset, sorted(set(parameters)), {source_key(last): last}, workbench=workbench)
        facts = catalog.facts(archive, dataset) or catalog.facts("cdaweb", dataset)
        entry = catalog.dataset(archive, dataset)
        mission = entry.mission if entry is not None else facts.mission if facts is not None else ""
        found.append(UsedDataset(credit, mission, facts.instrument_type if facts is not None else ""))
    return found
