"""The tools that run and stop pipelines, and say how far a run is. A run needs a person's approval; see `approving`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.session import OnTable, Session
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_fields import is_name
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.run_process import RunProcesses
from helio_dagster.launch.running.status import status as launch_status
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.arguments import Run, Status
from helio_dagster.mcp.proposing import plan_of
from helio_dagster.mcp.replies import Reply
from helio_dagster.mcp.talking import conversation, lines_of, read_session

_SETTLED = re.compile(r"([\d,]+) of ([\d,]+) partitions? done")
_NOT_AS_APPROVED = "nobody has approved this file as it is now"


@dataclass(frozen=True)
class Waiting:
    """A plan that a person must approve before it runs."""

    session: str
    digest: str
    card: str


def prepare(site: AgentHome, runs: RunProcesses, given: Run) -> Waiting | Session:
    """What a call to run is about: a plan that waits for approval, or a session that may run.

    Raises
    ------
    InputError
        There is nothing to run.
    """
    if given.session is not None and given.pipeline is not None:
        raise InputError("give a session or a pipeline, not both", hint="A saved pipeline needs a time; a session has its own.")
    if given.pipeline is not None:
        return _saved(site, given.pipeline, given.time, is_open=given.open)
    if given.session is None:
        raise InputError("give a session or a pipeline", hint="Give the session that propose returned.")
    session = read_session(site, given.session)
    if runs.is_running(session.id):
        return session
    if session.draft is not None:
        with conversation(site, session.id) as talk:
            card = plan_of(session, talk.recall())
        return Waiting(session.id, session.draft.digest, str(card.get("card", "")))
    if session.asked is not None:
        raise InputError("a question is open in this session", hint=f"Ask the person: {session.asked.text}")
    if session.table is None:
        raise InputError("this session has no plan", hint="Call propose first.")
    return _again(site, session, session.table, is_open=given.open)


def approve(site: AgentHome, runs: RunProcesses, waiting: Waiting, by: str) -> Session:
    """Save an approved plan; InputError if it was changed after it was shown.

    Where two calls were approved at once, the second finds the plan saved, or its run under way.
    """
    if runs.is_running(waiting.session):
        return read_session(site, waiting.session)
    with conversation(site, waiting.session, person=by) as talk:
        if talk.session.draft is None and talk.session.table is not None:
            return talk.session
        events = talk.approve(waiting.digest)
        if talk.outcome != "success":
            raise InputError("\n".join(lines_of(events, ("error",))), hint="Look at the session with status.")
        return talk.session


def progress_of(events: list[dict[str, Any]]) -> tuple[int, int, str] | None:
    """How many partitions of a run are settled, of how many, and the last sentence about it."""
    for event in reversed(events):
        if event.get("stage") == "progress" and (found := _SETTLED.match(str(event.get("text", "")))):
            return int(found[1].replace(",", "")), int(found[2].replace(",", "")), str(event["text"])
    return None


def tell_run(site: AgentHome, runs: RunProcesses, session_id: str) -> Reply:
    """How a session's run is going, or what came of it."""
    is_running = runs.is_running(session_id)
    session, events = read_session(site, session_id), runs.events(session_id)
    done = next((event for event in reversed(events) if event.get("stage") == "done"), None)
    document: dict[str, Any] = {"session": session_id, "title": session.title, "awaiting": session.awaiting}
    if session.table is not None:
        span = str(session.table.span.range) if session.table.span else None
        document |= {"pipeline": session.table.name, "time": span}
    if is_running:
        settled = progress_of(events)
        document |= {"state": "running", "progress": settled[2] if settled else "starting"}
        return Reply(
            "The run continues in the background. Call status with this session and wait to follow it, or stop.", document
        )
    if not events and not runs.error(session_id):
        document |= {"state": "not run"}
        if session.draft is not None:
            return Reply("The plan waits for a person's approval: call run with this session.", document)
        return Reply("Nothing was run in this session yet.", document)
    document |= _run_summary(events)
    if done is None or (session.table is not None and session.table.is_running):
        document |= {"state": "interrupted", "why": runs.error(session_id)}
        return Reply(
            "The run was stopped before its end. What is finished is kept: call run with this session to continue.", document
        )
    document |= {"state": done.get("status", "done"), "seconds": done.get("seconds")}
    is_bad = done.get("status") not in ("success", "partial", "answered")
    next_step = (
        "A step failed: tell the person why. run with this session tries again what is missing; edit changes the pipeline."
        if is_bad
        else "Look at what was made: call result with this session."
    )
    return Reply(next_step, document)


def _run_summary(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What a run said: its steps and numbers, what failed, the checks that did not pass and the sum of all."""
    judged = [
        event for event in events if event.get("stage") == "check" and (not event.get("passed") or event.get("check") == "all")
    ]
    reported = {
        "steps": lines_of(events, ("run",)),
        "notes": lines_of(events, ("note", "error", "repair")),
        "checks": lines_of(judged, ("check",)),
        "ideas": lines_of(events, ("suggestion",)),
    }
    return {name: lines for name, lines in reported.items() if lines}


def tell_pipeline(site: AgentHome, given: Status) -> Reply:
    """How many partitions of each asset of a pipeline are in which state, with the first reasons."""
    if given.pipeline is None:
        raise InputError("give a session or a pipeline", hint="The tool sessions lists both.")
    with site.bench() as bench:
        opened, now = site.home.open(given.pipeline), site.clock()
        request = opened.request(site.span(given.time), now) if given.time else None
        span, shown = (request.span, request.shown) if request else (None, None)
        report = launch_status(opened.graph, opened.pipeline, span, bench, shown=shown)
    assets = []
    for asset in report.assets:
        counts: dict[str, int] = {}
        for partition in asset.partitions:
            counts[partition.state] = counts.get(partition.state, 0) + 1
        why = [f"{each.key or ''} {each.state}: {'; '.join(each.why)}".strip() for each in asset.partitions if each.why]
        assets.append({"asset": asset.asset, "step": asset.step, "partitions": counts, "why": why[:3]})
    return Reply("", {"pipeline": report.pipeline, "assets": assets, "notes": report.notes})


def _saved(site: AgentHome, name: str, words: str | None, *, is_open: bool) -> Waiting | Session:
    """A saved pipeline over a range, in a session of its own."""
    if not is_name(name):
        raise InputError(f"{name!r:.90} is not a pipeline's name", hint="Give a name as sessions or the resources list it.")
    with conversation(site, None, is_open=is_open) as talk:
        try:
            opened = site.home.open(name)
            opened = opened.opened if is_open else opened
            asked = opened.asked_range(site.span(words) if words else None, site.clock())
            waiting = _waiting(site, talk, name, asked, is_open=is_open)
            if waiting is None:
                talk.take_up(name, asked)
        except BaseException:
            site.sessions.discard(talk.session.id)
            raise
        return waiting or talk.session


def _again(site: AgentHome, session: Session, table: OnTable, *, is_open: bool) -> Waiting | Session:
    """What a session ran before: a person is asked again where its file is no longer as approved."""
    with conversation(site, session.id, is_open=is_open) as talk:
        waiting = _waiting(site, talk, table.name, table.span.range, is_open=is_open) if table.span is not None else None
        return waiting or talk.session


def _waiting(site: AgentHome, talk: Conversation, name: str, span: TimeRange, *, is_open: bool) -> Waiting | None:
    """The plan to approve; None where the file is as approved and the run is not long."""
    with site.side(is_open=is_open) as side:
        file = side.load(name)
        estimate = side.estimate(file, span)
    reasons = [] if file.is_as_approved else [_NOT_AS_APPROVED]
    reasons += [f"a long run: {counted(estimate.partitions, 'partition')} to make"] if estimate.is_long else []
    if not reasons:
        return None
    events = talk.present_saved(name, span, tuple(reasons))
    draft = talk.session.draft
    if draft is None:
        raise InputError("\n".join(lines_of(events, ("error",))), hint="Give another time.")
    return Waiting(talk.session.id, draft.digest, str(plan_of(talk.session, events).get("card", "")))
