"""Conversations that are left, cut off or killed, and go on: in the same process, in another, in two at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster.agent.events import Event
from helio_dagster.domain.errors import StorageError
from tests.scenario.processes import helio, surroundings
from tests.scenario.scripts import call, code_plan, edit
from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
Folder = Callable[[], Path]
ACE = "ACE magnetic field magnitude for 2003-10-29"
WEEK = "compare ACE and Wind |B| for 2003-10-01 to 2003-10-08"
NAME = "ace_magnetic_field_magnitude"


def test_a_plan_waits_for_its_approval_in_another_process(chat: Begin) -> None:
    """What was shown is what is approved."""
    talk = chat()
    shown = talk.say(ACE).card["yaml"]
    talk.leave_and_go_on()
    assert talk.conversation.session.awaiting == "approval"
    assert talk.say("approve").status == "success"
    assert talk.text(NAME).startswith(shown.rstrip("\n"))


def test_a_question_waits_for_its_answer(chat: Begin) -> None:
    """A number still names its choice."""
    talk = chat()
    talk.say("ACE field 03/04/2023")
    talk.leave_and_go_on()
    assert talk.say("2").card["start"] == "2023-04-03"


def test_a_failure_waits_for_what_is_done_about_it(chat: Begin) -> None:
    """The count of tries goes on, and an edit mends it."""
    bad = "if b.index[0].day == 30:\n    raise ValueError('too strong')\nreturn b.abs().max(axis=1)"
    talk = chat([code_plan(bad, "2003-10-29 to 2003-10-31")])
    talk.say("largest component of the ACE field for 2003-10-29 to 2003-10-31")
    talk.say("approve")
    talk.script = [edit("b_max", compute__code="return b.abs().max(axis=1)")]
    talk.leave_and_go_on()
    assert talk.say("retry").of("repair")[0].facts["choices"][0] == "retry (3 of 3)"
    talk.say("just the maximum")
    assert talk.say("approve").status == "success"


def test_changes_are_taken_back_in_another_process(chat: Begin) -> None:
    """Byte for byte."""
    talk = chat()
    talk.agree(ACE)
    before = talk.text(NAME)
    talk.agree("make |B| red")
    talk.leave_and_go_on()
    talk.say("undo")
    assert talk.text(NAME) == before


def test_ctrl_c_in_a_run_keeps_what_was_made_and_goes_on(chat: Begin) -> None:
    """The signal comes after the first step; `run` makes the rest, to the bytes of an undisturbed one."""

    def press(event: Event) -> None:
        if event.facts.get("computed"):
            signal.raise_signal(signal.SIGINT)

    undisturbed, talk = chat(), chat(tell=press)
    undisturbed.agree(ACE)
    talk.say(ACE)
    with pytest.raises(KeyboardInterrupt):
        talk.say("approve")
    assert talk.saved == [NAME]
    talk.close()
    later = Chat(talk.folder)
    later.resume(talk.session_id)
    done = later.say("run")
    later.close()
    assert done.status == "success"
    assert later.tables() == undisturbed.tables()


def test_the_planner_can_be_changed_in_a_conversation(chat: Begin) -> None:
    """`model NAME` from then on, `model offline` without one; a wrong name changes nothing."""
    talk = chat([{"calls": [{"tool": "refuse", "args": {"reasons": ["No."]}}]}], archive="demo")
    assert talk.say("model").text("note") == "The planner is scripted."
    assert talk.say("model offline").text("note") == "The planner is offline."
    assert talk.say(ACE).status == "approval"
    assert "Did you mean google?" in talk.say("model gogle:gemini").text("error")
    assert talk.say("model").text("note") == "The planner is offline."
    talk.say(f"model scripted:{talk.folder / 'script.yaml'}")
    assert talk.say("ACE in red").status == "refused"


def chatting(folder: Path) -> subprocess.Popen[str]:
    """A `helio chat` with a program, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "helio_dagster", "chat", "--json-events", "--archive", "demo", WEEK],
        cwd=folder,
        env=surroundings(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def killed_in_a_run(folder: Path) -> str:
    """The session of a `helio chat` that is killed, as by `kill -9`, once its run has made something."""
    process = chatting(folder)
    assert process.stdin is not None
    assert process.stdout is not None
    session = ""
    for line in process.stdout:
        event = json.loads(line)
        session = event.get("session") or session
        if event["stage"] == "done":
            process.stdin.write("approve\n")
            process.stdin.flush()
        if event["stage"] == "run" and event.get("step"):
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.stdin.close()
    process.wait(60)
    return session


def test_ctrl_c_stops_the_run_of_a_program_and_not_its_conversation(new_folder: Folder) -> None:
    """The message ends with `done` and `partial`, the next one is answered, and `run` makes the rest."""
    process = chatting(new_folder())
    assert process.stdin is not None
    assert process.stdout is not None
    said, statuses, is_stopped = iter(["approve", "run", "exit"]), list[str](), False
    for line in process.stdout:
        event = json.loads(line)
        if event["stage"] == "done":
            statuses.append(event["status"])
            process.stdin.write(f"{next(said)}\n")
            process.stdin.flush()
        if event["stage"] == "run" and event.get("step") and not is_stopped:
            is_stopped = True
            process.send_signal(signal.SIGINT)
    process.stdin.close()
    process.stdout.close()
    assert process.wait(60) == 0
    assert statuses == ["approval", "partial", "success"]


def test_a_chat_that_is_killed_in_a_run_goes_on(chat: Begin, new_folder: Folder) -> None:
    """`kill -9`: the session says that its run was cut off, `run` goes on, and the bytes are those of an undisturbed one."""
    folder = new_folder()
    session = killed_in_a_run(folder)
    done = helio(folder, "chat", "--session", session, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The last run was interrupted" in done.stdout
    undisturbed = chat()
    undisturbed.agree(WEEK)
    assert Chat(folder).tables() == undisturbed.tables()


def test_a_conversation_is_open_in_one_process_at_a_time(chat: Begin) -> None:
    """The second is told so, and the first goes on undisturbed."""
    talk = chat()
    talk.say(ACE)
    refused = helio(talk.folder, "chat", "--session", talk.session_id, "approve")
    assert refused.returncode == StorageError.exit_code
    assert "open in another process" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert talk.say("approve").status == "success"


def test_two_conversations_share_a_home(chat: Begin) -> None:
    """What one saved, the other finds."""
    first = chat()
    second = chat(folder=first.folder)
    first.say(ACE)
    second.say("Wind magnetic field magnitude for 2003-10-29")
    first.say("approve")
    second.say("approve")
    assert first.saved == ["ace_magnetic_field_magnitude", "wind_magnetic_field_magnitude"]


def test_sessions_are_listed_shown_and_deleted(chat: Begin) -> None:
    """Deleting one leaves its pipeline."""
    talk = chat()
    talk.agree(ACE)
    talk.close()
    listed = json.loads(helio(talk.folder, "sessions", "ls", "--json").stdout)["sessions"]
    assert [(each["title"], each["pipeline"]) for each in listed] == [(ACE, NAME)]
    shown = helio(talk.folder, "sessions", "show", listed[0]["session"]).stdout
    assert f"you: {ACE}" in shown
    assert helio(talk.folder, "sessions", "rm", listed[0]["session"]).returncode == 0
    assert json.loads(helio(talk.folder, "sessions", "ls", "--json").stdout)["sessions"] == []
    assert talk.saved == [NAME]


def test_a_damaged_session_is_told_and_others_are_listed(chat: Begin) -> None:
    """With what to do; nothing of it is guessed."""
    talk = chat()
    talk.say(ACE)
    talk.close()
    path = talk.settings.sessions / f"{talk.session_id}.json"
    path.write_text(path.read_text()[:200])
    refused = helio(talk.folder, "chat", "--session", talk.session_id, "approve")
    assert refused.returncode == StorageError.exit_code
    assert "helio sessions rm" in refused.stderr
    assert "cannot be read" in helio(talk.folder, "sessions").stdout


def test_a_model_is_told_what_was_said_before(chat: Begin) -> None:
    """Also after the process has ended: the request's own words for the time are still the person's."""
    talk = chat([call("ask_question", text="Which component of the field?", choices=[])])
    talk.say("a component of the ACE field for 2003-10-29")
    talk.script = [code_plan("return b.iloc[:, 2]")]
    talk.leave_and_go_on()
    assert talk.say("Bz").card["start"] == "2003-10-29"
