"""Save an approved pipeline, with who approved it, when, and its hash; and undo the last approved change."""

from __future__ import annotations

from helio_dagster.agent.conversation.context import Context, parse_plan
from helio_dagster.agent.conversation.edited_code import require_working_code
from helio_dagster.agent.session import Draft, OnTable, Span, Version
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline, pipeline_sha
from helio_dagster.domain.time_range import format_time


def approve(context: Context) -> OnTable:
    """Save the draft with its approval, completely or not at all, and make it the current pipeline.

    Raises
    ------
    InputError
        There is no draft, its code still fails, or somebody else has changed the saved file.
    StorageError
        It cannot be written; the draft is kept.
    """
    draft, side = context.session.draft, context.side
    if draft is None:
        raise InputError("there is no plan to approve", hint="Say what you want to see first.")
    file = parse_plan(draft.text)
    require_working_code(context, draft, file)
    name = file.pipeline.name
    before = side.load(name).text if name in side.names() else None
    sha = pipeline_sha(file.pipeline)
    if before is not None and _is_saved(parse_plan(before), file):
        return _settle(context, name, draft, "There is nothing to write: it is already saved.")
    if before != draft.base:
        hint = "Look at it with `helio pipelines show`, say `reject`, and ask again."
        raise InputError(f"{name}.yaml was changed by someone else since this plan was made", hint=hint)
    at = format_time(context.clock().replace(microsecond=0))
    path = side.save(file.with_value("approved", {"by": context.person, "at": at, "sha": sha}), by=context.person)
    context.session.remember(
        Version(name=name, text=before, span=_span_before(context, name), intent=context.session.intent_of(name))
    )
    return _settle(context, name, draft, f"Approved by {context.person} and saved: {path}", sha)


def require_shown(context: Context, digest: str) -> None:
    """Refuse an approval of another plan than the one that the person saw; raises InputError."""
    draft = context.session.draft
    if draft is None:
        raise InputError("there is no plan to approve", hint="Propose one first.")
    if draft.digest != digest:
        raise InputError("the plan was changed after it was shown", hint="Read the new plan, and approve that one.")


def take_back_approved(context: Context) -> OnTable | None:
    """Undo the last approved change; return the saved pipeline to run again, or None if it was removed."""
    session = context.session
    if not session.versions:
        raise InputError("there is nothing to undo", hint="Only changes approved in this conversation can be undone.")
    version = session.versions[-1]
    if version.text is None:
        committed = context.side.remove(version.name, by=context.person)
        session.table = None
        text = f"{version.name}.yaml was new and is deleted again; its data stay until `helio prune`. {committed}".rstrip()
    else:
        saved = context.side.save(parse_pipeline(version.text, file=f"{version.name}.yaml"), by=context.person)
        session.table = OnTable(name=version.name, span=version.span, intent=version.intent)
        text = f"Back to what it was before the last change: {saved}"
    session.failed, session.versions = None, session.versions[:-1]
    context.say("approval", text, decision="taken back")
    context.keep()
    return session.table


def _is_saved(saved: PipelineFile, file: PipelineFile) -> bool:
    """Whether a plan is already saved as approved: nothing was changed, or the conversation was cut off after the save."""
    return saved.is_as_approved and saved.without_approval().text == file.without_approval().text


def _settle(context: Context, name: str, draft: Draft, text: str, sha: str = "") -> OnTable:
    session = context.session
    session.table, session.draft = OnTable(name=name, span=draft.span, intent=draft.intent), None
    session.failed, session.unfinished = None, ""
    context.say("approval", text, decision="approved", by=context.person, sha=sha)
    context.keep()
    return session.table


def _span_before(context: Context, name: str) -> Span | None:
    table = context.session.table
    return table.span if table and table.name == name else None
