"""Text that looks like a key or a password: it is neither kept nor logged."""

from __future__ import annotations

import re

from helio_dagster.domain.addresses import without_secrets

_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|github_pat|glpat|xox[abps]|hf|AIza|AKIA|ya29)[-_.]?[-_.A-Za-z0-9]{14,}"  # as providers begin them
    r"|\b(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{24,}\b"  # names of datasets have shorter parts
)
_NAMED = re.compile(
    r"(?i)\b([\w-]{0,40}(?:api[_ -]?key|_key|token|secret|passw(?:or)?d|pwd|credential)s?\b\s*(?:=|:|\bis\b)\s*|bearer\s+)"
    r"[^\s,;]{4,}"
)


def holds_secret(text: str) -> bool:
    """Whether a text seems to hold a key, a password, or an address with one."""
    return masked(text) != text


def masked(text: str) -> str:
    """A text with keys and passwords left out, those in addresses too."""
    return _KEY.sub("…", _NAMED.sub(r"\1…", without_secrets(text)))
