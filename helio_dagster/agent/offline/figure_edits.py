"""Changes of a figure in words: colour, width, axes, title, arrangement."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.plotted_figure import Line, PlottedFigure
from helio_dagster.domain.pipeline import Panel, Trace
from helio_dagster.domain.pipeline_edit import Edit, EditPipeline, EditStep

COLORS = frozenset(
    re.findall(
        "[a-z]+",
        "black white red green blue yellow orange purple violet magenta cyan pink brown gray grey silver gold navy teal "
        "maroon olive lime indigo turquoise salmon coral crimson firebrick darkred tomato chocolate darkgoldenrod "
        "goldenrod khaki tan seagreen darkgreen forestgreen limegreen steelblue royalblue dodgerblue skyblue lightblue "
        "darkblue midnightblue orchid slateblue plum darkorange darkgray darkgrey lightgray lightgrey dimgray dimgrey beige",
    )
)
_COLOR_NAMES = "|".join(sorted(COLORS, key=len, reverse=True))
_COLOR = rf"(?P<color>(?:dark|light|steel|royal|sky|forest|fire)?[- ]?(?:{_COLOR_NAMES})|#[0-9a-f]{{6}})"
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_UNIT = r"(?: ?(?:nt|km/s|cm\^?-?3|/cc|cc|k|ev|npa|pa|mv/m|hz|deg|degrees|%))?"
_SET = "(?:set|make|put|use|give|fix|limit|change|show|draw)"
_OF = "(?: (?:for|of|on|in) (?P<target>.+?))?"
_SCALE = "(?P<scale>log(?:arithmic|arithmically)?|linear)"

Reader = Callable[[re.Match[str], PlottedFigure], list[Edit]]


def read_figure_edit(text: str, plotted: PlottedFigure) -> list[Edit] | None:
    """The edits that a sentence means; None where it is not a change of a figure.

    Raises
    ------
    OpenQuestion
        It leaves open which line or panel is meant, or cannot be done.
    """
    for pattern, read in _READERS:
        match = pattern.fullmatch(text)
        if match is not None:
            edits = read(match, plotted)
            if edits:
                return edits
    return None


def _changed(plotted: PlottedFigure, changes: dict[str, Any]) -> list[Edit]:
    return [EditStep(kind="edit_step", step=plotted.figure.id, changes=changes)]


def _colored(match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    color = re.sub("[- ]", "", match["color"].lower())
    if color not in COLORS and not color.startswith("#"):
        return []
    line = plotted.one(match["target"] or "", f"make {{0}} {color}")
    return _changed(plotted, {f"{line.path}.color": color})


def _wide(match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    parts = match.groupdict()
    width = float(parts["width"]) if parts.get("width") else 0.75 if "thin" in match[0].lower() else 2.0
    if not 0 < width <= 10:
        raise OpenQuestion(f"A line is up to 10 pixels wide, not {width:g}. How wide shall it be?")
    lines = plotted.find(parts.get("target") or "")
    if lines is None:
        return []
    return _changed(plotted, {f"{line.path}.width": width for line in lines})


def _drawn_as(match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    """Points in place of lines, or lines in place of points; colours of a spectrogram are neither."""
    target = match["target"] or ""
    lines = plotted.find(target)
    if lines is None:
        return []
    wanted = "line" if match["how"].lower().startswith("line") else "points"
    found = [line for line in lines if line.trace.draw != "spectrogram" and line.trace.draw != wanted]
    return _changed(plotted, {f"{line.path}.draw": wanted for line in found}) if found else []


def _scaled(match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    scale = "log" if match["scale"].lower().startswith("log") else "linear"
    target = match["target"] or ""
    if target and plotted.find(target) is None:
        return []
    row = plotted.panel(target, f"{scale} scale for {{0}}")
    axis = "z" if re.search("colou?r", match[0], re.IGNORECASE) else "y"
    return _changed(plotted, {f"figure.panels[{row}].{axis}.scale": scale})


def _ranged(match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    low, high = float(match["low"]), float(match["high"])
    if low >= high:
        raise OpenQuestion(f"A range goes from a lower to a higher value, not from {low:g} to {high:g}. Which one do you mean?")
    target = match["target"] or ""
    if target and plotted.find(target) is None:
        return []
    row = plotted.panel(target, f"set the y axis of {{0}} from {low:g} to {high:g}")
    axis = "z" if re.search("colou?r", match[0], re.IGNORECASE) else "y"
    return _changed(plotted, {f"figure.panels[{row}].{axis}.range": [_plain(low), _plain(high)]})


def _titled(match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    title = match["title"].strip().strip("\"'“”‘’")
    edits: list[Edit] = [EditPipeline(kind="edit_pipeline", changes={"title": title})]
    if plotted.figure.figure is not None and plotted.figure.figure.title is not None:
        edits += _changed(plotted, {"figure.title": title})
    return edits


def _apart(_match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    panels: list[Panel] = []
    for row, panel in enumerate(plotted.panels):
        groups = _groups([line for line in plotted.lines if line.panel == row], plotted)
        panels += [panel] if len(groups) == 1 else [_own_panel(panel, group) for group in groups]
    if len(panels) == len(plotted.panels):
        raise OpenQuestion("Each line has a panel of its own already. What do you want to change?")
    return _changed(plotted, {"figure.panels": [_document(panel) for panel in panels]})


def _groups(lines: Sequence[Line], plotted: PlottedFigure) -> list[list[Line]]:
    """Lines that stay together: a mean, and the values that it is taken of."""
    groups: list[list[Line]] = []
    for line in lines:
        steps = {step.id for step in plotted.upstream(line.trace.data)}
        home = next((group for group in groups if any(other.trace.data in steps for other in group)), None)
        groups.append([line]) if home is None else home.append(line)
    return groups


def _own_panel(panel: Panel, group: Sequence[Line]) -> Panel:
    label, title = group[0].trace.label, panel.y.title
    named = f"{label} {title}" if label and title and label not in title else title
    return panel.model_copy(update={"traces": [line.trace for line in group], "y": panel.y.model_copy(update={"title": named})})


def _together(_match: re.Match[str], plotted: PlottedFigure) -> list[Edit]:
    kinds = {(line.quantities, "magnitude" in line.operations, line.operations[-1:]) for line in plotted.lines}
    if len(plotted.panels) == 1:
        raise OpenQuestion("All is in one panel already. What do you want to change?")
    if len(kinds) > 1 or any(is_whole_vector(line) for line in plotted.lines):
        raise OpenQuestion("These have no axis in common, so they cannot share a panel. What do you want to change?")
    colors = ("black", "firebrick", "steelblue", "darkgoldenrod", "seagreen")
    traces: list[Trace] = []
    for place, line in enumerate(plotted.lines):
        update = {
            "label": line.trace.label or " ".join(line.missions),
            "color": line.trace.color or colors[place % len(colors)],
        }
        traces.append(line.trace.model_copy(update=update))
    title = plotted.panels[0].y.title or ""
    for mission in plotted.missions:
        title = title.removeprefix(f"{mission} ")
    first = plotted.panels[0]
    merged = first.model_copy(update={"traces": traces, "y": first.y.model_copy(update={"title": title or None})})
    return _changed(plotted, {"figure.panels": [_document(merged)]})


def is_whole_vector(line: Line) -> bool:
    """Whether a line is a vector by all its components."""
    of_vectors = {"magnetic_field", "velocity", "position", "electric_field"}
    is_part = {"magnitude", "component", "direction"} & set(line.operations) or line.trace.component
    return bool(of_vectors & set(line.quantities)) and not is_part and not re.search("_mag(_|$)", line.trace.data)


def _document(panel: Panel) -> dict[str, Any]:
    """A panel as it stands in a file: nothing that is left open."""
    return panel.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() else number


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (
        _pattern(
            rf"(?:{_SET}|plot)? ?(?P<target>.*?) ?(?:as|with|by|in|to|using|into) (?:single |small )?"
            "(?P<how>points|dots|markers|symbols|lines?)(?: instead)?(?: only)?"
        ),
        _drawn_as,
    ),
    (_pattern(rf"(?:{_SET}|colou?r|paint|turn) (?P<target>.*?) ?(?:in |to )?{_COLOR}"), _colored),
    (_pattern(rf"(?P<target>.*?) ?(?:in|should be|shall be|must be) {_COLOR}(?: please)?"), _colored),
    (
        _pattern(
            rf"(?:{_SET} )?(?:the )?(?:line )?width(?: of (?P<target>.+?))? (?:to |of )?"
            r"(?P<width>\d+(?:\.\d+)?)(?: ?px| pixels)?"
        ),
        _wide,
    ),
    (
        _pattern(r"(?:make |draw |use )?(?P<target>.*?) ?(?:lines? )?(?:thick(?:er)?|thin(?:ner)?|bold(?:er)?)(?: lines?)?"),
        _wide,
    ),
    (_pattern(rf"(?:(?:{_SET}) )?(?:an? |the )?{_SCALE}(?:[- ](?:y[- ]|colou?r )?(?:scales?|axis|axes))?{_OF}"), _scaled),
    (_pattern(rf"(?:{_SET} )?(?P<target>.+?) (?:on|in|to|with|use) an? {_SCALE}(?:[- ](?:scale|axis))"), _scaled),
    (_pattern(rf"(?:{_SET} )?(?P<target>.+?) {_SCALE}(?:[- ](?:scale|axis))?"), _scaled),
    (
        _pattern(
            rf"(?:{_SET} )?(?:the )?(?:y[- ]?|value |colou?r )?(?:axis|range|limits?|scale)(?: range| limits?)?{_OF} ?"
            rf"(?:to |from |between |at |= ?)*(?P<low>{_NUMBER}){_UNIT} ?(?:to|and|-|–|\.\.|,) ?(?P<high>{_NUMBER}){_UNIT}"
        ),
        _ranged,
    ),
    (
        _pattern(rf"{_SET} (?P<target>.+?) (?:from|between) (?P<low>{_NUMBER}){_UNIT} (?:to|and|-) (?P<high>{_NUMBER}){_UNIT}"),
        _ranged,
    ),
    (
        _pattern(
            r"(?:title (?:it|this)|call it|(?:set|change|make) the title(?: to| into|:)?|the title (?:is|should be)) "
            r"(?P<title>.+)"
        ),
        _titled,
    ),
    (
        _pattern(
            r"(?:put |show |draw |plot |split )?(?:them |it |these |the lines |everything |all )?(?:in |into |on |as )?"
            r"(?:(?:two |three |four )?(?:separate|different|individual|their own|own|two|three|four|several) panels?"
            r"|stacked|one panel each|(?:one )?(?:below|above) (?:each other|one another|the other))"
            r"|stack (?:them|it|the lines|these)|separate (?:them|the lines)"
        ),
        _apart,
    ),
    (
        _pattern(
            r"(?:put |show |draw |plot |overplot |overlay |merge )?(?:them |it |these |both |the lines |everything |all )?"
            r"(?:(?:in|into|on) )?(?:(?:one|the same|a single|a common) (?:panel|axis|axes|plot)|together|overlaid|overplotted)"
            r"|(?:overplot|overlay) (?:them|these)"
        ),
        _together,
    ),
)
