"""Fixtures for every tier of tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.object_store import ObjectService, object_service, use
from tests.postgres import new_database, require_server
from tests.prepared import Preparing
from tests.tiers import TIER, example_count, spread

if TYPE_CHECKING:
    from helio_dagster.resources.workers import Workers

# Tests send signals to what they start, which inherits what is ignored here: SIGINT in the background, SIGHUP under nohup.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_QUICK_CASES, _DAY_CASES = 1, 2
"""Of each unit test in `make quick` and in `make test`; all of them in CI, at night, and where a test is run by itself."""
_YOUNG_OBJECTS = 100_000
"""So many new ones, not 700, before the garbage collector looks at them: it was an eighth of the CPU time of tests."""
_PREPARING = pytest.StashKey[Preparing]()
is_repeatable = TIER == "quick" or "CI" in os.environ
settings.register_profile(
    "tier",
    settings.get_profile("ci" if is_repeatable else "default"),
    max_examples=example_count(100),
    deadline=None,  # tests never measure time: a busy machine is no failure
)
settings.load_profile("tier")


def pytest_configure(config: pytest.Config) -> None:
    """All processes of pytest-xdist fork `helio` from one process; it imports nothing before it is asked."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        config.stash[_PREPARING] = Preparing()
        config.stash[_PREPARING].share()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector off what is imported and collected, a million objects that stay: a fifth of the CPU time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    """What tests have left is not searched five times for garbage: seconds of every process, at its end."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` and `make quick` run: nothing for the night, and one or a few cases of what shows one property.

    Others that share what is made for their module stay in one process, which makes it once.
    """
    unit = Path(__file__).parent / "unit"
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(item.iter_markers("nightly")):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        if unit not in item.path.parents and _shares_with_its_module(item) and not any(item.iter_markers("xdist_group")):
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
    for of_one in cases.values():
        alike, is_unit = of_one[0].get_closest_marker("alike"), unit in of_one[0].path.parents
        for item in spread(of_one, alike.args[0] if alike else _DAY_CASES if is_unit else len(of_one)):
            item.add_marker(pytest.mark.day)
        if is_unit:
            for item in spread([each for each in of_one if not any(each.iter_markers("slow"))], _QUICK_CASES):
                item.add_marker(pytest.mark.quick)


def _shares_with_its_module(item: pytest.Item) -> bool:
    """Whether a test uses a fixture that is made once for its module."""
    assert isinstance(item, pytest.Function)
    known = item._fixtureinfo.name2fixturedefs
    return any(each.scope == "module" for name in item.fixturenames for each in known.get(name, ()))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real mission files: HELIO_TEST_DATA, else `../shared/data` beside the repository; skips where there is none."""
    given = os.environ.get("HELIO_TEST_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("real mission files are not here; set HELIO_TEST_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Processes for all homes and conversations: those that run code take seconds to start."""
    from helio_dagster.resources.workers import Workers
    from helio_dagster.storage.settings import Settings

    lent = Workers(Settings.from_environment({}, tmp_path_factory.mktemp("workers")))
    yield lent
    lent.close()


@pytest.fixture(scope="session")
def fresh_instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Dagster folder of a home in which nothing was run yet; making its databases takes longer than copying them."""
    from helio_dagster.launch.record.instance import open_instance
    from helio_dagster.storage.settings import Settings

    home = tmp_path_factory.mktemp("fresh")
    settings = Settings(home, home / "pipelines")
    with open_instance(settings) as instance:
        assert instance.get_runs_count() == 0
    return settings.instance


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database with Dagster's empty tables, which take seconds to make; skips where there is no PostgreSQL."""
    from helio_dagster.launch.record.instance import open_instance
    from helio_dagster.storage.settings import Settings

    require_server()
    home = tmp_path_factory.mktemp("template")
    with new_database() as address:
        with open_instance(Settings(home, home / "pipelines", postgres=address)) as instance:
            assert instance.get_runs_count() == 0
        yield address.rpartition("/")[2]


@pytest.fixture
def postgres(postgres_template: str) -> Iterator[str]:
    """The address of a database of the test's own, with Dagster's empty tables."""
    with new_database(postgres_template) as address:
        yield address


@pytest.fixture(scope="session")
def _object_service() -> Iterator[ObjectService]:
    with object_service() as service:
        yield service


@pytest.fixture
def objects(_object_service: ObjectService, monkeypatch: pytest.MonkeyPatch) -> ObjectService:
    """A service that speaks S3, with nothing counted or refused yet; skips where it is not installed."""
    use(_object_service, monkeypatch)
    return _object_service
