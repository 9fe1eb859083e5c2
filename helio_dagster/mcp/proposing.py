"""The tools that propose and change pipelines: what a client's model writes is checked as what helio's own model writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from helio_dagster.agent.answers import Answer, answer_to_document
from helio_dagster.agent.events import Event
from helio_dagster.agent.model.submissions import DraftPlan, FetchStep
from helio_dagster.agent.model.submitted import Submission, SubmittedPlanner
from helio_dagster.agent.planner import Situation
from helio_dagster.agent.session import Session
from helio_dagster.conversing import Maker
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import dump_pipeline
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.arguments import Edit, Propose
from helio_dagster.mcp.replies import Reply
from helio_dagster.mcp.talking import conversation, failure_of, lines_of, read_session
from helio_dagster.storage.repeated_calls import RepeatedCalls

APPROVAL_NEXT = "Nothing has been run or written. Show the person the plan, then call run with this session, which asks them."


def propose(site: AgentHome, given: Propose, client: str) -> Reply:
    """Check a plan, and put it before a person."""
    if given.only_check:
        return _only_check(site, given, client)
    return _once(site, given.key, f"propose {given.model_dump_json()}", lambda: _propose(site, given, client))


def edit(site: AgentHome, given: Edit, client: str) -> Reply:
    """Change the plan, or the saved pipeline, of a session."""

    def change() -> tuple[Reply, str]:
        with conversation(site, given.session, make=_maker(site, given.edits, client)) as talk:
            events = talk.propose(given.request)
            return _drafted(talk.session, events, talk.outcome), talk.session.id

    return _once(site, given.key, f"edit {given.model_dump_json()}", change)


def plan_of(session: Session, events: list[Event]) -> dict[str, Any]:
    """A plan as it was shown: the card in words, and what a program needs of it."""
    card = next((event for event in reversed(events) if event.stage == "plan"), None)
    if card is None:
        return {"session": session.id}
    facts = card.facts
    return {
        "session": session.id,
        "card": card_for_clients(card.text),
        "pipeline": facts["pipeline"]["name"],
        "start": facts["start"],
        "stop": facts["stop"],
        "partitions": facts["partitions"],
        "looked_at": session.draft.looked if session.draft else [],
    }


def card_for_clients(card: str) -> str:
    """A card without what can only be said in `helio chat`."""
    *lines, last = card.split("\n")
    if last.startswith("  Suggested checks:"):
        return "\n".join(lines)
    return "\n".join([*lines, last.split("; say `")[0] if last.startswith("  rest ") else last])


def _propose(site: AgentHome, given: Propose, client: str) -> tuple[Reply, str]:
    make = _maker(site, given.plan, client)
    with conversation(site, given.session, archive=_archive_of(site, given.plan), make=make) as talk:
        events = talk.propose(given.request)
        session, outcome = talk.session, talk.outcome
    if given.session is None and outcome in ("refused", "failed"):
        site.sessions.remove(session.id)
    return _drafted(session, events, outcome), session.id


def _drafted(session: Session, events: list[Event], outcome: str) -> Reply:
    if outcome in ("refused", "failed"):
        return Reply("The plan has faults, and nothing was kept.", {"faults": failure_of(events)}, is_error=True)
    if outcome == "question" and session.asked is not None:
        asked = {"session": session.id, "question": session.asked.text, "choices": session.asked.choices}
        message = (
            "Ask the person this, do not answer it yourself. Then propose again with this session and their answer as request."
        )
        return Reply(message, {**asked, "notes": lines_of(events, ("note",))})
    notes = {"notes": found} if (found := lines_of(events, ("note", "error"))) else {}
    return Reply(APPROVAL_NEXT, {**plan_of(session, events), **notes})


def _only_check(site: AgentHome, given: Propose, client: str) -> Reply:
    with site.side() as side:
        planner = _maker(site, given.plan, client)(site.knowledge, side, _archive_of(site, given.plan))
        answer: Answer = planner.answer(Situation(request=given.request, now=site.clock()))
        document = answer_to_document(answer, planner.name)
        pipeline = getattr(answer, "pipeline", None)
    yaml = {"yaml": dump_pipeline(pipeline)} if pipeline is not None else {}
    shown = {key: document[key] for key in ("status", "start", "stop", "question", "notes")}
    message = "Nothing is kept: this was only a check. Call propose without only_check to put it before the person."
    return Reply(message, {**shown, **yaml})


def _maker(site: AgentHome, submission: Submission, client: str) -> Maker:
    return lambda knowledge, side, archive: SubmittedPlanner(
        submission, knowledge, side, archive, name=f"mcp:{client}", looked_up=list(site.looked_up)
    )


def _archive_of(site: AgentHome, plan: DraftPlan) -> str:
    """The archive that the plan fetches from, where it is one that plans are made for."""
    named = {each.archive for step in plan.steps if isinstance(step, FetchStep) for each in step.candidates}
    if named == {DEMO_ARCHIVE}:
        return DEMO_ARCHIVE
    return "cdaweb" if named and DEMO_ARCHIVE not in named else site.archive


def _once(site: AgentHome, key: str | None, call: str, do: Callable[[], tuple[Reply, str]]) -> Reply:
    """Do what was not done before under this key; else show again what came of it."""
    if key is None:
        return do()[0]
    calls, digest = RepeatedCalls(site.settings.sessions), hashlib.sha256(call.encode()).hexdigest()
    with calls.held():
        known = calls.read(key)
        if known is not None and known.digest != digest:
            raise InputError(f"the key {key[:40]!r} was used for another call", hint="Use a new key for each new call.")
        if known is not None:
            return _again(site, known.session)
        reply, session_id = do()
        if not reply.is_error:
            calls.write(key, digest, session_id)
        return reply


def _again(site: AgentHome, session_id: str) -> Reply:
    """What waits in a session; nothing is done for it."""
    session = read_session(site, session_id)
    with conversation(site, session_id) as talk:
        events = talk.recall()
    message = "This call was made before with the same key; this is its result. Nothing was done twice."
    return Reply(message, {**plan_of(session, events), "awaiting": session.awaiting, "notes": lines_of(events)})
