"""What can be wrong with a request for a page, beside what every other way in meets."""

from __future__ import annotations

from helio_dagster.domain.errors import InputError


class NotThere(InputError):
    """A page about something that does not exist."""
