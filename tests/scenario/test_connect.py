"""`helio_dagster.connect`: the calls of the package on a served home give what they give on the home itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd
import pytest

import helio_dagster
from helio_dagster.api.connecting import Remote
from helio_dagster.domain.errors import HelioError, InputError
from tests.scenario.http_served import REQUEST, Served

FACTS = """
version: 1
name: extremes
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: strongest
    compute: {operation: facts_of, inputs: {series: b}}
    over: range
  - id: overview
    figure: {panels: [{traces: [{data: b}]}]}
"""
TIMES = "2003-10-28", "2003-10-31"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server that asks for a token."""
    folder = tmp_path_factory.mktemp("served")
    made = Served(folder, "--token")
    (made.home / "pipelines").mkdir(exist_ok=True)
    (made.home / "pipelines" / "extremes.yaml").write_text(FACTS)
    yield made
    made.close()


@pytest.fixture(scope="module")
def remote(served: Served) -> Iterator[Remote]:
    """A connection with the token."""
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    with helio_dagster.connect(served.url, token) as connected:
        yield connected


@pytest.fixture(autouse=True)
def beside_the_server(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Local calls find the pipelines that the server finds."""
    monkeypatch.chdir(served.folder)


def test_what_is_run_and_read_there_is_as_here(served: Served, remote: Remote) -> None:
    """The report but for ids and seconds, DataFrames with their attrs, facts, status, citation and figure."""
    home = str(served.home)
    over_there = remote.run("extremes", *TIMES)
    assert over_there.status == "success"
    here = helio_dagster.run("extremes", *TIMES, home=home)
    own = {"run_id", "seconds", "steps"}
    assert over_there.model_dump(exclude=own) == here.model_dump(exclude=own)
    read, expected = (
        remote.read("b", *TIMES, pipeline="extremes"),
        helio_dagster.read("b", *TIMES, pipeline="extremes", home=home),
    )
    pd.testing.assert_frame_equal(read, expected)
    assert read.attrs == expected.attrs
    assert len(read) == 72
    facts = remote.facts("extremes", *TIMES)
    assert len(facts)
    pd.testing.assert_frame_equal(facts, helio_dagster.facts("extremes", *TIMES, home=home))
    assert remote.cite("extremes", *TIMES) == helio_dagster.cite("extremes", *TIMES, home=home)
    assert {each.state for asset in remote.status("extremes", *TIMES).assets for each in asset.partitions} == {"fresh"}
    drawn = remote.figure("extremes", *TIMES, form="svg", width="85 mm")
    printed = helio_dagster.figure("extremes", *TIMES, form="svg", width="85 mm", home=home)
    assert (drawn.step, drawn.span, drawn.width_mm, drawn.height_mm) == (
        printed.step,
        printed.span,
        printed.width_mm,
        printed.height_mm,
    )
    assert drawn.content == printed.content
    assert remote.load_pipeline("extremes") == helio_dagster.load_pipeline(served.home / "pipelines" / "extremes.yaml")


def test_a_conversation_there_is_as_here(served: Served, remote: Remote) -> None:
    """Said, shown, approved and run, with each event as it happens; then continued by its id."""
    seen: list[str] = []
    with remote.converse(tell=lambda event: seen.append(event.stage)) as conversation:
        events = conversation.say(REQUEST)
        assert [each.stage for each in events] == seen
        assert conversation.outcome == conversation.session.awaiting == "approval"
        assert "AC_H0_MFI" in (conversation.plan_text or "")
        conversation.approve()
        assert conversation.outcome == "success"
        name = conversation.session.id
    with remote.converse(session=name) as conversation:
        assert any(event.stage == "plan" for event in conversation.say("make the line red"))
    with helio_dagster.converse(home=served.home, session=name) as here:
        assert here.session.awaiting == "approval"


def test_errors_are_those_of_the_package(served: Served, remote: Remote) -> None:
    """The same kind, problem and hint; a wrong token and a server that is not there are one sentence each."""
    with pytest.raises(InputError, match="no step 'nothing'") as there:
        remote.read("nothing", *TIMES, pipeline="extremes")
    with pytest.raises(InputError) as here:
        helio_dagster.read("nothing", *TIMES, pipeline="extremes", home=served.home)
    assert (there.value.problem, there.value.hint) == (here.value.problem, here.value.hint)
    with pytest.raises(InputError, match="there is no pipeline 'nothing'"):
        remote.run("nothing", *TIMES)
    with pytest.raises(InputError, match="the token is wrong"):
        helio_dagster.connect(served.url, "wrong")
    with pytest.raises(HelioError, match="nothing answers"):
        helio_dagster.connect("http://127.0.0.1:9")
    with pytest.raises(InputError, match="is not an address"):
        helio_dagster.connect("127.0.0.1:\x00")
