"""Save an approved pipeline, with who approved it, when, and its hash; and undo the last approved change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from helio_dagster.agent.events import Event, Tell
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import Draft, OnTable, Session, Span, Version
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha
from helio_dagster.domain.time_range import format_time


class Approvals:
    """Saves what a person approves.

    Parameters
    ----------
    side
        Writes the pipeline files.
    session
        Holds the draft, the current pipeline, and previous versions of files; changed in place.
    tell
        Receives events.
    keep
        Saves the session.
    clock
        Gives the current time.
    person
        Name of the approver.
    """

    def __init__(
        self,
        side: RunSide,
        session: Session,
        *,
        tell: Tell,
        keep: Callable[[], None],
        clock: Callable[[], datetime],
        person: str,
    ) -> None:
        self._side, self._session, self._tell, self._keep = side, session, tell, keep
        self._clock, self._person = clock, person

    def approve(self) -> OnTable:
        """Save the draft with its approval, completely or not at all, and make it the current pipeline.

        Raises
        ------
        StorageError
            It cannot be written; the draft is kept.
        """
        draft = self._session.draft
        if draft is None:
            raise InputError("there is no plan to approve", hint="Say what you want to see first.")
        file = parse_pipeline(draft.text, file="the plan")
        saved = next((name for name in self._side.names() if name == file.pipeline.name), None)
        before = self._side.load(saved).text if saved else None
        if before != draft.base:
            hint = "Look at it with `helio pipelines show`, say `reject`, and ask again."
            raise InputError(f"{file.pipeline.name}.yaml was changed by someone else since this plan was made", hint=hint)
        if draft.text == draft.base and file.pipeline.approved:
            return self._settle(file.pipeline.name, draft, "There is nothing to write: it is already saved.")
        sha, now = pipeline_sha(file.pipeline), self._clock()
        approved = file.with_value("approved", {"by": self._person, "at": format_time(now.replace(microsecond=0)), "sha": sha})
        path = self._side.save(approved)
        self._session.remember(Version(name=file.pipeline.name, text=before, span=self._span_before(file.pipeline.name)))
        return self._settle(file.pipeline.name, draft, f"Approved by {self._person} and saved: {path}", sha)

    def _settle(self, name: str, draft: Draft, text: str, sha: str = "") -> OnTable:
        session = self._session
        session.table, session.draft = OnTable(name=name, span=draft.span), None
        session.failed = None
        self._say(text, decision="approved", by=self._person, sha=sha)
        self._keep()
        return session.table

    def take_back(self) -> OnTable | None:
        """Undo the last approved change; return the saved pipeline to run again, or None if it was removed."""
        session = self._session
        if not session.versions:
            raise InputError("there is nothing to undo", hint="Only changes approved in this conversation can be undone.")
        version = session.versions.pop()
        session.failed = None
        if version.text is None:
            self._side.remove(version.name)
            session.table = None
            kept = "its data stay until `helio prune`"
            self._say(f"{version.name}.yaml was new and is deleted again; {kept}.", decision="taken back")
            self._keep()
            return None
        self._side.save(parse_pipeline(version.text, file=f"{version.name}.yaml"))
        session.table = OnTable(name=version.name, span=version.span)
        self._say(f"{version.name}.yaml is back to what it was before the last change.", decision="taken back")
        self._keep()
        return session.table

    def _span_before(self, name: str) -> Span | None:
        table = self._session.table
        return table.span if table and table.name == name else None

    def _say(self, text: str, **facts: object) -> None:
        self._tell(Event(stage="approval", text=text, facts=facts))
