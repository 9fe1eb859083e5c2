"""Parts for tests over HAPI: a server that says what it is told to, short time limits."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.archives.transfer.settings import TransferSettings

TIME = {"name": "Time", "type": "isotime", "length": 20, "units": "UTC", "fill": None}
FIELD = {"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "description": "Field"}


class Scripted(NamedTuple):
    """An answer to paths that hold a text; an endless one is sent over and over."""

    status: int
    body: bytes
    headers: dict[str, str]
    is_endless: bool


class Script:
    """Answers by a part of the path, in the order they were told last; what is asked is kept."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Scripted]] = {}
        self.asked: list[str] = []
        self.url = ""

    def say(self, part: str, body: object, status: int = 200, *, is_endless: bool = False, **headers: str) -> None:
        """Answer paths that hold `part` with JSON, or with bytes as they are; told again, the next time so."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.setdefault(part, []).append(Scripted(status, raw, named, is_endless))

    def describe(self, *, version: str = "3.1", formats: tuple[str, ...] = ("csv",), **info: Any) -> None:
        """Be a server of one dataset `D` with the parameter `B`, of the year 2020."""
        ok = {"HAPI": version, "status": {"code": 1200, "message": "OK"}}
        self.answers.clear()
        self.say("/capabilities", {**ok, "outputFormats": list(formats)})
        self.say("/catalog", {**ok, "catalog": [{"id": "D", "title": "Data"}, {"id": "AC_H0_MFI"}]})
        said = {
            "startDate": "2020-001Z",
            "stopDate": "2021-01-01T00:00:00.000Z",
            "cadence": "PT1S",
            "parameters": [TIME, FIELD],
        }
        self.say("/info", {**ok, **said, **info})

    def answer(self, path: str) -> Scripted:
        """What is said to a path."""
        waiting = next(answers for part, answers in self.answers.items() if part in path)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@pytest.fixture
def script() -> Iterator[Script]:
    """A server that says what it is told to."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            script.asked.append(self.path)
            answer = script.answer(self.path)
            self.send_response(answer.status)
            length = {} if answer.is_endless else {"Content-Length": str(len(answer.body))}
            for name, value in {**length, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(answer.body)
                while answer.is_endless:
                    self.wfile.write(answer.body)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}/hapi"
    script.describe()
    yield script
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def quick() -> TransferSettings:
    """Limits that let a failing test fail soon."""
    return TransferSettings(
        tries=3,
        connect_s=1,
        read_s=1,
        total_s=5,
        first_wait_s=0.01,
        longest_wait_s=0.02,
        longest_retry_after_s=0.02,
        jitter_s=0,
        text_limit_bytes=1_000_000,
        file_limit_bytes=3_000_000,
    )


@pytest.fixture
def archive(script: Script, tmp_path: Path, quick: TransferSettings) -> Iterator[HapiArchive]:
    """An archive over the scripted server."""
    with HapiArchive(f"hapi:{script.url}", tmp_path / "cache", settings=quick) as opened:
        yield opened
