"""Answer requests below `/figures/`: the list, pages about figures and results, downloads, zooms, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from html import escape
from typing import Any, Literal
from urllib.parse import parse_qsl

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.status import HTTP_200_OK, HTTP_400_BAD_REQUEST, HTTP_404_NOT_FOUND, HTTP_409_CONFLICT

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.launch.home import Home
from helio_dagster.launch.web import downloads
from helio_dagster.launch.web.about_pages import figure_page, result_page
from helio_dagster.launch.web.gallery import gallery_page
from helio_dagster.launch.web.listing import Listing
from helio_dagster.launch.web.page_layout import POLICY, document
from helio_dagster.launch.web.refinement import SUFFIX, Refinement
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_figures

_FRESH = {"Cache-Control": "no-store"}
_PAGE = {**_FRESH, "Content-Security-Policy": POLICY}
_ISOLATED = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads"}
_WIDTHS_PX = {".small.png": 660, ".preview.png": 400}
"""Copies of pictures: in the list of all figures, and in a column of Dagster's page."""
_ABOUT = "about/"
_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}


class FigurePages(StaticFiles):
    """A home's figures, each in its own origin: a script in one cannot send requests to Dagster. Other pages have no script."""

    def __init__(self, settings: Settings, home: Callable[[], Home] | None = None) -> None:
        super().__init__(directory=settings.figures, html=True)
        self._settings, self._home = settings, home
        self._files = open_figures(settings)
        self._refinement = Refinement(settings)

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        """Something made for this request, or a file with the policy that isolates it.

        Downloads are allowed for plotly's picture button.
        """
        if scope["method"] == "GET":
            query = dict(parse_qsl(scope["query_string"].decode("ascii", "replace")))
            made = await run_in_threadpool(self._made, path, query)
            if made is not None:
                return made
        answer = await super().get_response(path, scope)
        answer.headers.update(_ISOLATED)
        if path.endswith(".html") and answer.status_code == HTTP_200_OK:
            answer.background = BackgroundTask(self._refinement.prepare)
        return answer

    def _listing(self) -> Listing:
        return Listing(self._settings, self._home() if self._home is not None else None)

    def _made(self, path: str, query: Mapping[str, str]) -> Response | None:
        """Why a name cannot be a file; None where it may be one."""
        name, _, suffix = path.rpartition(".")
        try:
            if path in ("", "."):
                return self._gallery(query)
            if path.endswith(SUFFIX):
                return self._zoomed(path.removesuffix(SUFFIX), query)
            for ending, width_px in _WIDTHS_PX.items():
                if path.endswith(ending):
                    small = downloads.small_picture(self._listing(), path.removesuffix(ending), width_px)
                    return None if small is None else Response(small, media_type="image/png", headers=_FRESH)
            if path.startswith(_ABOUT):
                listing = self._listing()
                figure = listing.figure(path.removeprefix(_ABOUT))
                return _missing("figure") if figure is None else HTMLResponse(figure_page(listing, figure), headers=_PAGE)
            if path in ("table", "table.csv"):
                return self._table(query, as_csv=suffix == "csv")
            if suffix in ("svg", "pdf"):
                return self._printed(name, "svg" if suffix == "svg" else "pdf")
            self._files.bring(name)
        except HelioError as error:
            body = document("Not possible", f"<h1>Not possible</h1><p>{_text(error.problem)}. {_text(error.hint or '')}</p>")
            return HTMLResponse(body, status_code=HTTP_409_CONFLICT, headers=_PAGE)
        return None

    def _gallery(self, query: Mapping[str, str]) -> Response:
        try:
            return HTMLResponse(gallery_page(self._listing(), query), headers=_PAGE)
        except InputError as error:
            why = f'<p class="notice bad" role="alert">{_text(error.problem)}. {_text(error.hint or "")}.</p>'
            body = f'<h1>Not a time range</h1>{why}<p><a href="/figures/">All figures and results</a></p>'
            return HTMLResponse(document("Not a time range", body), status_code=HTTP_400_BAD_REQUEST, headers=_PAGE)

    def _zoomed(self, name: str, query: Mapping[str, str]) -> Response:
        script = self._refinement.script(name, query)
        if script is None:
            return PlainTextResponse("This is not a zoom of a figure.\n", status_code=HTTP_400_BAD_REQUEST)
        return Response(script, media_type="text/javascript", headers=_FRESH)

    def _table(self, query: Mapping[str, str], *, as_csv: bool) -> Response:
        listing = self._listing()
        result = listing.result(query.get("asset", ""))
        if result is None:
            return _missing("result")
        key = query.get("key", result.keys[-1])
        if key not in result.keys:
            return _missing("partition")
        if not as_csv:
            return HTMLResponse(result_page(listing, result, key), headers=_PAGE)
        try:
            span = downloads.asked_span(query.get("from", ""), query.get("to", ""))
        except (HelioError, ValueError, TypeError):
            return PlainTextResponse("This is not a range of time.\n", status_code=HTTP_400_BAD_REQUEST)
        content = downloads.csv(listing, result, key, span)
        stem = result.asset.replace("/", "__") + (f"__{key}" if key is not None and span is None else "")
        return _download(content, "text/csv; charset=utf-8", f"{stem}.csv")

    def _printed(self, name: str, form: Literal["svg", "pdf"]) -> Response:
        listing = self._listing()
        figure = listing.figure(name)
        if figure is None:
            return _missing("figure")
        return _download(downloads.printed(listing, figure, form), _TYPES[form], f"{name}.{form}")


def _download(content: bytes, kind: str, name: str) -> Response:
    """A file to save; its name holds nothing that a header could be broken with."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name)
    headers = {**_FRESH, **_ISOLATED, "Content-Disposition": f'attachment; filename="{plain}"'}
    return Response(content, media_type=kind, headers=headers)


def _missing(what: str) -> Response:
    words = f"<h1>Not found</h1><p>There is no such {what} in this home.</p>"
    more = '<p><a href="/figures/">All figures and results</a></p>'
    return HTMLResponse(document("Not found", words + more), status_code=HTTP_404_NOT_FOUND, headers=_PAGE)


def _text(words: str) -> str:
    return escape(words.rstrip("."))
