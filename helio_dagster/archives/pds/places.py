"""Where the archive keeps a dataset: its folder, by its id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from helio_dagster.domain.errors import UnknownDataset

PDS_URL = "https://pds-ppi.igpp.ucla.edu"
"""The node for Planetary Plasma Interactions; its datasets are below `/data/`."""
_PDS4 = re.compile(r"urn:[a-z]+:[a-z_-]+:(?P<bundle>[a-z0-9._-]+):(?P<collection>[a-z0-9._-]+)", re.IGNORECASE)
_PDS3 = re.compile(r"pds3:(?P<set>[A-Z0-9][A-Z0-9+/._-]*)(?::(?P<part>[A-Z0-9_-][A-Z0-9._-]*))?", re.IGNORECASE)
_HINT = (
    "Ids are urn:nasa:pds:BUNDLE:COLLECTION, or pds3:DATA-SET-ID with or without :FOLDER; @TEXT after one chooses among its "
    "kinds of files. `helio catalog search` finds them."
)


@dataclass(frozen=True)
class Place:
    """A dataset's folder at the server (`/data/…/`), and the text that the names of its files must hold; empty for any."""

    dataset: str
    folder: str
    kind: str = ""


def place_of(dataset: str) -> Place:
    """Where a dataset is; after an `@` stands the kind of its files (`pds3:JNO-J-3-FGM-CAL-V1.0:DATA@pc_r1s`).

    Raises
    ------
    UnknownDataset
        The id is none of PDS4 or PDS3.
    """
    bare, _, kind = dataset.partition("@")
    folder = _folder(bare)
    if folder is None or ".." in folder:
        raise UnknownDataset(f"{dataset[:120]} is not the id of a dataset", where="pds", hint=_HINT)
    return Place(dataset, f"{folder.rstrip('/')}/", kind.casefold())


def _folder(dataset: str) -> str | None:
    if dataset in _exceptions():
        return _exceptions()[dataset]
    head, _, last = dataset.rpartition(":")
    if f"{head}:*" in _exceptions():
        return _exceptions()[f"{head}:*"].replace("*", last)
    if match := _PDS4.fullmatch(dataset):
        bundle = re.sub(r"[._]", "-", match["bundle"])
        return f"/data/{bundle}/{match['collection'].replace('.', '/')}"
    if match := _PDS3.fullmatch(dataset):
        return "/data/" + match["set"].replace("/", "_") + (f"/{match['part']}" if match["part"] else "")
    return None


@cache
def _exceptions() -> dict[str, str]:
    text = files(__package__).joinpath("folders.txt").read_text(encoding="utf-8")
    lines = [line.split("|") for line in text.splitlines() if line and not line.startswith("#")]
    return {dataset.strip(): folder.strip() for dataset, folder in lines}
