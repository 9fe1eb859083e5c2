"""Rendered figures at rest: one page per pipeline, step and time range, with the stamp of what it was drawn from.

Where tables are in an object store, figures are there too, and the folder has copies of those that were asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio_dagster.domain.span_key import SPAN_KEY_PATTERN, span_key, span_of
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.atomic import write_bytes

if TYPE_CHECKING:
    from helio_dagster.storage.bucket import StoredObject
    from helio_dagster.storage.figure_objects import FigureObjects

_SMALL = ".small"
_HEAD_BYTES = 4096
_HEIGHT = re.compile(rb'<div style="height:(\d{1,5})px')
_NOTE_PX = 24
"""A line below a figure, with the space around it."""
_NAME = re.compile(rf"(?P<asset>.+)__(?P<span>{SPAN_KEY_PATTERN})")


@dataclass(frozen=True)
class FigureFiles:
    """Figures under one folder; all pages of it share one plotly.js.

    With `objects`, they are in an object store as well, and what others drew is brought into the folder when it is asked for.
    """

    folder: Path
    objects: FigureObjects | None = None

    def html(self, asset: str, span: TimeRange) -> Path:
        """The interactive page of an asset's figure over a range."""
        return self.folder / f"{self.stem(asset)}__{span_key(span)}.html"

    @staticmethod
    def stem(asset: str) -> str:
        """What the names of an asset's files begin with."""
        return asset.replace("/", "__")

    def spans(self, asset: str) -> list[TimeRange]:
        """The ranges over which an asset's figure is stored, in order."""
        names = {path.stem for path in self.folder.glob(f"{self.stem(asset)}__*.html")}
        if self.objects is not None:
            names.update(self.objects.names(self.stem(asset)))
        matches = [_NAME.fullmatch(name) for name in names]
        named = [span_of(match["span"]) for match in matches if match is not None and match["asset"] == self.stem(asset)]
        return sorted(span for span in named if span is not None)

    def of_page(self, name: str) -> dict[str, Any]:
        """What `mark` remembered of the figure whose files have this name without suffix; empty where there is none."""
        self.bring(name)
        return _remembered(self.folder / f"{name}.json") if _NAME.fullmatch(name) and "/" not in name else {}

    def bring(self, name: str) -> None:
        """Have the files with this name, without suffix, in the folder as they are in the store, where there is one."""
        match = _NAME.fullmatch(name) if self.objects is not None and "/" not in name else None
        if match is not None and self.objects is not None:
            self.objects.bring(match["asset"], name)

    def look_again(self) -> None:
        """Another process may have drawn figures."""
        if self.objects is not None:
            self.objects.look_again()

    def brought(self, asset: str, span: TimeRange) -> Path:
        """The page of a figure, as `html`, after what the store has of it was brought."""
        page = self.html(asset, span)
        self.bring(page.stem)
        return page

    def objects_of(self, stem: str) -> tuple[StoredObject, ...]:
        """The objects of an asset's figures, by what the names of its files begin with; none without a store."""
        return tuple(self.objects.objects(stem)) if self.objects is not None else ()

    def by_stem(self) -> dict[str, list[Path]]:
        """All files of figures, by what their names begin with."""
        if self.objects is not None:
            self.objects.bring_all()
        found: dict[str, list[Path]] = {}
        for path in sorted(self.folder.glob("*__*")):
            match = _NAME.fullmatch(path.stem)
            if match is not None and path.suffix in (".html", ".png", ".json"):
                found.setdefault(match["asset"], []).append(path)
        for path in sorted((self.folder / _SMALL).glob("*__*.png")):
            match = _NAME.fullmatch(path.stem.rpartition(".")[0])
            if match is not None:
                found.setdefault(match["asset"], []).append(path)
        return found

    def picture_of(self, name: str) -> Path | None:
        """The picture of the figure whose files have this name; None where it has none."""
        self.bring(name)
        path = self.folder / f"{name}.png"
        return path if _NAME.fullmatch(name) and "/" not in name and path.is_file() else None

    def small(self, name: str, tag: str) -> Path:
        """The small copy of a figure's picture; `tag` says of which."""
        return self.folder / _SMALL / f"{name}.{tag}.png"

    def forget_small(self, name: str, *, but: str) -> None:
        """Delete small copies of the figure's earlier pictures; `but` begins the tags of those of the present one."""
        for path in (self.folder / _SMALL).glob(f"{escape(name)}.*.png"):
            if not path.name.removeprefix(f"{name}.").startswith(but):
                path.unlink(missing_ok=True)

    def png(self, asset: str, span: TimeRange) -> Path:
        """The picture of it; absent where it was drawn without."""
        return self.html(asset, span).with_suffix(".png")

    def drawn_from(self, asset: str, span: TimeRange) -> str | None:
        """Stamp of what the figure was drawn from; None where there is no figure."""
        found = self.provenance(asset, span).get("drawn_from")
        return str(found) if found is not None else None

    def provenance(self, asset: str, span: TimeRange) -> dict[str, Any]:
        """What `mark` remembered of a figure; empty where there is no figure."""
        if not self.brought(asset, span).is_file():
            return {}
        return _remembered(self.sidecar(asset, span))

    def mark(self, asset: str, span: TimeRange, drawn_from: str, provenance: Mapping[str, Any] | None = None) -> None:
        """Remember what a figure was drawn from: the stamp of it, and all that the stamp is made of.

        Written last, so that a figure with a stamp is whole, and in the store where there is one.
        """
        sidecar = self.sidecar(asset, span)
        content = json.dumps({**(provenance or {}), "drawn_from": drawn_from}, sort_keys=True).encode()
        if self.objects is not None:
            self.objects.send(self.stem(asset), sidecar.stem, content)
        write_bytes(sidecar, content)

    def sidecar(self, asset: str, span: TimeRange) -> Path:
        """The file that remembers it."""
        return self.html(asset, span).with_suffix(".json")


def height_of_page(page: Path) -> int | None:
    """The height in pixels of what a page shows, its notes below the figure included; None where the page does not say it."""
    try:
        with page.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            file.seek(max(0, page.stat().st_size - _HEAD_BYTES))
            notes = file.read().rpartition(b"<div id='notes'>")[2].count(b"<p>")
    except OSError:
        return None
    found = _HEIGHT.search(head)
    return int(found[1]) + _NOTE_PX * notes if found is not None else None


def _remembered(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
