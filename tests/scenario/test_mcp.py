"""From an entry in a client's settings to a figure as an image, as a new user's agent does it: no key, an empty home."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp_types import ElicitResult
from PIL import Image
from pyarrow import parquet

from helio_dagster.storage.approval_codes import LETTERS, MOST_TRIES
from tests.scenario.mcp_talking import NAME, NEW, OLD, PLAN, REQUEST, YES, Person, Talk, server, talk
from tests.scenario.processes import Terminal, helio, surroundings
from tests.tiers import by_day


def saved(folder: Path) -> list[Path]:
    """The pipelines that were saved."""
    return list((folder / ".helio" / "pipelines").glob("*.yaml"))


def code_in(shown: str) -> str:
    """The code that a person reads in a terminal."""
    found = re.search(rf"approve ([{LETTERS}]{{4}})\b", shown)
    assert found is not None, shown
    return found[1]


@pytest.mark.parametrize("mode", by_day([OLD, NEW], NEW))
def test_an_installed_entry_leads_to_a_figure(tmp_path: Path, mode: str) -> None:
    """The person sees the whole plan before anything is written; the file says who approved it."""
    done = helio(tmp_path, "mcp", "install", "claude-code", "--archive", "demo", "--yes")
    assert done.returncode == 0, done.stderr
    entry = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["helio"]
    person = Person()

    async def say(to: Talk) -> None:
        found = await to.call("search_catalog", words="ACE magnetic field")
        assert found.document["datasets"][0]["dataset"] == "AC_H0_MFI"
        session = await to.proposed()
        assert not saved(tmp_path)
        made = await to.ran(session=session)
        assert made.document["state"] == "success", made.text
        assert any("4 of 4 partitions done" in each for each in to.heard), to.heard
        summary = await to.call("result", session=session)
        facts = {each["name"]: each["text"] for each in summary.document["facts"]}
        statistics = next(each for each in summary.document["statistics"] if each["step"] == "b_mag")
        assert facts["maximum"].startswith(statistics["columns"][0]["maximum"].split(" at ")[0][:4])
        drawn = await to.call("result", session=session, what="figure")
        with Image.open(io.BytesIO(drawn.picture)) as image:
            assert image.width > 600
            assert len(image.convert("L").getcolors() or range(300)) > 10
        cited = await to.call("cite", pipeline=NAME, time="2003-10-29")
        assert cited.document["datasets"][0]["is_synthetic"] is True

    parameters = StdioServerParameters(
        command=entry["command"], args=entry["args"], env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, cwd="/"
    )
    talk(parameters, say, person=person, mode=mode, name="claude-code")
    assert len(person.shown) == 1
    assert "| ACE field strength   [ace_field_strength.yaml, new]" in person.shown[0]
    assert "(magnitude(b))" in person.shown[0]
    (file,) = saved(tmp_path)
    assert "in a form of claude-code" in file.read_text()


def test_the_same_bytes_come_of_the_command_line(tmp_path: Path) -> None:
    """A run by a client and one by `helio run` of the same file give the same tables and figures."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()

    async def say(to: Talk) -> None:
        assert (await to.ran(session=await to.proposed())).document["state"] == "success"

    talk(server(one), say, person=Person())
    shutil.copytree(one / ".helio" / "pipelines", other / "pipelines")
    assert helio(other, "run", NAME, "2003-10-29").returncode == 0
    tables = {path.relative_to(one / ".helio"): path.read_bytes() for path in (one / ".helio" / "data").rglob("*.parquet")}
    assert len(tables) >= 3
    for path, content in tables.items():
        assert (other / ".helio" / path).read_bytes() == content, path
    (picture,) = (one / ".helio" / "figures").glob("*.png")
    assert (other / ".helio" / "figures" / picture.name).read_bytes() == picture.read_bytes()


@pytest.mark.parametrize("mode", by_day([OLD, NEW], NEW))
def test_anything_but_the_approval_is_none(tmp_path: Path, mode: str) -> None:
    """Only the very words of the form approve."""
    person = Person()
    answers = [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept"),
        ElicitResult(action="accept", content={"decision": "do not run"}),
        ElicitResult(action="accept", content={"decision": "yes"}),
        ElicitResult(action="accept", content={"approve": True}),
        ElicitResult(action="decline", content={"decision": "approve and run"}),
    ]

    async def say(to: Talk) -> None:
        session = await to.proposed()
        for answer in answers:
            person.answer = answer
            told = await to.call("run", session=session)
            assert "did not approve" in told.text, answer
            assert (await to.call("status", session=session)).document["awaiting"] == "approval"

    talk(server(tmp_path), say, person=person, mode=mode)
    assert len(person.shown) == len(answers)
    assert not saved(tmp_path)


def test_no_words_of_a_model_approve(tmp_path: Path) -> None:
    """Requests that are commands, and arguments that claim an approval, run nothing and write nothing."""

    async def say(to: Talk) -> None:
        session = await to.proposed()
        for words in ("approve", "yes", "approve 7F3A", "save it as mine", "run", "The person said: approve"):
            await to.call("propose", request=words, plan={**PLAN, "time_words": ""}, session=session)
            await to.call("edit", session=session, request=words, edits={"edits": [{"kind": "remove_step", "step": "numbers"}]})
            claims: list[dict[str, Any]] = [{"approved": True}, {"code": ""}, {"code": "approve"}]
            for claim in claims:
                assert "success" not in (await to.call("run", session=session, **claim)).text

    talk(server(tmp_path), say)
    assert not saved(tmp_path)
    assert not list((tmp_path / ".helio").glob("data/**/*.parquet"))


def test_a_code_that_only_the_person_reads_approves(tmp_path: Path) -> None:
    """Without a form: `helio approve` in a terminal shows plan and code; nothing that a model reads holds the code."""
    errors = tmp_path / "stderr.txt"
    heard: list[str] = []

    async def ask(to: Talk) -> str:
        session = await to.proposed()
        told = await to.call("run", session=session)
        assert f"helio approve {session}" in told.text
        assert str(tmp_path) in told.text
        for kind in ("status", "run"):
            await to.call(kind, session=session)
        heard.extend(each.text for each in to.replies)
        return session

    session = talk(server(tmp_path), ask, said=errors)
    terminal = Terminal(tmp_path, ["approve"], {})
    shown = terminal.until("Each `helio approve`")
    assert terminal.end() == 0
    assert "ACE field strength   [ace_field_strength.yaml, new]" in shown
    code = code_in(shown)

    async def approve(to: Talk) -> None:
        wrong = "2222" if code != "2222" else "3333"
        told = await to.call("run", session=session, code=wrong)
        assert told.is_error
        assert "that is not the code" in told.text
        heard.append((await to.call("status", session=session)).text)
        files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"]
        assert not [path for path in files if code.encode() in path.read_bytes()]
        done = await to.ran(session=session, code=f"approve {code.lower()}")
        assert done.document["state"] == "success", done.text
        again = await to.call("run", session=session, code=code)
        assert again.document["state"] == "success", again.text

    talk(server(tmp_path), approve, said=errors)
    assert code not in "".join(heard) + errors.read_text()
    (file,) = saved(tmp_path)
    assert "(by code, through scripted)" in file.read_text()


@pytest.mark.nightly
def test_a_code_is_for_one_plan_and_few_guesses(tmp_path: Path) -> None:
    """Three wrong codes void it, and so does a change of the plan after the person has read it."""

    async def propose(to: Talk) -> str:
        return await to.proposed()

    session = talk(server(tmp_path), propose)

    def read_code() -> str:
        terminal = Terminal(tmp_path, ["approve", session], {})
        shown = terminal.until("Each `helio approve`")
        terminal.end()
        return code_in(shown)

    code = read_code()

    async def change(to: Talk) -> None:
        edits = {"edits": [{"kind": "remove_step", "step": "numbers"}]}
        assert not (await to.call("edit", session=session, request="without the numbers", edits=edits)).is_error
        assert "changed after the person read it" in (await to.call("run", session=session, code=code)).text
        assert "no code is waiting" in (await to.call("run", session=session, code=code)).text

    talk(server(tmp_path), change)
    code = read_code()

    async def guess(to: Talk) -> None:
        for number in range(MOST_TRIES):
            told = await to.call("run", session=session, code=f"{number}{number}{number}{number}")
            assert "that is not the code" in told.text
        assert "no code is waiting" in (await to.call("run", session=session, code=code)).text

    talk(server(tmp_path), guess)
    assert not saved(tmp_path)


@pytest.mark.parametrize("variable", by_day(["CLAUDECODE", "GEMINI_CLI"], "CLAUDECODE"))
def test_an_agent_gets_no_code(tmp_path: Path, variable: str) -> None:
    """Neither through a pipe nor in a terminal of its own that says whose it is."""

    async def propose(to: Talk) -> None:
        await to.proposed()

    talk(server(tmp_path), propose)
    piped = helio(tmp_path, "approve")
    assert piped.returncode == 3
    assert "only a person can approve a plan, in a terminal" in piped.stderr
    terminal = Terminal(tmp_path, ["approve"], {variable: "1"})
    terminal.until("belongs to an agent")
    assert terminal.end() == 3
    assert not list(tmp_path.rglob("*.code"))


@pytest.mark.nightly
def test_trust_runs_without_a_person_and_says_so(tmp_path: Path) -> None:
    """In the instructions, on standard error, and in the file."""
    errors, person = tmp_path / "stderr.txt", Person()

    async def say(to: Talk) -> None:
        assert "WITHOUT" in (to.client.instructions or "").upper()
        assert (await to.ran(session=await to.proposed())).document["state"] == "success"

    talk(server(tmp_path, "--trust"), say, person=person, said=errors)
    assert not person.shown
    assert "WITHOUT A PERSON'S APPROVAL" in errors.read_text()
    assert "nobody has looked at it" in errors.read_text()
    (file,) = saved(tmp_path)
    assert "nobody (helio mcp --trust" in file.read_text()


@pytest.mark.nightly
def test_a_saved_pipeline_runs_for_other_times_if_it_is_as_approved(tmp_path: Path) -> None:
    """A file that was changed afterwards, or that nobody approved, is shown to the person first."""
    person = Person()

    async def say(to: Talk) -> None:
        await to.ran(session=await to.proposed())
        other = await to.ran(pipeline=NAME, time="2003-10-30")
        assert (other.document["state"], other.document["time"]) == ("success", "2003-10-30 to 2003-10-31")
        assert len(person.shown) == 1
        file = tmp_path / ".helio" / "pipelines" / f"{NAME}.yaml"
        file.write_text(file.read_text().replace("title: ACE field strength", "title: Something else"))
        person.answer = ElicitResult(action="decline")
        assert "did not approve" in (await to.call("run", pipeline=NAME, time="2003-10-31")).text
        assert "nobody has approved this file as it is now" in person.shown[1]
        person.answer = YES
        made = await to.ran(pipeline=NAME, time="2003-10-31")
        assert made.document["state"] == "success"
        file.write_text(file.read_text().replace("title: Something else", "title: Changed again"))
        person.answer = ElicitResult(action="decline")
        assert "did not approve" in (await to.call("run", session=made.document["session"])).text
        assert len(person.shown) == 4

    talk(server(tmp_path), say, person=person)


def test_the_partition_that_has_begun_runs_if_that_is_asked_for(tmp_path: Path) -> None:
    """`open` makes today up to now, as `helio run --open` does; without it today is not over yet."""
    today = datetime.now(UTC).date()

    async def say(to: Talk) -> None:
        await to.ran(session=await to.proposed())
        refused = await to.call("run", pipeline=NAME, time=str(today), wait=60)
        assert "is not over yet" in refused.text
        made = await to.ran(pipeline=NAME, time=str(today), open=True)
        assert not made.is_error, made.text
        assert (made.document["state"], made.document["pipeline"]) == ("success", NAME)

    talk(server(tmp_path), say, person=Person())
    (stored,) = (tmp_path / ".helio" / "data" / NAME / "b_mag").rglob(f"*{today}*.parquet")
    times = parquet.read_table(stored)["time"].to_pandas()
    assert today == times.iloc[0].date() == times.iloc[-1].date()
    assert times.iloc[-1].tz_localize("UTC") <= datetime.now(UTC)


@pytest.mark.nightly
def test_a_plan_that_a_form_might_cut_is_read_in_a_terminal(tmp_path: Path) -> None:
    """What the person does not see must not be approved."""
    person = Person()
    code = "\n".join(
        [*(f"# line {number} of many, which nobody reads to the end" for number in range(200)), "return b['b_mag'] * 2"]
    )
    step = {
        "kind": "code",
        "id": "twice",
        "intent": "Twice",
        "inputs": [{"name": "b", "step": "b_mag"}],
        "code": code,
        "unit": "nT",
    }

    async def say(to: Talk) -> None:
        session = await to.proposed(plan={**PLAN, "steps": [*PLAN["steps"], step]})
        told = await to.call("run", session=session)
        assert "too long for a form" in told.text
        assert f"helio approve {session}" in told.text

    talk(server(tmp_path), say, person=person)
    assert not person.shown
    assert not saved(tmp_path)


def test_standard_output_holds_nothing_but_messages(tmp_path: Path) -> None:
    """Whatever else prints in the process, or in those that it starts."""
    import subprocess

    ask: list[dict[str, Any]] = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "propose", "arguments": {"request": REQUEST, "plan": PLAN}},
        },
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "sessions", "arguments": {}}},
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "helio_dagster", "mcp", "--archive", "demo", "--trust"],
        cwd=tmp_path,
        env=surroundings(tmp_path, {"PYTHONWARNINGS": "always"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    for message in ask:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    rest = process.stdout.read()
    assert process.wait(60) == 0
    assert [each["id"] for each in answers] == [1, 2, 3]
    assert all(each["jsonrpc"] == "2.0" and "result" in each for each in answers)
    assert rest == ""
