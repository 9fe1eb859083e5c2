"""A list of events in the folder where a person works: used by a plan, copied with it, and every event of it is run."""

from __future__ import annotations

from collections.abc import Callable

from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
LIST = "start,stop,name\n2003-10-28T10:00Z,2003-10-28T18:00Z,first\n2003-10-29T05:00Z,2003-10-29T12:00Z,Halloween\n"


def test_all_events_of_a_list_without_saying_a_time(chat: Begin) -> None:
    """The card counts them; nothing is copied before approval; the pipeline reads the copy from then on."""
    talk = chat()
    (talk.folder / "mine.csv").write_text(LIST)
    copy = talk.settings.pipelines / "mine.csv"

    planned = talk.say("superpose ACE Bz over the events in mine.csv, 2 hours before to 4 hours after")
    assert planned.awaiting == "approval", planned.text("clarify") + planned.text("error")
    assert (planned.card["start"], planned.card["stop"]) == ("2003-10-28", "2003-10-30")
    assert planned.card["partitions"] == 2
    assert "events: mine.csv is read as CSV: 2 events" in planned.text("plan")
    assert not copy.exists()

    done = talk.say("approve")
    assert done.status == "success", done.text("error")
    assert "Copied beside it: mine.csv" in done.text("approval")
    assert copy.read_text() == LIST
    assert done.counts["b_z_epochs"] == (2, 0)


def test_a_list_beside_the_pipelines_comes_first(chat: Begin) -> None:
    """One of the same name in the folder is neither read nor copied."""
    talk = chat()
    talk.settings.pipelines.mkdir(parents=True)
    kept = talk.settings.pipelines / "mine.csv"
    kept.write_text(LIST.rsplit("\n", 2)[0] + "\n")
    (talk.folder / "mine.csv").write_text(LIST)
    done = talk.agree("plot ACE Bz on 2003-10-28 leaving out the intervals in mine.csv")
    assert "Copied" not in done.text("approval")
    assert "Halloween" not in kept.read_text()


def test_a_list_that_is_nowhere_is_said(chat: Begin) -> None:
    """Nothing is planned over it, and nothing is written."""
    talk = chat()
    said = talk.say("superpose ACE Bz over the events in nowhere.csv")
    assert said.status == "refused"
    assert "there is no list nowhere.csv beside the pipelines" in said.text("error")
    assert not talk.settings.pipelines.exists()
