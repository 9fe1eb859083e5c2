"""How lines and panels look: colour, width, points, scale, range and height."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.plotted_figure import Target
from helio_dagster.agent.offline.edits.slots import Clause, plain
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure import Ends
from helio_dagster.domain.unit_conversion import conversion_factor
from helio_dagster.domain.units import is_same_unit, normalize_unit

_NO_CURVES = frozenset(("peak_of", "spectral_slope", "facts_of", "intervals_where", "intersection_of", "crossings", "jumps"))
"""Operations whose results stand in a panel as numbers or shading."""
_PAIRS = frozenset(("scatter", "hodogram", "walen"))
"""Operations whose results are drawn over another axis than time, partition by partition."""
_OF_BINS = (("eV", "keV", "MeV"), ("Hz", "kHz", "MHz"))
"""Units of the bins of spectrograms."""
_PER_ENERGY = re.compile(r"(?<!\w)([kM]?eV)\^-1")
_IN_EV = re.compile(r"^MMS\d_FPI_|HOPE")
"""Datasets with bins in eV whose fluxes are per keV."""
_OF_PANELS = ("scale", "range", "by", "height")


def give_looks(clause: Clause, target: Target, table: Table) -> None:
    """Make the lines that are meant look as said.

    Raises
    ------
    OpenQuestion
        It is open which line or panel is meant, or it cannot look so.
    """
    looks, changes = clause.looks, dict[str, Any]()
    lines, is_open = target.lines, not target.is_named and not clause.all
    if "range" in looks and is_open and (unit := looks.get("unit")):
        of_unit = [line for line in lines if is_same_unit(unit_of(line.trace.data, table.plotted) or "", normalize_unit(unit))]
        lines = of_unit or lines
    if is_open and re.search(
        r"\b(?:energ(?:y|ies)|frequenc(?:y|ies)) (?:axis|range|scale|limits?)\b", clause.text, re.IGNORECASE
    ):
        lines = [line for line in lines if line.is_spectrogram] or lines
    if is_open and looks.get("axis") == "z":
        lines = [line for line in lines if line.is_spectrogram] or lines
    if "color" in looks and is_open:
        lines = [line for line in lines if not {*line.operations[-1:]} & _NO_CURVES] or lines
    rows = list(dict.fromkeys(line.panel for line in lines))
    if "color" in looks and len(lines) > 1 and (is_open or (not clause.all and len(rows) < len(lines))):
        raise table.ask_which(clause, lines)
    if "range" in looks and looks.get("axis") != "z" and (unit := looks.get("unit")):
        limits = _in_bins(unit, looks["range"], [line for line in lines if line.is_spectrogram], table)
        looks = looks if limits is None else {**looks, "range": limits, "unit": ""}
        clause = replace(clause, looks=looks)
    if is_open and "scale" in looks:
        rows = _rows_of_scale(looks.get("axis") or "", rows, lines, table)
        is_open = looks.get("axis") != "xy"
    if set(_OF_PANELS) & set(looks) and len(rows) > 1 and is_open:
        raise table.ask_which(clause, lines, "panel")
    if not 0 < looks.get("width", 1) <= 10:
        raise OpenQuestion(f"A line is up to 10 pixels wide, not {looks['width']:g}. How wide do you want it?")
    if looks.get("draw") == "steps" and re.search(r"\bbars?\b", clause.text, re.IGNORECASE):
        table.notes.append("Bars are drawn as steps: each value holds until the next.")
    for line in lines:
        changes |= {f"{line.path}.{name}": looks[name] for name in ("color", "width", "dash") if name in looks}
        plotted = line.trace.draw or "line"
        if "draw" in looks and plotted != "spectrogram" and plotted != looks["draw"]:
            changes[f"{line.path}.draw"] = looks["draw"]
    for row in rows if set(_OF_PANELS) & set(looks) else ():
        path = f"figure.panels[{row}]"
        has_colors = any(line.is_spectrogram for line in lines if line.panel == row)
        words = looks.get("axis") or ("z" if has_colors and "scale" in looks else "y")
        if "range" in looks and words == "y" and _is_of_values(clause, [line for line in lines if line.panel == row]):
            words = "x"
        for axis in _axes(words, [line for line in lines if line.panel == row], table):
            changes |= {f"{path}.{axis}.scale": looks["scale"]} if "scale" in looks else {}
            before = getattr(table.plotted.panels[row], axis).range
            changes |= {f"{path}.{axis}.range": _range(clause, lines, before, table)} if "range" in looks else {}
        if "by" in looks or "height" in looks:
            height = round(looks.get("height", table.plotted.panels[row].height * looks.get("by", 1)), 3)
            if not 0 < height <= 10:
                raise OpenQuestion(f"A panel is up to 10 times as high as another, not {height:g}. How high do you want it?")
            changes[f"{path}.height"] = int(height) if float(height).is_integer() else height
    if not changes:
        raise SoAlready("It is drawn so already. What do you want to change?")
    table.draw(changes)


def _is_of_values(clause: Clause, lines: Sequence[Line]) -> bool:
    """Whether limits are those of the values that a histogram counts: `histogram between 250 and 800`."""
    is_histogram = bool(lines) and all(line.operations[-1:] == ("histogram",) for line in lines)
    return is_histogram and re.search(r"\by\b|vertical|samples|counts?\b", clause.text, re.IGNORECASE) is None


def _axes(words: str, lines: Sequence[Line], table: Table) -> tuple[str, ...]:
    """The axes of a panel that are meant; time is not drawn otherwise."""
    if "x" not in words:
        return (words,)
    of_ranges = {step.id for step in table.plotted.pipeline.steps if step.over == "range"}
    if any(line.trace.data in of_ranges or {*line.operations} & _PAIRS for line in lines):
        return tuple(words)
    if words == "x":
        raise OpenQuestion("The horizontal axis is time, which is linear; its ends are the range. What do you want to change?")
    return ("y",)


def _in_bins(unit: str, limits: Sequence[float | None], spectra: Sequence[Line], table: Table) -> list[float | None] | None:
    """Limits in the unit of the bins of a spectrogram, which is that of a flux per energy; None where they are no bins.

    Raises
    ------
    OpenQuestion
        Nothing tells the unit; it says the limits as numbers of that axis.
    """
    family = next((each for each in _OF_BINS if any(is_same_unit(unit, other) for other in each)), None)
    if not spectra or family is None:
        return None
    factors = {other: float(conversion_factor(normalize_unit(unit), normalize_unit(other))) for other in family}
    fetches = [step.fetch for step in table.plotted.upstream(spectra[0].trace.data) if step.fetch]
    facts = [table.offers.catalog.facts(each.archive, each.dataset) for each in fetches]
    units = [one.unit for each, known in zip(fetches, facts, strict=True) if known and (one := known.parameter(each.parameter))]
    per = _PER_ENERGY.search(" ".join(units))
    own = "eV" if "eV" in factors and any(_IN_EV.search(each.dataset) for each in fetches) else per[1] if per else ""
    ends = [(word, end) for word, end in zip(("from", "to"), limits, strict=True) if end is not None]
    said = {name: " ".join(f"{word} {end * factor:.6g}" for word, end in ends) for name, factor in factors.items()}
    if own not in factors:
        again = [f"`y axis {words}` if it is in {name}" for name, words in said.items()]
        text = "Limits are numbers in the unit of the axis, which the catalog does not tell."
        raise OpenQuestion(f"{text} Please say {', '.join(again[:-1])}, or {again[-1]}.")
    table.notes.append(f"The axis is taken to be in {own}, {said[own]}: the catalog tells the unit of the flux alone.")
    return [None if each is None else plain(f"{each * factors[own]:.6g}") for each in limits]


def _rows_of_scale(words: str, rows: list[int], lines: Sequence[Line], table: Table) -> list[int]:
    """The panels that a scale is said of: of both axes, those that have two besides time, if any has."""
    if words != "xy":
        return rows
    both = [row for row in rows if len(_axes(words, [line for line in lines if line.panel == row], table)) > 1]
    return both or rows


def _range(clause: Clause, lines: Sequence[Line], before: Ends | None, table: Table) -> list[float | None]:
    """The ends that are said; of one end alone the other stays as it is."""
    low, high = clause.looks["range"]
    if before is not None and low is None and not (before[0] is not None and before[0] >= high):
        low = before[0]
    elif before is not None and high is None and not (before[1] is not None and before[1] <= low):
        high = before[1]
    if low is not None and high is not None and low >= high:
        raise OpenQuestion(f"A range goes from a lower to a higher value, not from {low} to {high}. Which one do you mean?")
    words = clause.looks.get("unit")
    own = unit_of(lines[0].trace.data, table.plotted) if words and clause.looks.get("axis") not in ("x", "xy", "z") else None
    if words and own and not is_same_unit(own, normalize_unit(words)) and words.lower() not in (own.lower(), "/cc", "cc"):
        raise OpenQuestion(f"The axis is in {own}, not in {words}. From where to where, in {own}?")
    return [low, high]


def give_height(text: str, table: Table) -> bool:
    """Make a panel so many times as high as another; False where the sentence says no such thing.

    Raises
    ------
    OpenQuestion
        One of them is not in the figure.
    """
    match = matched("looks.height", text)
    if match is None:
        return False
    what, than = (table.plotted.target(match[name]) for name in ("what", "than"))
    rows = [{line.panel for line in each.lines} if each is not None and each.is_named else set() for each in (what, than)]
    if any(len(each) != 1 for each in rows) or rows[0] == rows[1]:
        raise OpenQuestion("Which panel shall be how many times as high as which other one?")
    (row,), (other,) = rows
    words = match["by"].lower()
    factor = plain(words.split()[0]) if words[0].isdigit() else {"half": 0.5, "three times": 3}.get(words, 2)
    height = round(factor * table.plotted.panels[other].height, 3)
    table.draw({f"figure.panels[{row}].height": height})
    return True
