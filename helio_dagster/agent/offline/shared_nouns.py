"""A noun that several words before it share: `electron + ion fluxes` are electron fluxes and ion fluxes."""

from __future__ import annotations

import re

_JOINT = r"(?:\s*(?:\+|&|/|,(?:\s+and)?|\s+and)\s*)"
_SHARING = (
    (r"(?:electrons?|ions?|protons?)", r"(?:flux(?:es)?|intensit(?:y|ies))"),
    (r"(?:magnetopause|bow[- ]shock)", r"(?:(?:subsolar|stand-?off|nose|model) )*(?:distances?|positions?|locations?)"),
    (r"(?:magnetic|thermal|total)", r"(?:plasma )?pressures?"),
)
"""Words that are listed, and the noun that they share."""
_LISTS = tuple(
    (
        re.compile(rf"(?<![\w-])(?P<list>{word}(?:{_JOINT}{word})+)(?P<noun>\s+{noun})(?![\w-])", re.IGNORECASE),
        re.compile(word, re.IGNORECASE),
    )
    for word, noun in _SHARING
)


def with_nouns_shared(request: str) -> str:
    """The request with the noun behind each of the words that share it."""
    for pattern, word in _LISTS:
        found = pattern.search(request)
        while found is not None:
            apart = " and ".join(f"{each}{found['noun']}" for each in word.findall(found["list"]))
            request = f"{request[: found.start()]}{apart}{request[found.end() :]}"
            found = pattern.search(request, found.start() + len(apart))
    return request
