"""`helio plan` and `helio check` as people and programs meet them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from helio_dagster.agent.answers import Plan, answer_to_document
from helio_dagster.cli.console import Console
from helio_dagster.cli.edge import run_app
from helio_dagster.cli.plan import print_plan
from helio_dagster.domain.pipeline import Pipeline


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home in a working directory of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("HELIO_PIPELINES", "HELIO_CDAWEB_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_plan_is_shown_with_range_steps_and_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    """A person sees what would be made, for when, and what was assumed; nothing is saved."""
    assert run_app(["plan", "ACE", "magnetic field magnitude", "for 2023-01-02"]) == 0
    out = capsys.readouterr().out
    for words in (
        "ACE magnetic field magnitude",
        "2023-01-02 to 2023-01-03",
        "AC_H0_MFI BGSEc",
        "assumed: ",
        "Nothing is saved",
    ):
        assert words in out


def test_a_plan_as_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """Programs read one JSON document and nothing else on standard output."""
    assert run_app(["plan", "--json", "--archive", "demo", "ACE |B| last week"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "plan"
    assert document["pipeline"]["steps"][0]["fetch"]["archive"] == "demo"
    assert document["suggested_checks"] == {"b_mag": {"min": "0 nT", "max": "200 nT", "coverage": "50 %"}}
    assert not any(step.get("expect") for step in document["pipeline"]["steps"])


@pytest.mark.parametrize(("request_text", "status", "code"), [("ACE |B| smoothed", "question", 3), ("", "refused", 2)])
def test_exit_codes_tell_questions_from_refusals(
    request_text: str, status: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A question needs a person, a refusal another request."""
    assert run_app(["plan", "--json", request_text]) == code
    assert json.loads(capsys.readouterr().out)["status"] == status


def test_the_choices_of_a_question_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """An answer can be copied and run, for the same archive."""
    assert run_app(["plan", "--archive", "demo", "ACE speed 03/04/2023"]) == 3
    assert "helio plan --archive demo 'ACE speed 2023-03-04'" in capsys.readouterr().out


def test_a_saved_plan_passes_the_check(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is saved into a folder has its own name, and is valid."""
    folder = home / "home" / "pipelines"
    folder.mkdir(parents=True)
    assert run_app(["plan", "ACE speed", "-o", str(folder)]) == 0
    assert [path.name for path in folder.iterdir()] == ["ace_speed.yaml"]
    assert run_app(["check"]) == 0
    assert "no problem" in capsys.readouterr().out.replace("0 problems", "no problem")


def test_a_different_file_is_not_replaced(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Work is not overwritten unless asked; the same text again is not a difference."""
    assert run_app(["plan", "ACE speed", "-o", "mine.yaml"]) == 0
    assert run_app(["plan", "ACE speed", "-o", "mine.yaml"]) == 0
    before = (home / "mine.yaml").read_bytes()
    assert run_app(["plan", "ACE density", "-o", "mine.yaml"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (home / "mine.yaml").read_bytes() == before
    assert run_app(["plan", "ACE density", "-o", "mine.yaml", "--force"]) == 0
    assert (home / "mine.yaml").read_bytes() != before


@pytest.mark.parametrize("name", ["../Bad Name.yaml", "Ace.yaml", "ace.txt"])
def test_a_file_that_cannot_name_a_pipeline_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The file's name is the pipeline's."""
    assert run_app(["plan", "ACE speed", "-o", name]) == 2
    assert "is not a valid file name for a pipeline" in capsys.readouterr().err


def test_faults_are_printed_with_file_line_and_path(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each problem says where it is and what to do; the exit code says that there is one."""
    text = "version: 1\nname: bad\nsteps:\n  - id: a\n    fetch: {archive: demo, dataset: AC_H0_MFI, paramter: BGSEc}\n"
    (home / "bad.yaml").write_text(text)
    assert run_app(["check", "bad.yaml"]) == 2
    assert "bad.yaml:5: steps[0].fetch.paramter: unknown key 'paramter'\n  Did you mean parameter?" in capsys.readouterr().out
    assert run_app(["check", "bad.yaml", "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["problems"][0]["line"] == 5


def test_a_file_that_nothing_would_find_is_a_problem(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose name is not a pipeline's is not passed over in silence."""
    folder = home / "home" / "pipelines"
    folder.mkdir(parents=True)
    (folder / "My-Plot.yaml").write_text("version: 1\n")
    assert run_app(["check"]) == 2
    assert "My-Plot.yaml: the file's name is not a pipeline name" in capsys.readouterr().out


def test_the_schema_is_printed_for_editors(capsys: pytest.CaptureFixture[str]) -> None:
    """One command gives the JSON schema of a pipeline file."""
    assert run_app(["check", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Pipeline"


def test_the_pipelines_that_ship_are_sound(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The examples of the repository have neither problems nor notes."""
    monkeypatch.setenv("HELIO_PIPELINES", str(Path(__file__).resolve().parents[3] / "pipelines"))
    assert run_app(["check", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["checked"]) >= 3
    assert (document["problems"], document["notes"]) == ([], [])


def test_a_request_may_begin_with_a_minus_sign(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    """`-VxB` is a quantity, quoted or not; an option is an option."""
    assert run_app(["plan", "--archive", "demo", "-VxB for 2003-10-29"]) == 3
    assert run_app(["plan", "--archive", "demo", "-VxB", "for", "2003-10-29"]) == 3
    assert capsys.readouterr().out.count("convection electric field") == 2
    assert run_app(["plan", "--archive", "demo", "ACE speed for 2003-10-29", "-o", "mine.yaml"]) == 0
    assert (home / "mine.yaml").is_file()


def test_a_mission_is_enough_to_search_the_catalog(capsys: pytest.CaptureFixture[str]) -> None:
    """Its datasets are listed; with neither mission nor words there is nothing to search for."""
    assert run_app(["catalog", "search", "--mission", "ACE", "-n", "2"]) == 0
    assert "AC_H0_MFI" in capsys.readouterr().out
    assert run_app(["catalog", "search"]) == 2


@pytest.mark.parametrize(
    ("is_terminal", "first"), [(False, "Ignored: shiny\n"), (True, "request  \x1b[9mshiny\x1b[0m ACE field\n")]
)
def test_words_that_a_plan_ignores_come_first(is_terminal: bool, first: str) -> None:
    """Struck out on a terminal, listed elsewhere, and in the document for programs."""
    answer = Plan(PIPELINE, ignored=("shiny",))
    out = io.StringIO()
    console = Console(file=out, force_terminal=is_terminal, width=100, _environ={"TERM": "xterm"})
    print_plan(answer, console, request="shiny ACE field")
    assert out.getvalue().startswith(first)
    assert answer_to_document(answer, "offline")["ignored"] == ["shiny"]


PIPELINE = Pipeline.model_validate(
    {
        "version": 1,
        "name": "one",
        "title": "One",
        "steps": [{"id": "kp", "fetch": {"archive": "demo", "dataset": "OMNI2_H0_MRG1HR", "parameter": "KP"}}],
    }
)


def test_a_fault_of_a_checked_file_is_said_once(
    home: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A file that is checked by name is not reported as left out of the library too; another faulty one is."""
    folder = home / "pipelines"
    folder.mkdir()
    for name in ("one", "other"):
        (folder / f"{name}.yaml").write_text("version: [")
    assert run_app(["check", "one"]) == 2
    assert "one.yaml" in capsys.readouterr().out
    assert "one.yaml" not in caplog.text
    assert "other.yaml" in caplog.text
