"""The Python interface: load a pipeline, run it, read its results. The command line uses the same code."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import RunReport, WindowsReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import parse_span
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.launch.credit.citation import cite as launch_cite
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.reading import find_asset, read_dataframe
from helio_dagster.launch.running.run import run as launch
from helio_dagster.launch.running.windows import Window, read_windows
from helio_dagster.launch.running.windows import run_windows as launch_windows
from helio_dagster.launch.upkeep.verify import VerifyReport
from helio_dagster.launch.upkeep.verify import verify as launch_verify
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.pipeline_library import read_pipeline
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import read_configuration
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    import pandas as pd

    from helio_dagster.agent.conversation.conversation import Conversation
    from helio_dagster.agent.planner import Planner

When = str | date | datetime


def load_pipeline(path: str | Path) -> Pipeline:
    """The pipeline in a YAML file.

    Raises
    ------
    PipelineError
        The file is invalid; every fault is listed with file, line, path and remedy.
    StorageError
        The file cannot be read.

    Examples
    --------
    >>> load_pipeline("pipelines/ace_bfield.yaml").name
    'ace_bfield'
    """
    return read_pipeline(Path(path)).pipeline


def run(
    pipeline: Pipeline | str | Path,
    start: When | None = None,
    stop: When | None = None,
    *,
    home: str | Path | None = None,
    force: bool = False,
    refresh: bool = False,
) -> RunReport:
    """Bring a pipeline's partitions over `[start, stop)` up to date.

    Parameters
    ----------
    pipeline
        A pipeline, its name in the library, or the path of its file.
    start, stop
        As on the command line (`"2003-10"`, `"last 7 days"`), or dates and times; naive ones are UTC. By default the `range:`
        of the pipeline's file, as whole partitions that are over.
    home
        Folder of the home; by default from the environment.
    force
        Recompute everything.
    refresh
        Ask the archive whether its files have changed.

    Returns
    -------
    RunReport
        What was done; failures of partitions are in it, not raised.

    Raises
    ------
    HelioError
        The range, the pipeline or the home is wrong.

    Examples
    --------
    >>> report = run("ace_bfield", "2003-10-28", "2003-11-01")
    >>> report.status
    'success'
    >>> report.steps["b_mag"].computed
    4
    """
    with Workbench(_settings(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        with _knowing_beta():
            asked = opened.asked_range(_span(start, stop, now) if start is not None else None, now)
            return launch(opened.request(asked, now, force=force, refresh=refresh), workbench)


def run_windows(
    pipeline: Pipeline | str | Path,
    windows: str | Path | Sequence[tuple[When, When]],
    *,
    home: str | Path | None = None,
    force: bool = False,
    refresh: bool = False,
) -> WindowsReport:
    """Bring a pipeline up to date over each window of a list; partitions that windows share are made once.

    Parameters
    ----------
    pipeline, home, force, refresh
        As in `run`.
    windows
        The path of a list of events in any form that `events:` reads, or pairs of start and stop.

    Returns
    -------
    WindowsReport
        A report for each window; one that fails is in it, and the others are run all the same.

    Raises
    ------
    HelioError
        The list, the pipeline or the home is wrong.

    Examples
    --------
    >>> report = run_windows("ace_bfield", "lists/HELIO4CAST_ICMECAT_v23.csv")
    >>> [window.id for window in report.windows if window.status != "success"]
    []
    """
    with Workbench(_settings(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        if isinstance(windows, (str, Path)):
            wanted = read_windows(Path(windows)).windows
        else:
            spans = [_span(start, stop, now) for start, stop in windows]
            wanted = [Window(span.start, span.stop) for span in spans]
        with _knowing_beta():
            return launch_windows(opened, wanted, workbench, force=force, refresh=refresh)


def verify(
    pipeline: Pipeline | str | Path, start: When | None = None, stop: When | None = None, *, home: str | Path | None = None
) -> VerifyReport:
    """Remake a pipeline's stored partitions over `[start, stop)` in a temporary folder and compare; does not change the home.

    Parameters and errors are those of `run`; also raises InputError if nothing is stored.

    Returns
    -------
    VerifyReport
        Per step and partition: the same bytes, or what differs and why.

    Examples
    --------
    >>> verify("ace_bfield", "2003-10-29").status
    'same'
    """
    with Workbench(_settings(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        asked = opened.asked_range(_span(start, stop, now) if start is not None else None, now)
        return launch_verify(opened.request(asked, now), workbench)


def cite(
    pipeline: Pipeline | str | Path,
    start: When | None = None,
    stop: When | None = None,
    *,
    home: str | Path | None = None,
) -> Citation:
    """Whom to cite for a pipeline's results; with a range, for the archive files that were used in it.

    Parameters and errors are those of `run`.

    Examples
    --------
    >>> [dataset.dataset for dataset in cite("ace_bfield", "2003-10-29").datasets]
    ['AC_H0_MFI']
    """
    with Workbench(_settings(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        span = None if start is None else opened.span(_span(start, stop, now), now)
        return launch_cite(opened.graph, opened.pipeline, span, workbench)


def read(
    asset_or_step: str,
    start: When,
    stop: When | None = None,
    *,
    pipeline: Pipeline | str | Path | None = None,
    home: str | Path | None = None,
) -> pd.DataFrame:
    """The stored records of an asset over `[start, stop)`.

    Parameters
    ----------
    asset_or_step
        `<archive>/<dataset>/<parameter>`, `<pipeline>/<step>`, or a step of `pipeline`.
    start, stop
        As in `run`.
    pipeline
        The pipeline that has the step.
    home
        Folder of the home; by default from the environment.

    Returns
    -------
    pandas.DataFrame
        UTC index `time`; NaN for missing values; `unit`, `units`, `frame`, `label` in `.attrs`.

    Raises
    ------
    InputError
        There is no such asset, or a partition of the range was never materialized.

    Examples
    --------
    >>> b = read("b_mag", "2003-10-29", pipeline="ace_bfield")
    >>> b.attrs["unit"]
    'nT'
    """
    settings = _settings(home)
    opened, store = Home(settings), TableStore(settings.data)
    if pipeline is None:
        node = find_asset(opened.graph, asset_or_step, store=store)
    else:
        found, graph = opened.open(pipeline)
        node = find_asset(graph, asset_or_step, found)
    return read_dataframe(store, node, _span(start, stop, datetime.now(UTC)))


@contextmanager
def converse(
    *,
    home: str | Path | None = None,
    session: str | None = None,
    archive: str = "cdaweb",
    planner: Planner | None = None,
    person: str = "python",
    tell: Tell = say_nothing,
) -> Iterator[Conversation]:
    """A conversation as in `helio chat`: `conversation.say(text)` returns the events of a turn.

    Parameters
    ----------
    home
        Folder of the home; by default from the environment.
    session
        Id of a session to continue; by default a new one.
    archive
        The archive for new pipelines: cdaweb, or demo.
    planner
        A planner to use instead of the environment's.
    person
        Name of the approver, written to the pipeline's file.
    tell
        Receives every event as it happens.

    Raises
    ------
    HelioError
        There is no such session, it is open elsewhere, or a setting is wrong.

    Examples
    --------
    >>> with converse(archive="demo") as conversation:
    ...     conversation.say("ACE magnetic field magnitude for 2003-10-29")
    ...     conversation.say("approve")
    """
    from helio_dagster.conversing import open_conversation

    settings = _settings(home)
    with open_conversation(
        settings,
        read_configuration(os.environ, Path.cwd()).environment,
        session=session,
        archive=archive,
        planner=planner,
        person=person,
        tell=tell,
    ) as conversation:
        yield conversation


@contextmanager
def _knowing_beta() -> Iterator[None]:
    """Silence Dagster's warnings about beta features that we use deliberately: the caller cannot do anything about them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is currently in (beta|preview)")
        yield


def _settings(home: str | Path | None) -> Settings:
    environment = dict(os.environ) if home is None else {**os.environ, "HELIO_HOME": str(home)}
    return Settings.read(environment, Path.cwd())


def _span(start: When, stop: When | None, now: datetime) -> TimeRange:
    return parse_span(_text(start), _text(stop), now) if stop is not None else read_words([_text(start)], now)


def _text(when: When) -> str:
    if isinstance(when, datetime):
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return when if isinstance(when, str) else when.isoformat()
