"""What a card says of how a figure looks, before it is drawn."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.conversation.card import Card
from helio_dagster.agent.looks_in_words import tell_looks
from tests.unit.agent.offline.asking import ask, edited, on_the_table, planned


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        (
            "Wind density in red on a log scale and speed as points, 3-6 May 2024",
            ["panel 1: density red; y axis log", "panel 2: speed as points"],
        ),
        ("ACE |B| with y axis from 0 to 50, 85 mm wide, 2003-10-29", ["panel 1: y axis from 0 to 50", "on paper: 85 mm wide"]),
        (
            "Dst for May 2024, mark 2024-05-10 17:05, draw a dashed line at -50 nT",
            ["panel 1: line at 2024-05-10T17:05Z; dashed line at -50"],
        ),
        ("Kp as bars and Dst dashed, May 2024", ["panel 1: kp as steps", "panel 2: dst dashed"]),
        ("power spectrum of Wind Bz GSE with a line of slope -5/3, 2024-05-10", ["panel 1: line of slope -5/3"]),
        ("Wind and ACE |B| on 2003-10-29", []),
        ("ACE |B| smoothed over 10 minutes, 2003-10-29", []),
    ],
)
def test_what_is_not_as_usual_is_said(request_text: str, said: list[str]) -> None:
    """A line for a panel of which something is said; the colours that a draft gives itself are not."""
    assert list(tell_looks(planned(request_text))) == said


def test_bands_texts_and_heights_are_said() -> None:
    """After changes of the figure, several marks in one line."""
    given = "ACE |B| and speed on 2003-10-29"
    pipeline = edited(given, "shade 06:00 to 08:00 in yellow in the speed panel, and make the |B| panel twice as high")
    assert list(tell_looks(pipeline)) == [
        "panel 1: 2 times as high",
        "panel 2: yellow band at 2003-10-29T06:00Z to 2003-10-29T08:00Z",
    ]


def test_the_card_shows_the_looks_below_the_steps() -> None:
    """And none of them where the figure is as usual."""
    files = [
        on_the_table(plan).file for look in (" in red", "") if isinstance(plan := ask(f"ACE |B|{look} on 2003-10-29"), Plan)
    ]
    lines = [Card(file, None).text().splitlines() for file in files]
    assert len(lines) == 2
    figure = next(row for row, line in enumerate(lines[0]) if line.startswith("  figure"))
    assert lines[0][figure + 1] == "  looks    panel 1: b_mag red"
    assert not any("looks" in line for line in lines[1])
