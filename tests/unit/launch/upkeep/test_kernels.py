"""`helio kernels`: what is in the cache and what it holds, what the servers have besides, and what is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.upkeep.kernels import list_kernels, refresh_kernels, remove_kernels
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings
from tests.kernel_mirror import FLOWN, FLOWN_LATER, LSK, PCK, PLANETS, PREDICTED, TURNED, TURNED_NEXT, Mirror, kernel_mirror

FEBRUARY = TimeRange(datetime(2022, 2, 10, tzinfo=UTC), datetime(2022, 2, 11, tzinfo=UTC))


def name_of(place: str) -> str:
    """The name of a file at a server."""
    return place.rpartition("/")[2]


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    """A server with kernels."""
    with kernel_mirror(tmp_path / "server") as mirror:
        yield mirror


@pytest.fixture
def workbench(mirror: Mirror, tmp_path: Path) -> Iterator[Workbench]:
    """A home that has fetched a day of Parker Solar Probe."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines", spice_url=mirror.url)
    with Workbench(settings, transfers=TransferSettings(tries=1)) as workbench:
        fetched = next(workbench.archive("spice").fetch("PSP-SUN", "position_HCI_PT1H", [FEBRUARY]))
        assert fetched.error is None
        yield workbench


def test_the_list_says_what_each_kernel_holds(workbench: Workbench) -> None:
    """Body and time by the file itself, to the second; text kernels hold no body."""
    found = {kernel.name: kernel for kernel in list_kernels(workbench)}
    assert set(found) == {name_of(place) for place in (LSK, PCK, PLANETS, FLOWN)}
    flown = found[name_of(FLOWN)]
    assert flown.holds == [{"body": "PSP", "start": "2022-01-01T00:00:00Z", "stop": "2022-03-01T00:00:00Z"}]
    assert flown.quality == "reconstructed"
    assert found[name_of(LSK)].holds == []


def test_refresh_names_what_is_not_downloaded(workbench: Workbench, mirror: Mirror) -> None:
    """The new reconstruction and the predicted kernel, not the superseded leap seconds; nothing is downloaded for it."""
    mirror.put_orbit(FLOWN_LATER, "2022-03-01", "2022-04-01")
    (psp,) = refresh_kernels(workbench, [])
    assert sorted(psp.new) == sorted(name_of(place) for place in (FLOWN_LATER, PREDICTED))
    assert len(list_kernels(workbench)) == 4


def test_attitude_kernels_are_listed_with_what_they_hold(workbench: Workbench, mirror: Mirror) -> None:
    """By the clock of the spacecraft; and newer ones are asked for only where one is in the cache."""
    mirror.put_attitude(TURNED, "2022-02-09", "2022-02-12")
    (before,) = refresh_kernels(workbench, ["PSP"])
    assert name_of(TURNED) not in before.listed
    day = TimeRange(datetime(2022, 2, 24, tzinfo=UTC), datetime(2022, 2, 25, tzinfo=UTC))
    assert next(workbench.archive("spice").fetch("PSP", "attitude_J2000_PT1H", [day])).error is not None
    found = {kernel.name: kernel for kernel in list_kernels(workbench)}
    assert found[name_of(TURNED)].holds == [
        {"body": "PSP attitude", "start": "2022-02-09T00:00:00Z", "stop": "2022-02-12T00:00:00Z"}
    ]
    mirror.put_attitude(TURNED_NEXT, "2022-02-28", "2022-03-02")
    (after,) = refresh_kernels(workbench, ["PSP"])
    assert name_of(TURNED_NEXT) in after.new


def test_a_deleted_kernel_is_downloaded_again(workbench: Workbench, mirror: Mirror) -> None:
    """By the next fetch that needs it; a name that is not there is refused with near ones."""
    remove_kernels(workbench, [name_of(FLOWN)])
    assert name_of(FLOWN) not in {kernel.name for kernel in list_kernels(workbench)}
    with pytest.raises(InputError, match="holds no kernel"):
        remove_kernels(workbench, [name_of(FLOWN)])
    assert next(workbench.archive("spice").fetch("PSP-SUN", "position_HCI_PT1H", [FEBRUARY])).error is None
    assert mirror.asked.count(f"/{FLOWN}") == 2
