"""Do a job: a turn as `helio chat --json-events` does it, or a run as `helio run` does it, with its events in a file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Event
from helio_dagster.agent.knowledge import open_knowledge
from helio_dagster.api.opening import quiet_dagster, span_of
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.conversing import open_conversation
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.shortage import shortage_of
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run as launch
from helio_dagster.resources.collector import collector_at_rest
from helio_dagster.resources.workbench import Workbench
from helio_dagster.serve.work.event_file import EventFile, EventWriter
from helio_dagster.serve.work.jobs import AnyJob, Run, Turn, Verify
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import read_configuration

Tell = Callable[[Mapping[str, Any]], None]
_BETWEEN_S = 0.5


def prepare() -> None:
    """Open what a first turn would wait for: the catalog and its words."""
    with suppress(HelioError):
        knowledge = open_knowledge(_settings())
        knowledge.search.search("magnetic field", count=1)


def load_running() -> None:
    """Load what a run needs, Dagster above all, which takes seconds."""
    with collector_at_rest(), quiet_dagster():
        import helio_dagster.launch.running.execution  # noqa: F401


class Telling:
    """Appends the events of a job to its file. The last is held back until the job has let go of all it held."""

    def __init__(self, path: Path) -> None:
        self._write = EventWriter(EventFile(path))
        self._began = time.monotonic()
        self._last: Mapping[str, Any] | None = None

    def __call__(self, document: Mapping[str, Any]) -> None:
        """Append an event."""
        if document.get("stage") == "done":
            self._last = document
        else:
            self._write(document)

    def fail(self, error: BaseException) -> None:
        """Say why a job ended before it said so itself, and that it is over."""
        if self._last is not None:
            return
        status = "refused" if isinstance(error, InputError) else "failed"
        if isinstance(error, KeyboardInterrupt):
            self({"stage": "note", "text": "Stopped. What is finished is kept."})
            status = "partial"
        else:
            known = error if isinstance(error, HelioError) else shortage_of(error)
            problem = known.problem if known else f"a bug in helio: {type(error).__name__}: {error}"
            hint = known.hint or "" if known else "The server's log in the home's logs folder has the traceback."
            self({"stage": "error", "text": str(known or problem), "problem": problem, "hint": hint})
        self({"stage": "done", "text": "", "status": status, "seconds": round(time.monotonic() - self._began, 3)})

    @property
    def awaits_approval(self) -> bool:
        """Whether a person now reads a plan."""
        return self._last is not None and self._last.get("status") == "approval"

    def close(self) -> None:
        """Append the last event."""
        if self._last is not None:
            self._write(self._last)
        self._write.close()


def do(job: AnyJob, telling: Telling) -> None:
    """Do a job and write its events; the last one says how it ended, even after an error.

    Errors that the request did not cause (bugs, a full disk) are also raised.
    """
    try:
        if isinstance(job, Turn):
            _turn(job, telling)
        elif isinstance(job, Run):
            _run(job, telling)
        else:
            _verify(job, telling)
    except BaseException as error:
        telling.fail(error)
        if not isinstance(error, HelioError):
            raise


def _turn(turn: Turn, tell: Tell) -> None:
    configured = read_configuration(os.environ, Path.cwd())

    def pass_on(event: Event) -> None:
        tell(event.to_document())

    opened = open_conversation(
        _settings(),
        configured.environment,
        session=turn.session,
        offline=turn.is_offline,
        person=f"{turn.person} (over HTTP)",
        runner=turn.person,
        tell=pass_on,
    )
    with quiet_dagster(), configured.placing_errors(), opened as conversation:
        _ACTIONS[turn.action](conversation, turn.text)
        if turn.action == "recall":
            session = conversation.session
            pass_on(Event(stage="done", text="", facts={"status": conversation.outcome, "awaiting": session.awaiting}))


_ACTIONS: Mapping[str, Callable[[Conversation, str], object]] = {
    "say": Conversation.say,
    "edited": Conversation.edited,
    "approve": Conversation.approve_and_run,
    "recall": lambda conversation, _: conversation.recall(),
}


def _run(run: Run, tell: Tell) -> None:
    with Workbench(_settings(), begun_by="HTTP", person=run.person) as bench, quiet_dagster():
        request = _request(run, bench, tell, force=run.force, refresh=run.refresh)
        report = launch(request, bench, listener=_Progress(request, tell))
    document = report.model_dump(mode="json")
    for failure in report.failures:
        tell({"stage": "error", "text": f"{failure.step}: {failure.error}", "problem": failure.error, "hint": failure.hint})
    tell({"stage": "done", "text": "", "status": report.status, "seconds": report.seconds, "report": document})


def _verify(wanted: Verify, tell: Tell) -> None:
    from helio_dagster.launch.upkeep.verify import verify  # what it needs is loaded at the first verification

    began = time.monotonic()
    with Workbench(_settings()) as bench, quiet_dagster():
        request = _request(wanted, bench, tell)
        report = verify(request, bench, listener=_Progress(request, tell))
    seconds = round(time.monotonic() - began, 3)
    tell({"stage": "done", "text": "", "status": report.status, "seconds": seconds, "verified": report.model_dump(mode="json")})


def _request(wanted: Run | Verify, bench: Workbench, tell: Tell, *, force: bool = False, refresh: bool = False) -> RunRequest:
    """What is asked for, whose range is said."""
    opened, now = Home(bench.settings).open(wanted.pipeline), bench.clock()
    if isinstance(wanted, Run) and (wanted.event is not None or wanted.every):
        request = opened.event_request(wanted.event, now, force=force, refresh=refresh)
        span, what = request.span, request.only or counted(len(request.keys), "event")
        tell({"stage": "time", "text": what, "start": format_time(span.start), "stop": format_time(span.stop)})
        return request
    opened = opened.opened if isinstance(wanted, Run) and wanted.is_open else opened
    asked = opened.asked_range(span_of(wanted.start, wanted.stop, now) if wanted.start is not None else None, now)
    request = opened.request(asked, now, force=force, refresh=refresh)
    tell({"stage": "time", "text": str(asked), "start": format_time(asked.start), "stop": format_time(asked.stop)})
    return request


class _Progress:
    """Says how many partitions are settled, now and then."""

    def __init__(self, request: RunRequest, tell: Tell) -> None:
        self._tell, self._settled, self._last = tell, 0, 0.0
        self._total = sum(len(keys) for keys in request.targets.values())

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        self._settled += 1
        now = time.monotonic()
        if now - self._last < _BETWEEN_S and self._settled < self._total:
            return
        self._last = now
        text = f"{self._settled:,} of {counted(max(self._total, self._settled), 'partition')} done"
        facts = {"settled": self._settled, "total": max(self._total, self._settled), "asset": asset, "partition": partition}
        self._tell({"stage": "progress", "text": text, **facts, "state": outcome.state})


def _settings() -> Settings:
    return Settings.read(os.environ, Path.cwd())
