"""Titles of a figure and of its axes, given in words: `call it ...`, `label the speed as ...`."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.slots import clauses_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.mission_words import mission_names
from helio_dagster.domain.units import is_same_unit, normalize_unit

_UNIT = re.compile(r"\s*[\[(](?P<unit>[^\])]+)[\])]\s*$")


def _without_unit(phrase: str, line: Line, table: Table) -> str:
    """The words of an axis without the unit, which stands behind them in any case."""
    words = phrase.strip("\"'“”‘’ ")
    unit, own = _UNIT.search(words), unit_of(line.trace.data, table.plotted)
    if unit is None or own is None or not is_same_unit(own, normalize_unit(unit["unit"])):
        return words
    table.notes.append(f"The unit, {own}, stands behind the words of the axis in any case.")
    return words[: unit.start()]


def name_anew(text: str, table: Table) -> str:
    """What is left of a sentence when titles in it have been set; possessives of what is plotted are plain names."""
    plotted = table.plotted
    label = matched("titles.label", text)
    target = plotted.target(label["target"]) if label is not None else None
    if label is not None and target is not None and len({line.panel for line in target.lines}) == 1:
        table.draw({f"figure.panels[{target.lines[0].panel}].y.title": label["quoted"].strip()})
        return ""
    if (axis := matched("titles.axis", text)) is not None and (
        of_axis := plotted.target(axis["of"] or axis["of2"] or "")
    ) is not None:
        rows = list(dict.fromkeys(line.panel for line in of_axis.lines))
        if len(rows) > 1:
            names = " or ".join(plotted.panels[row].y.title or f"panel {row + 1}" for row in rows)
            raise OpenQuestion(f"Which axis shall say that: {names}?")
        table.draw({f"figure.panels[{rows[0]}].y.title": _without_unit(axis["text"], of_axis.lines[0], table)})
        return ""
    title = matched("titles.title", text)
    if title is not None:
        words = (title["quoted"] or title["text"]).strip("\"'“”‘’ ")
        if title["text"] and all(each.looks and not each.target for each in clauses_of(words)):
            return text
        table.describe({"title": words})
        figure = plotted.figure.figure
        table.draw({"figure.title": words} if figure is not None and figure.title is not None else {})
        return re.sub(r"^[\s,;]*(?:and )?", "", title["rest"] or "")
    owners = {word.lower() for line in plotted.lines for word in (*line.missions, line.trace.label or "", line.trace.data)}
    owners |= {"line", "curve", "trace", *(name.lower() for name in mission_names())}
    return re.sub(r"([\w|-]+)['’]s\b", lambda match: match[1] if match[1].lower() in owners else match[0], text)
