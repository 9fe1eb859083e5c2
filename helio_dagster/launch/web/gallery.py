"""The page `/figures/`: every drawn figure and every stored result of a home, by pipeline, event and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from urllib.parse import quote, urlencode

from helio_dagster.launch.web.listing import DrawnFigure, Listing, StoredResult

POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The pages have no script and need none."""
MOST_OF_A_PAGE = 60
"""Figures on one page."""
_ORDERS = {"drawn": "last drawn", "time": "time of the data", "event": "event"}
_FIELDS = ("pipeline", "q", "order")

STYLE = """
* { box-sizing: border-box; }
body { margin: 20px auto; max-width: 1220px; padding: 0 16px; font: 15px/1.45 sans-serif; color: #222; background: #fff; }
h1 { font-size: 22px; margin: 8px 0; } h2 { font-size: 17px; margin: 30px 0 8px; } h3 { font-size: 15px; margin: 22px 0 6px; }
p, small { color: #5a646b; } small { display: block; } a { color: #08618b; }
nav a { margin-right: 14px; } form { display: flex; flex-wrap: wrap; gap: 10px; margin: 12px 0; align-items: end; }
label { font-size: 13px; color: #5a646b; }
input, select, button { display: block; font: inherit; padding: 4px 8px; max-width: 100%; }
ul.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 270px), 1fr)); gap: 18px; padding: 0; }
ul.cards { list-style: none; } ul.cards > li { min-width: 0; overflow-wrap: anywhere; }
ul.cards img { width: 100%; aspect-ratio: 16 / 10; object-fit: contain; border: 1px solid #dadddf; background: #fff; }
.bare { display: block; aspect-ratio: 16 / 10; padding-top: 28%; text-align: center; border: 1px solid #dadddf; }
.whole { max-width: 100%; height: auto; border: 1px solid #dadddf; } .title { display: block; font-weight: 600; }
.good { color: #1c6b45; } .old { color: #9a4b00; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; } th, td { text-align: left; padding: 3px 14px 3px 0; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th, tbody tr { border-bottom: 1px solid #eceff1; }
pre { background: #f5f6f7; padding: 12px; overflow-x: auto; font-size: 13px; }
"""


def document(title: str, body: str) -> str:
    """An HTML page; `body` is markup, the title text."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def gallery_page(listing: Listing, query: Mapping[str, str] | None = None) -> str:
    """The list as HTML.

    Parameters
    ----------
    query
        `pipeline`, `q` (words of titles, names, ranges or events), `order` and `page`, as the page's own form sends them.
    """
    asked = {name: text for name in _FIELDS if (text := (query or {}).get(name, "").strip()[:200])}
    chosen = [each for each in listing.figures if _is_asked(each, asked)]
    ordered = _in_order(chosen, asked.get("order", "drawn"))
    pages = max(1, -(-len(ordered) // MOST_OF_A_PAGE))
    page = min(pages, max(1, _number((query or {}).get("page", "1"))))
    shown = ordered[(page - 1) * MOST_OF_A_PAGE : page * MOST_OF_A_PAGE]
    names = sorted({each.pipeline for each in listing.figures} | {each.pipeline for each in listing.results if each.node})
    sections = [
        f'<h2>{escape(name)}</h2>\n<ul class="cards">\n' + "\n".join(_card(listing, each) for each in group) + "\n</ul>"
        for name, group in groupby(shown, key=lambda each: each.pipeline)
    ]
    nothing = "" if listing.figures else "<p>No figure was drawn yet. <code>helio run</code> a pipeline with a figure.</p>"
    if listing.figures and not chosen:
        nothing = "<p>No figure has all of these words.</p>"
    count = f"<p>{len(chosen):,} of {len(listing.figures):,} figures</p>" if listing.figures else ""
    results = [each for each in listing.results if _is_asked_result(each, asked)]
    parts = [
        "<h1>Figures and results</h1>",
        '<nav><a href="/">helio</a><a href="/dagster/">Assets and runs in Dagster</a>',
        '<a href="#results">Results</a></nav>',
    ]
    parts += [_form(names, asked), count, nothing, *sections, _pager(asked, page, pages), _results(results)]
    return document("Figures", "\n".join(part for part in parts if part))


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
        '<form method="get" action="./">\n'
        f'<label>Pipeline<select name="pipeline"><option value="">all</option>{pipelines}</select></label>\n'
        f'<label>Title, event or time<input name="q" value="{escape(asked.get("q", ""), quote=True)}" '
        'placeholder="2003-10 or storm"></label>\n'
        f'<label>Order<select name="order">{orders}</select></label>\n<button>Show</button>\n</form>'
    )


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
        f'<small>{downloads(figure)} · <a href="{about}">data and words</a></small></li>'
    )


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
    body = f'<div class="scroll"><table>{head}<tbody>\n{rows}\n</tbody></table></div>' if rows else "<p>Nothing is stored.</p>"
    return f'<h2 id="results">Results</h2>\n{body}'
