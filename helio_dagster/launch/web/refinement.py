"""Answer a page that was zoomed: its figure over the window, from the stored tables that it was drawn from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from helio_dagster.assets.figure_tables import FigureTables, references_over_time
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.table_stores import open_figures, open_tables

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
        self._files = open_figures(settings)
        tables = TableCache(open_tables(settings), limit_bytes=256 * 2**20, least=2)
        self._tables = FigureTables(tables, most_cells=0)  # a window's levels are at rest since its figure was drawn

    @staticmethod
    def prepare() -> None:
        """Load what reads and draws, which takes most of a second: a page that is opened may soon be zoomed."""
        import pandas  # noqa: F401 - PyArrow loads it with the first column that it gives as an array
        import plotly.graph_objects as go

        from helio_dagster.figures.gaps import longest_reach  # noqa: F401
        from helio_dagster.figures.refining import refined

        go.layout.Shape(line={"width": 1})  # as drawn at a zero, which this figure has none of
        meta = TableMeta(kind="series", columns=(ColumnMeta(name="x"),))
        window = TimeRange(_EPOCH, _EPOCH + timedelta(days=1))
        refined(Figure.model_validate({"panels": [{"traces": [{"data": "x"}]}]}), {"x": Table.empty(meta)}, window)

    def script(self, name: str, query: Mapping[str, str]) -> str | None:
        """The script that calls `refined` on the page of this name; None where the request is none of a page of ours."""
        given = [query.get(key, "") for key in ("from", "to", "number")]
        if not all(_WHOLE.fullmatch(each) for each in given):
            return None
        start, stop, number = map(int, given)
        answer: dict[str, Any] = {"number": number}
        about = self._files.of_page(name)
        try:
            shown = TimeRange(_EPOCH + timedelta(milliseconds=start), _EPOCH + timedelta(milliseconds=stop))
            window = _beyond(shown.start, shown.stop)
        except (HelioError, OverflowError):
            return None
        if not about or about.get("drawn_from") != query.get("stamp"):
            answer["problem"] = _REDRAWN
        else:
            try:
                answer |= self._drawn(about, window, shown)
            except (HelioError, LookupError, ValueError):
                answer["problem"] = _CHANGED
        return f"refined({json.dumps(answer)});"

    def _drawn(self, about: Mapping[str, Any], window: TimeRange, shown: TimeRange) -> dict[str, Any]:
        from helio_dagster.figures.gaps import longest_reach
        from helio_dagster.figures.refining import refined

        drawn = about["drawn"]
        figure = Figure.model_validate(drawn["figure"])
        over_time = references_over_time(figure)

        def tables_over(span: TimeRange) -> dict[str, Table]:
            return {
                reference: self._tables.read_window(
                    asset,
                    _versions(about["partitions"], asset),
                    Grain(drawn["grains"][asset]) if drawn["grains"].get(asset) else None,
                    span,
                    is_over_time=reference in over_time,
                )
                for reference, asset in drawn["inputs"].items()
            }

        tables = tables_over(window)
        reach = longest_reach(tables.values())
        if reach:  # what is stamped outside may reach into it
            tables = tables_over(window.widened(reach, reach))
        return refined(figure, tables, window, shown=shown, spacecraft=drawn.get("spacecraft"))


def _versions(made_from: Mapping[str, Any], asset: str) -> dict[str | None, str]:
    """Partition of an asset to the data version that the figure was drawn from."""
    return {
        (None if key == "null" else key): version
        for inputs in made_from.values()
        for key, version in inputs.get(asset, {}).items()
        if version is not None
    }


def _beyond(start: datetime, stop: datetime) -> TimeRange:
    """The window and a little beyond, so that lines continue to its edges."""
    margin = (stop - start) / 20
    return TimeRange(start - margin, stop + margin)
