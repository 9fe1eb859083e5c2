"""Put a pipeline's stored results, and all that made them, into a folder."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from helio_dagster import __version__
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.own_files import OWN_ARCHIVE
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.bundling.crate import crate_of
from helio_dagster.launch.bundling.inputs import write_inputs
from helio_dagster.launch.bundling.manifest import CRATE, MANIFEST, BundledFile, FileKind, Manifest, sha256_of
from helio_dagster.launch.bundling.methods import methods_text
from helio_dagster.launch.credit.bibtex import to_bibtex
from helio_dagster.launch.credit.citation import Citation, cite
from helio_dagster.launch.credit.citation_text import lines_of
from helio_dagster.launch.exporting.export import export_all
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import collect
from helio_dagster.launch.running.facts import stored_facts
from helio_dagster.launch.running.request import OpenPipeline
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.tables import TableStore

NO_LICENSE = "Not stated. Data of archives stay under the terms of their archives."
LARGEST_OWN_BYTES = 500_000_000
_PACKAGES = ("numpy", "pandas", "scipy", "pyarrow", "cdflib", "pycdfpp", "matplotlib", "plotly", "dagster", "h5py", "astropy")
_KINDS: dict[str, FileKind] = {"pipelines": "pipeline", "operations": "operation", "lists": "list"}


@dataclass(frozen=True)
class Labels:
    """What a person adds to a bundle's metadata; `published` is a date, YYYY-MM-DD."""

    published: str
    license: str = NO_LICENSE
    authors: tuple[str, ...] = ()


def gather(
    home: Home, opened: OpenPipeline, span: TimeRange | None, workbench: Workbench, folder: Path, labels: Labels
) -> Manifest:
    """Write a bundle's files into an empty folder.

    Parameters
    ----------
    home, opened
        The home, and the pipeline in it.
    span
        The range; None for a pipeline without partitions.
    workbench
        The home's parts; only read.
    folder
        The folder.
    labels
        What its metadata say beside the files.

    Raises
    ------
    InputError
        Part of the range is not stored, a master is not kept any more, or files of one's own are too large or outside the
        folder of pipelines.
    """
    pipeline = opened.pipeline
    listing = _Listing(folder)
    request = opened.request(span, workbench.clock()) if span is not None else None
    for form in ("parquet", "csv"):
        for each in export_all(request, opened, folder / "data", form, workbench, leaves_out_axes=True):
            values = values_of(each.path) if form == "parquet" else ""
            listing.add(each.path, "data", about=each.asset, values=values)
    _figures(opened, span, workbench, listing)
    facts = stored_facts(opened.graph, pipeline, span, workbench.store)
    listing.write("facts.json", facts.model_dump_json(indent=2), "facts", "Numbers with unit and uncertainty")
    for item in collect(home, pipeline.name):
        listing.write(item.label, item.content, _KINDS[item.kind], item.name)
    _own_files(opened, workbench, listing)
    if request is not None:
        write_inputs(request, workbench, listing.write)
    listing.write("environment.json", json.dumps(environment(), indent=2), "environment", "Versions that made the results")
    citation = cite(opened.graph, pipeline, span, workbench)
    listing.write("citation.txt", "\n".join(lines_of(citation)), "citation", "What to cite")
    listing.write("citation.bib", to_bibtex(citation), "citation", "What to cite, as BibTeX")
    listing.write("methods.md", methods_text(opened.graph, pipeline, span), "methods", "What each step does")
    manifest = Manifest(
        pipeline=pipeline.name,
        start=format_time(span.start) if span else "",
        stop=format_time(span.stop) if span else "",
        published=labels.published,
        license=labels.license,
        authors=labels.authors,
        files=tuple(sorted(listing.files, key=lambda each: each.path)),
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    title = pipeline.title or pipeline.name
    about = pipeline.description or f"Results of the pipeline {pipeline.name}"
    (folder / CRATE).write_bytes(crate_of(manifest, title=title, description=about, datasets=_datasets(citation)))
    return manifest


class _Listing:
    """The files of a bundle while they are written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[BundledFile] = []

    def write(self, name: str, content: str | bytes, kind: FileKind, about: str = "") -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else (content.rstrip("\n") + "\n").encode())
        self.add(path, kind, about=about)

    def copy(self, source: Path, name: str, kind: FileKind, about: str = "") -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        self.add(path, kind, about=about)

    def add(self, path: Path, kind: FileKind, *, about: str = "", values: str = "") -> None:
        name = path.relative_to(self.folder).as_posix()
        size, digest = path.stat().st_size, sha256_of(path)
        self.files.append(BundledFile(path=name, kind=kind, size=size, sha256=digest, about=about, values=values))


def values_of(path: Path) -> str:
    """The hash of the content of a table's file, whatever bytes hold it."""
    return data_version(TableStore.read_file(path))


def _figures(opened: OpenPipeline, span: TimeRange | None, workbench: Workbench, listing: _Listing) -> None:
    """The pictures of figures over ranges inside that of the bundle."""
    stored = workbench.figures
    for step, node in opened.graph.of_pipeline(opened.pipeline).items():
        if node.kind != "figure":
            continue
        for shown in stored.spans(node.name):
            picture = stored.brought(node.name, shown).with_suffix(".png")
            is_inside = span is None or (span.start <= shown.start and shown.stop <= span.stop)
            if is_inside and picture.is_file():
                listing.copy(picture, f"figures/{picture.name}", "figure", node.step.intent or step)


def _own_files(opened: OpenPipeline, workbench: Workbench, listing: _Listing) -> None:
    """The files of one's own that stored partitions were read from; without them nobody else can make the results again."""
    own = [node.name for node in opened.graph.of_pipeline(opened.pipeline).values()]
    names: set[str] = set()
    for node in (opened.graph[name] for name in opened.graph.with_ancestors(own)):
        if node.fetch is None or not node.fetch.is_own:
            continue
        for key in workbench.store.keys(node.name):
            stored = workbench.store.peek(node.name, key)
            names |= {str(each["name"])[:-11] for each in (stored.provenance.get("sources", []) if stored else [])}
    paths = {name: workbench.settings.pipelines / name for name in sorted(names)}
    if outside := [name for name in paths if Path(name).is_absolute()]:
        hint = "Copy it below the folder of pipelines and give its place there."
        raise InputError(f"the file {outside[0]} is outside the folder of pipelines", hint=hint)
    if lost := [name for name, path in paths.items() if not path.is_file()]:
        raise InputError(f"the file {lost[0]}, which results were made from, is not there any more", hint="Put it back.")
    size = sum(path.stat().st_size for path in paths.values())
    if size > LARGEST_OWN_BYTES:
        raise InputError(f"the files of your own have {size:,} bytes, too many for a bundle", hint="Bundle a shorter range.")
    for name, path in paths.items():
        listing.copy(path, f"pipelines/{name}", "own_file", "Measurements that were read")


def environment() -> dict[str, object]:
    """The versions of Python and of what computes and draws."""
    return {"helio_dagster": __version__, "python": platform.python_version(), "packages": dict(_versions(_PACKAGES))}


def _versions(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _datasets(citation: Citation) -> dict[str, str]:
    """Datasets of archives, by DOI where they have one."""
    found = {}
    for each in citation.datasets:
        if each.archive == OWN_ARCHIVE:
            continue  # the files themselves are in the bundle
        doi = next((credit.doi for credit in each.credits if credit.doi), each.catalog_doi)
        found[f"https://doi.org/{doi}" if doi else f"#{each.archive}/{each.dataset}"] = each.label or each.dataset
    return found
