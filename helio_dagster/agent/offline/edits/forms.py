"""Ways of saying a change: those of `forms` by name, and the rows of the other data files of this folder."""

from __future__ import annotations

import re

from helio_dagster.agent.offline import forms
from helio_dagster.agent.offline.forms import Form, form, matched

__all__ = ["Form", "form", "matched", "rows"]


def rows(file: str, edges: tuple[str, str] = ("", "")) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """What stands before and behind the bar of each line of a file of this folder, as `forms.rows` has it."""
    return forms.rows(f"edits/{file}", edges)
