"""Runs and verifications of saved pipelines begun over HTTP: each a job of a working process, with its events in a file."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from helio_dagster.assets.recorded_runs import RunsCursor, RunsPage
from helio_dagster.domain.errors import HelioError
from helio_dagster.hosting.process_lock import ProcessLock
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.record.history import list_runs, page_of_runs
from helio_dagster.serve.conversations import Once, begin, mend
from helio_dagster.serve.refusals import Missing
from helio_dagster.serve.work.event_file import EventFile, Position
from helio_dagster.serve.work.jobs import Run, Verify
from helio_dagster.serve.work.pool import WorkPool
from helio_dagster.storage.atomic import write_bytes

MOST_KEPT = 500


@dataclass
class Runs:
    """The runs of a home that were begun over HTTP.

    Parameters
    ----------
    site
        The home.
    pool
        The processes that do them.
    """

    site: ServedHome
    pool: WorkPool
    _creating: threading.Lock = field(default_factory=threading.Lock)

    @property
    def folder(self) -> Path:
        """Where their files are."""
        return self.site.settings.home / "runs"

    def start(
        self,
        pipeline: str,
        start: str | None,
        stop: str | None,
        *,
        force: bool = False,
        refresh: bool = False,
        is_open: bool = False,
        verify: bool = False,
        event: str | None = None,
        every: bool = False,
        key: str | None,
    ) -> str:
        """Run or verify a pipeline of the library, which is checked to be there by the caller; the run's id.

        Instead of a range, a run may be of one event, or of every one; `is_open` makes the last partition before it is over.
        """
        ways = {"refresh": refresh, "open": is_open, "verify": verify, "all": every, f"event {event}": event is not None}
        wanted = [pipeline, start or "", stop or "", str(force), *(name for name, is_so in ways.items() if is_so)]

        def do() -> str:
            with self._creating:
                run_id = self._new_id()
                about = {"pipeline": pipeline, "start": start, "stop": stop, "force": force, "verify": verify}
                about |= {"open": True} if is_open else {}
                about |= {"event": event, "all": every} if event is not None or every else {}
                begun = self.site.clock().isoformat(timespec="seconds")
                write_bytes(self._path(run_id, ".json"), json.dumps({**about, "begun": begun}).encode())
            file = self.events(run_id)
            job: Run | Verify = Run(
                events=file.path,
                pipeline=pipeline,
                start=start,
                stop=stop,
                force=force,
                refresh=refresh,
                is_open=is_open,
                event=event,
                every=every,
                person=self.site.person,
            )
            if verify:
                job = Verify(events=file.path, pipeline=pipeline, start=start, stop=stop)
            try:
                with self._lock(run_id).taken() as held:
                    if held is None:
                        raise HelioError(f"another process holds the run {run_id}", hint="Try again.")
                    first = {"stage": "session", "text": f"run {run_id} of {pipeline}", "run": run_id}
                    begin(self.pool, file, f"run {run_id}", job, first, held)
            except BaseException:
                self._forget(run_id)
                raise
            return run_id

        return Once(self.site.settings.sessions)(f"run {pipeline}", key, wanted, do)

    def about(self, run_id: str) -> dict[str, Any]:
        """A run: what was asked, how far it is, and its report once it is over; Missing if there is none."""
        asked = self._asked(run_id)
        if not asked:
            raise Missing(f"there is no run {run_id}", hint="GET /api/v1/runs lists them.")
        self.mend(run_id)
        is_running, last = self.is_running(run_id), self.events(run_id).last()
        document = {"run": run_id, **asked, "state": "running" if is_running else str(last.get("status", "failed"))}
        document |= {"progress": str(last.get("text", "")) if is_running else "", "seconds": last.get("seconds")}
        reports = {"report": last.get("report"), "verified": last.get("verified")}
        return document | reports | {"problem": self._problem(run_id, last)}

    def listed(self, most: int, pipeline: str | None = None) -> list[dict[str, Any]]:
        """The runs, the last begun first, without their reports; those of one pipeline where it is named."""
        found: list[dict[str, Any]] = []
        for run_id in self._ids():
            if len(found) == most:
                break
            if pipeline is not None and self._asked(run_id).get("pipeline") != pipeline:
                continue
            with suppress(Missing):
                document = self.about(run_id)
                found.append({name: value for name, value in document.items() if name not in ("report", "verified")})
        return found

    def recorded(
        self, most: int, pipeline: str | None = None, below: str | None = None
    ) -> tuple[list[dict[str, Any]], str | None]:
        """The last runs of Dagster's record, whoever began them; of a pipeline a page, and where the next one begins."""
        page = RunsPage(list_runs(self.site.settings, most), None)
        if pipeline is not None:
            page = page_of_runs(self.site.settings, pipeline, most, RunsCursor.parse(below) if below else None)
        found = [{**asdict(each), "begun": each.begun.isoformat(timespec="seconds")} for each in page.runs]
        return found, str(page.older) if page.older is not None else None

    def cancel(self, run_id: str) -> bool:
        """Stop a run, as Ctrl-C does; False where it is over."""
        self.about(run_id)
        return self.is_running(run_id) and (self.pool.cancel(f"run {run_id}") or self._lock(run_id).stop())

    def is_running(self, run_id: str) -> bool:
        """Whether it is at work."""
        is_held = self.pool.has(f"run {run_id}") or self._lock(run_id).is_held()
        return is_held and not self.events(run_id).is_over()

    def events(self, run_id: str) -> EventFile:
        """The file of its events."""
        return EventFile(self._path(run_id, ".events.jsonl"))

    def mend(self, run_id: str) -> None:
        """Say so where its process has ended without the last event."""
        if self.pool.has(f"run {run_id}") or self.events(run_id).is_over():
            return
        with self._lock(run_id).taken() as held:
            if held is not None:
                mend(self.events(run_id))

    def _asked(self, run_id: str) -> dict[str, Any]:
        """What was asked; empty where there is no such run."""
        try:
            found = json.loads(self._path(run_id, ".json").read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _problem(self, run_id: str, last: dict[str, Any]) -> str:
        """What went wrong, of a run without a report."""
        if last.get("stage") != "done" or last.get("report") is not None or last.get("verified") is not None:
            return ""
        lines, _ = self.events(run_id).read(Position())
        events_read = [json.loads(line) for _, line in lines]
        return "; ".join(str(each["problem"]) for each in events_read if each.get("stage") == "error")

    def _new_id(self) -> str:
        wanted, number = f"{self.site.clock():%Y%m%d-%H%M%S}", 1
        found = wanted
        while self._path(found, ".json").exists():
            number += 1
            found = f"{wanted}-{number}"
        for old in self._ids()[MOST_KEPT - 1 :]:
            if not self.is_running(old):
                self._forget(old)
        return found

    def _forget(self, run_id: str) -> None:
        for suffix in (".json", ".events.jsonl", ".turn"):
            self._path(run_id, suffix).unlink(missing_ok=True)

    def _ids(self) -> list[str]:
        return sorted((path.stem for path in self.folder.glob("*.json")), key=_order, reverse=True)

    def _lock(self, run_id: str) -> ProcessLock:
        return ProcessLock(self._path(run_id, ".turn"))

    def _path(self, run_id: str, suffix: str) -> Path:
        return self.folder / f"{run_id}{suffix}"


def _order(run_id: str) -> tuple[str, int]:
    day, _, rest = run_id.partition("-")
    moment, _, number = rest.partition("-")
    return f"{day}-{moment}", int(number or 1) if (number or "1").isdecimal() else 1
