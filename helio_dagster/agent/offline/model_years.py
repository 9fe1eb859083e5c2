"""Years that belong to the name of a model, as in `Shue et al. (1998)`: they are no time of data."""

from __future__ import annotations

import re

_YEARS = {
    r"shue": "1997|1998",
    r"jel[ií]nek": "2012",
    r"newell": "2007|2008",
    r"lin": "2010",
    r"burton": "1975",
    r"boynton": "2011",
    r"kan(?:\s+and\s+|\s*[-–&]\s*)lee": "1979",
    r"(?:perreault(?:\s+and\s+|\s*[-–&]\s*))?akasofu": "1978|1979|1981",
    r"o['’]?\s?brien(?:(?:\s+and\s+|\s*[-–&/]\s*)mcpherron)?": "2000",
    r"farris(?:(?:\s+and\s+|\s*[-–&/]\s*)russell)?": "1994",
}
"""Authors of models, and when their papers appeared."""
_NAMED = re.compile(
    "|".join(
        rf"(?<![\w-])(?P<open{n}>\(?)(?P<name{n}>{name})(?:['’]s)?(?:,?\s+et\.?\s+al\.?(?:['’]s)?)?"
        rf",?\s*\(?(?:{years})[ab]?(?![-/:.\w])\)?\)?"
        for n, (name, years) in enumerate(_YEARS.items())
    ),
    re.IGNORECASE,
)


def without_model_years(text: str) -> str:
    """The text with spaces in place of a model's year and `et al.`, so that everything else keeps its place."""
    return _NAMED.sub(_bare, text)


def _bare(match: re.Match[str]) -> str:
    groups = {name: found for name, found in match.groupdict().items() if found is not None}
    before = next(len(found) for name, found in groups.items() if name.startswith("open"))
    author = next(found for name, found in groups.items() if name.startswith("name"))
    return f"{' ' * before}{author}".ljust(len(match[0]))
