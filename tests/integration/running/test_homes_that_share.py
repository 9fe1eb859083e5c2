"""Homes that share an address: what is kept for the others, conversations that go on in another one, and how one leaves."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.upkeep.prune import delete_orphans, report_orphans
from helio_dagster.launch.upkeep.sharing import forget_home, other_homes
from helio_dagster.launch.web.daemon import running_daemon
from helio_dagster.resources.home_sessions import open_sessions
from helio_dagster.resources.shared_tables import join, leave, share_tables
from tests.brokers import BROKER, require_broker, started_workers
from tests.integration.running.conftest import BASIC, MakeSite, MakeSpan, Site
from tests.integration.running.test_object_store import STORY, tables
from tests.integration.running.test_shared_tables import PATIENCE_S, start
from tests.object_store import ObjectService
from tests.postgres import new_database


@pytest.fixture
def homes(objects: ObjectService, make_site: MakeSite, postgres: str) -> tuple[Site, Site]:
    """Two homes with the same pipelines, one record and one address of tables."""
    one, other, address = make_site("one", STORY, BASIC), make_site("other", STORY, BASIC), objects.new_bucket()
    for each in (one, other):
        each.settings = replace(each.settings, postgres=postgres, tables=address)
    return one, other


def test_tables_that_homes_share_are_not_pruned(homes: tuple[Site, Site], make_span: MakeSpan) -> None:
    """What no pipeline of one home has, the other may need: it is kept, and the report says why."""
    one, other = homes
    one.run(make_span("2023-01-02"), name="basic")
    (other.settings.pipelines / "basic.yaml").unlink()
    other.run(make_span("2023-01-03"), name="story")
    before = tables(one)
    for site in homes:
        listed, report = report_orphans(Home(site.settings), with_downloads=False)
        delete_orphans(Home(site.settings), listed, with_downloads=False)
        assert (report.orphans, report.other_homes) == ([], 1)
    assert tables(one) == before
    (given_up,) = report_orphans(Home(one.settings), with_downloads=False)[1].homes
    assert given_up.place.endswith(str(other.settings.home))
    with pytest.raises(InputError, match="no other home has an id that begins with 'zz'"):
        forget_home(one.settings, "zz")
    assert forget_home(one.settings, given_up.id[:6]) == given_up
    assert report_orphans(Home(one.settings), with_downloads=False)[1].other_homes == 0


def test_a_conversation_goes_on_in_the_other_home(homes: tuple[Site, Site], package_root: Path) -> None:
    """Begun by one home before its first run, listed and continued by the other one, and deleted by the first again."""
    one, other = homes

    def helio(site: Site, *words: str) -> str:
        process = start(site, package_root, *words)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode in (0, 3), err
        return out

    def listed(site: Site) -> list[dict[str, str]]:
        found: list[dict[str, str]] = json.loads(helio(site, "sessions", "ls", "--json"))["sessions"]
        return found

    helio(one, "chat", "--offline", "--archive", "demo", "ACE magnetic field for 2024-05-10")
    (session,) = listed(other)
    assert session["title"] == "ACE magnetic field for 2024-05-10"
    assert session["awaiting"] == "approval"
    helio(other, "chat", "--offline", "--session", session["session"], "only the magnitude")
    assert "only the magnitude" in helio(one, "sessions", "show", session["session"])
    helio(one, "sessions", "rm", session["session"])
    assert listed(other) == []
    assert not [*one.settings.sessions.glob("*.json"), *other.settings.sessions.glob("*.json")]


def test_a_home_joins_and_leaves(homes: tuple[Site, Site]) -> None:
    """It is counted meanwhile; one that shared before is told so, and leaves nothing to whoever joins a second time."""
    one, other = homes
    assert join(one.settings)
    assert not join(one.settings)
    assert other_homes(one.settings) == []
    assert join(other.settings)
    assert len(other_homes(one.settings)) == len(other_homes(other.settings)) == 1
    leave(other.settings)
    assert other_homes(one.settings) == []


def test_a_conversation_before_anything_ran(homes: tuple[Site, Site], make_span: MakeSpan) -> None:
    """The database is new, and has no table of Dagster's: whoever talks first makes those that are needed."""
    one, other = homes
    with new_database() as empty:
        for each in homes:
            each.settings = replace(each.settings, postgres=empty)
        assert open_sessions(one.settings).ids() == []
        open_sessions(other.settings).write("20240601-120000", "{}")
        assert open_sessions(one.settings).ids() == ["20240601-120000"]
        assert one.run(make_span("2023-01-02"), name="basic").status == "success"


@pytest.mark.nightly
def test_a_worker_leaves_when_it_is_stopped(homes: tuple[Site, Site], span: TimeRange) -> None:
    """By SIGTERM, as containers are, after it did a run: nothing of its home remains; killed, it is listed with its place."""
    require_broker(BROKER)
    one, other = homes
    share_tables(one.settings)
    for each in homes:
        each.settings = replace(each.settings, dispatch=Dispatch(BROKER, partitions=2, at_once=1))
    with running_daemon(one.settings):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with started_workers(other.settings, 1, other.settings.home / "worker.log") as [worker]:
                (found,) = other_homes(one.settings)
                assert found.place.endswith(str(other.settings.home))
                assert one.run(span, force=True).status == "success"
                worker.send_signal(number)
                worker.wait(timeout=PATIENCE_S)
            assert len(other_homes(one.settings)) == (number == signal.SIGKILL)
