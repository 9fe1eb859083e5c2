"""`helio serve`: conversations, runs and results over HTTP, with the words and bytes of the command line."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.http_served import REQUEST, Served, sent_events
from tests.scenario.processes import PATIENCE_S, helio


def has_dagster(server: int) -> bool:
    """Whether a working process of a server has a library in memory that only Dagster needs."""
    children = [each for task in Path(f"/proc/{server}/task").iterdir() for each in (task / "children").read_text().split()]
    return any("/sqlalchemy/" in Path(f"/proc/{each}/maps").read_text() for each in children)


def test_dagster_is_loaded_while_a_person_reads_the_plan(tmp_path: Path) -> None:
    """Not before there is a plan, and without any approval."""
    made = Served(tmp_path, is_cold=True)
    try:
        made.turn(made.begin(), "help")
        assert not has_dagster(made.process.pid)
        made.planned()
        deadline = time.monotonic() + PATIENCE_S
        while not has_dagster(made.process.pid):
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        made.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for these tests."""
    made = Served(tmp_path_factory.mktemp("served"))
    yield made
    made.close()


def told(events: list[dict[str, Any]], stage: str) -> list[str]:
    """The sentences of a stage."""
    return [str(each["text"]) for each in events if each["stage"] == stage]


def lasting(served: Served, session: str, until: str = "2003-06-01") -> int:
    """Approve a plan whose run takes a while; the number after which its events come."""
    events = served.turn(session, f"ACE magnetic field magnitude for 2003-01-01 to {until}")
    digest = next(each["digest"] for each in events if each["stage"] == "approval")
    return int(served.post(f"/conversations/{session}/approve", digest=digest)["after"])


def await_stage(served: Served, session: str, after: int, stage: str) -> int:
    """Read until a stage comes, then leave; the number of its event."""
    with served.client.stream("GET", f"/conversations/{session}/events", params={"after": after}) as answer:
        return next(number for number, event in sent_events(answer) if event["stage"] == stage)


def test_a_sentence_becomes_a_figure(served: Served) -> None:
    """Said, approved by the digest of the plan that was shown, run; the figure is served and the file names who approved."""
    session, digest = served.planned()
    about = served.get(f"/conversations/{session}")
    assert (about["awaiting"], about["digest"], about["archive"]) == ("approval", digest, "demo")
    assert [each["speaker"] for each in about["said"]] == ["person", "helio"]
    after = served.post(f"/conversations/{session}/approve", digest=digest)["after"]
    events = served.followed(session, after)
    assert events[-1]["status"] == "success", events
    pipeline = served.get(f"/conversations/{session}")["table"]["pipeline"]
    known = served.get(f"/pipelines/{pipeline}")
    assert known["is_as_approved"]
    assert known["approved"]["by"].endswith("(over HTTP)")
    drawn = served.get("/figures", pipeline=pipeline)["figures"][0]
    picture = served.client.get(f"{served.url}{drawn['picture']}")
    assert picture.content.startswith(b"\x89PNG")


def test_the_events_are_those_of_the_command_line(served: Served, tmp_path: Path) -> None:
    """Stage by stage and word by word, but for what is numbered, named after the session or timed."""
    session = served.begin()
    request = "ACE proton speed for 2003-10-27"
    over_http = served.turn(session, request)
    printed = helio(tmp_path, "chat", "--archive", "demo", "--offline", "--json-events", request)
    on_terminal = [json.loads(line) for line in printed.stdout.splitlines()]
    own = ("n", "session", "seconds", "said", "planner", "estimate")  # the estimate has the free bytes of the disk
    assert [{key: value for key, value in each.items() if key not in own} for each in over_http[1:]] == [
        {key: value for key, value in each.items() if key not in own} for each in on_terminal[1:]
    ]
    assert over_http[0]["stage"] == on_terminal[0]["stage"] == "session"


def test_a_reader_that_was_cut_off_goes_on(served: Served) -> None:
    """By `Last-Event-ID`, which counts more than `after`: every event once, in order."""
    session = served.begin()
    whole = served.turn(session, REQUEST)
    half = len(whole) // 2
    rest = served.followed(session, 0, {"Last-Event-ID": str(whole[half - 1]["n"])})
    assert [each["n"] for each in whole[:half] + rest] == list(range(1, len(whole) + 1))
    assert rest == whole[half:]


def test_the_same_message_twice_is_one_turn(served: Served) -> None:
    """With one key: the same answer and one turn; another message under that key is refused."""
    session = served.begin()
    first = served.post(f"/conversations/{session}/say", text=REQUEST, key="once")
    served.followed(session, first["after"])
    assert served.post(f"/conversations/{session}/say", text=REQUEST, key="once") == first
    assert "another call" in served.post(f"/conversations/{session}/say", 409, text="other", key="once")["error"]["problem"]
    said = served.get(f"/conversations/{session}")["said"]
    assert sum(each["speaker"] == "person" for each in said) == 1


def test_a_conversation_begun_with_a_request_is_made_once(served: Served) -> None:
    """With one key two calls give one id, and the first turn is under way."""
    begun = [served.post("/conversations", 201, request=REQUEST, key="begin")["id"] for _ in range(2)]
    assert begun[0] == begun[1]
    assert told(served.followed(begun[0], 0), "plan")


def test_an_approval_is_of_what_was_seen(served: Served) -> None:
    """A plan that another tab has changed meanwhile is refused with 409, and nothing is saved."""
    session, seen = served.planned()
    served.turn(session, "make the line red")
    refused = served.post(f"/conversations/{session}/approve", 409, digest=seen)
    assert "changed after it was shown" in refused["error"]["problem"]
    assert served.get(f"/conversations/{session}")["awaiting"] == "approval"


def test_two_tabs_speak_one_after_the_other(served: Served) -> None:
    """While a turn is at work a second message is refused with what to do; both tabs read the same events."""
    session = served.begin()
    after = lasting(served, session)
    await_stage(served, session, after, "run")
    refused = served.post(f"/conversations/{session}/say", 409, text="something else")
    assert "in progress" in refused["error"]["problem"]
    assert "cancel" in refused["error"]["hint"]
    assert served.post(f"/conversations/{session}/cancel") == {"is_stopping": True}
    assert served.followed(session, after) == served.followed(session, after)


def test_a_run_is_cancelled_in_the_middle(served: Served) -> None:
    """It says that what is finished is kept, ends as partial, and the conversation goes on."""
    session = served.begin()
    after = lasting(served, session)
    await_stage(served, session, after, "progress")
    served.post(f"/conversations/{session}/cancel")
    events = served.followed(session, after)
    assert events[-1]["status"] == "partial", events[-4:]
    assert any("kept" in text for text in told(events, "note"))
    assert served.post(f"/conversations/{session}/cancel") == {"is_stopping": False}
    assert told(served.turn(session, "make the line red"), "plan")


def test_a_run_outlives_its_reader_and_its_server(tmp_path: Path) -> None:
    """The client leaves, the server is killed: the run goes on, and a new server over the home finds it and its events."""
    served = Served(tmp_path)
    session = served.begin()
    after = lasting(served, session, "2003-03-01")
    last = await_stage(served, session, after, "progress")
    served.kill()
    served.start()
    assert served.get(f"/conversations/{session}")["is_running"]
    assert served.get("/conversations")["conversations"][0]["is_running"]
    rest = served.followed(session, last)
    assert rest[-1]["status"] == "success"
    assert rest[0]["n"] == last + 1
    served.close()


@pytest.mark.nightly
def test_a_run_is_stopped_by_another_server_than_its_own(tmp_path: Path) -> None:
    """The process that works is found by its lock."""
    served = Served(tmp_path)
    session = served.begin()
    after = lasting(served, session)
    last = await_stage(served, session, after, "progress")
    served.kill()
    served.start()
    assert served.post(f"/conversations/{session}/cancel") == {"is_stopping": True}
    events = served.followed(session, last)
    assert events[-1]["status"] == "partial", events[-4:]
    served.close()


def test_a_turn_whose_process_is_killed_is_ended(served: Served) -> None:
    """The reader is told so, and the conversation goes on with a new process."""
    session = served.begin()
    after = lasting(served, session)
    await_stage(served, session, after, "progress")
    os.kill(int((served.home / "sessions" / f"{session}.turn").read_text()), signal.SIGKILL)
    events = served.followed(session, after)
    assert events[-1]["status"] == "failed"
    assert any("cut off" in text for text in told(events, "error"))
    assert told(served.turn(session, "make the line red"), "plan")


def test_a_conversation_that_a_terminal_holds_is_named(served: Served, terminal: Any) -> None:
    """409 says that another process has it, which, and what to do."""
    session, _ = served.planned()
    chat = terminal("chat", "--session", session, "--offline", folder=served.folder)
    chat.until_prompt()
    deadline = time.monotonic() + PATIENCE_S
    answer = served.client.post(f"/conversations/{session}/say", json={"text": "yes"})
    while answer.status_code != 409 and time.monotonic() < deadline:
        time.sleep(0.1)
        answer = served.client.post(f"/conversations/{session}/say", json={"text": "yes"})
    error = answer.json()["error"]
    assert "open in another process" in error["problem"]
    assert "chat" in error["problem"]
    assert "quit" in error["hint"]


def test_a_saved_pipeline_is_run_as_on_the_command_line(served: Served) -> None:
    """The same report but for ids and seconds, facts, status and rows; the same key is the same run."""
    session, digest = served.planned()
    after = served.post(f"/conversations/{session}/approve", digest=digest)["after"]
    served.followed(session, after)
    name = served.get(f"/conversations/{session}")["table"]["pipeline"]
    run = served.post(f"/pipelines/{name}/runs", start="2003-10-28", stop="2003-10-31", key="r")["run"]
    assert served.post(f"/pipelines/{name}/runs", start="2003-10-28", stop="2003-10-31", key="r")["run"] == run
    found = served.await_end(f"/runs/{run}")
    assert found["state"] == "success", found
    listed = served.get("/runs")
    assert [each["run"] for each in listed["runs"]] == [run]
    assert listed["recorded"][0]["id"] == found["report"]["run_id"]
    assert len(listed["recorded"]) > 1, "also the run of the conversation"
    assert len(served.get("/runs", count=1)["recorded"]) == 1
    times = "2003-10-28", "2003-10-31"
    printed = json.loads(helio(served.folder, "status", name, *times, "--json").stdout)
    assert served.get(f"/pipelines/{name}/status", start=times[0], stop=times[1]) == printed
    again = json.loads(helio(served.folder, "run", name, *times, "--json").stdout)
    own = ("run_id", "seconds", "steps")
    assert {key: value for key, value in found["report"].items() if key not in own} == {
        key: value for key, value in again.items() if key not in own
    }
    step = next(iter(found["report"]["steps"]))
    rows = served.get(f"/results/{name}/{step}", start="2003-10-28", stop="2003-10-31")
    assert rows["rows"] > len(rows["head"]) == 20
    assert rows["statistics"]["columns"]


def test_look_ups_are_those_of_the_command_line(served: Served) -> None:
    """Catalog, operations, settings and facts give what `--json` prints."""
    pairs = [
        ("/catalog/search?words=ACE magnetic field&count=3", ("catalog", "search", "ACE", "magnetic", "field", "-n", "3")),
        ("/catalog/search?words=Swarm magnetic field&count=3", ("catalog", "search", "Swarm", "magnetic", "field", "-n", "3")),
        ("/catalog/datasets/AC_H0_MFI", ("catalog", "show", "AC_H0_MFI")),
        ("/operations", ("operations", "ls")),
        ("/operations/rolling_mean", ("operations", "show", "rolling_mean")),
        ("/settings", ("settings",)),
    ]
    for path, command in pairs:
        printed = json.loads(helio(served.folder, *command, "--json").stdout)
        assert served.get(path) == printed


def test_the_synthetic_archive_is_searched_as_the_other(served: Served) -> None:
    """The same document and the same facets, over the demo's datasets and times; misspelt words are mended."""
    words = "ACE magnetic field"
    theirs = served.get("/catalog/search", words=words)["datasets"][0]
    ours = served.get("/catalog/search", words=words, archive="demo")["datasets"]
    assert ours[0].keys() == theirs.keys()
    assert [ours[0][name] for name in ("dataset", "archive", "fetchable")] == ["AC_H0_MFI", "demo", True]
    assert ours[0]["parameters"][0].keys() == theirs["parameters"][0].keys()
    minute = served.get("/catalog/search", words="field", archive="demo", cadence="PT1M", frame="GSM", during="2003-10")
    assert [(each["dataset"], each["covers"]) for each in minute["datasets"]] == [("AC_H0_MFI", True), ("WI_H0_MFI", True)]
    assert served.get("/catalog/search", words="field", archive="demo", during="1975")["datasets"] == []
    mended = served.get("/catalog/search", words="magnetc field", archive="demo", count=1)
    assert (mended["instead"], len(mended["datasets"])) == ({"magnetc": "magnetic"}, 1)
