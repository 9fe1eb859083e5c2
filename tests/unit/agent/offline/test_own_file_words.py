"""Files of one's own in words: a plan of their columns where a pipeline reads them, else the command that adds them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar

import pytest

from helio_dagster.agent.answers import Answer, Edits, Information, OpenQuestion, Plan, Replay
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.offline.own_file_words import own_file_answer
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def _nothing(request: str, current: Current, now: datetime) -> Answer | None:
    return None


@pytest.mark.parametrize(
    ("request_text", "command"),
    [
        ("plot column H of my file ground.csv", "helio add ground.csv --column H\n"),
        ("use my file ground.csv", "helio add ground.csv\n"),
        ("Show me the file data/2024_kir.txt for 2024-01-02", "helio add data/2024_kir.txt\n"),
        ("use my own data file a$HOME.csv", "helio add 'a$HOME.csv'\n"),
        ("use my file ground.csv, column H", "helio add ground.csv --column H\n"),
        ("plot H from my file ground.csv", "helio add ground.csv --column H\n"),
        ("plot column b_gse of my file goes.nc", "helio add goes.nc --column b_gse\n"),
        ("use column H of ground.xlsx", "helio add ground.xlsx --column H\n"),
    ],
)
def test_the_command_is_said(request_text: str, command: str) -> None:
    """With the column, where one is named, and quoted for a shell."""
    answer = own_file_answer(request_text, NOW, None, _nothing)
    assert isinstance(answer, Information)
    assert command in answer.text


class Home:
    """What a home says of its saved pipelines."""

    columns: ClassVar = {"ground": ("H [nT]", "D [deg]", "Bz"), "others": ("V",)}

    def names(self) -> list[str]:
        """Names of the saved pipelines."""
        return [*self.columns, "gone"]

    def load(self, name: str) -> PipelineFile:
        """A saved pipeline."""
        if name not in self.columns:
            raise InputError("there is none")
        steps = "".join(
            f"  - id: {each.split()[0].lower()}\n"
            f"    fetch: {{file: data/{name}.csv, time: {{columns: time}}, columns: {{'{each}': {{unit: nT}}}}}}\n"
            for each in self.columns[name]
        )
        head = f"version: 1\nname: {name}\npartitions: daily\nstart: 2024-05-01\nsteps:\n"
        return parse_pipeline(head + steps, file=f"{name}.yaml")


@pytest.fixture(scope="module")
def planner() -> OfflinePlanner:
    """The planner of a home with files of its own."""
    return OfflinePlanner(shipped_knowledge(), "demo", files=Home())


def _steps(answer: Answer) -> dict[str, str]:
    assert isinstance(answer, Plan)
    return {
        step.id: step.compute.operation or "" if step.compute else "fetch" if step.fetch else "figure"
        for step in answer.pipeline.steps
    }


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("plot H of my file ground.csv on 2024-05-10", {"h": "fetch"}),
        ("use my file ground.csv, column Bz, for 10 May 2024", {"bz": "fetch"}),
        ("show the H and D columns of ground.csv on 2024-05-10", {"h": "fetch", "d": "fetch"}),
        ("10-minute running mean of H in my file ground.csv on 2024-05-10", {"h": "fetch", "h_mean": "rolling_mean"}),
        ("power spectrum of the H column of ground.csv on 2024-05-10", {"h": "fetch", "h_spectrum": "power_spectrum"}),
        ("overlay H of my file ground.csv with Bz on 2024-05-10", {"h": "fetch", "bz": "fetch"}),
        ("plot the H values in my file ground.csv on 2024-05-10", {"h": "fetch"}),
        ("histogram of Bz of my file ground.csv on 2024-05-10", {"bz": "fetch", "bz_histogram": "histogram"}),
        (
            "compare Bz of my file ground.csv with the ACE Bz on 10 May 2024",
            {"bz": "fetch", "ace_b_gsm": "fetch", "ace_b_z": "component"},
        ),
    ],
)
def test_columns_of_a_file_that_a_pipeline_reads_are_planned(
    request_text: str, steps: dict[str, str], planner: OfflinePlanner
) -> None:
    """With what is done to them; the Bz of ACE is no column of the file."""
    answer = planner.answer(Situation(request_text, NOW))
    assert _steps(answer) == {**steps, "overview": "figure"}
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2024-05-10 to 2024-05-11"


def test_the_whole_file_is_the_saved_pipeline(planner: OfflinePlanner) -> None:
    """Where no column is named."""
    answer = planner.answer(Situation("plot my file ground.csv on 2024-05-10", NOW))
    assert isinstance(answer, Replay)
    assert answer.name == "ground"


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("plot H of my file ground.csv", "For which time do you want it? ground begins on 2024-05-01."),
        ("plot column Q of my file ground.csv on 2024-05-10", "no column 'Q': it has H, D, Bz"),
        ("flurb H of my file ground.csv on 2024-05-10", "Ask for the columns alone"),
    ],
)
def test_what_is_open_is_asked(request_text: str, said: str) -> None:
    """No column, no time, words that change nothing."""
    with pytest.raises(OpenQuestion) as asked:
        own_file_answer(request_text, NOW, Home(), _nothing)
    assert said in asked.value.question.text


def test_which_files_there_are() -> None:
    """Each with its columns and its pipeline."""
    answer = own_file_answer("which of my files are there?", NOW, Home(), _nothing)
    assert isinstance(answer, Information)
    assert answer.text.splitlines() == [
        "data/ground.csv: H [nT], D [deg], Bz (pipeline ground)",
        "data/others.csv: V (pipeline others)",
    ]


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("what unit is H in?", "nT"),
        ("where do the data come from?", "a column of your file data/ground.csv"),
    ],
)
def test_what_is_told_of_a_column(request_text: str, said: str, planner: OfflinePlanner) -> None:
    """By the description in the pipeline."""
    plan = planner.answer(Situation("plot H of my file ground.csv on 2024-05-10", NOW))
    assert isinstance(plan, Plan)
    answer = planner.answer(Situation(request_text, NOW, current=_current(plan)))
    assert isinstance(answer, Information)
    assert said in answer.text


@pytest.mark.parametrize(
    ("request_text", "left"),
    [
        ("only the Bz column please", [["bz"]]),
        ("put H, D and Bz in one panel", [["h", "d", "bz"]]),
        ("drop the D column", [["h"], ["bz"]]),
    ],
)
def test_columns_are_lines_that_can_be_named(request_text: str, left: list[list[str]], planner: OfflinePlanner) -> None:
    """Though the catalog knows none of them."""
    plan = planner.answer(Situation("plot H, D and Bz of my file ground.csv on 2024-05-10", NOW))
    assert isinstance(plan, Plan)
    answer = planner.answer(Situation(request_text, NOW, current=_current(plan)))
    assert isinstance(answer, Edits)
    figure = apply_edits(as_file(plan.pipeline), answer.edits).pipeline.steps[-1].figure
    assert figure is not None
    assert [[trace.data for trace in panel.traces] for panel in figure.panels] == left


def _current(plan: Plan) -> Current:
    return Current(as_file(plan.pipeline), plan.span, is_saved=False)


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE magnetic field for 2003-10-29",
        "mark the events of my file lists/storms.csv",
        "exclude the times in my file bad.csv",
        "my file",
    ],
)
def test_other_requests_are_left_alone(request_text: str) -> None:
    """Lists of events are read otherwise."""
    assert own_file_answer(request_text, NOW, None, _nothing) is None
