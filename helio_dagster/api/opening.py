"""What every call of the Python interface begins with: the home, the pipeline, the times."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import parse_span
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.reading import find_asset
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore

When = str | date | datetime
AnyPipeline = Pipeline | str | Path


def settings_of(home: str | Path | None) -> Settings:
    """The settings of the environment, with another home where one is named."""
    environment = dict(os.environ) if home is None else {**os.environ, "HELIO_HOME": str(home)}
    return Settings.read(environment, Path.cwd())


def span_of(start: When, stop: When | None, now: datetime) -> TimeRange:
    """The range of words, dates or times; raises InputError where it is none."""
    return parse_span(text_of(start), text_of(stop), now) if stop is not None else read_words([text_of(start)], now)


def text_of(when: When) -> str:
    """A time as words; a naive one is UTC."""
    if isinstance(when, datetime):
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return when if isinstance(when, str) else when.isoformat()


def find_step(home: Home, asset_or_step: str, pipeline: AnyPipeline | None, store: TableStore) -> tuple[AssetGraph, AssetNode]:
    """An asset, or a step of a pipeline, with the graph it is in; raises InputError where there is none."""
    if pipeline is None:
        return home.graph, find_asset(home.graph, asset_or_step, store=store)
    found, graph = home.open(pipeline)
    return graph, find_asset(graph, asset_or_step, found)


@contextmanager
def quiet_dagster() -> Iterator[None]:
    """Silence Dagster's warnings of beta features, and of event loops beside a notebook's: a caller cannot mend them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is currently in (beta|preview)")
        warnings.filterwarnings("ignore", message="coroutine 'BaseEventLoop.shutdown_asyncgens' was never awaited")
        yield
