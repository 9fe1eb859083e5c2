"""The page `/figures/`: every drawn figure and every stored result of a home, by pipeline, event and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import groupby
from urllib.parse import quote, urlencode

from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.web.listing import DrawnFigure, Listing, StoredResult
from helio_dagster.launch.web.page_layout import document, scrolled
from helio_dagster.resources.workbench import utc_now

MOST_OF_A_PAGE = 60
"""Figures on one page."""
_ORDERS = {"drawn": "last drawn", "time": "time of the data", "event": "event"}
_FIELDS = ("pipeline", "q", "from", "to", "order")


def gallery_page(listing: Listing, query: Mapping[str, str] | None = None, now: datetime | None = None) -> str:
    """The HTML page that lists figures and results, filtered, sorted and in pages.

    Parameters
    ----------
    query
        `pipeline`, `q` (words of titles, names, ranges or events), `from` and `to` (half-open; figures that show any of it),
        `order` and `page`, as the page's own form sends them.
    now
        What `last week` is counted from; by the clock where not given.

    Raises
    ------
    InputError
        `from` and `to` are not a range.
    """
    asked = {name: text for name in _FIELDS if (text := (query or {}).get(name, "").strip()[:200])}
    span = _asked_span(asked, now or utc_now())
    chosen = [each for each in listing.figures if _is_asked(each, asked) and _shows_any_of(each, span)]
    ordered = _in_order(chosen, asked.get("order", "drawn"))
    pages = max(1, -(-len(ordered) // MOST_OF_A_PAGE))
    page = min(pages, max(1, _number((query or {}).get("page", "1"))))
    shown = ordered[(page - 1) * MOST_OF_A_PAGE : page * MOST_OF_A_PAGE]
    names = sorted({each.pipeline for each in listing.figures} | {each.pipeline for each in listing.results if each.node})
    sections = [
        f'<h2>{escape(name)}</h2>\n<ul class="cards">\n' + "\n".join(_card(listing, each) for each in group) + "\n</ul>"
        for name, group in groupby(shown, key=lambda each: each.pipeline)
    ]
    nothing = "" if listing.figures else '<p class="notice">No figure was drawn yet. <a href="/">Ask for one</a>.</p>'
    if listing.figures and not chosen:
        nothing = "<p>No figure has all of these words.</p>" if span is None else f"<p>No such figure shows any of {span}.</p>"
    count = f"<p>{len(chosen):,} of {len(listing.figures):,} figures</p>" if listing.figures else ""
    results = [each for each in listing.results if _is_asked_result(each, asked)]
    parts = [
        "<h1>Figures and results</h1>",
        '<p><a href="#results">Results</a></p>',
    ]
    parts += [_form(names, asked), count, nothing, *sections, _pager(asked, page, pages), _results(results)]
    return document("Figures", "\n".join(part for part in parts if part))


def _asked_span(asked: Mapping[str, str], now: datetime) -> TimeRange | None:
    """The range that figures are asked of; None where none is given."""
    if "from" in asked:
        return read_words([asked["from"], *([asked["to"]] if "to" in asked else [])], now)
    if "to" in asked:
        raise InputError("a range needs a start", hint="Fill in From as well; From alone may be a day, a month or a year.")
    return None


def _shows_any_of(figure: DrawnFigure, span: TimeRange | None) -> bool:
    if span is None:
        return True
    return figure.span is not None and figure.span.start < span.stop and span.start < figure.span.stop


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def _is_asked(figure: DrawnFigure, asked: Mapping[str, str]) -> bool:
    if asked.get("pipeline", figure.pipeline) != figure.pipeline:
        return False
    text = f"{figure.pipeline}/{figure.step} {figure.title} {figure.event} {figure.span or ''}".lower()
    return all(word in text for word in asked.get("q", "").lower().split())


def _is_asked_result(result: StoredResult, asked: Mapping[str, str]) -> bool:
    if asked.get("pipeline", result.pipeline) != result.pipeline:
        return False
    return all(word in f"{result.asset} {result.intent}".lower() for word in asked.get("q", "").lower().split())


def _in_order(figures: Sequence[DrawnFigure], order: str) -> list[DrawnFigure]:
    """By pipeline, the one with the last drawn figure first; inside it as asked for."""
    rank: dict[str, int] = {}
    for each in figures:
        rank.setdefault(each.pipeline, len(rank))
    if order == "time":
        inside = sorted(figures, key=lambda each: (each.span.start.isoformat() if each.span else "", each.step))
    elif order == "event":
        inside = sorted(figures, key=lambda each: (not each.event, each.event, each.name))
    else:
        inside = list(figures)
    return sorted(inside, key=lambda each: rank[each.pipeline])


def _form(names: Sequence[str], asked: Mapping[str, str]) -> str:
    chosen = asked.get("pipeline"), asked.get("order", "drawn")
    pipelines = "".join(_option(name, name, is_chosen=name == chosen[0]) for name in names)
    orders = "".join(_option(name, words, is_chosen=name == chosen[1]) for name, words in _ORDERS.items())
    return (
        '<form method="get" action="./" class="filters" role="search">\n'
        f'<label>Pipeline<select name="pipeline"><option value="">all</option>{pipelines}</select></label>\n'
        f'<label>Title, event or time<input name="q" value="{escape(asked.get("q", ""), quote=True)}" '
        'placeholder="2003-10 or storm" maxlength="200"></label>\n'
        f"{_time_field('From', 'from', asked)}{_time_field('To (end exclusive)', 'to', asked)}\n"
        f'<label>Order<select name="order">{orders}</select></label>\n<button>Show</button>\n</form>'
    )


def _time_field(words: str, name: str, asked: Mapping[str, str]) -> str:
    value = escape(asked.get(name, ""), quote=True)
    return f'<label>{words}<input name="{name}" value="{value}" placeholder="2003-10-29" size="12" maxlength="200"></label>'


def _option(value: str, words: str, *, is_chosen: bool) -> str:
    return f'<option value="{escape(value, quote=True)}"{" selected" if is_chosen else ""}>{escape(words)}</option>'


def _pager(asked: Mapping[str, str], page: int, pages: int) -> str:
    if pages == 1:
        return ""
    links = [
        f"<b>{number}</b>" if number == page else f'<a href="./?{escape(urlencode({**asked, "page": number}))}">{number}</a>'
        for number in range(1, pages + 1)
    ]
    return f"<p>Page {' '.join(links)}</p>"


def _card(listing: Listing, figure: DrawnFigure) -> str:
    page, about = quote(figure.page.name), f"about/{quote(figure.name)}"
    when = escape(str(figure.span) if figure.span is not None else figure.name)
    event = f"{escape(figure.event)}, " if figure.event else ""
    if figure.picture is not None:
        inside = f'<img src="{quote(figure.name)}.small.png" alt="{escape(figure.title, quote=True)}, {when}" loading="lazy">'
    else:
        inside = '<span class="bare">no picture</span>'
    return (
        f'<li><a href="{page}">{inside}</a><a class="title" href="{page}">{escape(figure.title)}</a>'
        f"<small>{escape(figure.step)}: {event}{when}</small>"
        f"<small>drawn {figure.drawn:%Y-%m-%d %H:%M} UTC, {freshness(listing.out_of_date(figure))}</small>"
        f'<small>{downloads(figure)} · <a href="{about}">data and description</a>{another_time(figure)}</small></li>'
    )


def another_time(figure: DrawnFigure) -> str:
    """A link to where the same is made for another time; none where the pipeline has gone."""
    if figure.node is None:
        return ""
    return f' · <a href="/pipelines/{quote(figure.pipeline)}#run">the same for another time</a>'


def freshness(reason: str) -> str:
    """Whether a figure is up to date, as markup."""
    return f'<span class="old">out of date: {escape(reason)}</span>' if reason else '<span class="good">up to date</span>'


def downloads(figure: DrawnFigure, up: str = "") -> str:
    """Links to the figure's files; `up` leads to the folder of pages."""
    name = f"{up}{quote(figure.name)}"
    forms = [form for form in ("png", "svg", "pdf") if form != "png" or figure.picture is not None]
    if figure.node is None:
        forms = [form for form in forms if form == "png"]  # nothing to draw it again from
    return " · ".join(f'<a href="{name}.{form}" download>{form.upper()}</a>' for form in forms) or "no files"


def _results(results: Sequence[StoredResult]) -> str:
    rows = "\n".join(
        f'<tr><td><a href="table?{escape(urlencode({"asset": each.asset}))}">{escape(each.asset)}</a></td>'
        f'<td>{escape(each.intent)}</td><td class="number">{len(each.keys):,}</td><td>{each.written:%Y-%m-%d %H:%M}</td></tr>'
        for each in results
    )
    head = '<thead><tr><th>result</th><th>what it is</th><th class="number">partitions</th><th>written, UTC</th></tr></thead>'
    body = scrolled(f"{head}<tbody>\n{rows}\n</tbody>", "Results") if rows else "<p>Nothing is stored.</p>"
    return f'<h2 id="results">Results</h2>\n{body}'
