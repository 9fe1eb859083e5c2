"""The intent of a plan, and what its assumptions are about, as text that is kept with a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.intent import Intent


@dataclass(frozen=True)
class _Kept(Intent):
    assumed: tuple[Assumption, ...] = ()


def intent_to_text(intent: Intent | None, assumed: Sequence[Assumption] = ()) -> str:
    """An intent as JSON, without steps that a planner has stated, which have no slots to change; empty for nothing at all."""
    known = Intent() if intent is None or intent.stated is not None else intent
    kept = _Kept(**_slots(known), assumed=tuple(assumed))
    return "" if kept == _Kept() else _adapter().dump_json(kept, exclude_defaults=True).decode()


def intent_from_text(text: str) -> Intent | None:
    """The intent that was kept; None for none, and for one that another version wrote in another form."""
    intent = Intent(**_slots(_kept(text)))
    return None if intent == Intent() else intent


def assumed_from_text(text: str) -> tuple[Assumption, ...]:
    """What was kept of assumptions."""
    return _kept(text).assumed


def _slots(intent: Intent) -> dict[str, Any]:
    return {each.name: getattr(intent, each.name) for each in fields(Intent)}


def _kept(text: str) -> _Kept:
    try:
        return _adapter().validate_json(text) if text else _Kept()
    except ValidationError:
        return _Kept()


@cache
def _adapter() -> TypeAdapter[_Kept]:
    return TypeAdapter(_Kept)
