"""`helio_dagster.connect`: the calls of the package on a served home give what they give on the home itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import helio_dagster
from helio_dagster.api.connecting import Remote
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.launch.exporting.export import Exported
from tests.scenario.http_served import REQUEST, Served
from tests.scenario.processes import helio
from tests.tiers import by_day

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
STORMS = """
version: 1
name: storms
partitions: {events: onsets, before: PT6H, after: PT12H}
steps:
  - id: onsets
    table: {csv: "onset,id\\n2003-10-29T06:11Z,one\\n2003-10-30T18:00Z,two", source: made up}
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: strongest
    compute: {operation: facts_of, inputs: {series: b}}
    over: range
"""
SMOOTHED = f"""{STORMS.replace("name: storms", "name: smoothed")}
  - id: mean
    compute: {{operation: rolling_mean, inputs: {{series: b}}, options: {{window: PT3H}}}}
"""
LATEST = FACTS.replace("name: extremes", "name: latest").replace("OMNI2_H0_MRG1HR", "AC_H0_MFI").replace("ABS_B", "Magnitude")
"""Denser: the last hour of a day is whole in hourly data."""
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
    assert isinstance(read, pd.DataFrame)
    assert isinstance(expected, pd.DataFrame)
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


def test_of_several_results_all_are_exported_or_none(served: Served, remote: Remote, tmp_path: Path) -> None:
    """One of them is damaged there: what was in the folder before stays, and nothing is added; afterwards all are written."""
    remote.run("extremes", *TIMES)
    folder = tmp_path / "out"
    written = remote.export_all("extremes", *TIMES, folder=folder, file_format="csv")
    assert len(written) == 2
    assert sorted(folder.iterdir()) == sorted(each.path for each in written)
    (table,) = (served.home / "data" / "extremes" / "strongest").rglob("*.parquet")
    content = table.read_bytes()
    for path in folder.iterdir():
        path.write_text("before")
    table.write_bytes(content[:100])
    try:
        for place in (folder, tmp_path / "new"):
            with pytest.raises(HelioError, match="strongest"):
                remote.export_all("extremes", *TIMES, folder=place, file_format="csv")
    finally:
        table.write_bytes(content)
    assert {path.read_text() for path in folder.iterdir()} == {"before"}
    assert not (tmp_path / "new").exists()
    assert len(remote.export_all("extremes", *TIMES, folder=folder, file_format="csv")) == 2
    assert "before" not in {path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", by_day([".cdf", ".nc", ".csv", ".parquet"], ".cdf"))
def test_an_export_from_there_is_the_file_of_here(served: Served, remote: Remote, tmp_path: Path, suffix: str) -> None:
    """The same bytes under a name of one's own or the usual one, with the same facts about them."""
    home = str(served.home)
    remote.run("extremes", *TIMES)
    there, here = tmp_path / "there" / f"b{suffix}", tmp_path / f"b{suffix}"
    there.parent.mkdir()
    over_there = remote.export("b", *TIMES, output=there, pipeline="extremes")
    own = helio_dagster.export("b", *TIMES, output=here, pipeline="extremes", home=home)
    assert there.read_bytes() == here.read_bytes()
    assert over_there == replace(own, path=there)
    usual = remote.export("b", *TIMES, output=tmp_path, file_format=over_there.format, pipeline="extremes")
    assert usual.path.name == own_name(tmp_path, own, home)


def own_name(folder: Path, own: Exported, home: str) -> str:
    """The name that a local export gives by itself."""
    made = helio_dagster.export("b", *TIMES, output=folder, file_format=own.format, pipeline="extremes", home=home)
    return made.path.name


def test_an_export_that_cannot_be_leaves_no_file(remote: Remote, tmp_path: Path) -> None:
    """Neither where nothing is stored nor where no format is named; nothing of the server's files is written here."""
    with pytest.raises(InputError, match="is not materialized"):
        remote.export("b", "2003-10-02", output=tmp_path / "b.csv", pipeline="extremes")
    with pytest.raises(InputError, match="cannot export to b"):
        remote.export("b", *TIMES, output=tmp_path / "b.txt", pipeline="extremes")
    with pytest.raises(InputError, match="no step"):
        remote.export("../../serve-token.json", *TIMES, output=tmp_path / "b.csv", pipeline="extremes")
    assert list(tmp_path.iterdir()) == []


def test_a_verification_there_is_as_here(served: Served, remote: Remote) -> None:
    """The same report of what is the same, and of a table that was changed; what is not stored is the same error."""
    home = str(served.home)
    remote.run("extremes", *TIMES)
    report = remote.verify("extremes", *TIMES)
    assert report == helio_dagster.verify("extremes", *TIMES, home=home)
    assert report.status == "same"
    table = next((served.home / "data").rglob("*ABS_B/2003-10-29.parquet"))
    kept = table.read_bytes()
    table.write_bytes(kept[:-40] + bytes(40))
    try:
        spoiled = remote.verify("extremes", *TIMES)
        assert spoiled == helio_dagster.verify("extremes", *TIMES, home=home)
        assert spoiled.status == "differs"
    finally:
        table.write_bytes(kept)
    with pytest.raises(InputError) as there:
        remote.verify("extremes", "2003-10-05")
    with pytest.raises(InputError) as here:
        helio_dagster.verify("extremes", "2003-10-05", home=home)
    assert (there.value.problem, there.value.hint) == (here.value.problem, here.value.hint)


def test_what_is_imported_there_is_in_its_library(served: Served, remote: Remote, tmp_path: Path) -> None:
    """A file or text, whole or not at all; a different one of this name stays, unless it is to be replaced."""
    text = FACTS.replace("name: extremes", "name: brought")
    file = tmp_path / "brought.yaml"
    file.write_text(text)
    (arrival,) = remote.import_pipeline(file)
    kept = served.home / "pipelines" / "brought.yaml"
    assert (arrival.state, arrival.path) == ("new", kept)
    assert kept.read_text() == text
    assert [each.state for each in remote.import_pipeline(text)] == ["same"]
    other = text.replace("over: range", "over: range\n    critical: false")
    with pytest.raises(InputError, match="a different pipeline of this name exists"):
        remote.import_pipeline(other)
    assert kept.read_text() == text
    assert [each.state for each in remote.import_pipeline(other, replace=True)] == ["replaced"]
    with pytest.raises(InputError, match="no operation"):
        remote.import_pipeline(text.replace("facts_of", "no_such_thing").replace("brought", "wrong"))
    with pytest.raises(InputError, match="larger than"):
        remote.import_pipeline("#" * 2_000_000)
    for name in ("../stolen", "/etc/stolen", "a/b"):
        with pytest.raises(InputError):
            remote.import_pipeline(text.replace("name: brought", f"name: {name}"))
    assert sorted(path.name for path in kept.parent.iterdir()) == ["brought.yaml", "extremes.yaml"]
    assert not list(served.folder.rglob("stolen*"))


def test_a_server_without_dagster_says_what_switches_a_schedule(remote: Remote) -> None:
    """No state is made up; the command that runs schedules is named."""
    remote.import_pipeline(FACTS.replace("name: extremes", "name: timed\nschedule: daily"))
    found = remote.schedule("timed")
    assert (found.schedule, found.is_on, found.can_switch) == ("daily", None, False)
    assert "helio ui" in found.note
    with pytest.raises(InputError, match="runs no schedules") as caught:
        remote.switch_schedule("timed", is_on=True)
    assert "helio ui" in str(caught.value.hint)


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


def test_commands_on_a_server_print_what_local_ones_print(served: Served, tmp_path: Path) -> None:
    """By a name of the settings, from a folder that has nothing itself: reports, lines, and files with the same bytes."""
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    settings = tmp_path / ".config" / "helio" / "helio.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[servers]\ncentre = "{served.url}"\n')

    def there(*arguments: str) -> str:
        done = helio(tmp_path, *arguments, "--on", "centre", environment={"HELIO_TOKEN": token})
        assert done.returncode == 0, done.stderr
        return done.stdout

    def here(*arguments: str) -> str:
        return helio(served.folder, *arguments, environment={"HELIO_HOME": str(served.home)}).stdout

    over_there, local = (json.loads(ask("run", "extremes", *TIMES, "--json")) for ask in (there, here))
    (figure,) = over_there.pop("figures")
    assert figure["html"] == f"{served.url}/figures/{Path(local.pop('figures')[0]['html']).name}"
    assert served.client.get(figure["html"], headers={"Authorization": f"Bearer {token}"}).is_success
    for own in ("run_id", "seconds", "steps"):
        over_there.pop(own), local.pop(own)
    assert over_there == local
    for command in ("facts", "verify"):
        assert there(command, "extremes", *TIMES) == here(command, "extremes", *TIMES)
    without = there("facts", "extremes", "2003-10-20")
    assert without == here("facts", "extremes", "2003-10-20")
    assert "extremes has no facts in 2003-10-20 to 2003-10-21" in without
    there("export", "demo/OMNI2_H0_MRG1HR/ABS_B", *TIMES, "-o", "there.csv")
    here("export", "demo/OMNI2_H0_MRG1HR/ABS_B", *TIMES, "-o", str(tmp_path / "here.csv"))
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert not (tmp_path / ".helio" / "data").exists()


def test_events_are_run_on_a_server_as_here(served: Served, remote: Remote, tmp_path: Path) -> None:
    """One by its key, then all, with the report of here; a key that is not there and a range beside it are one message."""
    remote.import_pipeline(STORMS)
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])

    def there(*arguments: str) -> subprocess.CompletedProcess[str]:
        return helio(tmp_path, "run", "storms", *arguments, "--on", served.url, environment={"HELIO_TOKEN": token})

    one = json.loads(there("--event", "20031029T0611_one", "--json").stdout)
    assert one["status"] == "success"
    assert one["partitions"] == ["20031029T0611_one"]
    every = json.loads(there("--all", "--json").stdout)
    local = helio(served.folder, "run", "storms", "--all", "--json", environment={"HELIO_HOME": str(served.home)})
    here = json.loads(local.stdout)
    for document in (every, here):
        for own in ("run_id", "seconds", "steps"):
            document.pop(own)
    assert every == here
    assert every["partitions"] == ["20031029T0611_one", "20031030T1800_two"]
    unknown, both = there("--event", "1999"), there("2003-10", "--all")
    assert (unknown.returncode, both.returncode) == (2, 2)
    assert "1999" in unknown.stderr
    assert "give either a range, or --event or --all" in both.stderr


def test_a_partition_that_is_not_over_is_run_there(served: Served, remote: Remote, tmp_path: Path) -> None:
    """Up to its newest data, through the connection and by the command; without asking for it, or of events, it is refused."""
    remote.import_pipeline(LATEST)
    report = remote.run("latest", open_last=True)
    assert (report.status, report.open_until is None) == ("success", False)
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    asked = ("latest", "--open", "--on", served.url, "--json")
    done = helio(tmp_path, "run", *asked, environment={"HELIO_TOKEN": token})
    assert json.loads(done.stdout)["open_until"] is not None
    with pytest.raises(HelioError, match="not over yet"):
        remote.run("latest", report.start, report.stop)
    remote.import_pipeline(STORMS)
    with pytest.raises(HelioError, match="events are run when they are over"):
        remote.run("storms", every=True, open_last=True)


def test_a_figure_drawn_on_a_server_is_the_file_of_here(served: Served, tmp_path: Path) -> None:
    """The same bytes, size and words; `helio plan` says where plans are made."""
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    given = ("extremes", *TIMES, "--width", "85mm")
    done = helio(tmp_path, "figure", *given, "-o", "there.svg", "--on", served.url, environment={"HELIO_TOKEN": token})
    assert done.returncode == 0, done.stderr
    local = helio(
        served.folder, "figure", *given, "-o", str(tmp_path / "here.svg"), environment={"HELIO_HOME": str(served.home)}
    )
    assert (tmp_path / "there.svg").read_bytes() == (tmp_path / "here.svg").read_bytes()
    assert done.stdout.removeprefix("there.svg") == local.stdout.removeprefix(str(tmp_path / "here.svg"))
    refused = helio(tmp_path, "plan", "ACE magnetic field for 2003-10-29", "--on", served.url)
    assert refused.returncode == 2
    assert "plans are made on this machine" in refused.stderr


def test_what_cannot_be_done_on_a_server_is_one_message(served: Served, tmp_path: Path) -> None:
    """A missing token, a pipeline that is not there, a file of this machine; nothing is made in this folder."""
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    for pipeline, given, problem in [
        ("extremes", "", "token"),
        ("extremes", "not-the-token", "takes TOKEN from HELIO_TOKEN"),
        ("extreme", token, "there is no pipeline 'extreme'\n  Did you mean extremes?"),
        ("mine.yaml", token, "mine.yaml is a file of this machine"),
    ]:
        done = helio(tmp_path, "run", pipeline, "2003-10-28", "--on", served.url, environment={"HELIO_TOKEN": given})
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr
    assert not (tmp_path / ".helio" / "data").exists()


def test_results_of_events_are_written_and_traced_from_a_server_as_here(served: Served, remote: Remote, tmp_path: Path) -> None:
    """`export` of all results of one event and of every one, with the bytes of here; `show` of one; no range beside them."""
    remote.import_pipeline(SMOOTHED)
    assert remote.run("smoothed", every=True).status == "success"
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    token = str(json.loads((served.home / "serve-token.json").read_text())["token"])
    home = {"HELIO_HOME": str(served.home)}

    def both(*arguments: str) -> tuple[str, str]:
        over_there = helio(there, *arguments, "--on", served.url, environment={"HELIO_TOKEN": token})
        local = helio(here, *arguments, environment={**home, "HELIO_PIPELINES": str(served.home / "pipelines")})
        assert over_there.returncode == local.returncode, over_there.stderr + local.stderr
        return (over_there.stdout, local.stdout) if local.returncode == 0 else (over_there.stderr, local.stderr)

    for given in (("--all",), ("--event", "20031030T1800_two")):
        found, expected = both("export", "smoothed", *given, "-o", "files", "--format", "csv", "--json")
        assert json.loads(found) == json.loads(expected)
    found, expected = both("show", "smoothed/mean", "--event", "20031029T0611_one", "--json")
    assert found == expected
    names = {path.name: path.read_bytes() for path in (here / "files").iterdir()}
    assert {path.name: path.read_bytes() for path in (there / "files").iterdir()} == names
    assert len(names) > 2
    found, expected = both("show", "demo/OMNI2_H0_MRG1HR/ABS_B", "2003-10-29")
    assert found == expected != ""
    refused, expected = both("export", "smoothed/mean", "2003-10-29", "--all", "-o", "b.csv")
    assert refused == expected
    assert "give either a range" in refused
