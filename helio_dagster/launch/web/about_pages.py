"""Pages about one figure (its words, data and downloads) and about one result (first rows and statistics)."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode

import numpy as np
from numpy.typing import NDArray

from helio_dagster.assets.range_results import RangeResults
from helio_dagster.assets.staleness import assess
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.records import axis_words, in_words
from helio_dagster.domain.table import Table
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.web.gallery import another_time, downloads, freshness
from helio_dagster.launch.web.listing import DrawnFigure, Listing, StoredResult
from helio_dagster.launch.web.page_layout import document, scrolled
from helio_dagster.resources.workbench import utc_now

_FIRST_ROWS = 20
_MOST_COLUMNS = 40
_MOST_KEYS = 400


def figure_page(listing: Listing, figure: DrawnFigure) -> str:
    """Everything about a figure but its samples."""
    reason = listing.out_of_date(figure) or _assessed(listing, figure)
    picture = (
        f'<p><a href="../{quote(figure.page.name)}"><img class="whole" src="../{quote(figure.name)}.png" '
        f'alt="{escape(figure.title, quote=True)}"></a></p>'
        if figure.picture is not None
        else ""
    )
    event = f"{escape(figure.event)}, " if figure.event else ""
    body = [
        '<p class="crumbs"><a href="../">All figures</a></p>',
        f"<h1>{escape(figure.title)}</h1>",
        f"<p>{escape(figure.pipeline)}/{escape(figure.step)}, {event}{escape(str(figure.span))}; "
        f"drawn {figure.drawn:%Y-%m-%d %H:%M} UTC, {freshness(reason)}</p>",
        f'<p>Open <a href="../{quote(figure.page.name)}">the page to zoom in</a>, or save: {downloads(figure, "../")}'
        f"{another_time(figure)}</p>",
        picture,
        _words(listing, figure),
        _data(figure),
    ]
    return document(figure.title, "\n".join(body))


def _assessed(listing: Listing, figure: DrawnFigure) -> str:
    """Why a run over the figure's range would draw it again, by Dagster's record; empty where it would not."""
    if listing.graph is None or figure.node is None or figure.span is None:
        return ""
    try:
        with open_history(listing.settings) as history:
            found = assess(
                listing.graph,
                {figure.node.name: figure.keys},
                ledger=history,
                store=listing.store,
                now=utc_now(),
                ranges=RangeResults(listing.store, listing.files, figure.span),
                shown=figure.span,
            )
    except (HelioError, OSError, LookupError):
        return ""
    return next((", ".join(each.why) for each in found[figure.node.name].values() if not each.is_current), "")


def _words(listing: Listing, figure: DrawnFigure) -> str:
    """The pipeline's description and assumptions, and the file itself."""
    file = listing.home.files.get(figure.pipeline)
    if file is None:
        return "<h2>Words</h2>\n<p>Its pipeline is no longer here.</p>"
    pipeline = file.pipeline
    intents = "".join(f"<li>{escape(step.intent)}</li>" for step in pipeline.steps if step.intent)
    assumed = "".join(f"<li>{escape(each)}</li>" for each in pipeline.assumptions)
    return "\n".join(
        [
            "<h2>Words</h2>",
            f"<p>{escape(pipeline.description)}</p>" if pipeline.description else "",
            f"<ol>{intents}</ol>" if intents else "",
            f"<h3>Assumed</h3><ul>{assumed}</ul>" if assumed else "",
            f"<details><summary>The pipeline file, {escape(pipeline.name)}.yaml</summary>",
            f"<pre>{escape(file.text)}</pre></details>",
        ]
    )


def _data(figure: DrawnFigure) -> str:
    """The tables that it was drawn from, each with a download over the figure's range."""
    assets = sorted({asset for inputs in figure.about.get("partitions", {}).values() for asset in inputs})
    span = {"from": figure.span.start.isoformat(), "to": figure.span.stop.isoformat()} if figure.span else {}
    rows = "".join(
        f'<li><a href="../table?{escape(urlencode({"asset": asset}))}">{escape(asset)}</a>: '
        f'<a href="../table.csv?{escape(urlencode({"asset": asset, **span}))}" download>CSV of this range</a></li>'
        for asset in assets
    )
    return f"<h2>Data</h2>\n<ul>{rows}</ul>"


def result_page(listing: Listing, result: StoredResult, key: str | None) -> str:
    """First rows and statistics of one partition of a result, and links to the others.

    Raises
    ------
    StorageError
        Its file is damaged.
    """
    table = listing.store.read(result.asset, key)
    meta = table.meta
    about = [
        meta.kind,
        f"{len(table):,} records",
        *filter(None, (meta.unit, meta.frame, "synthetic" if meta.synthetic else "")),
    ]
    links = [
        f"<b>{escape(each)}</b>"
        if each == key
        else f'<a href="table?{escape(urlencode({"asset": result.asset, "key": each}))}">{escape(each)}</a>'
        for each in result.keys[-_MOST_KEYS:]
        if each is not None
    ]
    more = len(result.keys) - _MOST_KEYS
    older = f"<p>{more:,} earlier ones are not listed.</p>" if more > 0 else ""
    csv = urlencode({"asset": result.asset, **({"key": key} if key is not None else {})})
    download = "" if meta.axes else f' <a href="table.csv?{escape(csv)}" download>CSV</a>'
    body = [
        '<p class="crumbs"><a href="./">All figures</a></p>',
        f"<h1>{escape(result.asset)}</h1>",
        f"<p>{escape(result.intent)}</p>" if result.intent else "",
        f"<p>{escape(key or 'the whole table')}: {escape(', '.join(about))}; "
        f"written {result.written:%Y-%m-%d %H:%M} UTC.{download}</p>",
        "".join(f"<p>{escape(axis_words(axis))}</p>" for axis in meta.axes),
        "<h2>Statistics</h2>",
        _statistics(table),
        f"<h2>First rows</h2>\n{_rows(_first_rows(table))}",
        f"<h2>Partitions</h2>\n<p>{' '.join(links)}</p>{older}" if links else "",
    ]
    return document(result.asset, "\n".join(part for part in body if part))


def _statistics(table: Table) -> str:
    rows = []
    for column in table.meta.columns[:_MOST_COLUMNS]:
        values = table.columns[column.name]
        if values.dtype.kind not in "fiub":
            continue
        floats: NDArray[np.float64] = values.astype(np.float64)
        valid = floats[np.isfinite(floats)]
        numbers = [valid.min(), valid.mean(), valid.max(), valid.std()] if len(valid) else [np.nan] * 4
        cells = "".join(f'<td class="number">{_number(number)}</td>' for number in numbers)
        unit = escape(column.unit or (table.meta.unit if column.role == "data" else ""))
        rows.append(
            f"<tr><td>{escape(column.label or column.name)}</td><td>{unit}</td>"
            f'<td class="number">{len(valid):,}</td><td class="number">{floats.size - len(valid):,}</td>{cells}</tr>'
        )
    names = ("values", "missing", "lowest", "mean", "highest", "deviation")
    head = "<th>column</th><th>unit</th>" + "".join(f'<th class="number">{name}</th>' for name in names)
    if not rows:
        return "<p>There are no numbers.</p>"
    return scrolled(f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>", "Statistics")


def _first_rows(table: Table) -> Table:
    first = {name: values[:_FIRST_ROWS] for name, values in table.columns.items()}
    return in_words(Table(table.time[:_FIRST_ROWS], first, table.meta))


def _rows(table: Table) -> str:
    if not len(table):
        return "<p>There are no records.</p>"
    names = [column.name for column in table.meta.columns[:_MOST_COLUMNS]]
    head = "<th>time, UTC</th>" + "".join(f'<th class="number">{escape(name)}</th>' for name in names)
    body = []
    for row in range(min(_FIRST_ROWS, len(table))):
        cells = "".join(f'<td class="number">{escape(_cell(table.columns[name][row]))}</td>' for name in names)
        body.append(f"<tr><td>{escape(str(table.time[row].astype('datetime64[ms]')).replace('T', ' '))}</td>{cells}</tr>")
    return scrolled(f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>", "First rows")


def _cell(value: object) -> str:
    if isinstance(value, np.datetime64):
        return "" if np.isnat(value) else str(value.astype("datetime64[ms]")).replace("T", " ")
    return _number(float(value)) if isinstance(value, np.floating) else str(value)[:200]


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.5g}"
