"""Load pipelines, run them, and verify what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.api.opening import AnyPipeline, When, quiet_dagster, settings_of, span_of
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import RunReport, WindowsReport
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import Arrival, bring
from helio_dagster.launch.running.run import run as launch
from helio_dagster.launch.running.windows import Window, read_windows
from helio_dagster.launch.running.windows import run_windows as launch_windows
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.pipeline_library import read_pipeline

if TYPE_CHECKING:
    from helio_dagster.domain.verify_report import VerifyReport


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


def import_pipeline(text_or_file: str | Path, *, home: str | Path | None = None, replace: bool = False) -> list[Arrival]:
    """Bring a pipeline and what came with it into the library: all of it or nothing. What is there already stays.

    Parameters
    ----------
    text_or_file
        The text of a pipeline's file or of a bundle, or the path of one.
    home
        Folder of the home; by default from the environment.
    replace
        Replace pipelines and lists of the same name that differ; saved operations never change.

    Returns
    -------
    list of Arrival
        What was imported, and where it is.

    Raises
    ------
    InputError
        A different pipeline, operation or list of this name exists.
    PipelineError
        A pipeline or operation is invalid.

    Examples
    --------
    >>> import_pipeline(Path("storm.helio"))[0].name
    'storm'
    """
    is_file = isinstance(text_or_file, Path)
    data = text_or_file.read_bytes() if isinstance(text_or_file, Path) else text_or_file.encode()
    arrivals = bring(Home(settings_of(home)), data, file=str(text_or_file) if is_file else "the text", replace=replace)
    if refused := [each for each in arrivals if each.state == "refused"]:
        hint = "Rename one of them (helio pipelines rename), or pass replace=True."
        raise InputError(f"{refused[0].name}: {refused[0].why}", where=str(refused[0].path), hint=hint)
    return arrivals


def run(
    pipeline: AnyPipeline,
    start: When | None = None,
    stop: When | None = None,
    *,
    home: str | Path | None = None,
    force: bool = False,
    refresh: bool = False,
    open_last: bool = False,
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
    open_last
        Run the last partition up to its newest data, before it is over; without a range, that partition alone.

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
    with Workbench(settings_of(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        opened = opened.opened if open_last else opened
        with quiet_dagster():
            asked = opened.asked_range(span_of(start, stop, now) if start is not None else None, now)
            return launch(opened.request(asked, now, force=force, refresh=refresh), workbench)


def run_windows(
    pipeline: AnyPipeline,
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
    with Workbench(settings_of(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        if isinstance(windows, (str, Path)):
            wanted = read_windows(Path(windows)).windows
        else:
            spans = [span_of(start, stop, now) for start, stop in windows]
            wanted = [Window(span.start, span.stop) for span in spans]
        with quiet_dagster():
            return launch_windows(opened, wanted, workbench, force=force, refresh=refresh)


def verify(
    pipeline: AnyPipeline, start: When | None = None, stop: When | None = None, *, home: str | Path | None = None
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
    from helio_dagster.launch.upkeep.verify import verify as launch_verify  # loads Dagster

    with Workbench(settings_of(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        asked = opened.asked_range(span_of(start, stop, now) if start is not None else None, now)
        return launch_verify(opened.request(asked, now), workbench)
