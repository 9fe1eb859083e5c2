"""`helio chat` as it is used: without a terminal, by a program through a pipe, and in a real pseudo terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scenario.processes import Terminal, helio, surroundings
from tests.scenario.scripts import Reply, ace_plan, code_plan
from tests.scenario.talking import Chat

Folder = Callable[[], Path]
Open = Callable[..., Terminal]
ACE = "ACE magnetic field magnitude for 2003-10-29"
NAME = "ace_magnetic_field_magnitude"


def scripted(folder: Path, *script: Reply) -> dict[str, str]:
    """The setting for a model that replies so."""
    path = folder / "script.yaml"
    path.write_text(yaml.safe_dump(list(script)))
    return {"HELIO_MODEL": f"scripted:{path}"}


def events(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The events that a program was given."""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_without_a_terminal_the_plan_is_printed_and_approved_later(new_folder: Folder) -> None:
    """Exit code 3 and nothing written; `--continue --yes` approves, runs, and ends with 0."""
    folder = new_folder()
    planned = helio(folder, "chat", "--archive", "demo", ACE)
    assert planned.returncode == 3
    assert "AC_H0_MFI BGSEc" in planned.stdout
    assert "approve it: helio chat --yes --session" in planned.stderr
    assert Chat(folder).saved == []
    done = helio(folder, "chat", "--continue", "--yes")
    assert done.returncode == 0, done.stderr
    assert Chat(folder).saved == [NAME]
    assert "b_mag: 1 computed" in done.stdout


def test_one_line_plans_approves_and_runs(new_folder: Folder) -> None:
    """`--yes`: also with a model; the file says who ran it, and where the figure is, is printed."""
    folder = new_folder()
    done = helio(folder, "chat", "--archive", "demo", "--yes", ACE, environment=scripted(folder, ace_plan()))
    assert done.returncode == 0, done.stderr
    approved = Chat(folder).pipeline().approved
    assert approved is not None
    assert approved.by == "ada"
    figure = next(line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.strip().startswith("figure overview"))
    assert Path(figure).is_file()


def test_what_is_said_needs_no_dagster_words(new_folder: Folder) -> None:
    """Nothing of the machinery is printed, of Dagster's or the browser's: no warning, no log line."""
    folder = new_folder()
    done = helio(folder, "chat", "--archive", "demo", "--yes", ACE)
    assert done.stderr == ""
    assert "dagster" not in done.stdout.replace("helio_dagster", "").casefold().replace(str(folder).casefold(), "")


def test_a_question_ends_with_three_and_is_answered_later(new_folder: Folder) -> None:
    """`helio chat ANSWER --continue`."""
    folder = new_folder()
    asked = helio(folder, "chat", "--archive", "demo", "ACE magnetic field magnitude")
    assert (asked.returncode, "For which time?" in asked.stdout) == (3, True)
    assert "  1. ACE magnetic field magnitude last 7 days" in asked.stdout
    answered = helio(folder, "chat", "--continue", "2003-10-29")
    assert answered.returncode == 3
    assert "2003-10-29 to 2003-10-30" in answered.stdout


def test_a_program_drives_a_conversation_through_a_pipe(new_folder: Folder) -> None:
    """One JSON object a line, the stages in their order, `done` at the end of each turn with what is awaited."""
    folder = new_folder()
    said = '{"say": "approve"}\nmake |B| red\n{"say": "yes"}\n'
    done = helio(folder, "chat", "--json-events", "--archive", "demo", ACE, said=said)
    told = events(done)
    turns = [event for event in told if event["stage"] == "done"]
    assert [(turn["status"], turn["awaiting"]) for turn in turns] == [
        ("approval", "approval"),
        ("success", "request"),
        ("approval", "approval"),
        ("success", "request"),
    ]
    first = [event["stage"] for event in told[: told.index(turns[0])]]
    order = ["session", "candidate", "time", "plan", "approval"]
    assert [stage for stage in first if stage in order] == order
    assert (told[0]["planner"], done.returncode, done.stderr) == ("offline", 0, "")


def test_a_program_hands_in_an_edited_plan(new_folder: Folder) -> None:
    """`{"edit": …}` takes the place of the draft, and what is wrong in one is an event."""
    folder = new_folder()
    first = helio(folder, "chat", "--json-events", "--archive", "demo", ACE)
    text = next(event["yaml"] for event in events(first) if event["stage"] == "plan")
    said = "".join(
        json.dumps(each) + "\n"
        for each in (
            {"edit": text.replace("version: 1", "version: one")},
            {"edit": text.replace("title: ACE", "title: My ACE")},
            {"say": "approve"},
        )
    )
    done = helio(folder, "chat", "--json-events", "--continue", said=said)
    statuses = [event["status"] for event in events(done) if event["stage"] == "done"]
    assert statuses[1:] == ["approval", "success"]
    assert statuses[0] in ("refused", "failed")
    assert Chat(folder).pipeline().title == "My ACE magnetic field magnitude"


def test_a_model_works_through_the_command_line(new_folder: Folder) -> None:
    """Steps made and tested, tokens used: each an event of its own."""
    folder = new_folder()
    script = scripted(folder, code_plan("return b['nothing']"), code_plan("return b.abs().max(axis=1)"))
    done = helio(
        folder, "chat", "--json-events", "--archive", "demo", "largest component of the ACE field for 2003-10-29",
        environment=script,
    )  # fmt: skip
    told = events(done)
    assert [event["passed"] for event in told if event["stage"] == "step_tested"] == [False, True]
    assert {"step_created", "usage", "plan"} <= {event["stage"] for event in told}
    assert done.returncode == 3


def test_a_person_talks_at_the_terminal(terminal: Open) -> None:
    """A numbered choice, an approval, a refinement that is rejected, and the way out."""
    shown = terminal("chat", "--archive", "demo")
    shown.until("say> ")
    shown.type("ACE magnetic field 29/10/2003 or so")
    answer = shown.until("> ")
    assert "answer> " in answer or "approve" in answer
    shown.type("cancel")
    shown.until("say> ")
    shown.type("ACE |B| 03/04/2023")
    assert "  2. ACE |B| 2023-04-03" in shown.until("answer> ")
    shown.type("2")
    assert "2023-04-03 to 2023-04-04" in shown.until("reject> ")
    shown.type("yes")
    assert "figure overview" in shown.until("say> ")
    shown.type("make |B| red")
    shown.until("reject> ")
    shown.type("no")
    assert "nothing was run or written" in shown.until("say> ")
    shown.type("exit")
    assert shown.end() == 2
    assert "red" not in Chat(shown.folder).text(NAME)


def test_a_line_can_be_recalled_and_several_lines_pasted(terminal: Open, new_folder: Folder) -> None:
    """The up arrow brings back what was typed in an earlier conversation; a paste is sent when Enter is pressed, whole."""
    folder = new_folder()
    history = folder / ".helio" / "history"
    history.write_text(f"{ACE}\n")
    shown = terminal("chat", "--archive", "demo", folder=folder)
    shown.until("say> ")
    shown.type("\x1b[A")
    assert "AC_H0_MFI BGSEc" in shown.until("reject> ")
    shown.paste("smooth\nover 5 minutes")
    shown.type("")
    assert "PT5M" in shown.until("reject> ")
    shown.type("no")
    shown.until("say> ")
    shown.press("D")
    shown.end()
    assert history.read_text().splitlines() == [ACE, "smooth over 5 minutes", "no"]


def test_a_model_is_asked_without_a_word_of_its_client(terminal: Open, new_folder: Folder) -> None:
    """At a terminal, too, all that is shown is ours."""
    folder = new_folder()
    shown = terminal("chat", "--archive", "demo", ACE, folder=folder, **scripted(folder, ace_plan()))
    text = shown.until("reject> ")
    assert "pydantic" not in text.casefold()
    assert "tokens in" in text


def test_a_plan_is_edited_in_an_editor(terminal: Open, new_folder: Folder) -> None:
    """`edit` opens $EDITOR on the plan; what it leaves there is shown and approved."""
    folder = new_folder()
    editor = folder / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i "s/^title: .*/title: Seen by me/" "$1"\n')
    editor.chmod(0o755)
    shown = terminal("chat", "--archive", "demo", ACE, folder=folder, EDITOR=str(editor))
    shown.until("reject> ")
    shown.type("edit")
    assert "Seen by me" in shown.until("reject> ")
    shown.type("yes")
    shown.until("say> ")
    assert Chat(folder).pipeline().title == "Seen by me"


def test_a_terminal_that_is_closed_loses_nothing(terminal: Open) -> None:
    """The plan waits in the session, and is approved from elsewhere."""
    shown = terminal("chat", "--archive", "demo", ACE)
    shown.until("reject> ")
    shown.hang_up()
    assert Chat(shown.folder).saved == []
    done = helio(shown.folder, "chat", "--continue", "--yes")
    assert done.returncode == 0, done.stderr
    assert Chat(shown.folder).saved == [NAME]


def test_a_full_disk_writes_nothing_and_the_plan_still_waits(new_folder: Folder) -> None:
    """A real file system without room for the pipeline: told, no half of a file; with room the same plan is approved."""
    if (
        not Path("/usr/bin/unshare").is_file()
        or subprocess.run(["/usr/bin/unshare", "-rm", "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("no file system can be mounted here")
    folder = new_folder()
    (folder / "pipelines").mkdir()
    assert helio(folder, "chat", "--archive", "demo", ACE).returncode == 3
    helio_it = f"{sys.executable} -m helio_dagster chat --continue --yes"
    fill = "mount -t tmpfs -o size=4k tmpfs pipelines && head -c 4096 /dev/zero > pipelines/other.txt"
    full = subprocess.run(
        ["/usr/bin/unshare", "-rm", "sh", "-c", f"{fill}; {helio_it}; code=$?; ls -A pipelines; exit $code"],
        cwd=folder,
        env=surroundings(folder) | {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=False,
    )
    assert full.returncode == 1, full.stdout + full.stderr
    assert "No space left" in full.stdout + full.stderr
    assert full.stdout.splitlines()[-1] == "other.txt"
    done = helio(folder, "chat", "--continue", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "pipelines" / f"{NAME}.yaml").is_file()


def test_nothing_said_and_no_terminal_is_told(new_folder: Folder) -> None:
    """An exit code of wrong input, and what to type."""
    done = helio(new_folder(), "chat")
    assert (done.returncode, "helio chat 'ACE field" in done.stderr) == (2, True)
