"""Conversations in an object store: continued on another machine, and never written over unseen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.storage.bucket import Bucket
from helio_dagster.storage.object_owner import ObjectOwner
from helio_dagster.storage.session_objects import SessionObjects
from helio_dagster.storage.sessions import SessionChanged, SessionFiles
from tests.object_store import ObjectService, contents

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
Machine = Callable[[str], SessionFiles]


@pytest.fixture
def address(objects: ObjectService) -> str:
    """An address that nobody has yet."""
    return objects.new_bucket()


@pytest.fixture
def machine(objects: ObjectService, address: str, tmp_path: Path) -> Machine:
    """Makes the sessions of a home, anew as a new process would, of those that share the address."""

    def opened(name: str) -> SessionFiles:
        bucket, home = Bucket(address), tmp_path / name
        owner = ObjectOwner(bucket, home)
        return SessionFiles(home / "sessions", SessionObjects(bucket, home, lambda: owner.share("the record of both")))

    objects.gate.requests.clear()
    return opened


def test_another_machine_lists_reads_and_continues(machine: Machine, address: str) -> None:
    """The one changed last first; nothing of the text is in the folder of either."""
    first, other = machine("one"), machine("other")
    first.write("20240601-120000", '{"said": 1}')
    assert other.ids() == ["20240601-120000"]
    assert other.read("20240601-120000") == '{"said": 1}'
    other.write("20240601-120000", '{"said": 2}')
    assert machine("one").read("20240601-120000") == '{"said": 2}'
    assert contents(address, "sessions") == {"sessions/20240601-120000.json": b'{"said": 2}'}
    assert not list(first.folder.glob("*.json")) + list(other.folder.glob("*.json"))
    assert first.place("20240601-120000") == f"{address}/sessions/20240601-120000.json"


def test_what_another_machine_said_is_not_written_over(machine: Machine) -> None:
    """Who has not read it is refused, with what to do; so is who continues what another machine deleted."""
    first, other = machine("one"), machine("other")
    first.write("20240601-120000", "{1}")
    other.read("20240601-120000")
    first.write("20240601-120000", "{2}")
    with pytest.raises(SessionChanged, match="was continued or deleted on another machine") as refused:
        other.write("20240601-120000", "{3}")
    assert "helio chat --session 20240601-120000" in refused.value.hint
    assert other.read("20240601-120000") == "{2}"
    first.remove("20240601-120000")
    with pytest.raises(SessionChanged):
        other.write("20240601-120000", "{4}")
    assert other.ids() == []


def test_a_write_whose_answer_was_lost_is_no_conflict(objects: ObjectService, machine: Machine) -> None:
    """The service took it, answered 503, and was asked again: what is there is what was written."""
    files = machine("one")
    files.write("20240601-120000", "{1}")
    application, lost = objects.gate.application, ["PUT"]

    def forgetful(environ, start_response):  # type: ignore[no-untyped-def]
        is_lost = environ["REQUEST_METHOD"] in lost and not environ["PATH_INFO"].endswith("home")
        if not is_lost:
            return application(environ, start_response)
        lost.remove("PUT")
        list(application(environ, lambda *_: lambda _: None))
        start_response("503 Busy", [("Content-Length", "0")])
        return [b""]

    objects.gate.application = forgetful
    try:
        files.write("20240601-120000", "{2}")
    finally:
        objects.gate.application = application
    assert lost == []
    files.write("20240601-120000", "{3}")
    assert machine("one").read("20240601-120000") == "{3}"


def test_two_machines_begin_in_one_second(machine: Machine) -> None:
    """Each has an id of its own, although neither has written anything yet; so have two of one machine."""
    first, other = machine("one"), machine("other")
    begun, its = first.new_id(NOW), other.new_id(NOW)
    assert begun != its
    first.write(begun, "{}")
    assert first.new_id(NOW) not in (begun, its)


def test_conversations_of_before_the_address_go_on(machine: Machine) -> None:
    """They are listed, read from the folder, and move when they are continued."""
    files = machine("one")
    SessionFiles(files.folder).write("20240601-120000", "{1}")
    assert files.ids() == ["20240601-120000"]
    assert files.read("20240601-120000") == "{1}"
    assert files.mark("20240601-120000") is not None
    files.write("20240601-120000", "{2}")
    assert not files.path("20240601-120000").exists()
    assert machine("other").read("20240601-120000") == "{2}"


def test_a_home_that_may_only_read_keeps_its_own(machine: Machine, address: str, tmp_path: Path) -> None:
    """It neither lists nor changes the conversations of the others."""
    machine("one").write("20240601-120000", "{1}")
    bucket, home = Bucket(address), tmp_path / "reader"
    owner = ObjectOwner(bucket, home, may_share=False)
    reader = SessionFiles(home / "sessions", SessionObjects(bucket, home, owner.require))
    reader.write("20240602-120000", "{2}")
    assert reader.ids() == ["20240602-120000"]
    assert list(contents(address, "sessions")) == ["sessions/20240601-120000.json"]
    with pytest.raises(InputError, match="there is no session 20240601-120000"):
        reader.read("20240601-120000")


def test_a_home_whose_keys_may_only_read_keeps_its_own(
    objects: ObjectService, machine: Machine, address: str, tmp_path: Path
) -> None:
    """Nothing is written to find out whose the address is."""
    machine("one").write("20240601-120000", "{1}")
    objects.gate.answers = lambda method, _path: (403, "AccessDenied") if method == "PUT" else None
    bucket, home = Bucket(address), tmp_path / "reader"
    owner = ObjectOwner(bucket, home, may_share=False)
    reader = SessionFiles(home / "sessions", SessionObjects(bucket, home, owner.require))
    reader.write("20240602-120000", "{2}")
    assert reader.ids() == ["20240602-120000"]


def test_few_requests(objects: ObjectService, machine: Machine) -> None:
    """A turn reads once and writes once each time it saves; a list is one request, and nothing is asked before it is needed."""
    files = machine("one")
    objects.gate.requests.clear()
    files.path("20240601-120000")
    assert objects.gate.requests == []
    files.write("20240601-120000", "{1}")
    objects.gate.requests.clear()
    files.read("20240601-120000")
    files.write("20240601-120000", "{2}")
    files.write("20240601-120000", "{3}")
    files.ids()
    assert [method for method, _ in objects.gate.requests] == ["GET", "PUT", "PUT", "GET"]


def test_a_store_that_refuses_says_so(objects: ObjectService, machine: Machine) -> None:
    """Nothing is put into the folder in its place, where nobody would find it."""
    files = machine("one")
    files.write("20240601-120000", "{1}")
    objects.gate.answers = lambda method, _path: (403, "AccessDenied") if method == "PUT" else None
    with pytest.raises(StorageError, match="refuses to write objects"):
        files.write("20240601-120000", "{2}")
    assert not files.path("20240601-120000").exists()
