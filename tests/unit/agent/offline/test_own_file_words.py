"""Files of one's own in words: the command that adds them, and nothing else."""

from __future__ import annotations

import pytest

from helio_dagster.agent.offline.own_file_words import own_file_answer


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
