"""Web pages of strangers, on loopback: each way into a running web UI that a page has, tried in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Page

STRANGER = "stranger.example"
"""A host name that the browser resolves to this machine, as one does that is rebound."""
BROWSER_ARGUMENTS = (f"--host-resolver-rules=MAP {STRANGER} 127.0.0.1",)

WAYS = {
    "get": "await fetch(`${ui}/graphql?query=${report('get')}`, {mode: 'no-cors'})",
    "picture": """await new Promise(done => {
        const picture = new Image(); picture.onerror = picture.onload = done;
        picture.src = `${ui}/graphql?query=${report('picture')}`})""",
    "plain": "await post(`/graphql?query=${report('plain')}`, 'text/plain', 'x')",
    "plain_json": """await post('/graphql', 'text/plain; x=application/json',
        JSON.stringify({query: decodeURIComponent(report('plain_json'))}))""",
    "bodyless": "await post('/report_asset_materialization/stolen/bodyless')",
    "observation": "await post('/report_asset_observation/stolen/observation')",
    "json": """await fetch(`${ui}/graphql`, {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({query: decodeURIComponent(report('json'))})})""",
    "form": "submit(`/graphql?query=${report('form')}`)",
}
"""What a page's script does, by name; each leaves the asset `stolen/NAME` in Dagster's record where it succeeds."""

_TRY = """async ([ui, script]) => {
  const report = name => encodeURIComponent(`mutation { reportRunlessAssetEvents(eventParams:
    {eventType: ASSET_MATERIALIZATION, assetKey: {path: ["stolen", "${name}"]}}) { __typename } }`);
  const post = (path, type, body) => fetch(ui + path,
    {method: 'POST', mode: 'no-cors', headers: type ? {'Content-Type': type} : {}, body});
  const submit = path => {
    const form = document.body.appendChild(document.createElement('form'));
    form.method = 'POST'; form.action = ui + path; form.submit() };
  const run = new Function('ui', 'report', 'post', 'submit', `return (async () => { ${script} })()`);
  try { await run(ui, report, post, submit); return 'sent' } catch (error) { return String(error) }
}"""
_SOCKET = """ui => new Promise(done => {
  const socket = new WebSocket(ui.replace('http', 'ws') + '/graphql', 'graphql-ws');
  socket.onopen = () => socket.send(JSON.stringify({type: 'connection_init'}));
  socket.onmessage = message => done(message.data);
  socket.onerror = () => done('refused');
})"""


def try_all(page: Page, site: str, ui: str, *, can_submit: bool = True) -> None:
    """Try every way from a page of this site, and see each reach the server."""
    for name, script in WAYS.items():
        page.goto(site)
        outcome = page.evaluate(_TRY, [ui, script])
        assert outcome == "sent" or name == "json", outcome  # JSON is sent after a preflight alone, which is refused
        if name == "form" and can_submit:
            page.wait_for_url(f"{ui}/graphql**", wait_until="commit")


def socket_answer(page: Page, ui: str) -> str:
    """What a WebSocket from the page that is open is answered first."""
    return str(page.evaluate(_SOCKET, ui))


class _Blank(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = b"<!doctype html><title>A stranger's page</title><body></body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def strangers_site() -> Iterator[int]:
    """The port of a site of somebody else's on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Blank)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
