"""Claims of partitions in PostgreSQL: each is made by one process at a time, and one that died or was cut off holds none."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import pytest

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.resources.claim_holder import Holder
from helio_dagster.resources.claim_session import ClaimSession
from helio_dagster.resources.postgres_claims import GRACE_S, MOST_AT_ONCE, PostgresClaims
from helio_dagster.storage.claims import ClaimLost, NoClaims
from tests.postgres import SERVER, ask, pooler

RUN = "0f8fad5b-d9cb-469f-a165-70867728950e"
MAKING = """
import sys
from helio_dagster.resources.postgres_claims import PostgresClaims
address, store, run_id, asset, *keys = sys.argv[1:]
for keys in PostgresClaims(address, store, run_id).rounds(asset, [key or None for key in keys]):
    print(*(key or "" for key in keys), flush=True)
    sys.stdin.readline()
"""
"""Prints the keys that it has, and lets go of them when it is sent a line."""
END_SESSIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE %s
"""
RECORD = """
    INSERT INTO event_logs (run_id, event, dagster_event_type, timestamp, asset_key, partition)
    VALUES (%s, '{}', 'ASSET_MATERIALIZATION', now(), '["p", "b"]', %s)
"""
Making = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def making(postgres: str) -> Iterator[Making]:
    """Starts another process that makes partitions, once it has said which it has."""
    started: list[subprocess.Popen[str]] = []

    def start(asset: str, *keys: str, has: str, store: str = "store") -> subprocess.Popen[str]:
        command = [sys.executable, "-c", MAKING, postgres, store, RUN, asset, *keys]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert said(started[-1]) == has
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


@pytest.fixture
def claims(postgres: str) -> Iterator[PostgresClaims]:
    """Those of a run in this process, which sees only when it asks that its session has ended."""
    with closing(PostgresClaims(postgres, "store", "own-run", look_s=3600)) as found:
        yield found


def said(process: subprocess.Popen[str]) -> str:
    """The next line of a process."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def go_on(process: subprocess.Popen[str]) -> None:
    """Have a process let go of what it has."""
    assert process.stdin is not None
    process.stdin.write("go on\n")
    process.stdin.flush()


def end_sessions(address: str) -> None:
    """End the sessions of all claims, as a server that is restarted does."""
    ask(address, END_SESSIONS, ("helio %",))


def test_what_is_free_comes_first_and_the_rest_when_it_is_free(claims: PostgresClaims, making: Making) -> None:
    """In two lists, which together are all keys; the first while another process still makes its own."""
    other = making("p/b", "d2", has="d2")
    rounds = claims.rounds("p/b", ["d1", "d2", "d3"])
    assert next(rounds) == ["d1", "d3"]
    assert other.poll() is None
    other.communicate("go on\n")
    assert list(rounds) == [["d2"]]


def test_nobody_else_has_a_key_while_it_is_looked_at(claims: PostgresClaims, making: Making) -> None:
    """Another process that wants the same keys gets them when the loop goes on, and not before."""
    rounds = claims.rounds("p/b", ["d1", "d2"])
    assert next(rounds) == ["d1", "d2"]
    other = making("p/b", "d1", "d3", has="d3")
    assert list(rounds) == []
    go_on(other)
    assert said(other) == "d1"


def test_keys_of_a_loop_that_failed_are_free(claims: PostgresClaims, making: Making) -> None:
    """An error in the body lets go of what it had."""

    def fail() -> None:
        for _ in claims.rounds("p/b", ["d1"]):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    making("p/b", "d1", has="d1")


def test_a_killed_process_holds_nothing(claims: PostgresClaims, making: Making) -> None:
    """Neither for who looks nor for who waits."""
    other = making("p/b", "d1", has="d1")
    assert claims.busy("p/b", ["d1", "d2"]) == {"d1"}
    os.kill(other.pid, signal.SIGKILL)
    assert list(claims.rounds("p/b", ["d1"])) == [["d1"]]
    assert claims.busy("p/b", ["d1"]) == set()


def test_to_look_takes_nothing(claims: PostgresClaims, making: Making) -> None:
    """What was free when somebody looked is free afterwards."""
    assert claims.busy("p/b", ["d1", None]) == set()
    making("p/b", "d1", "", has="d1 ")


def test_assets_and_stores_are_apart(claims: PostgresClaims, making: Making) -> None:
    """The same day of another asset, or of homes with tables elsewhere, is another partition."""
    making("p/b", "d1", has="d1")
    making("p/mag", "d1", has="d1", store="another store")
    assert claims.busy("p/mag", ["d1"]) == set()
    assert list(claims.rounds("p/mag", ["d1"])) == [["d1"]]


def test_a_run_has_so_many_at_a_time(claims: PostgresClaims, postgres: str) -> None:
    """A server has no room for the locks of all partitions of decades; it is one session, and all keys come in their order."""
    keys = [f"d{number}" for number in range(2 * MOST_AT_ONCE + 1)]
    locks = """
        SELECT count(*), count(DISTINCT pid) FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE datname = current_database() AND locktype = 'advisory'
    """
    found, given = [], []
    for keys_of_round in claims.rounds("p/b", keys):
        found += ask(postgres, locks)
        given += keys_of_round
    assert given == keys
    assert found == [(MOST_AT_ONCE, 1), (MOST_AT_ONCE, 1), (1, 1)]
    assert ask(postgres, locks) == [(0, 0)]


def test_who_waits_says_for_whom(postgres: str, making: Making, caplog: pytest.LogCaptureFixture) -> None:
    """Once: partition, run, person, process and machine."""
    other = making("p/b", "d1", "d2", has="d1 d2")
    ask(postgres, "INSERT INTO runs (run_id, snapshot_id, status, run_body) VALUES (%s, NULL, 'STARTED', '{}')", (RUN,))
    ask(postgres, "INSERT INTO run_tags (run_id, key, value) VALUES (%s, 'helio/person', 'maria')", (RUN,))
    slept = 0.0

    def sleep(seconds: float) -> None:
        nonlocal slept
        slept += seconds
        if slept > 10:
            other.communicate("go on\n")

    with closing(PostgresClaims(postgres, "store", sleep=sleep)) as claims, caplog.at_level(logging.WARNING):
        assert list(claims.rounds("p/b", ["d1", "d2"])) == [["d1", "d2"]]
    machine = Holder.of_session(Holder(RUN, other.pid, socket.gethostname()).session)
    assert machine is not None
    who = f"run 0f8fad5b of maria, process {other.pid} on {machine.host}"
    assert caplog.messages == [f"waiting for p/b d1 and 1 more, which {who} is making"]


def test_a_session_that_ended_is_begun_again(claims: PostgresClaims, postgres: str, making: Making) -> None:
    """With what it had, if nobody has taken it meanwhile; others still wait."""
    rounds = claims.rounds("p/b", ["d1"])
    assert next(rounds) == ["d1"]
    end_sessions(postgres)
    claims.require("p/b", "d1")
    other = making("p/b", "d1", "d2", has="d2")
    assert list(rounds) == []
    go_on(other)
    assert said(other) == "d1"


def test_a_session_is_begun_again_while_nothing_is_asked(postgres: str) -> None:
    """As during a long step: nobody else can have its partition in between."""
    number = """
        SELECT classid::bigint << 32 | objid::bigint, pid FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE datname = current_database() AND locktype = 'advisory'
    """
    with closing(PostgresClaims(postgres, "store", look_s=0.01)) as claims:
        rounds = claims.rounds("p/b", ["d1"])
        next(rounds)
        ((lock, session),) = ask(postgres, number)
        end_sessions(postgres)
        while not (found := ask(postgres, number)) or found == [(lock, session)]:
            pass
        assert [each for each, _ in found] == [lock]
        rounds.close()  # type: ignore[attr-defined]  # a generator


def test_a_server_that_has_just_started_gives_no_new_locks(postgres: str) -> None:
    """Those that had them before its restart take them first, whatever its age."""
    session = ClaimSession(postgres, Holder.this_process("own-run"))
    with closing(session):
        assert session.lock([1, 2], server_age_s=1e9)[0] == set()
        assert session.lock([1, 2])[0] == {1, 2}


def test_who_had_no_claims_leaves_others_the_time_to_take_theirs(postgres: str, making: Making) -> None:
    """When sessions end together, who waited for a partition would else have it before the run that makes it."""
    making("p/b", "d1", has="d1")
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            end_sessions(postgres)
        elif seconds >= GRACE_S:
            raise KeyboardInterrupt

    with closing(PostgresClaims(postgres, "store", sleep=sleep)) as claims, pytest.raises(KeyboardInterrupt):
        list(claims.rounds("p/b", ["d1"]))


def test_what_another_run_took_meanwhile_is_lost(claims: PostgresClaims, postgres: str, making: Making) -> None:
    """And only that; it can be had again when the other is done, and stored then."""
    rounds = claims.rounds("p/b", ["d1", "d2"])
    next(rounds)
    end_sessions(postgres)
    other = making("p/b", "d1", has="d1")
    for _ in range(2):
        with pytest.raises(ClaimLost, match="another run took over p/b d1"):
            claims.require("p/b", "d1")
    claims.require("p/b", "d2")
    assert list(rounds) == []
    assert other.poll() is None
    other.communicate("go on\n")
    for keys in claims.rounds("p/b", ["d1"]):
        assert keys == ["d1"]
        claims.require("p/b", "d1")


@pytest.mark.parametrize(("recorded", "is_lost"), [((RUN, "d1"), True), (("own-run", "d1"), False), ((RUN, "d3"), False)])
def test_what_another_run_recorded_meanwhile_is_lost(
    claims: PostgresClaims, postgres: str, recorded: tuple[str, str], is_lost: bool
) -> None:
    """Though it is free again: what was made here may be of earlier files. What this run recorded itself is not."""
    ask(postgres, RECORD, (RUN, "d2"))
    for _ in claims.rounds("p/b", ["d1", "d2"]):
        end_sessions(postgres)
        ask(postgres, RECORD, recorded)
        claims.require("p/b", "d2")
        if is_lost:
            with pytest.raises(ClaimLost):
                claims.require("p/b", "d1")
        else:
            claims.require("p/b", "d1")


def test_a_result_over_a_range_is_lost_with_its_asset(claims: PostgresClaims, postgres: str) -> None:
    """It has a key of its own, and is claimed with all partitions of its asset."""
    for _ in claims.rounds("p/b", [None]):
        claims.require("p/b", "2023-01-01/2023-01-03")
        end_sessions(postgres)
        ask(postgres, RECORD, (RUN, "d1"))
        with pytest.raises(ClaimLost):
            claims.require("p/b", "2023-01-01/2023-01-03")
        claims.require("p/mag", "d1")


def test_a_server_that_stays_away_is_waited_for_once(postgres: str) -> None:
    """All that is claimed fails with the same message, which says which server."""
    slept: list[float] = []
    with closing(PostgresClaims(postgres, "store", patience_s=0.0, sleep=slept.append)) as claims:
        rounds = claims.rounds("p/b", ["d1", "d2"])
        next(rounds)
        let_in(postgres, is_open=False)
        for key in ("d1", "d2"):
            with pytest.raises(StorageError, match="the record in PostgreSQL cannot be used"):
                claims.require("p/b", key)
        rounds.close()  # type: ignore[attr-defined]  # a generator
    assert slept == []


def test_a_server_that_is_away_when_a_run_begins_is_waited_for(postgres: str) -> None:
    """Its first claim opens the session: it is had once the server is back, as a later one is."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            let_in(postgres, is_open=True)

    with closing(PostgresClaims(postgres, "store", sleep=sleep)) as claims:
        let_in(postgres, is_open=False)
        assert list(claims.rounds("p/b", ["d1", "d2"])) == [["d1", "d2"]]
        assert [each >= GRACE_S for each in slept] == [False] * 3 + [True]
        assert claims.busy("p/b", ["d1", "d2"]) == set()


def let_in(postgres: str, *, is_open: bool) -> None:
    """Have the server take connections, or refuse them and end those that there are."""
    database = postgres.rpartition("/")[2]
    ask(SERVER, f"ALTER DATABASE {database} ALLOW_CONNECTIONS {'true' if is_open else 'false'}")
    if not is_open:
        ask(SERVER, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (database,))


def test_threads_ask_in_turn(claims: PostgresClaims) -> None:
    """Results are stored by several threads of a run, over its one session."""
    for keys in claims.rounds("p/b", [f"d{number}" for number in range(8)]):
        errors: list[BaseException] = []

        def store(key: str | None, errors: list[BaseException] = errors) -> None:
            try:
                for _ in range(50):
                    claims.require("p/b", key)
            except BaseException as error:  # noqa: BLE001 - looked at below
                errors.append(error)

        threads = [threading.Thread(target=store, args=(key,)) for key in keys]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []


def test_a_pooler_must_keep_sessions(postgres: str) -> None:
    """One that shares them between transactions would lose claims, and is refused."""
    with pooler(postgres, "session") as address, closing(PostgresClaims(address, "store")) as claims:
        assert list(claims.rounds("p/b", ["d1", "d2"])) == [["d1", "d2"]]
    with pooler(postgres, "transaction") as address, closing(PostgresClaims(address, "store")) as claims:
        for _ in range(2):
            with pytest.raises(InputError, match="a pooler shares the sessions of the record"):
                claims.busy("p/b", ["d1"])


@pytest.mark.parametrize("run_id", [RUN, ""])
def test_the_name_of_a_session_says_who_it_is(run_id: str) -> None:
    """As much as PostgreSQL keeps of it, whatever a machine is called."""
    holder = Holder(run_id, 4194304, "a machine with a näme that is longer than any session's")
    assert len(holder.session.encode()) <= 63
    found = Holder.of_session(holder.session)
    assert found is not None
    assert (found.run_id, found.pid) == (run_id, 4194304)
    assert found.host
    assert found.host in "a_machine_with_a_n_me_that_is_longer_than_any_session's"
    assert Holder.of_session("psql") is None
    assert Holder.of_session(None) is None


def test_without_others_all_keys_are_free() -> None:
    """At once, and in their order."""
    claims = NoClaims()
    assert list(claims.rounds("p/b", ["d2", "d1"])) == [["d2", "d1"]]
    assert claims.busy("p/b", ["d1"]) == set()
