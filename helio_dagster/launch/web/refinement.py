"""Answer a page that was zoomed: its figure over the window, from the stored tables that it was drawn from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

SUFFIX = ".refined.js"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE = re.compile(r"-?\d{1,15}")
_REDRAWN = "This figure was drawn again since you opened the page. Reload it to zoom in."
_CHANGED = "The data of this figure changed since it was drawn. Run the pipeline and reload the page to zoom in."


class Refinement:
    """The figures of a home, drawn over parts of their time axis.

    A window is drawn only for a page that names the stamp of what its figure was drawn from, and only from those data
    versions: what a zoom shows is what the figure shows. The stamp is also what pages of other sites do not know.
    """

    def __init__(self, settings: Settings) -> None:
        self._files = FigureFiles(settings.figures)
        self._store = TableStore(settings.data)
        self._tables = TableCache(self._store, limit_bytes=256 * 2**20, least=2)

    def script(self, name: str, query: Mapping[str, str]) -> str | None:
        """The script that calls `refined` on the page of this name; None where the request is none of a page of ours."""
        given = [query.get(key, "") for key in ("from", "to", "number")]
        if not all(_WHOLE.fullmatch(each) for each in given):
            return None
        start, stop, number = map(int, given)
        answer: dict[str, Any] = {"number": number}
        about = self._files.of_page(name)
        try:
            window = _beyond(_EPOCH + timedelta(milliseconds=start), _EPOCH + timedelta(milliseconds=stop))
        except (HelioError, OverflowError):
            return None
        if not about or about.get("drawn_from") != query.get("stamp"):
            answer["problem"] = _REDRAWN
        else:
            try:
                answer |= self._drawn(about, window)
            except (HelioError, LookupError, ValueError):
                answer["problem"] = _CHANGED
        return f"refined({json.dumps(answer)});"

    def _drawn(self, about: Mapping[str, Any], window: TimeRange) -> dict[str, Any]:
        from helio_dagster.figures.refining import refined

        drawn = about["drawn"]
        tables = {
            reference: self._read(asset, about["partitions"], drawn["grains"].get(asset), window)
            for reference, asset in drawn["inputs"].items()
        }
        return refined(Figure.model_validate(drawn["figure"]), tables, window)

    def _read(self, asset: str, made_from: Mapping[str, Any], grain: str | None, window: TimeRange) -> Table:
        """The asset's records in the partitions that the window touches, in the versions that the figure was drawn from."""
        versions = {
            (None if key == "null" else key): version
            for inputs in made_from.values()
            for key, version in inputs.get(asset, {}).items()
            if version is not None
        }
        touched = [key for key in versions if key is None or grain is None or Grain(grain).window(key).overlaps(window)]
        found = []
        for key in touched or list(versions)[:1]:
            stored = self._store.peek(asset, key)
            if stored is None or stored.data_version != versions[key]:
                raise LookupError(asset)
            found.append(self._tables.read(asset, key, versions[key]))
        return concatenate(found)


def _beyond(start: datetime, stop: datetime) -> TimeRange:
    """The window and a little beyond, so that lines go on to its edges."""
    margin = (stop - start) / 20
    return TimeRange(start - margin, stop + margin)
