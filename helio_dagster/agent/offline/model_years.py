"""Years that belong to the name of a model, as in `Shue et al. (1998)`: they are no time of data."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.forms import ways


def without_model_years(text: str) -> str:
    """The text with spaces in place of a model's year and `et al.`, so that everything else keeps its place."""
    for way in ways("model_years.named"):
        text = way.sub(_bare, text)
    return text


def _bare(match: re.Match[str]) -> str:
    return f"{' ' * len(match['open'])}{match['name']}".ljust(len(match[0]))
