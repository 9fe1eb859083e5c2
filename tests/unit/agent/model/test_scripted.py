"""The scripted model as a product: read from a file, driven through the settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from helio_dagster.agent.answers import Information, Plan
from helio_dagster.agent.model.scripted import read_script
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.agent.planners import make_planner
from helio_dagster.domain.errors import InputError, ModelMisbehaved

from .conftest import NOW, call, plan


def test_a_script_drives_a_talk_of_several_turns(knowledge: Knowledge, tmp_path: Path) -> None:
    """The place in the script is kept from turn to turn; when it is over, that is said."""
    path = tmp_path / "talk.yaml"
    path.write_text(yaml.safe_dump([call("search_catalog", words="ACE"), plan(), plan(time_words="October 2003")]))
    planner = make_planner({"HELIO_MODEL": f"scripted:{path}"}, knowledge)
    assert planner.name == "scripted"
    assert isinstance(planner.answer(Situation("ACE |B| for last week", NOW)), Plan)
    second = planner.answer(Situation("ACE |B| for October 2003", NOW))
    assert isinstance(second, Plan)
    assert second.span is not None
    assert second.span.start.year == 2003
    with pytest.raises(ModelMisbehaved, match="ended after 3 turns"):
        planner.answer(Situation("and now?", NOW))


def test_a_script_may_have_turns_of_the_small_model(knowledge: Knowledge, tmp_path: Path) -> None:
    """JSON serves as well."""
    path = tmp_path / "talk.json"
    small = [call("give_information", text="A ratio.", sources=["plasma_beta"])]
    path.write_text(json.dumps({"planning": [plan()], "small": small}))
    planner = make_planner({"HELIO_MODEL": f"scripted:{path}"}, knowledge)
    assert isinstance(planner.answer(Situation("what is the plasma beta?", NOW)), Information)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{tool: x}]", "is not a script"),
        ("[]", "is not a script"),
        ("- {text: a, trouble: key}", "either trouble, or calls and text"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_wrong_script_is_one_clear_error(tmp_path: Path, text: str, said: str) -> None:
    """With its place and what a script is."""
    path = tmp_path / "talk.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read_script(path)
    assert caught.value.hint


def test_a_missing_script_is_said(tmp_path: Path) -> None:
    """The setting is named."""
    with pytest.raises(InputError, match="cannot be read") as caught:
        read_script(tmp_path / "none.yaml")
    assert "HELIO_MODEL" in caught.value.hint
