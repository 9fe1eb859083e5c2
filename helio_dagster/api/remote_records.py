"""The stored records of a home that another process or machine serves: read, written to files here, and traced back."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio_dagster.api.connection import Connection
from helio_dagster.api.opening import When, text_of
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table_meta_text import unpack_meta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.atomic import atomic_files, atomic_path

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from helio_dagster.launch.credit.lineage import Origin
    from helio_dagster.launch.exporting.export import Exported


class RemoteRecords:
    """Calls about stored records; each raises as the one of this package that has its name.

    Parameters
    ----------
    connection
        To the server; closed by whoever opened it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def read(
        self, asset_or_step: str, start: When, stop: When | None = None, *, pipeline: str | None = None
    ) -> pd.DataFrame | xr.Dataset:
        """The stored records of an asset over `[start, stop)`, as `helio_dagster.read` gives them."""
        from helio_dagster.launch.running.reading import readable
        from helio_dagster.storage.tables import TableStore

        query = {"asset": asset_or_step, "pipeline": pipeline, **times_of(start, stop)}
        with tempfile.TemporaryDirectory(prefix="helio-") as folder:
            path = Path(folder) / "table.parquet"
            with self._connection.opened("GET", "/table", query=query) as answer, path.open("wb") as file:
                for part in answer.iter_bytes():
                    file.write(part)
            return readable(TableStore.read_file(path))

    def export(
        self,
        asset_or_step: str,
        start: When | None = None,
        stop: When | None = None,
        *,
        output: str | Path | None = None,
        file_format: str | None = None,
        pipeline: str | None = None,
        comments: bool = True,
        event: str | None = None,
        every: bool = False,
    ) -> Exported:
        """Write the stored records of an asset over `[start, stop)` to a file here, which appears whole or not at all.

        Where the partitions are events, `event` is the key of one to write, and `every` writes all; a range is neither.
        """
        from helio_dagster.launch.exporting.export import Exported
        from helio_dagster.launch.exporting.targets import find_target

        place = Path(output) if output is not None else None
        form = find_target(asset_or_step, None, place, file_format).format
        name = place.name if place is not None and not place.is_dir() else None
        how = {"format": form, "name": name, "comments": comments, **_events(event, every=every)}
        query = {"asset": asset_or_step, "pipeline": pipeline, **how, **times_of(start, stop)}
        with self._connection.opened("GET", "/export", query=query) as answer:
            about, meta = json.loads(answer.headers["x-export"]), unpack_meta(answer.headers["x-export-meta"])
            ends = [datetime.fromisoformat(about[name]) for name in ("start", "stop") if about[name] is not None]
            span = TimeRange(*ends) if ends else None
            target = find_target(about["asset"], span, place, form)
            with atomic_path(target.path) as part, part.open("wb") as file:
                for content in answer.iter_bytes():
                    file.write(content)
        return Exported(about["asset"], target.path, form, about["rows"], meta, span)

    def export_all(
        self,
        pipeline: str,
        start: When | None = None,
        stop: When | None = None,
        *,
        folder: str | Path | None = None,
        file_format: str | None = None,
        comments: bool = True,
        event: str | None = None,
        every: bool = False,
    ) -> list[Exported]:
        """Write all results of a pipeline that have a table to a folder here, each to a file. Events are named as in `export`.

        Raises
        ------
        InputError
            No format is given, the folder is a file, or a partition was never materialized; then nothing is written.
        """
        from helio_dagster.launch.exporting.targets import find_target

        place = Path(folder) if folder is not None else Path()
        find_target(pipeline, None, place, file_format, is_folder=True)  # raises
        if place.exists() and not place.is_dir():
            raise InputError(f"{place.name} is one file, and {pipeline} may have several results", hint="Give a folder.")
        asked = self._connection.ask(
            "GET", f"/exports/{pipeline}", query={**_events(event, every=every), **times_of(start, stop)}
        )
        with atomic_files(place) as folder_of_parts:
            how: dict[str, Any] = {"output": folder_of_parts, "file_format": file_format, "comments": comments}
            how |= {"pipeline": pipeline, "event": event, "every": every}
            written = [self.export(each, start, stop, **how) for each in asked["steps"]]
        return [replace(each, path=place / each.path.name) for each in written]

    def origin(self, asset: str, *times: str, event: str | None = None) -> Origin:
        """What a partition of an asset was made from, as `helio show --json` prints it.

        `times` are the partition's key, a day or time in it, or start and stop; `event` is the key of an event instead.
        """
        from helio_dagster.launch.credit.lineage import Origin

        given = [" ".join(times)] if len(times) > 2 else list(times)
        query = {"asset": asset, "event": event, **dict(zip(("start", "stop"), given, strict=False))}
        return Origin.model_validate(self._connection.ask("GET", "/origin", query=query))


def times_of(start: When | None, stop: When | None) -> dict[str, Any]:
    """A range as a query has it."""
    found = {"start": start, "stop": stop}
    return {name: text_of(each) for name, each in found.items() if each is not None}


def _events(event: str | None, *, every: bool) -> dict[str, Any]:
    return {"event": event, **({"all": True} if every else {})}
