"""Conversations from a sentence to a figure, on the embedded archive."""

from __future__ import annotations

from collections.abc import Callable

from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha
from tests.scenario.talking import Chat, changed_lines

Begin = Callable[..., Chat]


def test_ace_for_last_week(chat: Begin) -> None:
    """A sentence, a plan, an approval, a figure; the file says who approved it, and its hash fits."""
    talk = chat()
    planned = talk.say("ACE magnetic field for last week")
    assert (planned.card["start"], planned.card["stop"]) == ("2024-05-25", "2024-06-01")
    assert talk.saved == []
    done = talk.say("approve")
    assert done.status == "success"
    assert all(counts == (7, 0) for counts in done.counts.values())
    assert "SYNTHETIC DATA" in done.figures[0].read_text()
    (name,) = talk.saved
    pipeline = parse_pipeline(talk.text(name), file=f"{name}.yaml").pipeline
    assert pipeline.approved is not None
    assert (pipeline.approved.by, pipeline.approved.sha) == ("ada", pipeline_sha(pipeline))


def test_a_red_magnitude_line_touches_one_step(chat: Begin) -> None:
    """One line of the file, one step of the run."""
    talk = chat()
    talk.agree("ACE magnetic field magnitude for 2003-10-29")
    (name,) = talk.saved
    before = talk.text(name)
    done = talk.agree("make |B| red")
    changed = changed_lines(before, talk.text(name))
    assert len(changed) == 2
    assert "red" in changed[1]
    assert done.counts == {"b_gse": (0, 1), "b_mag": (0, 1), "overview": (1, 0)}


def test_another_storm_replays_the_same_file(chat: Begin) -> None:
    """Nothing is edited; and run twice, the month comes out the same."""
    talk = chat()
    talk.agree("ACE magnetic field magnitude for 2003-10-29")
    (name,) = talk.saved
    before = talk.text(name)
    again = talk.say("the Gannon storm instead")
    assert again.status == "success"
    assert talk.text(name) == before
    assert again.counts["b_mag"] == (3, 0)
    assert talk.say("run").counts["b_mag"] == (0, 3)
