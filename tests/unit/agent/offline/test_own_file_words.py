"""Files of one's own in words: the command that adds them, and nothing else."""

from __future__ import annotations

from typing import ClassVar, cast

import pytest

from helio_dagster.agent.offline.own_file_words import own_file_answer
from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline


@pytest.mark.parametrize(
    ("request_text", "command"),
    [
        ("plot column H of my file ground.csv", "helio add ground.csv --column H\n"),
        ("use my file ground.csv", "helio add ground.csv\n"),
        ("Show me the file data/2024_kir.txt for 2024-01-02", "helio add data/2024_kir.txt\n"),
        ("use my own data file a$HOME.csv", "helio add 'a$HOME.csv'\n"),
        ("use my file ground.csv, column H", "helio add ground.csv --column H\n"),
        ("plot column b_gse of my file goes.nc", "helio add goes.nc --column b_gse\n"),
        ("use column H of ground.xlsx", "helio add ground.xlsx --column H\n"),
    ],
)
def test_the_command_is_said(request_text: str, command: str) -> None:
    """With the column, where one is named, and quoted for a shell."""
    answer = own_file_answer(request_text)
    assert answer is not None
    assert command in answer.text


class Home:
    """What a home says of its saved pipelines."""

    texts: ClassVar = {
        "ground": "fetch: {file: data/ground.csv, time: {columns: time}, columns: {H: {unit: nT}}}",
        "others": "fetch: {file: data/other.csv, time: {columns: time}, columns: {H: {unit: nT}}}",
    }

    def names(self) -> list[str]:
        """Names of the saved pipelines."""
        return [*self.texts, "gone"]

    def load(self, name: str) -> PipelineFile:
        """A saved pipeline."""
        if name not in self.texts:
            raise InputError("there is none")
        head = f"version: 1\nname: {name}\npartitions: daily\nsteps:\n  - id: h\n    {self.texts[name]}\n"
        return parse_pipeline(head, file=f"{name}.yaml")


def test_a_pipeline_that_reads_the_file_is_named() -> None:
    """With the step that reads the column; another column, or file, is added as before."""
    side = cast("RunSide", Home())
    answer = own_file_answer("plot column H of my file ground.csv on 2003-10-29", side)
    assert answer is not None
    assert answer.text.startswith("The pipeline ground reads ground.csv. Its step h reads that column.\n")
    assert "`run ground on " in answer.text
    other = own_file_answer("use my file ground.csv, column D", side)
    assert other is not None
    assert other.text.startswith("The pipeline ground reads ground.csv.\n")
    unknown = own_file_answer("use my file new.csv", side)
    assert unknown is not None
    assert "helio add new.csv" in unknown.text


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
    assert own_file_answer(request_text) is None
