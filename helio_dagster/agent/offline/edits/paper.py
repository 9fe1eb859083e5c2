"""How a figure is put on paper, said in words: its width, letters, title, font, style and footer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import Answer, Edits, OpenQuestion, Plan, Replay
from helio_dagster.agent.looks_in_words import printing_in_words
from helio_dagster.agent.offline.edits.beside import draw_slope, is_about_panels, stand_beside
from helio_dagster.agent.offline.edits.forms import rows
from helio_dagster.agent.offline.edits.in_turn import after
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.wording import tidy
from helio_dagster.agent.planner import Current
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.printing import MM_PER_INCH, read_printing

_TITLES = re.compile(
    r"\"[^\"]*\"|“[^”]*”|\btitle (?:to|as|into|is)\b.*|\b(?:call|name) (?:it|this|the figure)\b.*", re.IGNORECASE
)
"""What somebody calls a figure says nothing of how it is printed."""
_NOT_OF_PAPER = ("beside", "slope")
_STEPS = {"larger": 1, "smaller": -1}
"""Points by which letters change where no size is said."""
_USUAL_PT = {"": "8", "talk": "16"}
"""Sizes of letters of the styles, `_STYLES` of figures.printing.paper."""
_PX_PER_INCH = 96
"""Pixels of CSS."""
_EDGES = (r"(?<![\w|-])", r"(?![\w|])")
_ANSWERS: Mapping[str, bool] = {"yes": True, "no": False}


@dataclass(frozen=True)
class PaperWords:
    """A request without the words for how its figure is printed, these words, and the keys of `print:` with their values."""

    request: str
    words: str
    given: Mapping[str, str | bool | int]

    def of(self, plan: Plan, table: Table) -> Plan:
        """The plan with its figure on paper so."""
        note = put_on_paper(self, table)
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, note))


def find_paper(request: str) -> PaperWords | None:
    """The words of a request for how its figure is printed, taken out of it."""
    given: dict[str, str | bool | int] = {}
    places: list[tuple[int, int]] = []
    for first, last, key, value in _found(request):
        if key == "beside" and not is_about_panels(request):
            continue
        if not places or first >= places[-1][1]:
            given[key] = value
            places.append((first, last))
    if not given:
        return None
    rest = request
    for first, last in reversed(places):
        rest = f"{rest[:first]}\0{rest[last:]}"
    left = tidy(re.sub(r"\0(?:[\s,;]*(?:and\s*)?\0)+", "\0", rest))
    words = ", ".join(request[first:last] for first, last in places)
    return PaperWords(left if re.search(r"\w", left) else "", words, given)


def put_on_paper(words: PaperWords, table: Table) -> str:
    """Give the figure these keys of `print:`, and what stands beside what it shows; what it then is, as a note.

    Raises
    ------
    OpenQuestion
        A value is none that can be printed, or nothing would change.
    """
    notes = [stand_beside(table)] if "beside" in words.given else []
    notes += [draw_slope(str(words.given["slope"]), table)] if "slope" in words.given else []
    given = {key: value for key, value in words.given.items() if key not in _NOT_OF_PAPER}
    return " ".join([*notes, _printed(given, table)] if given else notes)


def print_beside(
    words: PaperWords, current: Current, whole: Callable[[str], Answer | None], table_of: Callable[[Current], Table]
) -> Answer | None:
    """How a figure is printed, beside what else a sentence changes, which `whole` understands.

    Raises
    ------
    OpenQuestion
        A value is none that can be printed, nothing would change, or what else is said is no change.
    """
    try:
        beside = whole(words.request) if words.request else Edits(())
    except OpenQuestion as asked:
        asked.say_again(words.words)
        raise
    if beside is None:
        return None
    if not isinstance(beside, Edits | Replay):
        raise OpenQuestion("How the figure is printed can be said once that is done.", [words.request])
    table = table_of(after(beside, current))
    note = put_on_paper(words, table)
    changed = beside if isinstance(beside, Edits) else Edits((), beside.span, beside.notes)
    return replace(changed, edits=(*changed.edits, *table.edits), notes=(*changed.notes, note), intent=table.intent)


def _printed(phrase: Mapping[str, str | bool | int], table: Table) -> str:
    """Give the figure keys of `print:`; what it then is on paper."""
    printing = table.plotted.figure.figure.print if table.plotted.figure.figure is not None else None
    old = printing.model_dump(mode="json", exclude_unset=True) if printing is not None else {}
    given = {
        key: _absolute(key, str(value), {**old, **phrase, "was": old.get("font")}) or value for key, value in phrase.items()
    }
    try:
        read_printing(given)
    except InputError as error:
        raise OpenQuestion(f"{error.problem}. What do you want instead?") from None
    printed = read_printing({**old, **given})
    new = printed.model_dump(mode="json", exclude_unset=True)
    if new == old:
        raise OpenQuestion("It is printed so already. What do you want to change?")
    table.draw({"figure.print": new})
    words = printing_in_words(printed)
    pixels = str(phrase.get("height", ""))
    words += f" ({pixels} at {_PX_PER_INCH} per inch)" if pixels.endswith(" px") else ""
    return f"On paper: {words}. `helio figure` writes it; the page stays as it is."


def _absolute(key: str, value: str, all_of_it: Mapping[str, object]) -> str:
    """A height in pixels in millimetres, and letters a point larger or smaller than they are; empty for other values."""
    if key == "height" and value.endswith(" px"):
        return f"{float(value.removesuffix(' px')) * MM_PER_INCH / _PX_PER_INCH:.0f} mm"
    if key != "font" or value not in _STEPS:
        return ""
    usual = _USUAL_PT["talk" if all_of_it.get("style") == "talk" else ""]
    now = re.match(r"[\d.]+", str(all_of_it.get("was") or "")) or re.match(r"[\d.]+", usual)
    return f"{float(now[0]) + _STEPS[value]:g} pt" if now is not None else ""


def _found(request: str) -> list[tuple[int, int, str, str | bool | int]]:
    """Where the words are, with key and value, in order; of those that begin at one place the longest first."""
    text = _TITLES.sub(lambda title: "\0" * len(title[0]), request)
    found = []
    for meaning, pattern in rows("paper_words.txt", _EDGES):
        key, value = meaning.split(" ", 1)
        for match in pattern.finditer(text):
            words = value
            for name in re.findall(r"<(\w+)>", value):
                words = words.replace(f"<{name}>", match[name].lower())
            target = _ANSWERS.get(words, int(words) if words.isdigit() else re.sub(r"inch(?:es)?$", "in", words))
            found.append((*match.span(), key, target))
    return sorted(found, key=lambda each: (each[0], -each[1]))
