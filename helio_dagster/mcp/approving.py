"""Let a person approve a plan: in a form of the client, or with a code that only the person can read. Never a model's word.

A client that can ask its person (elicitation) is trusted to do so: the person chose it. Where it cannot, the person reads the
plan and a code in a terminal (`helio approve`); no reply, resource or log of the server ever holds the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult, InputResponses
from pydantic import ValidationError

from helio_dagster.domain.visible_text import visible
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.replies import Reply
from helio_dagster.mcp.running import Waiting
from helio_dagster.storage.approval_codes import ApprovalCodes

Decision = Literal["approved", "declined", "nobody asked"]
_ASKED = "approval"
_YES, _NO = "approve and run", "do not run"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"decision": {"type": "string", "title": "Your decision", "enum": [_YES, _NO]}},
    "required": ["decision"],
}


LONGEST_CARD = 6_000
"""Characters of a plan that a form shows. A longer one, such as with much code, is read in a terminal: forms cut long texts."""


class AskFirst(Exception):
    """The protocol's newer versions ask by an answer to the call, which the client repeats with what the person said."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__("a person must be asked")
        self.result = result


async def ask_person(
    ctx: ServerRequestContext[Any, Any], waiting: Waiting, responses: InputResponses | None, state: str | None
) -> Decision:
    """Ask the person by the client's own form.

    Parameters
    ----------
    ctx
        The call.
    waiting
        The plan.
    responses, state
        What a repeated call brings: what the person said, and the digest of the plan that they were asked about, which the
        SDK has sealed so that a client cannot make it up.

    Raises
    ------
    AskFirst
        The call must be repeated with the answer.
    """
    if not _can_ask(ctx) or len(waiting.card) > LONGEST_CARD:
        return "nobody asked"
    given = (responses or {}).get(_ASKED)
    if isinstance(given, ElicitResult) and state == _state(waiting):
        return _decision(given)
    message = question(waiting)
    if not ctx.session.can_send_request:
        request = ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=_SCHEMA))
        raise AskFirst(InputRequiredResult(input_requests={_ASKED: request}, request_state=_state(waiting)))
    try:
        return _decision(await ctx.session.elicit_form(message, _SCHEMA, related_request_id=ctx.request_id))
    except (MCPError, NoBackChannelError, ValidationError):
        return "nobody asked"


def question(waiting: Waiting) -> str:
    """What the person reads: our question, and the plan with a bar before each line, so that no text in it passes for ours."""
    plan = "\n".join(f"| {line}" for line in visible(waiting.card).splitlines())
    return f"May helio save and run this plan? A language model has written it; its lines begin with a bar.\n\n{plan}"


def take_code(site: AgentHome, waiting: Waiting, code: str) -> None:
    """Take the code that the person read; InputError if it is not the one of this plan."""
    with site.sessions.held(waiting.session):
        ApprovalCodes(site.sessions).use(waiting.session, waiting.digest, code, site.clock())


def needs_person(site: AgentHome, waiting: Waiting) -> Reply:
    """How the person approves where the client has no form."""
    command = site.command("approve", waiting.session)
    why = "it is too long for a form" if len(waiting.card) > LONGEST_CARD else "this client cannot show a form"
    text = (
        f"Not run: a person must approve this plan, and {why}. Ask the person to open a terminal "
        f"of their own, type\n  {command}\nread the plan there, and tell you the code below it. Then call run with that code. "
        "Do not run the command yourself, and do not guess the code: three wrong ones void it."
    )
    return Reply(text, {"session": waiting.session, "card": waiting.card})


def declined(waiting: Waiting) -> Reply:
    """What a model reads when the person said no."""
    return Reply(
        "The person did not approve the plan, and nothing was run. Ask what they want changed; do not ask again by yourself.",
        {"session": waiting.session},
    )


def _can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None and _has_form(capabilities.elicitation)


def _has_form(elicitation: Any) -> bool:
    """Whether the client shows forms; one that names no mode shows them, as the first version of elicitation did."""
    return elicitation.form is not None or elicitation.url is None


def _decision(given: ElicitResult) -> Decision:
    """What the person decided; only the very words of the form approve."""
    content: Mapping[str, Any] = given.content or {}
    return "approved" if given.action == "accept" and content.get("decision") == _YES else "declined"


def _state(waiting: Waiting) -> str:
    return f"{waiting.session} {waiting.digest}"
