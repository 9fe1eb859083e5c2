"""An object store for tests: moto's server for S3, in a thread, behind a gate that counts requests and can refuse them."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from helio_dagster.storage.bucket import Bucket

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@dataclass
class Gate:
    """What stands before the service: notes each request, and answers in its place where it is set to.

    `answers` gives status and S3 code for a method and path; None lets the request through.
    """

    application: Application
    requests: list[tuple[str, str]] = field(default_factory=list)
    answers: Callable[[str, str], tuple[int, str] | None] = lambda _method, _path: None

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Handle one request."""
        method, path = environ["REQUEST_METHOD"], f"{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"
        self.requests.append((method, path))
        found = self.answers(method, path)
        if found is None:
            return self.application(environ, start_response)
        status, code = found
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
        start_response(f"{status} Error", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    def count(self, method: str, *, listing: bool = False) -> int:
        """How many requests of a method there were; of GET, those that read objects, or those that list them."""
        found = [path for each, path in self.requests if each == method]
        return sum(("list-type" in path) == listing for path in found)


@dataclass(frozen=True)
class ObjectService:
    """The service, at an address of this machine."""

    endpoint: str
    gate: Gate

    def new_bucket(self) -> str:
        """The address of a folder in a bucket of its own."""
        import boto3

        name = f"lab-{secrets.token_hex(6)}"
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        boto3.client("s3", endpoint_url=self.endpoint, **keys).create_bucket(Bucket=name)
        return f"s3://{name}/home"

    def environment(self) -> dict[str, str]:
        """The variables by which clients find it."""
        return {**KEYS, "AWS_ENDPOINT_URL": self.endpoint}


@contextmanager
def object_service() -> Iterator[ObjectService]:
    """The service as long as the block; skips where it is not installed."""
    pytest.importorskip("obstore", reason="left out without the extra objects")
    pytest.importorskip("flask_cors", reason="left out without moto's server: pip install 'moto[s3]' flask-cors")
    application = pytest.importorskip("moto.moto_server.werkzeug_app", reason="left out without moto[s3]")
    from werkzeug.serving import make_server

    gate = Gate(application.DomainDispatcherApplication(application.create_backend_app))
    quiet = type("Quiet", (application.MotoRequestHandler,), {"log_request": lambda *_, **__: None})
    server = make_server("127.0.0.1", 0, gate, threaded=True, request_handler=quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield ObjectService(f"http://127.0.0.1:{server.server_port}", gate)
    finally:
        server.shutdown()
        thread.join()


def contents(address: str, under: str = "data") -> dict[str, bytes]:
    """Key to content of the objects below an address."""
    bucket = Bucket(address)
    return {each.key: bucket.get(each.key) for each in bucket.list_all(under)}


def use(service: ObjectService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients in this process, and those it starts, find the service."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in service.environment().items():
        monkeypatch.setenv(name, value)
    service.gate.requests.clear()
    service.gate.answers = lambda _method, _path: None
