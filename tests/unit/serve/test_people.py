"""People with tokens of their own: what is kept of them, who is recognised, and what a reader may send."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.hosting.served_home import ASKING
from helio_dagster.serve.guards.reader_guard import ReaderGuard
from helio_dagster.serve.guards.token_guard import COOKIE, TokenGuard
from helio_dagster.storage.access_token import AccessToken
from helio_dagster.storage.entry_links import new_link
from helio_dagster.storage.people import add_person, read_people, remove_person, require_person

NOW = datetime(2024, 5, 10, tzinfo=UTC)
OWNER = AccessToken("a-secret", NOW + timedelta(days=1))
QUERY = "query Runs { runsOrError { __typename } }"
MUTATION = "mutation Launch { launchRun { __typename } }"


class Site:
    """An application behind the guards that answers with who asks and what was sent."""

    def __init__(self, home: Path) -> None:
        self.home, self.now = home, NOW

        async def answer(request: Request) -> PlainTextResponse:
            person = ASKING.get()
            assert person is not None
            return PlainTextResponse(f"{person.name} {person.role} {(await request.body()).decode()}".strip())

        routes = [Route("/{path:path}", answer, methods=["GET", "POST", "DELETE", "PUT"])]
        guards = [Middleware(TokenGuard, token=OWNER, home=home, clock=lambda: self.now), Middleware(ReaderGuard)]
        self.client = TestClient(Starlette(routes=routes, middleware=guards), follow_redirects=False)

    def ask(self, token: str, path: str = "/api/v1/x", method: str = "GET", **more: Any) -> tuple[int, str]:
        """Status and text of an answer."""
        headers = {"Authorization": f"Bearer {token}", **more.pop("headers", {})}
        found = self.client.request(method, path, headers=headers, **more)
        return found.status_code, found.text


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A home with nobody in it but its owner."""
    return Site(tmp_path)


def add(site: Site, name: str, role: Any = "reader", days: int = 10) -> str:
    """Add somebody."""
    return add_person(site.home, name, role, NOW + timedelta(days=days))


def test_only_the_hash_of_a_token_is_kept(site: Site) -> None:
    """In a file of the owner's."""
    token = add(site, "maria")
    path = site.home / "people.json"
    assert token not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "sha256" not in repr(read_people(site.home))


def test_each_is_recognised_by_a_token_of_their_own(site: Site) -> None:
    """The owner's goes on being good; a new token replaces the old one, and who is removed stays outside at once."""
    maria, jo = add(site, "maria"), add(site, "jo", "operator")
    assert site.ask(maria) == (200, "maria reader")
    assert site.ask(jo, method="POST", content="x") == (200, "jo operator x")
    assert site.ask(OWNER.value)[1].endswith(" operator")
    again = add(site, "maria", "operator")
    assert (site.ask(maria)[0], site.ask(again)) == (401, (200, "maria operator"))
    remove_person(site.home, "jo")
    assert site.ask(jo)[0] == 401
    with pytest.raises(InputError, match="'jo'"):
        remove_person(site.home, "jo")
    with pytest.raises(InputError, match="nobody with a token"):
        require_person(site.home, "jo")


def test_a_token_of_ones_own_expires(site: Site) -> None:
    """And is good where that of the owner is over."""
    maria = add(site, "maria", days=3)
    site.now = NOW + timedelta(days=2)
    assert (site.ask(maria)[0], site.ask(OWNER.value)[0]) == (200, 401)
    site.now = NOW + timedelta(days=3)
    status, text = site.ask(maria)
    assert (status, json.loads(text)["error"]["problem"]) == (401, "the token has expired")


def test_who_has_an_expired_token_learns_who_makes_another(tmp_path: Path) -> None:
    """While the owner's is good, starting the server again would not help."""
    site = Site(tmp_path)
    maria = add(site, "maria", days=1)
    site.now = NOW + timedelta(hours=23)
    assert site.ask(maria)[0] == 200
    longer = AccessToken(OWNER.value, NOW + timedelta(days=9))
    later = TestClient(
        Starlette(middleware=[Middleware(TokenGuard, token=longer, home=tmp_path, clock=lambda: NOW + timedelta(days=2))])
    )
    refused = later.get("/api/v1/x", headers={"Authorization": f"Bearer {maria}"}).json()["error"]
    assert refused["problem"] == "the token has expired"
    assert "helio people add" in refused["hint"]
    assert "start" not in refused["hint"].casefold()


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"maria": {}}', '{"maria": {"role": "root", "until": "2030-01-01", "sha256": ""}}']
)
def test_a_damaged_file_lets_nobody_in(site: Site, content: str) -> None:
    """But the owner; what is wrong is told."""
    maria = add(site, "maria")
    (site.home / "people.json").write_text(content)
    status, text = site.ask(maria)
    assert (status, "is damaged" in text) == (401, True)
    assert site.ask(OWNER.value)[0] == 200
    with pytest.raises(StorageError, match="damaged"):
        add(site, "jo")


@pytest.mark.parametrize("name", ["", "a b", "../x", "<b>", "x" * 65, "-rf", "ü"])
def test_a_name_is_a_plain_word(site: Site, name: str) -> None:
    """What goes into records and pages."""
    with pytest.raises(InputError, match="cannot be the name of a person"):
        add(site, name)
    assert not (site.home / "people.json").exists()


def test_a_link_signs_in_the_one_it_is_for(site: Site) -> None:
    """The browser then is that person, until the token is taken away."""
    token = add(site, "maria")
    entered = site.client.get(f"/enter?once={new_link(site.home, NOW, 'maria')}")
    assert (entered.status_code, token in entered.headers["set-cookie"]) == (200, False)
    assert site.client.get("/").text == "maria reader"
    assert site.client.post("/pipelines/x/fork").status_code == 403
    remove_person(site.home, "maria")
    assert site.client.get("/").status_code == 401
    site.client.cookies.clear()
    gone = site.client.get(f"/enter?once={new_link(site.home, NOW, 'maria')}")
    assert (gone.status_code, "maria, who has no token here" in gone.text) == (401, True)
    site.client.cookies.set(COOKIE, "")
    assert site.client.get("/").status_code == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("path", ["/api/v1/pipelines/x/runs", "/pipelines/x/fork", "/dagster/report", "/"])
def test_a_reader_changes_nothing(site: Site, path: str, method: str) -> None:
    """One sentence says so."""
    status, text = site.ask(add(site, "maria"), path, method, content="{}")
    problem = json.loads(text)["error"]["problem"]
    assert (status, problem) == (403, "maria may look at everything here but change nothing")


def graphql(query: object, **more: Any) -> dict[str, Any]:
    """What Dagster's UI sends."""
    return {"json": {"operationName": None, "variables": {}, "query": query}, **more}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (graphql(QUERY), 200),
        (graphql("{ version }", params={"op": "Version"}), 200),
        (graphql(MUTATION), 403),
        (graphql(f"{QUERY}\n{MUTATION}"), 403),
        ({"json": [{"query": QUERY}]}, 403),
        (graphql("subscription S { logs }"), 403),
        (graphql("fragment F on Run { id }"), 403),
        (graphql("query {"), 403),
        (graphql(7), 403),
        ({"json": []}, 403),
        ({"content": b"{"}, 403),
        (
            {"content": json.dumps({"query": QUERY}).encode(), "headers": {"content-type": "text/plain; x=application/json"}},
            403,
        ),
        ({"data": {"query": MUTATION}}, 403),
        (graphql(f"query {{ a{' b' * 600_000} }}"), 403),
    ],
    ids=lambda each: str(each)[:40],
)
def test_a_reader_asks_dagster_what_it_knows(site: Site, sent: dict[str, Any], status: int) -> None:
    """Queries pass as they were sent; whatever holds a change does not, nor what cannot be read."""
    found = site.ask(add(site, "maria"), "/dagster/graphql", "POST", **dict(sent))
    assert found[0] == status, found
    if status == 200:
        assert json.loads(found[1].removeprefix("maria reader ")) == sent["json"]
    assert site.ask(add(site, "jo", "operator"), "/dagster/graphql", "POST", **dict(sent))[0] == 200


@pytest.mark.parametrize(
    ("queries", "status"), [([], 200), ([QUERY], 200), ([MUTATION], 403), ([QUERY, MUTATION], 403), ([MUTATION, QUERY], 403)]
)
def test_a_change_in_the_address_is_refused_too(site: Site, queries: list[str], status: int) -> None:
    """Dagster obeys one that stands there."""
    for path in ("/dagster/graphql", "/dagster/graphql/"):
        assert site.ask(add(site, "maria"), path, params=[("query", each) for each in queries])[0] == status
