"""Numbers of what is drawn over the whole range, below it: `min, max and mean of each in a table`."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.pipeline import Compute, Step

_NAMES = {
    "min": "minimum",
    "minimum": "minimum",
    "max": "maximum",
    "maximum": "maximum",
    "mean": "mean",
    "average": "mean",
    "median": "median",
    "std": "std",
    "standard deviation": "std",
}
_ALL_OF_THEM = ("mean", "median", "minimum", "maximum")
_USUAL = {"statistics": _ALL_OF_THEM, "stats": _ALL_OF_THEM, "extremes": ("minimum", "maximum")}
_ONE = "|".join(sorted((*_NAMES, *_USUAL), key=len, reverse=True))


def state_numbers(text: str, table: Table) -> bool:
    """Add numbers over the range of the lines that are meant; False where the sentence asks for none of it.

    Raises
    ------
    OpenQuestion
        A line is no single curve.
    """
    match = matched("stating.stated", text)
    is_asked = match is not None and (match["when"] or matched("stating.asked", text) is not None)
    if match is None or not (is_asked or match["of"] or match["range"] or match["table"]):
        return False
    is_all = not match["of"] or matched("stating.all", match["of"]) is not None
    meant = table.plotted.lines if is_all else table.plotted.named(match["of"])
    if not meant:
        return False
    lines = {line.trace.data: line for line in meant}
    wide = [line for line in lines.values() if line.is_whole_vector or line.is_spectrogram]
    if wide:
        which = " and ".join(table.plotted.name_of(line) for line in wide)
        raise OpenQuestion(f"Numbers are of one curve, and {which} has several. Which component do you want, or the magnitude?")
    words = [each.lower() for each in re.findall(_ONE, match["which"], re.IGNORECASE)]
    names = [name for each in words for name in _USUAL.get(each, (_NAMES.get(each, ""),)) if name]
    statistics = [*dict.fromkeys(names), "coverage"]
    facts = []
    for data, line in lines.items():
        compute = Compute(operation="facts_of", inputs={"series": data}, options={"statistics": statistics})
        intent = f"{' and '.join(statistics[:-1]).capitalize()} of {line.words}"
        facts.append(table.add(Step(id=f"{data}_facts", intent=intent, over="range", compute=compute)))
    table.draw({"figure.panels[+]": {"traces": [{"data": each} for each in facts]}})
    table.notes.append(f"Of all samples of the range: {' and '.join(statistics[:-1])}. For one of each day say `daily`.")
    return True
