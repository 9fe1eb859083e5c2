"""Ephemerides run as data do: the same bytes in any order, remade where a new kernel covers them, cited by their kernels."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.launch.carrying.review import review
from helio_dagster.launch.credit.citation import cite
from helio_dagster.launch.home import Home
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore
from tests.integration.running.conftest import NOW, MakeSpan, Site
from tests.kernel_mirror import FLOWN, FLOWN_LATER, LSK, PCK, PLANETS, PREDICTED, TURNED, TURNED_NEXT, Mirror, kernel_mirror

ORBIT = """
version: 1
name: orbit
partitions: daily
start: 2022-02-01
steps:
  - id: place
    fetch: {archive: spice, target: PSP, observer: SUN, frame: HCI, cadence: PT1H}
  - id: distance
    compute: {operation: magnitude, inputs: {vector: place}}
  - id: smooth
    compute: {operation: rolling_mean, inputs: {series: distance}, options: {window: PT6H}}
  - id: in_au
    compute: {inputs: {d: distance}, code: "return d / 149597870.7", unit: au}
"""
TURNED_PLACE = """
version: 1
name: turned
partitions: daily
start: 2022-02-01
steps:
  - id: place
    fetch: {archive: spice, target: PSP, observer: SUN, frame: HAE, cadence: PT1M}
  - id: turning
    fetch: {archive: spice, target: PSP, parameter: attitude, cadence: PT1M}
  - id: along
    compute:
      operation: transform_frame
      inputs: {vector: place, attitude: turning}
      options: {to: SC, attitude_gap: PT1M, quantity: vector}
  - id: back
    compute:
      operation: transform_frame
      inputs: {vector: along, attitude: turning}
      options: {to: HAE, attitude_gap: PT1M, quantity: vector}
"""
FETCH = "spice/PSP-SUN/position_HCI_PT1H"
BEYOND = "2022-03-02"
DAYS = ("2022-02-27", "2022-02-28", "2022-03-01")
STEPS = ("distance", "smooth", "in_au")
MakeOrbitSite = Callable[[str], Site]


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    """A server with kernels: reconstructed up to the end of February, predicted from then on."""
    with kernel_mirror(tmp_path / "server") as mirror:
        yield mirror


@pytest.fixture
def make_site(tmp_path: Path, mirror: Mirror, fresh_instance: Path, workers: Workers) -> Iterator[MakeOrbitSite]:
    """Homes over the mirror with the pipeline `orbit`."""
    made: list[Site] = []

    def make(name: str) -> Site:
        home = tmp_path / name
        shutil.copytree(fresh_instance, home / "dagster")
        made.append(Site(Settings(home, home / "pipelines", spice_url=mirror.url), workers=workers))
        made[-1].save(ORBIT)
        return made[-1]

    yield make
    for site in made:
        site.close()


@pytest.fixture
def ran(make_site: MakeOrbitSite, make_span: MakeSpan) -> Site:
    """A home at which `orbit` was run over the three days at once."""
    site = make_site("home")
    assert site.run(make_span(DAYS[0], 3), name="orbit").status == "success"
    return site


def predicted(site: Site, asset: str) -> list[bool]:
    """Whether each day of an asset says that it is made from predicted positions."""
    store = TableStore(site.settings.data)
    return [store.read(asset, day).meta.predicted for day in DAYS]


def test_any_order_gives_the_same_bytes(ran: Site, make_site: MakeOrbitSite, make_span: MakeSpan) -> None:
    """The three days at once, and one by one from the last, in a home of its own."""
    other = make_site("other")
    for day in reversed(DAYS):
        assert other.run(make_span(day), name="orbit").status == "success"
    other.run(make_span(DAYS[0], 3), name="orbit")
    assert len(ran.files()) == 2 * 5 + 2 * 3  # the running mean reads a day on either side
    assert other.files() == ran.files()


def test_what_is_made_from_predicted_positions_is_predicted(ran: Site) -> None:
    """Through operations and code; a running mean also where it reaches into the first predicted day."""
    assert predicted(ran, FETCH) == [False, False, True]
    assert {step: predicted(ran, f"orbit/{step}") for step in STEPS} == {
        "distance": [False, False, True],
        "smooth": [False, True, True],
        "in_au": [False, False, True],
    }


def test_a_new_reconstruction_remakes_the_days_it_covers(ran: Site, mirror: Mirror, make_span: MakeSpan) -> None:
    """And what reads into them; nothing is predicted afterwards, and a second run has nothing to do."""
    span = make_span(DAYS[0], 3)
    mirror.put_orbit(FLOWN_LATER, "2022-03-01", "2022-04-01")
    report = ran.drift(span, name="orbit")
    assert [each.key for asset in report.assets for each in asset.partitions if each.changes] == [DAYS[2], BEYOND]
    assert ran.states(span, name="orbit")["place"] == {DAYS[0]: "fresh", DAYS[1]: "fresh", DAYS[2]: "stale"}
    ran.made()
    ran.run(span, name="orbit")
    fetched = {(step, day) for step in ("position_HCI_PT1H", "distance") for day in (DAYS[2], BEYOND)}
    assert ran.made() == fetched | {("in_au", DAYS[2]), ("smooth", DAYS[1]), ("smooth", DAYS[2])}
    assert not any(any(predicted(ran, asset)) for asset in (FETCH, *(f"orbit/{step}" for step in STEPS)))
    ran.run(span, name="orbit", refresh=True)
    assert ran.made() == set()


def test_an_arrow_along_the_axes_of_a_spacecraft_and_back(
    make_site: MakeOrbitSite, mirror: Mirror, make_span: MakeSpan
) -> None:
    """The same arrow again; and an attitude that is published anew makes only its own days stale, in what is made from it."""
    mirror.put_attitude(TURNED, "2022-02-24", "2022-02-28")
    mirror.put_attitude(TURNED_NEXT, "2022-02-28", "2022-03-05")
    site = make_site("home")
    site.save(TURNED_PLACE)
    span = make_span(DAYS[0], 3)
    report = site.run(span, name="turned")
    assert report.status == "success", report.failures
    store = TableStore(site.settings.data)
    place, along, back = (
        store.read(asset, DAYS[1]) for asset in ("spice/PSP-SUN/position_HAE_PT1M", "turned/along", "turned/back")
    )
    assert along.meta.frame == "SPP_SPACECRAFT"
    length = float(np.nanmax(np.abs(np.array(list(place.columns.values())))))
    for name, given in place.columns.items():
        assert np.nanmax(np.abs(back.columns[name] - given)) < 1e-9 * length
        assert np.isnan(back.columns[name]).sum() == np.isnan(given).sum()
    apart = [np.nanmax(np.abs(along.columns[name] - given)) / length for name, given in place.columns.items()]
    assert min(apart[:2]) > 0.1  # it spins about the north of the ecliptic
    assert apart[2] < 1e-3
    mirror.put_attitude(TURNED_NEXT.replace("_00.", "_01."), "2022-02-28", "2022-03-05")
    drifted = site.drift(span, name="turned")
    assert {each.key for asset in drifted.assets for each in asset.partitions if each.changes} == {
        *DAYS[1:],
        *("2022-03-02", "2022-03-03"),  # read beyond the asked days
    }


def test_a_citation_names_the_kernels_of_the_range(ran: Site, make_span: MakeSpan) -> None:
    """The predicted one just for the day that needs it."""

    def cited(day: str) -> list[str]:
        pipeline, graph = ran.open("orbit")
        (dataset,) = cite(graph, pipeline, make_span(day), ran.workbench()).datasets
        return [file["name"] for file in dataset.files]

    def names(*places: str) -> set[str]:
        return {place.rpartition("/")[2] for place in places}

    assert set(cited(DAYS[0])) == names(LSK, PCK, PLANETS, FLOWN)
    assert names(PREDICTED) <= set(cited(DAYS[2]))


def test_a_standalone_script_says_that_it_cannot_be_had(ran: Site) -> None:
    """By the name of the step, before anything is written."""
    with pytest.raises(InputError, match="place: an ephemeris has no plain form"):
        review(Home(ran.settings), "orbit", None, "{name}_files", NOW)
