"""Errors that the interface tells apart by their status."""

from __future__ import annotations

from helio_dagster.domain.errors import InputError


class Missing(InputError):
    """What an address names is not there."""


class Conflict(InputError):
    """What is asked does not fit what is there now: another turn is at work, or the plan was changed."""
