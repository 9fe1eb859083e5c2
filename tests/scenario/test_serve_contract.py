"""What `helio serve` says of itself in OpenAPI holds, and what it must refuse is refused, over a real socket."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.scenario.http_served import Served
from tests.scenario.processes import helio
from tests.tiers import example_count

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
LEFT_OUT = ("/doctor", "/conversations/{id}/events", "/runs/{id}/events")
"""The first tries to break out of the sandbox, which takes seconds; streams are read in `test_serve`."""
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for these tests."""
    made = Served(tmp_path_factory.mktemp("served"))
    yield made
    made.close()


@pytest.mark.nightly  # by day the tests below, address by address
def test_the_description_holds(served: Served) -> None:
    """Whatever fits the description, or just does not, is answered with a status and a body that the description names."""
    schema = schemathesis.openapi.from_url(f"{served.url}/api/v1/openapi.json")
    tried = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path in LEFT_OUT:
            continue
        tried.add(operation.path)

        @settings(
            max_examples=example_count(10),
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=st.one_of(operation.as_strategy(), operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
        )
        def hold(case: Any) -> None:
            case.call_and_validate(checks=CHECKS, timeout=120)

        hold()
    assert len(tried) >= 20


def test_every_address_says_how_it_refuses(served: Served) -> None:
    """With the one form of errors, and no other."""
    described = served.get("/openapi.json")
    for path in described["paths"].values():
        for operation in path.values():
            assert {"400", "404", "409", "413", "415", "429"} <= operation["responses"].keys()
            assert "422" not in operation["responses"]
    assert "HTTPValidationError" not in described["components"]["schemas"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 201),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_pages_of_other_sites_are_refused(served: Served, headers: dict[str, str], status: int) -> None:
    """By Host, Origin, Sec-Fetch-Site and content type, with an error of the one form."""
    given_headers = {**JSON, **{name: value.format(port=served.port) for name, value in headers.items()}}
    answer = httpx.post(f"{served.url}/api/v1/conversations", content=b"{}", headers=given_headers)
    assert answer.status_code == status, answer.text
    assert status == 201 or answer.json()["error"]["problem"]


@pytest.mark.alike(6)
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/conversations/20000101-000000", 404),
        ("/conversations/..%2f..%2fetc%2fpasswd", 404),
        ("/conversations/nonsense", 400),
        ("/pipelines/..%2F..%2Fsecret", 404),
        ("/pipelines/nothing", 404),
        ("/pipelines/nothing/status", 404),
        ("/runs/20000101-000000", 404),
        ("/results/nothing/nothing", 404),
        ("/table?asset=../../secret&start=2003", 400),
        ("/table?asset=b&start=2003&pipeline=nothing", 404),
        ("/catalog/datasets/../../etc/passwd", 404),
        ("/catalog/datasets/NOTHING", 404),
        ("/catalog/search?words=", 400),
        ("/catalog/search?words=ace&count=many", 400),
        ("/operations/nothing", 404),
        ("/nothing", 404),
        ("/%00", 404),
    ],
)
def test_what_is_not_there_is_named(served: Served, path: str, status: int) -> None:
    """No such id, no path outside the home, no wrong type: one sentence, never a traceback."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.request("GET", f"/api/v1{path}")
    answer = connection.getresponse()
    told = json.loads(answer.read())
    connection.close()
    assert answer.status == status, told
    assert told["error"]["problem"]


def test_ten_megabytes_of_text_are_refused(served: Served) -> None:
    """By what is announced, and by what comes where nothing is announced; the server goes on."""
    session = served.begin()
    text = json.dumps({"text": "x" * 10_000_000}).encode()
    address = f"{served.url}/api/v1/conversations/{session}/say"
    assert httpx.post(address, content=text, headers=JSON, timeout=60).status_code == 413
    pieces = iter([text[place : place + 65536] for place in range(0, len(text), 65536)])
    with suppress(httpx.TransportError):  # it may be refused while it is still sent
        assert httpx.post(address, content=pieces, headers=JSON, timeout=60).status_code == 413
    assert served.client.post(f"/conversations/{session}/say", json={"text": "x" * 5000}).status_code == 400
    assert served.get(f"/conversations/{session}")["said"] == []


def test_half_a_json_is_refused(served: Served) -> None:
    """As are other types, unknown fields and no body."""
    for content in (b'{"text": "AC', b"[]", b'{"text": 1}', b'{"text": "a", "b": 1}', b"", b"\xff\xfe"):
        answer = served.client.post(f"/conversations/{served.begin()}/say", content=content, headers=JSON)
        assert answer.status_code == 400, answer.text


def test_a_client_that_leaves_in_the_middle_hurts_nobody(served: Served) -> None:
    """Half a request, half a body, and a stream that is cut: the server answers the next."""
    session = served.begin()
    for sent in (
        b"POST /api/v1/conversations HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
        f"GET /api/v1/conversations/{session}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
    ):
        with socket.create_connection(("127.0.0.1", served.port)) as line:
            line.sendall(sent)
    assert served.get(f"/conversations/{session}")["id"] == session


def test_markup_and_escapes_stay_data(served: Served) -> None:
    """What is said comes back as JSON in ASCII that no browser takes for a page and no terminal obeys."""
    session = served.begin()
    said = "<script>alert(1)</script> \x1b[2J\x7f \u202e magnetic"
    served.turn(session, said)
    answer = served.client.get(f"/conversations/{session}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.content.isascii()
    assert not {b"\x1b", b"\x7f"} & {bytes([each]) for each in answer.content}
    assert answer.json()["said"][0]["text"] == said


def test_a_home_that_another_process_writes_is_read_as_it_is(served: Served) -> None:
    """A file that comes, changes, is broken or goes is seen by the next request; a broken one does not hide the others."""
    text = "version: 1\nname: {name}\ntitle: {title}\npartitions: daily\nsteps:\n  - id: b\n"
    text += "    fetch: {{archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}\n"
    folder = served.home / "pipelines"
    folder.mkdir(exist_ok=True)
    for name in ("steady", "moving"):
        (folder / f"{name}.yaml").write_text(text.format(name=name, title="first"))
    assert served.get("/pipelines/moving")["title"] == "first"
    (folder / "moving.yaml").write_text(text.format(name="moving", title="second and longer"))
    assert served.get("/pipelines/moving")["title"] == "second and longer"
    (folder / "moving.yaml").write_text("version: 1\nsteps: [")
    assert [each["name"] for each in served.get("/pipelines")["pipelines"]] == ["steady"]
    assert served.get("/pipelines/steady/status")["pipeline"] == "steady"
    (folder / "moving.yaml").unlink()
    assert served.client.get("/pipelines/moving").status_code == 404


def test_a_made_up_place_in_the_list_of_runs_is_refused(served: Served) -> None:
    """It goes into a question to a database, so only numbers are taken."""
    for below in ("1-2 OR 1=1", "-", "1", "9" * 19 + "-1"):
        answer = served.client.get("/runs", params={"pipeline": "steady", "below": below})
        assert answer.status_code in (400, 422), answer.text
    assert served.client.get("/runs", params={"pipeline": "steady", "below": "5-5"}).json()["older"] is None


def test_a_busy_port_and_a_closed_home_are_told(served: Served, tmp_path: Path) -> None:
    """One clear message each, before anything is started."""
    taken = helio(tmp_path, "serve", "--port", str(served.port))
    assert (taken.returncode, taken.stdout) == (2, "")
    assert "in use" in taken.stderr
    assert "--port" in taken.stderr
    (tmp_path / "file").write_text("")
    closed = helio(tmp_path, "serve", "--port", "0", environment={"HELIO_HOME": str(tmp_path / "file" / "home")})
    assert closed.returncode == 1
    assert "A file stands where a folder is needed" in closed.stderr
    assert "Traceback" not in taken.stderr + closed.stderr


def test_with_a_token_only_its_holders_come_in(tmp_path: Path) -> None:
    """A program by the token; a browser by a link of one use, which gives a cookie that no script reads and no site sends."""
    served = Served(tmp_path, "--token")
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    path = "/api/v1/pipelines"
    with httpx.Client(base_url=served.url) as client:
        assert client.get(path).status_code == 401
        assert client.get(path).json()["error"]["problem"] == "no token was sent"
        for wrong in (f"Bearer {token}x", f"Basic {token}", "Bearer"):
            assert client.get(path, headers={"Authorization": wrong}).status_code == 401
        assert client.get(path, headers={"Authorization": f"Bearer {token}"}).status_code == 200
        link = next(word for word in served.said.split() if "/enter?once=" in word)
        assert token not in served.said
        entered = client.get(link)
        assert entered.status_code == 200
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert token not in cookie
        assert client.get(path).status_code == 200
        assert client.get(f"{served.url}/figures/").status_code == 200
    with httpx.Client(base_url=served.url) as other:
        assert other.get(link).status_code == 401
        assert other.get(path).status_code == 401
    served.close()


def test_readers_look_and_operators_run_under_their_names(tmp_path: Path) -> None:
    """Runs and approvals bear the name of whose token came with the request."""
    served = Served(tmp_path, "--token")
    tokens = {
        name: str(json.loads(helio(tmp_path, "people", "add", name, "--role", role, "--json").stdout)["token"])
        for name, role in (("maria", "reader"), ("jo", "operator"))
    }
    assert "maria" in helio(tmp_path, "people", "ls").stdout
    served.client.headers["Authorization"] = f"Bearer {tokens['jo']}"
    session, digest = served.planned()
    served.client.headers["Authorization"] = f"Bearer {tokens['maria']}"
    assert served.get(f"/conversations/{session}")["digest"] == digest
    refused = served.post(f"/conversations/{session}/approve", 403, digest=digest)
    assert refused["error"]["problem"] == "maria may look at everything here but change nothing"
    served.client.headers["Authorization"] = f"Bearer {tokens['jo']}"
    after = served.post(f"/conversations/{session}/approve", digest=digest)["after"]
    assert served.followed(session, after)[-1]["status"] == "success"
    (file,) = (served.home / "pipelines").glob("*.yaml")
    assert "by: jo (over HTTP)" in file.read_text()
    run = served.post(f"/pipelines/{file.stem}/runs", start="2003-10-30")["run"]
    assert served.await_end(f"/runs/{run}")["state"] == "success"
    recorded = served.get("/runs", pipeline=file.stem)["recorded"]
    assert [(each["begun_by"].split()[0], each["person"]) for each in recorded] == [
        ("HTTP", "jo"),
        ("conversation", "jo"),
    ]
    assert helio(tmp_path, "people", "rm", "jo").returncode == 0
    assert served.client.get("/pipelines").status_code == 401
    served.close()
