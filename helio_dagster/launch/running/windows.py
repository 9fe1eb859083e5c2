"""Run a pipeline over the windows of a list of events, one after another: one report for each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_lists.conventions import ID_NAMES, STOP_NAMES, named
from helio_dagster.domain.event_table import EventTableError, list_text, read_listed
from helio_dagster.domain.report import WindowReport, WindowsReport
from helio_dagster.domain.time_range import TimeRange, format_time, ns_to_datetime
from helio_dagster.launch.running.request import OpenPipeline, RunRequest
from helio_dagster.launch.running.run import Listener, run
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.event_files import read_list_file

Watch = Callable[[RunRequest], AbstractContextManager[Listener | None]]
"""Follows the run of one window."""


@dataclass(frozen=True)
class Window:
    """A range to run, and what the list calls it."""

    start: datetime
    stop: datetime
    name: str = ""

    @property
    def span(self) -> TimeRange:
        """The range."""
        return TimeRange(self.start, self.stop)


@dataclass(frozen=True)
class WindowList:
    """The windows of a list in order of time; `said` is how it was read."""

    windows: Sequence[Window]
    summary: str


def read_windows(path: Path) -> WindowList:
    """The windows of a list in any form that `events:` reads.

    Raises
    ------
    InputError
        There is no such file, it is not a list, or an event in it has no stop.
    """
    try:
        found = read_listed(list_text(read_list_file(path), str(path)))
    except FileNotFoundError:
        raise InputError(f"there is no list {path}", hint="Give the path of a list of windows.") from None
    except EventTableError as error:
        raise InputError(error.problem, where=f"{path}, {error.where.removeprefix('csv ')}", hint=error.hint) from None
    table = found.table
    stop_name = table.meta.role_name("stop") or named(list(table.columns), STOP_NAMES)
    id_name = table.meta.role_name("id") or named(list(table.columns), ID_NAMES)
    stops = table.columns[stop_name] if stop_name else np.full(len(table), np.datetime64("NaT", "ns"))
    names = table.columns[id_name] if id_name else [""] * len(table)
    windows = []
    for start, stop, name in zip(table.time, stops, names, strict=True):
        if np.isnat(stop):
            problem = f"the event at {format_time(ns_to_datetime(start))} has no stop, so it is not a window"
            raise InputError(problem, where=str(path), hint="Give each row a stop, as in: start,stop,name")
        windows.append(Window(ns_to_datetime(start), ns_to_datetime(stop), str(name)))
    return WindowList(windows, found.summary)


def run_windows(
    opened: OpenPipeline,
    windows: Sequence[Window],
    workbench: Workbench,
    *,
    force: bool = False,
    refresh: bool = False,
    watch: Watch | None = None,
) -> WindowsReport:
    """Bring a pipeline up to date over each window; partitions that windows share are made once.

    Parameters
    ----------
    opened
        The pipeline, whose partitions are windows of time.
    windows
        The windows, in the order in which they are run.
    workbench
        The home's parts; stays open.
    force
        Redo everything; partitions that windows share are redone once.
    refresh
        Ask the archive whether its files have changed.
    watch
        Follows each run.

    Returns
    -------
    WindowsReport
        A report for each; a window that fails is in it, and the others are run all the same.

    Raises
    ------
    InputError
        The partitions of the pipeline are events.
    """
    name = opened.pipeline.name
    if opened.pipeline.is_over_events:
        problem = f"the partitions of {name} are the events of its own list"
        raise InputError(problem, hint=f"helio run {name} --all runs every one of them.")
    began, found, redone = time.monotonic(), [], set[str]()
    for window in windows:
        report, error = None, None
        try:
            request = opened.request(window.span, workbench.clock(), force=force, refresh=refresh)
            request = replace(request, spared=frozenset(redone.intersection(request.keys)) if force else frozenset())
            with watch(request) if watch is not None else nullcontext() as listener:
                report = run(request, workbench, listener=listener)
            redone.update(request.keys)
        except HelioError as cause:
            error = cause
        found.append(
            WindowReport(
                id=window.name,
                start=format_time(window.start),
                stop=format_time(window.stop),
                status=report.status if report is not None else "failed",
                report=report,
                error=error.problem if error is not None else "",
                hint=error.hint if error is not None else "",
                is_wrong_input=report.is_wrong_input if report is not None else isinstance(error, InputError),
            )
        )
    good = sum(each.status == "success" for each in found)
    is_any_made = any(each.status != "failed" for each in found)
    return WindowsReport(
        pipeline=name,
        status="success" if good == len(found) else "partial" if is_any_made else "failed",
        seconds=round(time.monotonic() - began, 3),
        windows=found,
    )
