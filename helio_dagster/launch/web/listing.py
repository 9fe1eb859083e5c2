"""What the pages below `/figures/` list: every drawn figure and every stored result of a home, and whether it is up to date."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.span_key import span_of
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_figures, open_tables


@dataclass(frozen=True)
class DrawnFigure:
    """One drawn figure.

    `about` is what was remembered of it, `node` its step as the pipelines are now, None where it has gone.
    """

    page: Path
    pipeline: str
    step: str
    span: TimeRange | None
    drawn: datetime
    node: AssetNode | None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of its files, without suffix."""
        return self.page.stem

    @property
    def picture(self) -> Path | None:
        """Its picture, if it was drawn with one."""
        path = self.page.with_suffix(".png")
        return path if path.is_file() else None

    @property
    def keys(self) -> list[str | None]:
        """The partitions that it covers."""
        return [None if key == "null" else key for key in self.about.get("partitions", {})]

    @property
    def event(self) -> str:
        """The event that it is of; empty where it is of a range."""
        is_of_event = self.node is not None and self.node.events is not None and self.node.over != "range"
        return str(self.keys[0]) if is_of_event and self.keys else ""

    @property
    def title(self) -> str:
        """Its title and what it shows, as text."""
        found = (self.node.step.figure.title or self.node.title) if self.node and self.node.step.figure else ""
        return found or self.step


@dataclass(frozen=True)
class StoredResult:
    """One asset with stored tables."""

    asset: str
    pipeline: str
    keys: tuple[str | None, ...]
    written: datetime
    node: AssetNode | None

    @property
    def intent(self) -> str:
        """What it is, in the pipeline's words."""
        return self.node.step.intent if self.node is not None else ""


class Listing:
    """The figures and results of a home at one moment.

    Parameters
    ----------
    settings
        The home. Its files are read; nothing is changed.
    home
        Its pipelines, where they were read already.
    """

    def __init__(self, settings: Settings, home: Home | None = None) -> None:
        self.settings = settings
        self.files = open_figures(settings)
        self.store = open_tables(settings)
        self.home = home or Home(settings)

    @cached_property
    def graph(self) -> AssetGraph | None:
        """The graph of all pipelines; None where they cannot be read."""
        try:
            return self.home.graph
        except (HelioError, OSError):
            return None

    @cached_property
    def figures(self) -> list[DrawnFigure]:
        """All figures, the last drawn first."""
        nodes = {FigureFiles.stem(name): node for name, node in self.graph.nodes.items()} if self.graph else {}
        found = []
        for stem, paths in self.files.by_stem().items():
            node = nodes.get(stem)
            pipeline, step = _names(stem, node)
            for path in paths:
                if path.suffix == ".html":
                    about = self.files.of_page(path.stem)
                    found.append(DrawnFigure(path, pipeline, step, _span(path), _written(path), node, about))
        return sorted(found, key=lambda each: (each.drawn, each.name), reverse=True)

    def figure(self, name: str) -> DrawnFigure | None:
        """The figure whose files have this name."""
        return next((each for each in self.figures if each.name == name), None)

    @cached_property
    def results(self) -> list[StoredResult]:
        """All assets with stored tables, by name."""
        found = []
        for asset in self.store.assets():
            keys = tuple(self.store.keys(asset))
            node = self.graph.nodes.get(asset) if self.graph else None
            if keys:
                written = max(_moment(self.store.written_ns(asset, key)) for key in (keys[0], keys[-1]))
                found.append(StoredResult(asset, node.pipeline if node else asset.partition("/")[0], keys, written, node))
        return found

    def result(self, asset: str) -> StoredResult | None:
        """The stored result of this name."""
        return next((each for each in self.results if each.asset == asset), None)

    def out_of_date(self, figure: DrawnFigure) -> str:
        """Why a figure is no longer what its pipeline gives, as far as files say; empty where nothing says so."""
        if figure.node is None:
            return "its step is no longer in any pipeline" if self.graph is not None else ""
        if figure.about.get("code") != figure.node.code_version:
            return "its step or helio's drawing changed"
        drawn_ns = self.files.sidecar(f"{figure.pipeline}/{figure.step}", figure.span).stat().st_mtime_ns if figure.span else 0
        for inputs in figure.about.get("partitions", {}).values():
            for asset, versions in inputs.items():
                for key, version in versions.items():
                    if version is not None and self._is_other(asset, None if key == "null" else key, version, drawn_ns):
                        return f"{asset} changed"
        return ""

    def _is_other(self, asset: str, key: str | None, version: str, drawn_ns: int) -> bool:
        """Whether a table is not the one of this version; a file that is older than the figure was not looked into."""
        return not self.store.is_version(asset, key, version, unless_written_ns=drawn_ns)


def picture_tag(path: Path) -> str:
    """A short text that is another whenever the file is."""
    state = path.stat()
    return hashlib.sha256(f"{state.st_mtime_ns} {state.st_size}".encode()).hexdigest()[:12]


def _names(stem: str, node: AssetNode | None) -> tuple[str, str]:
    """Pipeline and step, as the person knows them; a name with two underscores of its own is shown as it is."""
    if node is not None:
        return node.pipeline, node.step.id
    pipeline, _, step = stem.partition("__")
    return pipeline, step


def _span(page: Path) -> TimeRange | None:
    return span_of("_".join(page.stem.split("_")[-2:]))


def _moment(written_ns: int) -> datetime:
    return datetime.fromtimestamp(written_ns / 1e9, UTC)


def _written(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return datetime(1970, 1, 1, tzinfo=UTC)  # deleted meanwhile
