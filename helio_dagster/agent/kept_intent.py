"""The intent of a plan as text that is kept with a conversation."""

from __future__ import annotations

from functools import cache

from pydantic import TypeAdapter, ValidationError

from helio_dagster.agent.intent import Intent


def intent_to_text(intent: Intent | None) -> str:
    """An intent as JSON; empty for none, and for steps that a planner has stated, which have no slots to change."""
    return "" if intent is None or intent.stated is not None else _adapter().dump_json(intent, exclude_defaults=True).decode()


def intent_from_text(text: str) -> Intent | None:
    """The intent that was kept; None for none, and for one that another version wrote in another form."""
    try:
        return _adapter().validate_json(text) if text else None
    except ValidationError:
        return None


@cache
def _adapter() -> TypeAdapter[Intent]:
    return TypeAdapter(Intent)
