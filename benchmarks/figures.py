"""Seven days of 16 Hz vectors from the store to a page and a picture, beside plotly and matplotlib with every sample.

`python -m benchmarks.figures [--days 7]` writes tables of made-up samples into a temporary home, and draws them in a process of
its own for each contender, so that peak memory is that contender's. Ratios are of one run.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore

_START = datetime(2023, 1, 2, tzinfo=UTC)
_PER_DAY = 16 * 86_400
_ASSET = "demo/FAST/B"
_FIGURE = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]})
_FLUX_ASSET = "demo/SLOW/FLUX"
_FLUX_DAYS, _FLUX_PER_DAY, _BINS = 365, 960, 64
_WINDOWS_S = (30, 3_600, 86_400, 2 * 86_400)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        print(json.dumps(_CONTENDERS[given.contender](given.home, given.days)))
        return
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _fill(home, given.days)
        _fill_year(home)
        base = ["--days", str(given.days), "--home", str(home), "--contender"]
        print(
            f"{given.days} days, {given.days * _PER_DAY:,} records of three components; "
            f"year: {_FLUX_DAYS * _FLUX_PER_DAY:,} records of {_BINS} bins\n"
        )
        for name in _CONTENDERS:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.figures", *base, name], check=True, capture_output=True, text=True
            )
            print(f"{name:12}", json.loads(done.stdout))


def _settings(home: Path) -> Settings:
    return Settings(home, home / "pipelines")


def _span(days: int) -> TimeRange:
    return TimeRange(_START, _START + timedelta(days=days))


def _key(day: int) -> str:
    return f"{_START + timedelta(days=day):%Y-%m-%d}"


def _fill(home: Path, days: int) -> None:
    store = TableStore(_settings(home).data)
    meta = TableMeta(kind="vector", columns=tuple(ColumnMeta(name=name) for name in "xyz"), unit="nT", label="B", frame="GSE")
    for day in range(days):
        rng = np.random.default_rng(day)
        time_ns = np.datetime64((_START + timedelta(days=day)).replace(tzinfo=None), "ns") + np.arange(
            _PER_DAY
        ) * np.timedelta64(62_500_000, "ns")
        values = {name: rng.normal(0, 0.05, _PER_DAY).cumsum().astype(np.float32) for name in "xyz"}
        store.write(_ASSET, _key(day), Table(time_ns, values, meta), {})


def _fill_year(home: Path) -> None:
    store = TableStore(_settings(home).data)
    meta = TableMeta(
        kind="spectrogram",
        columns=tuple(ColumnMeta(name=f"f{place}") for place in range(_BINS)),
        unit="eV/(cm^2 s sr eV)",
        bins=BinAxis(label="Energy", unit="eV", scale="log", centers=tuple(np.geomspace(5, 30_000, _BINS).tolist())),
    )
    for day in range(_FLUX_DAYS):
        rng = np.random.default_rng(day)
        start = np.datetime64((_START + timedelta(days=day)).replace(tzinfo=None), "ns")
        values = {f"f{place}": rng.lognormal(size=_FLUX_PER_DAY).astype(np.float32) for place in range(_BINS)}
        store.write(_FLUX_ASSET, _key(day), Table(start + np.arange(_FLUX_PER_DAY) * np.timedelta64(90, "s"), values, meta), {})


def _read_whole(home: Path, days: int, asset: str = _ASSET) -> Table:
    store = TableStore(_settings(home).data)
    return concatenate([store.read(asset, _key(day)) for day in range(days)])


def _read_long(asset: str) -> Callable[[Path, int], Table]:
    """Read as `helio run` does."""

    def read(home: Path, days: int) -> Table:
        from helio_dagster.assets.figure_tables import FigureTables
        from helio_dagster.storage.table_cache import TableCache

        store = TableStore(_settings(home).data)
        versions = [(_key(day), str((store.stamp(asset, _key(day)) or ("",))[0])) for day in range(days)]
        return FigureTables(TableCache(store)).read(asset, versions, is_over_time=True)

    return read


def _measured(
    home: Path, days: int, draw: Callable[[Table, int], dict[str, Any]], read: Callable[[Path, int], Table] = _read_whole
) -> dict[str, Any]:
    began, used = time.perf_counter(), time.process_time()
    found = draw(read(home, days), days)
    return {
        "seconds": round(time.perf_counter() - began, 2),
        "cpu_s": round(time.process_time() - used, 2),
        **found,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _ours(home: Path, days: int) -> dict[str, Any]:
    return _drawn(home, days, _read_long(_ASSET))


def _ours_whole(home: Path, days: int) -> dict[str, Any]:
    return _drawn(home, days, _read_whole)


def _year(home: Path, _: int) -> dict[str, Any]:
    return _drawn(home, _FLUX_DAYS, _read_long(_FLUX_ASSET))


def _year_whole(home: Path, _: int) -> dict[str, Any]:
    return _drawn(home, _FLUX_DAYS, lambda home, days: _read_whole(home, days, _FLUX_ASSET))


def _drawn(home: Path, days: int, read: Callable[[Path, int], Table]) -> dict[str, Any]:
    from helio_dagster.figures.drawing import draw
    from helio_dagster.figures.preview import small_copy
    from helio_dagster.figures.rendering import figure_to_html, figure_to_png

    def run(table: Table, days: int) -> dict[str, Any]:
        moments = [time.perf_counter()]
        figure = draw(_FIGURE, {"b": table}, _span(days), title="Benchmark")
        moments.append(time.perf_counter())
        figure_to_html(figure, home / "a.html")
        moments.append(time.perf_counter())
        picture = figure_to_png(figure, home / "a.png")
        moments.append(time.perf_counter())
        small_copy(picture)
        moments.append(time.perf_counter())
        parts = dict(zip(("draw", "page", "picture", "preview"), np.diff(moments).round(3).tolist(), strict=True))
        return {**parts, "page_mb": round((home / "a.html").stat().st_size / 1e6, 2)}

    return _measured(home, days, run, read)


def _one_panel(home: Path, _: int) -> dict[str, Any]:
    """A day of a value every 16 s: what a small figure costs, all modules loaded."""
    from helio_dagster.figures.printing import picture  # noqa: F401 - loaded with the first picture

    return _drawn(home, 1, lambda home, _: _thinned(_read_whole(home, 1)))


def _thinned(table: Table) -> Table:
    meta = table.meta.model_copy(update={"kind": "series", "columns": table.meta.columns[:1]})
    return Table(table.time[::256], {"x": table.columns["x"][::256]}, meta)


def _plotly(home: Path, days: int) -> dict[str, Any]:
    import plotly.graph_objects as go

    def run(table: Table, _: int) -> dict[str, Any]:
        time_ms = table.time.astype(np.int64) / 1e6
        figure = go.Figure(
            [go.Scatter(x=time_ms, y=table.columns[name], mode="lines") for name in "xyz"], layout={"xaxis": {"type": "date"}}
        )
        figure.write_html(home / "plotly.html", include_plotlyjs=False)
        return {"page_mb": round((home / "plotly.html").stat().st_size / 1e6, 2)}

    return _measured(home, days, run)


def _matplotlib(home: Path, days: int) -> dict[str, Any]:
    from matplotlib.figure import Figure as Sheet

    def run(table: Table, _: int) -> dict[str, Any]:
        sheet = Sheet(figsize=(11, 4), dpi=150)
        axes = sheet.add_subplot()
        for name in "xyz":
            axes.plot(table.time, table.columns[name], linewidth=0.7)
        sheet.savefig(home / "matplotlib.png")
        return {}

    return _measured(home, days, run)


def _zoom(home: Path, days: int) -> dict[str, Any]:
    """What the server does for a page that is zoomed, in s and s of processor: first and again, by the length of the window."""
    from helio_dagster.launch.web.refinement import Refinement

    settings = _settings(home)
    files, store = FigureFiles(settings.figures), TableStore(settings.data)
    span = _span(days)
    files.folder.mkdir(parents=True, exist_ok=True)
    versions = {_key(day): {_ASSET: {_key(day): str(store.stamp(_ASSET, _key(day))[0])}} for day in range(days)}  # type: ignore[index]
    drawn = {"figure": _FIGURE.model_dump(mode="json", exclude_none=True), "inputs": {"b": _ASSET}, "grains": {_ASSET: "daily"}}
    files.mark("p/f", span, "stamp", {"code": "c", "partitions": versions, "drawn": drawn})
    refinement = Refinement(settings)
    refinement.prepare()  # as the server does when it has sent a page
    found: dict[str, Any] = {}
    middle = _START + timedelta(days=days / 2, hours=6)
    for length in _WINDOWS_S:
        start = int(middle.timestamp() * 1000)
        asked = {"from": str(start), "to": str(start + length * 1000), "number": "1", "stamp": "stamp"}
        times = []
        for _ in range(2):
            began, used = time.perf_counter(), time.process_time()
            script = refinement.script(files.html("p/f", span).stem, asked)
            times.append((round(time.perf_counter() - began, 3), round(time.process_time() - used, 3)))
            assert script is not None and "problem" not in script, script[:200] if script else None  # noqa: PT018
        found[f"{length} s"] = times
    return {**found, "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


_CONTENDERS: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "ours, first": _ours,
    "ours, again": _ours,
    "read whole": _ours_whole,
    "one panel": _one_panel,
    "year": _year,
    "year, whole": _year_whole,
    "plotly": _plotly,
    "matplotlib": _matplotlib,
    "zoom": _zoom,
}

if __name__ == "__main__":
    main()
