"""Words that answer a plan or a failure."""

from __future__ import annotations

import pytest

from helio_dagster.agent.conversation.commands import Naming, asks_for_words, read_choice, read_command, read_model, read_naming


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("yes", "approve"),
        ("  Approve! ", "approve"),
        ("looks good", "approve"),
        ("yes please", "approve"),
        ("ok, go ahead", "approve"),
        ("sure", "approve"),
        ("do it", "approve"),
        ("Great, do it please", "approve"),
        ("save it without running", "keep"),
        ("looks fine, keep it but don't run anything yet", "keep"),
        ("approve, but do not run it", "keep"),
        ("no thanks", "reject"),
        ("show the whole plan", "show"),
        ("What did you assume?", "why"),
        ("why these data?", "why"),
        ("help?", "help"),
        ("no", "reject"),
        ("cancel", "reject"),
        ("try again", "retry"),
        ("skip and go on", "skip"),
        ("undo that", "undo"),
        ("go on", "run"),
        ("show me the plan", "show"),
        ("retry please", "retry"),
        ("please skip it", "skip"),
        ("abort now, thanks", "abort"),
        ("please approve", "approve"),
        ("could you undo that", "undo"),
        ("what now", "help"),
    ],
)
def test_a_whole_message_is_a_command(said: str, command: str) -> None:
    """However it is written."""
    assert read_command(said) == command


@pytest.mark.parametrize(
    "said",
    [
        "yes, but in red",
        "keep the mean and don't run it",
        "approve?",
        "great",
        "ok, in blue",
        "why is there a gap?",
        "what is assumed of a Maxwellian?",
        "run my ACE overview for January 2024",
        "no smoothing",
        "show ACE field",
        "undo the smoothing",
        "",
        "planner",
    ],
)
def test_a_sentence_is_none(said: str) -> None:
    """It is for the planner."""
    assert read_command(said) is None


@pytest.mark.parametrize(
    ("said", "choice"), [("1", "a"), (" 2. ", "b"), ("2)", "b"), ("3", "3"), ("0", "0"), ("c please", "c please")]
)
def test_a_number_names_a_choice(said: str, choice: str) -> None:
    """A number that names none stays what it is."""
    assert read_choice(said, ["a", "b"]) == choice


def test_a_yes_takes_the_only_choice() -> None:
    """Of several it takes none."""
    assert read_choice("yes", ["a"]) == "a"
    assert read_choice("yes", ["a", "b"]) == "yes"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("For which time?", True),
        ("I do not understand 'nicer'. What do you mean?", True),
        ("Shall I smooth it?", False),
        ("Which of both do you mean, or is it all the same?", True),
        ("Do you want GSE, which is usual?", False),
    ],
)
def test_a_question_for_words_takes_no_yes(question: str, words: bool) -> None:
    """Its last sentence begins with a word that asks for one."""
    assert asks_for_words(question) is words


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("model", ""),
        ("/model openai:llama3.3", "openai:llama3.3"),
        ("model offline", "offline"),
        ("model the solar wind", None),
        ("model of the magnetic field", None),
    ],
)
def test_a_model_is_chosen_by_its_provider_and_name(text: str, model: str | None) -> None:
    """A sentence that only begins with the word is a request."""
    assert read_model(text) == model


FRAMES = ["ACE Bz on 2023-01-02 in GSE", "ACE Bz on 2023-01-02 in GSM"]


@pytest.mark.parametrize(
    ("said", "place"),
    [("GSM", 1), ("in GSM.", 1), ("the GSE one", 0), ("gse please", 0), ("the second one", 1), ("the last", 1), ("1st", 0),
     ("option 2", 1), ("#1", 0)],
)  # fmt: skip
def test_bare_words_name_the_one_choice_that_has_them(said: str, place: int) -> None:
    """So that what the choice says besides, the time and the quantity, is kept."""
    assert read_choice(said, FRAMES) == FRAMES[place]


@pytest.mark.parametrize("said", ["RTN", "ACE", "in GSE or GSM", "the third one", "Wind Bz in GSM", "the one"])
def test_words_that_name_no_choice_or_several_are_left_as_they_are(said: str) -> None:
    """The planner reads them."""
    assert read_choice(said, FRAMES) == said


@pytest.mark.parametrize(
    ("said", "name", "is_save"),
    [
        ("call it storm_watch", "storm_watch", False),
        ("Call this pipeline Storm Watch.", "storm_watch", False),
        ("name it storm-watch", "storm_watch", False),
        ("rename it to x", "x", False),
        ("name the pipeline alfven_surface please", "alfven_surface", False),
        ("change its name to storm", "storm", False),
        ("save it as x", "x", True),
        ("save as x.yaml", "x", True),
        ("please save this under the name 'my storm'", "my_storm", True),
    ],
)
def test_a_name_is_read(said: str, name: str, is_save: bool) -> None:
    """As a pipeline can be called; `save` says that it is to be written too."""
    assert read_naming(said) == Naming(name, is_save)


@pytest.mark.parametrize(
    "said",
    ["save it as csv", "save the data as parquet", "save b_mag as operation x", "call it a day", "save it", "title it x"],
)
def test_what_gives_no_name_is_read_otherwise(said: str) -> None:
    """Files of data, operations and titles."""
    assert read_naming(said) is None


def test_a_name_and_a_run_are_two_things() -> None:
    """The wish to run it is no part of the name."""
    assert read_naming("call it storm_watch and run it") == Naming("storm_watch", is_save=False, is_run=True)
