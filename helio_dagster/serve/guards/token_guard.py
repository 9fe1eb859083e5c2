"""Let in only who has a token: programs send it, browsers have a cookie that a link of one use has given them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.person import Person
from helio_dagster.hosting.served_home import ASKING
from helio_dagster.launch.web.addresses import API, FIGURES
from helio_dagster.launch.web.page_layout import POLICY
from helio_dagster.serve.http.answers import refusal
from helio_dagster.storage.access_token import AccessToken, cookie_of
from helio_dagster.storage.entry_links import take_link
from helio_dagster.storage.people import account, find_person, read_people

ENTER = "/enter"
COOKIE = "helio"
_POLICY_REFUSED = 1008
_HINT = (
    "Send Authorization: Bearer TOKEN; `helio run --on` takes TOKEN from HELIO_TOKEN. "
    "helio names the file that has it when it starts, and `helio people add NAME` makes one for a person."
)
_EXPIRED = "the token has expired"
_START_AGAIN = "Start helio serve again: it then makes a new token."
_ASK_AGAIN = "On the machine that serves, `helio people add NAME` makes a new one."
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">{more}
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{title} · helio</title></head><body><main><h1>{title}</h1>
{body}</main></body></html>
"""
_CLOSED = """<p>{why}.</p>
<p>Open the link that helio printed when it started. A link lets one browser in, once, within an hour. On the machine that
serves, <code>helio serve --link</code> prints another, with the <code>--host</code> and <code>--port</code> of the
server.</p>"""
_TOO_OLD = """<p>The token of this server has expired, so nobody can enter it now. Nothing that was made is lost.</p>
<p>On the machine that serves, stop <code>helio serve</code> and start it again. It makes a new token and prints a link:
open that link here.</p>"""
_OPEN = '<p><a href="/">Go on to helio</a></p>'
_AT_ONCE = '<meta http-equiv="refresh" content="0;url=/">'
"""Not a redirect: after one, a browser that came from another site, such as from a mail, sends no cookie."""
_IN_WORDS = {
    "no token was sent": "This browser has not entered",
    "the cookie is wrong": "This browser's entry does not belong to this server, or is no longer good",
}


class TokenGuard:
    """ASGI middleware that refuses requests without a token or a cookie, and lets what is behind it know who asks (`ASKING`).

    Parameters
    ----------
    app
        What is guarded.
    token
        The token of the home's owner, who is an operator.
    home
        Keeps the people with tokens of their own, and the links by which browsers enter.
    clock
        Gives the current time.
    """

    def __init__(self, app: ASGIApp, token: AccessToken, home: Path, clock: Callable[[], datetime]) -> None:
        self._app, self._token, self._home, self._clock = app, token, home, clock
        self._cookie = AccessToken(cookie_of(token.value), token.until)
        self._owner = Person(account())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with one sentence that says why."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if scope["type"] == "http" and scope["path"] == ENTER:
            await (await run_in_threadpool(self._enter, scope))(scope, receive, send)
            return
        found = self._owner if _is_script_of_figure(scope) else self._who(Headers(scope=scope))
        if isinstance(found, Person):
            before = ASKING.set(found)
            try:
                await self._app(scope, receive, send)
            finally:
                ASKING.reset(before)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_REFUSED, "reason": "refused"})
        else:
            is_over = self._clock() >= self._token.until
            await _closed(scope, found, is_over=is_over)(scope, receive, send)

    def _who(self, headers: Headers) -> Person | str:
        """Who sent a request, or why it is refused."""
        given = headers.getlist("authorization")
        if given:
            scheme, _, value = given[0].partition(" ") if len(given) == 1 else ("", "", "")
            if scheme.lower() != "bearer":
                return "no token was sent"
            fault = self._token.fault(value.strip(), self._clock())
            return self._with_own(token=value.strip(), otherwise=fault) if fault else self._owner
        try:
            found = SimpleCookie("; ".join(headers.getlist("cookie"))).get(COOKIE)
        except CookieError:
            found = None
        if found is None:
            return "no token was sent"
        fault = self._cookie.fault(found.value, self._clock()).replace("token", "cookie")
        return self._with_own(cookie=found.value, otherwise=fault) if fault else self._owner

    def _with_own(self, *, token: str = "", cookie: str = "", otherwise: str) -> Person | str:
        """Somebody with a token of their own, or why they are refused."""
        if not token and not cookie:
            return otherwise
        try:
            known = find_person(read_people(self._home), token=token, cookie=cookie)
        except StorageError as error:
            return f"nobody can be recognised: {error.problem}"
        if known is None:
            return otherwise
        return known.person if self._clock() < known.until else _EXPIRED

    def _enter(self, scope: Scope) -> Response:
        now = self._clock()
        code = parse_qs(scope["query_string"].decode("ascii", "replace")).get("once", [""])[0]
        name = take_link(self._home, code, now) if scope["method"] == "GET" else None
        if name is None and now >= self._token.until:
            return _closed(scope, _EXPIRED, is_over=True)
        if name is None:
            return _closed(scope, "This link was used already, is too old, or is not whole", is_over=False)
        cookie, until = self._cookie.value, self._token.until
        if name:
            known = next((each for each in read_people(self._home) if each.name == name), None)
            if known is None:
                return _closed(scope, f"This link was for {name}, who has no token here any more", is_over=False)
            cookie, until = known.cookie, known.until
        if now >= until:
            return _closed(scope, _EXPIRED, is_over=not name)
        body = _PAGE.format(title="You are in", more=_AT_ONCE, body=_OPEN)
        answer = HTMLResponse(body, headers={"Cache-Control": "no-store", "Content-Security-Policy": POLICY})
        seconds = int((until - now).total_seconds())
        is_secure = scope.get("scheme") == "https"
        answer.set_cookie(COOKIE, cookie, max_age=seconds, path="/", httponly=True, samesite="strict", secure=is_secure)
        return answer


def _is_script_of_figure(scope: Scope) -> bool:
    """Whether it is a script of a figure, whose page has an origin of its own and so no cookie.

    A zoom proves itself by the stamp that only the page knows.
    """
    path = scope["path"]
    return scope.get("method") == "GET" and path.startswith(FIGURES) and path.endswith(".js")


def _closed(scope: Scope, why: str, *, is_over: bool) -> Response:
    """The refusal of a request; browsers drop a cookie that has expired, so `is_over` tells that the token has."""
    if scope["path"].startswith(API):
        hint = _START_AGAIN if is_over else _ASK_AGAIN if why == _EXPIRED else _HINT
        problem = _EXPIRED if is_over and why == "no token was sent" else why
        return refusal(401, problem[:1].lower() + problem[1:], hint, {"WWW-Authenticate": "Bearer"})
    body = _TOO_OLD if is_over else _CLOSED.format(why=_IN_WORDS.get(why, why[:1].upper() + why[1:]))
    page = _PAGE.format(title="This page is closed", more="", body=body)
    headers = {"WWW-Authenticate": "Bearer", "Cache-Control": "no-store", "Content-Security-Policy": POLICY}
    return HTMLResponse(page, 401, headers=headers)
