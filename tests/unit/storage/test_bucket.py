"""A bucket that fails: one message for each cause, with what to do; and what is asked again by itself."""

from __future__ import annotations

import builtins
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.storage.bucket import Bucket, NoObject
from tests.object_store import ObjectService

ACTIONS: dict[str, Callable[[Bucket], object]] = {
    "list": lambda bucket: bucket.list("data/x"),
    "list all": lambda bucket: [*bucket.list_all("data")],
    "read": lambda bucket: bucket.get("data/x"),
    "write": lambda bucket: bucket.put("data/x", b"1"),
    "create": lambda bucket: bucket.put("data/x", b"1", is_new=True),
}


@pytest.mark.parametrize("doing", ACTIONS)
def test_a_bucket_that_does_not_exist(objects: ObjectService, doing: str) -> None:
    """It is named, and never taken for an object that is not there."""
    with pytest.raises(StorageError, match=r"the bucket no-such-bucket does not exist") as refused:
        ACTIONS[doing](Bucket("s3://no-such-bucket/lab"))
    assert "tables.url" in refused.value.hint


@pytest.mark.parametrize(
    ("status", "code", "problem", "hint"),
    [
        (
            403,
            "AccessDenied",
            "refuses to {doing} objects (AccessDenied)",
            "Allow this account to list, read, write and delete",
        ),
        (403, "InvalidAccessKeyId", "does not accept the credentials (InvalidAccessKeyId)", "Check the keys"),
        (403, "SignatureDoesNotMatch", "does not accept the credentials", "Check the keys"),
        (400, "ExpiredToken", "have expired (ExpiredToken)", "Get new ones"),
        (403, "RequestTimeTooSkewed", "this machine's clock is wrong", "Set it"),
    ],
)
@pytest.mark.parametrize("doing", ["list", "read", "write"])
def test_what_the_service_refuses(objects: ObjectService, status: int, code: str, problem: str, hint: str, doing: str) -> None:
    """The message has the cause, its code and a remedy, and the service is asked once."""
    objects.gate.answers = lambda _method, _path: (status, code)
    with pytest.raises(StorageError) as refused:
        ACTIONS[doing](Bucket("s3://lab/home"))
    assert problem.format(doing=doing) in refused.value.problem
    assert hint in refused.value.hint
    assert len(objects.gate.requests) == 1
    assert "\n" not in refused.value.problem


def test_a_busy_service_is_asked_again(objects: ObjectService) -> None:
    """503 is tried again until it is over, and nobody notices."""
    address = objects.new_bucket()
    objects.gate.requests.clear()
    left = iter([(503, "SlowDown"), (500, "InternalError")])
    objects.gate.answers = lambda _method, _path: next(left, None)
    bucket = Bucket(address)
    bucket.put("data/x", b"content")
    assert len(objects.gate.requests) == 3
    assert bucket.get("data/x") == b"content"


def test_a_service_that_is_away_for_a_while_is_asked_again(objects: ObjectService) -> None:
    """Twenty refusals in a row, as while it is restarted, fail nothing."""
    address = objects.new_bucket()
    left = iter([(503, "SlowDown")] * 20)
    objects.gate.answers = lambda _method, _path: next(left, None)
    Bucket(address, pause_s=0.001).put("data/x", b"content")
    assert next(left, None) is None


def test_a_long_wait_is_said(objects: ObjectService, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody looks at a silent terminal; who is answered at once reads nothing."""
    bucket = Bucket(objects.new_bucket(), speak_after_s=0.5)
    bucket.put("data/x", b"content")
    assert caplog.messages == []

    def later(_method: str, _path: str) -> None:
        time.sleep(1.0)

    objects.gate.answers = later
    assert bucket.get("data/x") == b"content"
    assert caplog.messages == [f"waiting for {bucket.address}: what fails there is tried again for a minute"]


def test_a_service_out_of_order(objects: ObjectService) -> None:
    """A 503 that stays is an error after several tries."""
    objects.gate.answers = lambda _method, _path: (503, "SlowDown")
    with pytest.raises(StorageError, match=r"out of order: 503 .*SlowDown") as refused:
        Bucket("s3://lab/home", retries=2).list("data")
    assert len(objects.gate.requests) == 3
    assert "what is finished is kept" in refused.value.hint


def test_a_service_out_of_reach(objects: ObjectService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens at the endpoint."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{held.getsockname()[1]}")
        with pytest.raises(StorageError, match="the bucket lab cannot be reached"):
            Bucket("s3://lab/home", retries=1).get("data/x")


def test_a_service_that_does_not_answer(objects: ObjectService, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is accepted and then silent ends after the longest time for a request."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(StorageError, match="did not answer in time"):
            Bucket("s3://lab/home", retries=0, longest_s=0.3).put("data/x", b"1")


def test_ctrl_c_ends_the_wait(objects: ObjectService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever interrupts does not wait for an answer: the request is still open when the wait is over."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        accepted: list[socket.socket] = []

        def interrupt() -> None:
            accepted.append(silent.accept()[0])
            accepted[0].recv(2**16)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            Bucket("s3://lab/home", retries=0, longest_s=10.0).get("data/x")
        accepted[0].setblocking(False)
        with pytest.raises(BlockingIOError):  # it would be closed
            accepted[0].recv(1)
        accepted[0].close()


def test_a_large_object_is_one_request(objects: ObjectService) -> None:
    """However large: a process that is killed leaves no part of an upload behind, which nobody sees and somebody pays for."""
    bucket, content = Bucket(objects.new_bucket()), secrets.token_bytes(24 * 2**20)
    objects.gate.requests.clear()
    bucket.put("large", content)
    assert [method for method, _ in objects.gate.requests] == ["PUT"]
    assert not any("upload" in path for _, path in objects.gate.requests)
    assert bucket.get("large") == content


def test_half_of_an_upload_is_no_object(objects: ObjectService) -> None:
    """A sender that vanishes in the middle of its one request leaves nothing that a listing shows."""
    address = objects.new_bucket()
    place, bucket = urlsplit(objects.endpoint), address.removeprefix("s3://").partition("/")[0]
    with socket.create_connection((place.hostname, place.port)) as sender:
        head = f"PUT /{bucket}/home/data/half HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 1000000\r\n\r\n"
        sender.sendall(head.encode() + b"x" * 500_000)
        deadline = time.monotonic() + 10
        while not objects.gate.requests[-1][1].startswith(f"/{bucket}/home/data/half") and time.monotonic() < deadline:
            time.sleep(0.02)
        assert objects.gate.requests[-1][0] == "PUT", "the service has begun to read it"
    for _ in range(10):  # the service may be a moment behind
        assert list(Bucket(address).list_all("data")) == []
        time.sleep(0.05)


def test_no_object(objects: ObjectService) -> None:
    """An object that is not there is no failure of the service; deleting it is none at all."""
    bucket = Bucket(objects.new_bucket())
    with pytest.raises(NoObject):
        bucket.get("data/x")
    bucket.delete(["data/x"])
    assert bucket.list("data") == []


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names what to install."""
    load = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "obstore":
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(InputError, match="need the extra objects") as refused:
        Bucket("s3://lab/home")
    assert refused.value.hint == "Install it: pip install 'helio-dagster[objects]'"
