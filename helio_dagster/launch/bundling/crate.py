"""The metadata of a bundle as an RO-Crate 1.1: JSON-LD that repositories and journals read."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from helio_dagster import __version__
from helio_dagster.launch.bundling.manifest import CRATE, MANIFEST, BundledFile, Manifest

_TYPES = {
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".bib": "application/x-bibtex",
}
_SOFTWARE = "#helio_dagster"
_ACTION = "#run"


def crate_of(manifest: Manifest, *, title: str, description: str, datasets: dict[str, str]) -> bytes:
    """The text of `ro-crate-metadata.json`.

    Parameters
    ----------
    manifest
        The files.
    title, description
        The pipeline's.
    datasets
        Address of each dataset of an archive that was used, to its name.
    """
    workflow = next(each.path for each in manifest.files if each.kind == "pipeline")
    results = [each for each in manifest.files if each.kind in ("data", "figure", "facts")]
    authors = [{"@id": f"#author-{place}"} for place, _ in enumerate(manifest.authors, 1)]
    used = [*datasets, *(_address(each.path) for each in manifest.files if each.kind == "own_file")]
    has_address = manifest.license.startswith(("https://", "http://"))
    span = {"temporalCoverage": f"{manifest.start}/{manifest.stop}"} if manifest.start else {}
    graph: list[dict[str, Any]] = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": title,
            "description": description,
            "datePublished": manifest.published,
            "license": {"@id": manifest.license} if has_address else manifest.license,
            **({"author": _one_or_more(authors)} if authors else {}),
            **span,
            "hasPart": [
                *({"@id": _address(each.path)} for each in manifest.files),
                {"@id": MANIFEST},
                *({"@id": each} for each in datasets if not each.startswith("#")),
            ],
            "mentions": {"@id": _ACTION},
        },
        {
            "@id": _ACTION,
            "@type": "CreateAction",
            "name": f"helio run {manifest.pipeline} {manifest.start} {manifest.stop}".strip(),
            "instrument": [{"@id": _address(workflow)}, {"@id": _SOFTWARE}],
            **({"object": _one_or_more([{"@id": each} for each in used])} if used else {}),
            "result": [{"@id": _address(each.path)} for each in results],
        },
        {"@id": _SOFTWARE, "@type": "SoftwareApplication", "name": "helio_dagster", "softwareVersion": __version__},
        *(_dataset(each, name) for each, name in datasets.items()),
        *([{"@id": manifest.license, "@type": "CreativeWork", "name": manifest.license}] if has_address else []),
        *({"@id": f"#author-{place}", "@type": "Person", "name": name} for place, name in enumerate(manifest.authors, 1)),
        *(_file(each) for each in manifest.files),
        {"@id": MANIFEST, "@type": "File", "name": "Files with their hashes", "encodingFormat": "application/json"},
    ]
    document = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _dataset(address: str, name: str) -> dict[str, Any]:
    """A dataset of an archive; one without an address is no data entity of RO-Crate, which only parts of the root are."""
    return {"@id": address, "@type": "CreativeWork" if address.startswith("#") else "Dataset", "name": name}


def _one_or_more(items: list[dict[str, str]]) -> Any:
    """One item by itself, as the profile of RO-Crate 1.1 asks; several as a list."""
    return items[0] if len(items) == 1 else items


def _file(each: BundledFile) -> dict[str, Any]:
    suffix = each.path[each.path.rfind(".") :]
    kind: Any = ["File", "SoftwareSourceCode"] if each.kind in ("pipeline", "operation") else "File"
    return {
        "@id": _address(each.path),
        "@type": kind,
        "name": each.about or each.path.rpartition("/")[2],
        "contentSize": str(each.size),
        "sha256": each.sha256,
        **({"encodingFormat": _TYPES[suffix]} if suffix in _TYPES else {}),
    }


def _address(path: str) -> str:
    """A path as the identifier of a file: an IRI reference."""
    return quote(path, safe="/@+~:!$&'()*,;=")
