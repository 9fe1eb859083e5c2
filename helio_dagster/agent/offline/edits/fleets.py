"""The same for several spacecraft: those of a list, or all that there are of a family beside those that are drawn."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.edits.elliptical import named_in_full, stem_of
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.layout_kept import most_drawn
from helio_dagster.agent.offline.edits.number_words import count_of
from helio_dagster.agent.offline.edits.slots import tokens_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.catalog.missions import missions as known_missions

_LAYOUT = frozenset(("apart", "together", "joint", "small", "use", "all"))


def with_fleet(text: str, table: Table) -> tuple[str, str]:
    """What adds the spacecraft that `all four` are beside those that are drawn, and what is said of all; else nothing."""
    everyone, missions = matched("elliptical.all", text), table.plotted.missions
    if (several := matched("elliptical.several", text)) is not None and (names := _listed(several["what"], table)):
        return f"add {' and '.join(names)}{several['rest'] or ''}", ""
    if everyone is None or not (stem := stem_of(missions)):
        return "", ""
    family = [each.name for each in known_missions() if re.fullmatch(rf"{re.escape(stem)}([A-F]|\d)", each.name)]
    others = [each for each in family if each not in missions]
    rest = "stacked" if everyone["from"] else re.sub(r"^(?:and|but|then)\s+", "", (everyone["rest"] or "").strip(" ,"))
    count = count_of("two" if everyone["both"] else everyone["count"] or "")
    if (count and count not in (len(family), len(others))) or not others or (everyone["from"] and missions != family[:1]):
        return "", ""
    if not everyone["noun"] and (rest or count) and count <= most_drawn(table.plotted):
        return "", ""  # `all of them in red`
    if rest and len(missions) > 1 and max(count, 2) <= len(missions) and not everyone["other"]:
        return "", ""  # `both spacecraft in red`
    added = f"add {' and '.join(others)}"
    is_layout = all(token.kind in _LAYOUT for token in tokens_of(rest))
    return (f"{added}, {rest}".strip(" ,"), "") if is_layout else (added, rest)


def _listed(words: str, table: Table) -> list[str]:
    """The spacecraft of a list of several, `MMS2, 3 and 4`, but those that are drawn; none where a word is of anything else."""
    stem, names = stem_of(table.plotted.missions), list[str]()
    for item in form("elliptical.item").split(named_in_full(words, table)):
        for name in (item, f"{stem}{item.upper()}") if stem else (item,):
            reading = read_request(name, table.now)
            read = [each.meaning for each in reading.mentions]
            if len(read) == 1 and isinstance(read[0], Mission) and read[0].name and not reading.unknown:
                names.append(read[0].name)
                break
        else:
            return []
    return [each for each in names if each not in table.plotted.missions] if len(names) > 1 else []
