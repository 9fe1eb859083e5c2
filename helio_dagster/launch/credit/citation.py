"""What to cite for a pipeline's results: datasets with investigators and DOI, formulas, tables, software."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from helio_dagster import __version__
from helio_dagster.archives.cdf.credit import Credit
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.hapi.credit import read_hapi_credit
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.staleness import demand
from helio_dagster.catalog.opening import known_catalog
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE, is_ephemeris, label_of_dataset
from helio_dagster.domain.errors import CorruptFile
from helio_dagster.domain.maturity import maturity_of
from helio_dagster.domain.own_files import OWN_ARCHIVE
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.domain.planetary import PDS_ARCHIVE
from helio_dagster.domain.real_time import SWPC_ARCHIVE
from helio_dagster.domain.report import Fact
from helio_dagster.domain.table import MATURITIES, Maturity
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.credit.citation_text import lines_of
from helio_dagster.launch.credit.sources import Sources, source_key
from helio_dagster.resources.workbench import Workbench
from helio_dagster.resources.workers import Workers

ARCHIVE_CREDITS = {
    "cdaweb": "Data were obtained from NASA/GSFC's Space Physics Data Facility through its CDAWeb service.",
    PDS_ARCHIVE: "Data were obtained from NASA's Planetary Data System, Planetary Plasma Interactions node (PDS PPI), at UCLA.",
    SPICE_ARCHIVE: (
        "Positions were computed from SPICE kernels of the missions, NAIF and ESA with CSPICE (Acton 1996, "
        "doi:10.1016/0032-0633(95)00107-7; Acton et al. 2018, doi:10.1016/j.pss.2017.02.013)."
    ),
    SWPC_ARCHIVE: (
        "Real-time solar wind was obtained from NOAA's Space Weather Prediction Center. It is not calibrated finally: cite "
        "definitive data of DSCOVR, ACE or OMNI for published results."
    ),
    OWN_ARCHIVE: "Measurements in files of your own. Name where they come from, and deposit the files with the results.",
    DEMO_ARCHIVE: "Synthetic data made by helio_dagster's demo archive: not measurements; do not cite them as such.",
}


class FileCredit(Fact):
    """What archive files say about those who made them; `files` counts the files that say exactly this."""

    title: str
    pi: str
    affiliation: str
    doi: str
    acknowledgement: str
    rules_of_use: str
    text: str
    files: int


class DatasetCredit(Fact):
    """A dataset that was used; `catalog_doi` is the catalog's, for files that name none.

    `credits` are what its files say, newest first; `files` are the files that were used, and `unread` counts those missing from
    the cache or damaged there; `unknown` says what is not known and what to do about it, empty if nothing is missing.
    `maturity` is that of data that are not definitive, by the record of the partitions and by what dataset and files are
    called; `marked` counts the partitions that the record marks so, of `partitions` that are stored. `versions` are those that
    the files state (`Data_version`).
    """

    archive: str
    dataset: str
    label: str
    parameters: list[str]
    is_synthetic: bool
    credits: list[FileCredit]
    files: list[dict[str, Any]]
    unread: int
    unknown: str
    catalog_doi: str = ""
    maturity: str = ""
    marked: int = 0
    partitions: int = 0
    versions: list[str] = []


class OperationCredit(Fact):
    """An operation, its formula with source, and the steps that apply it."""

    operation: str
    reference: str
    steps: list[str]


class TableCredit(Fact):
    """A table given in a pipeline file, and its stated source."""

    step: str
    source: str


class Citation(Fact):
    """The result of `helio cite`; `start` and `stop` are None if no range was given."""

    pipeline: str
    start: str | None
    stop: str | None
    archives: dict[str, str]
    datasets: list[DatasetCredit]
    operations: list[OperationCredit]
    tables: list[TableCredit]
    software: dict[str, str]

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def cite(graph: AssetGraph, pipeline: Pipeline, span: TimeRange | None, workbench: Workbench) -> Citation:
    """What to cite for a pipeline, including everything it takes from other pipelines.

    Parameters
    ----------
    graph
        All assets of the home.
    pipeline
        The pipeline whose results are cited.
    span
        Whole partitions, to cite only the files they were made from; None for the newest file of each dataset.
    workbench
        The home's parts; only read.
    """
    own = [node.name for node in graph.of_pipeline(pipeline).values()]
    nodes = [graph[name] for name in graph.with_ancestors(own)]
    datasets = _datasets(graph, pipeline, span, nodes, workbench)
    return Citation(
        pipeline=pipeline.name,
        start=format_time(span.start) if span else None,
        stop=format_time(span.stop) if span else None,
        archives={
            each.archive: ARCHIVE_CREDITS.get(each.archive, f"Data from the archive {each.archive}.") for each in datasets
        },
        datasets=datasets,
        operations=_operations(nodes, graph),
        tables=[TableCredit(step=node.name, source=node.given.source) for node in nodes if node.given is not None],
        software={"name": "helio_dagster", "version": __version__},
    )


def _operations(nodes: Iterable[AssetNode], graph: AssetGraph) -> list[OperationCredit]:
    steps: dict[str, list[str]] = {}
    for node in nodes:
        if node.step.compute is not None and node.step.compute.operation is not None:
            steps.setdefault(node.step.compute.operation, []).append(node.name)
    return [
        OperationCredit(operation=name, reference=graph.operation(name).reference, steps=used)
        for name, used in sorted(steps.items())
    ]


def _datasets(
    graph: AssetGraph, pipeline: Pipeline, span: TimeRange | None, nodes: Iterable[AssetNode], workbench: Workbench
) -> list[DatasetCredit]:
    """One entry per dataset, covering all of its parameters that are fetched."""
    keys: Mapping[str, list[str | None]] = {}
    if span is not None:
        asked: list[str | None] = list(graph.partitions_of(pipeline).keys(span))
        is_of_events = pipeline.name in graph.events
        own = [node for node in graph.of_pipeline(pipeline).values() if not (is_of_events and node.time_grain)]
        targets = {node.name: asked if node.grain else [None] for node in own}
        keys = demand(graph, targets, workbench.clock())
    fetches: dict[tuple[str, str], list[tuple[AssetNode, Fetch]]] = {}
    for node in nodes:
        if node.fetch is not None:
            fetches.setdefault((node.fetch.archive, node.fetch.dataset), []).append((node, node.fetch))
    found = []
    for (archive, dataset), parts in sorted(fetches.items()):
        used: dict[str, dict[str, Any]] = {}
        missing, marks = 0, list[Maturity]()
        for node, _ in parts:
            not_stored, sources, stored_marks = _used(node, keys.get(node.name), workbench)
            missing, used, marks = missing + not_stored, used | sources, marks + stored_marks
        parameters = [fetch.parameter for _, fetch in parts]
        unknown = _unknown_partitions(missing, pipeline.name) if missing else ""
        credit = credit_dataset(archive, dataset, parameters, used, workbench=workbench, pipeline=pipeline.name)
        changes = _marked(credit.maturity, marks) | ({"unknown": unknown} if unknown else {})
        if archive == OWN_ARCHIVE:
            first = parts[0][1]
            changes["label"] = ", ".join(each for each in (first.measures, first.file) if each)
        found.append(credit.model_copy(update=changes))
    return found


def _marked(named: str, marks: Sequence[Maturity]) -> dict[str, Any]:
    """How mature the data are by their names and by the marks of the partitions, the least; how many partitions are marked."""
    found = [each for each in MATURITIES if each in (named, *marks)]
    return {"maturity": found[0] if found else "", "marked": sum(map(bool, marks)), "partitions": len(marks)}


def _used(
    node: AssetNode, keys: list[str | None] | None, workbench: Workbench
) -> tuple[int, dict[str, dict[str, Any]], list[Maturity]]:
    """The number of partitions not stored, and of the others the archive's files and how mature each is.

    Without keys, of the newest that has files.
    """
    store = workbench.store
    if keys is None:
        for key in reversed(store.keys(node.name)):
            stored = store.peek(node.name, key)
            sources = stored.provenance.get("sources", []) if stored else []
            if sources:
                return 0, {source_key(sources[-1]): sources[-1]}, [stored.meta.maturity] if stored else []
        return 1, {}, []
    found, missing, marks = {}, 0, list[Maturity]()
    for key in keys:
        stored = store.peek(node.name, key)
        missing += stored is None
        marks += [stored.meta.maturity] if stored is not None else []
        found.update({source_key(source): source for source in stored.provenance.get("sources", [])} if stored else {})
    return missing, found, marks


def credit_dataset(
    archive: str, dataset: str, parameters: list[str], used: Sources, *, workbench: Workbench, pipeline: str = "PIPELINE"
) -> DatasetCredit:
    """Whom to credit for a dataset, by the files of it that were used.

    Parameters
    ----------
    archive, dataset, parameters
        What was fetched.
    used
        What is known of each file, by `source_key`; each is read in the cache.
    workbench
        The home's parts; only read.
    pipeline
        What to run where files are missing.
    """
    files = sorted(used.values(), key=lambda source: str(source["name"]))
    cache = FileCache(archive_folder(workbench.settings.cache, archive))
    is_of_bodies = is_ephemeris(archive, dataset)
    names_nobody = is_of_bodies or archive in (OWN_ARCHIVE, SWPC_ARCHIVE)
    counts: dict[Credit, int] = {}
    unread, versions = 0, set[str]()
    for credit in _credits(cache, [] if names_nobody else reversed(files), workbench.workers):
        if credit is None:
            unread += 1
        else:
            counts[credit] = counts.get(credit, 0) + 1
            versions |= {credit.data_version} - {""}
    catalog = known_catalog(workbench.settings)
    facts = catalog.facts(archive, dataset)
    label = label_of_dataset(archive, dataset) if is_of_bodies else catalog.label(archive, dataset)
    return DatasetCredit(
        archive=archive,
        dataset=dataset,
        label=label,
        parameters=parameters,
        is_synthetic=archive == DEMO_ARCHIVE,
        credits=[FileCredit(**_as_json(credit), files=count) for credit, count in counts.items()],
        files=files,
        unread=unread,
        unknown=_unknown_files(unread, pipeline) if unread else "",
        catalog_doi=facts.doi if facts else "",
        maturity=maturity_of([dataset, label, *(str(file["name"]) for file in files)]),
        versions=sorted(versions),
    )


def _as_json(credit: Credit) -> dict[str, Any]:
    return {name: text for name, text in asdict(credit).items() if name != "data_version"}


def _credits(cache: FileCache, files: Iterable[dict[str, Any]], workers: Workers) -> Iterator[Credit | None]:
    """What each file says; None for one that is not cached or cannot be read. CDF files are read in a worker process."""
    for source in files:
        try:
            read = read_hapi_credit if str(source["name"]).endswith(".hapi") else workers.reader.credit
            yield read(cache.path(source["url"], source["last_modified"]))
        except CorruptFile:
            yield None


def _unknown_partitions(missing: int, pipeline: str) -> str:
    return f"{missing} of its partitions are not stored, so their files are unknown; run helio run {pipeline} first"


def _unknown_files(unread: int, pipeline: str) -> str:
    return f"{unread} of its files are missing or damaged in the cache; helio run {pipeline} with --refresh fetches them again"
