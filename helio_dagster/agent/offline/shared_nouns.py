"""A noun that two kinds of particles share: `electron + ion fluxes` are electron fluxes and ion fluxes."""

from __future__ import annotations

import re

_KIND = r"(?:electrons?|ions?|protons?)"
_SHARED = re.compile(
    rf"(?<![\w-])(?P<one>{_KIND})(?P<joint>\s*(?:\+|&|/|,?\s+and)\s*)(?P<other>{_KIND})"
    r"(?P<noun>\s+(?:flux(?:es)?|intensit(?:y|ies)))(?![\w-])",
    re.IGNORECASE,
)


def with_nouns_shared(request: str) -> str:
    """The request with the noun behind each kind of particles."""
    return _SHARED.sub(lambda found: f"{found['one']}{found['noun']} and {found['other']}{found['noun']}", request)
