"""Parts for tests of runs: a small mission whose files a loopback server serves, and homes that replay pipelines over it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cdflib.cdfwrite
import numpy as np
import pytest
from dagster._core.storage.defs_state.base import set_defs_state_storage

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.drift import DriftReport, drift
from helio_dagster.launch.running.request import RunRequest, resolve_span
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.status import status
from helio_dagster.resources.workbench import Workbench
from helio_dagster.resources.workers import Workers
from helio_dagster.sandbox import SandboxLimits
from helio_dagster.storage.settings import Settings
from tests.prepared import prepared

QUICK = TransferSettings(first_wait_s=0.01, longest_wait_s=0.05, jitter_s=0.0)
"""As many tries as ever, without the waits between them."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_MS_AT_1970 = 62_167_219_200_000.0
_CADENCE_S = 1800
_REAL4, _EPOCH, _CHAR = 44, 31, 51

BASIC = """
version: 1
name: basic
title: Basic
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
"""
"""A fetch, a step partition by partition, and a step that reads an hour into both neighbours."""


@dataclass
class Mission:
    """Daily CDF files of a made-up vector `BGSE` and scalar `F`, half-hourly, and the server that serves them."""

    folder: Path
    server: CdasServer
    _published: int = 0

    def publish(
        self,
        key: str,
        *,
        seed: int = 0,
        source: str = "TS_H0_MFI",
        records: int = 48,
        fill: bool = False,
        version: int = 1,
        says: Mapping[str, str] | None = None,
    ) -> Path:
        """Write or replace the file of a day; another seed is other content, and every file is newer than all before.

        `says` are global attributes beside those that every file has.
        """
        path = self.folder / f"{source.lower()}_{key.replace('-', '')}_v{version:02d}.cdf"
        path.unlink(missing_ok=True)
        start = datetime.fromisoformat(key).replace(tzinfo=UTC)
        epochs = start.timestamp() * 1000 + _MS_AT_1970 + np.arange(records) * _CADENCE_S * 1000.0
        values = np.random.default_rng([seed, start.toordinal()]).normal(5, 2, (records, 3)).round(3)
        if fill:
            values[:] = -1e31
        shape = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
        cdf = cdflib.cdfwrite.CDF(path, cdf_spec={"Compressed": 0}, delete=False)
        try:
            given = {"Logical_source": source, "TITLE": "Test", **(says or {})}
            cdf.write_globalattrs({name: {0: text} for name, text in given.items()})
            cdf.write_var({"Variable": "Epoch", "Data_Type": _EPOCH, **shape}, {"VAR_TYPE": "support_data"}, epochs)
            cdf.write_var(
                {"Variable": "labels", "Data_Type": _CHAR, "Num_Elements": 6, "Rec_Vary": False, "Dim_Sizes": [3]},
                {"VAR_TYPE": "metadata"},
                ["Bx GSE", "By GSE", "Bz GSE"],
            )
            about = {"VAR_TYPE": "data", "DEPEND_0": "Epoch", "UNITS": "nT", "FILLVAL": [-1e31, "CDF_REAL4"]}
            vector = {"Variable": "BGSE", "Data_Type": _REAL4, **shape, "Dim_Sizes": [3]}
            cdf.write_var(vector, {**about, "LABL_PTR_1": "labels", "DISPLAY_TYPE": "time_series"}, values.astype("f4"))
            scalar = {"Variable": "F", "Data_Type": _REAL4, **shape}
            cdf.write_var(scalar, {**about, "LABLAXIS": "F"}, values[:, 0].astype("f4"))
        finally:
            cdf.close()
        self._published += 1
        os.utime(path, (1_700_000_000 + self._published,) * 2)
        return path

    def spoil(self, key: str, *, source: str = "TS_H0_MFI") -> None:
        """Replace the file of a day by one that no reader can decode."""
        path = self.folder / f"{source.lower()}_{key.replace('-', '')}_v01.cdf"
        path.write_bytes(bytes.fromhex("cdf300010000ffff") + b"no such record" * 40)
        self._published += 1
        os.utime(path, (1_700_000_000 + self._published,) * 2)

    def withdraw(self, key: str, *, source: str = "TS_H0_MFI", version: int = 1) -> None:
        """Take the file of a day away."""
        (self.folder / f"{source.lower()}_{key.replace('-', '')}_v{version:02d}.cdf").unlink()


@dataclass
class Site:
    """A home at which pipelines are run, each time with parts opened anew."""

    settings: Settings
    clock: Callable[[], datetime] = lambda: NOW
    _written: dict[Path, tuple[int, int]] = field(default_factory=dict)
    workers: Workers | None = None
    """Processes that outlast a run; one whose code has limits of its own has its own."""
    _opened: list[Workbench] = field(default_factory=list)

    def save(self, text: str) -> None:
        """Put a pipeline into the home, or change it."""
        name = next(line.split()[1] for line in text.splitlines() if line.startswith("name:"))
        self.settings.pipelines.mkdir(parents=True, exist_ok=True)
        (self.settings.pipelines / f"{name}.yaml").write_text(text)

    def open(self, name: str = "basic") -> tuple[Pipeline, AssetGraph]:
        """The pipeline and the graph of all of them."""
        return Home(self.settings).open(name)

    def workbench(self) -> Workbench:
        """The home's parts; what the caller does not close is closed with the site."""
        lent = self.workers if self.settings.code_limits == SandboxLimits() else None
        self._opened.append(Workbench(self.settings, clock=self.clock, transfers=QUICK, workers=lent))
        return self._opened[-1]

    def close(self) -> None:
        """Close what is open."""
        while self._opened:
            self._opened.pop().close()

    def run(self, asked: TimeRange, *, name: str = "basic", force: bool = False, refresh: bool = False) -> RunReport:
        """What `helio run` does."""
        pipeline, graph = self.open(name)
        workbench = self.workbench()
        try:
            span = resolve_span(graph, pipeline, asked, workbench.clock())
            return run(RunRequest(graph, pipeline, span, force=force, refresh=refresh, asked=asked), workbench)
        finally:
            workbench.close()

    def drift(self, asked: TimeRange | None, *, name: str = "basic") -> DriftReport:
        """What `helio drift` finds."""
        pipeline, graph = self.open(name)
        workbench = self.workbench()
        try:
            return drift(graph, pipeline, asked, workbench)
        finally:
            workbench.close()

    def states(self, asked: TimeRange | None, *, name: str = "basic") -> dict[str, dict[str | None, str]]:
        """Step to partition to state, as `helio status` tells."""
        pipeline, graph = self.open(name)
        found = status(graph, pipeline, asked, self.workbench())
        return {asset.step: {partition.key: partition.state for partition in asset.partitions} for asset in found.assets}

    def why(self, step: str, key: str, *, name: str = "basic") -> list[str]:
        """The reasons `helio status` gives for the state of a partition."""
        pipeline, graph = self.open(name)
        found = status(graph, pipeline, pipeline.partitions.window(key), self.workbench())
        return next(asset.partitions[0].why for asset in found.assets if asset.step == step)

    def files(self, under: str = "") -> dict[str, bytes]:
        """Path below `data/` to the bytes of every table."""
        root = self.settings.data
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted((root / under).rglob("*.parquet"))}

    def made(self) -> set[tuple[str, str]]:
        """(step, partition) of the tables that were written since this was last asked."""
        before, self._written = self._written, self._stamps()
        changed = [path for path, stamp in self._written.items() if before.get(path) != stamp]
        return {(path.parent.name, path.stem) for path in changed}

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        found = {path: path.stat() for path in self.settings.data.rglob("*.parquet")}
        return {path: (state.st_ino, state.st_mtime_ns) for path, state in found.items()}


Shell = Callable[..., subprocess.CompletedProcess[str]]
MakeSite = Callable[..., Site]
MakeSpan = Callable[..., TimeRange]
Prepare = Callable[[str, Site, Callable[[Site], object]], Site]


@pytest.fixture(scope="session")
def make_span() -> MakeSpan:
    """Ranges of whole days."""

    def make(key: str, days: int = 1) -> TimeRange:
        start = datetime.fromisoformat(key).replace(tzinfo=UTC)
        return TimeRange(start, start + timedelta(days=days))

    return make


@pytest.fixture(scope="session")
def span(make_span: MakeSpan) -> TimeRange:
    """The three days of the mission."""
    return make_span("2023-01-02", 3)


@pytest.fixture(scope="session")
def package_root() -> Path:
    """The folder in which `import helio_dagster` finds this package."""
    return Path(__file__).parents[3]


@pytest.fixture(scope="session")
def shell(package_root: Path) -> Shell:
    """Runs `helio` on a site's home in a process of its own, without a terminal."""

    def helio(site: Site, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "HELIO_HOME": str(site.settings.home),
            "HELIO_PIPELINES": str(site.settings.pipelines),
            "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
        }
        return prepared().run(arguments, cwd=package_root, env=environment)

    return helio


@pytest.fixture(autouse=True)
def quiet_dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command line's edge sets before Dagster starts."""
    monkeypatch.setenv("DAGSTER_EVENT_BATCH_SIZE", "1000")


@pytest.fixture(autouse=True)
def no_instance_left_behind() -> Iterator[None]:
    """Dagster forgets to forget an instance that is entered twice, as a schedule's tick does; later loading would ask it."""
    with set_defs_state_storage(None):
        yield


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    """Where each mission's server listens, after the other: tables name the address that they were made from."""
    with socket.socket() as held:  # it does not listen, so that a server can, and nobody else is given the port
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where folders are kept as they were once prepared."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def mission(tmp_path: Path, port: int, kept: Path) -> Iterator[Mission]:
    """Three days of the dataset TS_H0_MFI, from 2023-01-02: the same files each time, to their dates."""
    folder, days = tmp_path / "served", [f"2023-01-{number:02d}" for number in (2, 3, 4)]
    folder.mkdir()
    with CdasServer(FileIndex(folder), port=port, retry_after_s=0) as server:
        if (kept / "served").exists():
            shutil.copytree(kept / "served", folder, dirs_exist_ok=True)
            yield Mission(folder, server, len(days))
            return
        mission = Mission(folder, server)
        for day in days:
            mission.publish(day)
        shutil.copytree(folder, kept / "served")
        yield mission


@pytest.fixture
def make_site(tmp_path: Path, mission: Mission, fresh_instance: Path, workers: Workers) -> Iterator[MakeSite]:
    """Homes over the mission, with the pipeline `basic` or others."""
    made: list[Site] = []

    def make(name: str = "home", *texts: str) -> Site:
        home = tmp_path / name
        shutil.copytree(fresh_instance, home / "dagster")
        site = Site(Settings(home, home / "pipelines", mission.server.url), workers=workers)
        for text in texts or (BASIC,):
            site.save(text)
        made.append(site)
        return site

    yield make
    for site in made:
        site.close()


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """A home over the mission with the pipeline `basic`."""
    return make_site()


@pytest.fixture
def prepare(kept: Path) -> Prepare:
    """Brings a new site to a state that has a name: the first site by doing it, others by a copy of its home.

    A copy takes a fiftieth of a run. The mission must hold nothing but its three days.
    """

    def prepare(name: str, site: Site, do: Callable[[Site], object]) -> Site:
        home = site.settings.home
        if (kept / name).exists():
            shutil.rmtree(home)
            shutil.copytree(kept / name, home)
        else:
            do(site)
            shutil.copytree(home, kept / name)
        return site

    return prepare


@pytest.fixture
def ran_site(site: Site, prepare: Prepare, span: TimeRange) -> Site:
    """A home over the mission at which `basic` was run over its three days."""
    return prepare("basic", site, lambda new: new.run(span))


@pytest.fixture(scope="session")
def site_class() -> type[Site]:
    """For homes over other servers."""
    return Site
