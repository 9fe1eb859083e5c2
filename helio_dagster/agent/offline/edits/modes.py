"""The same data in another mode of their instrument: `use burst mode data`, `switch the field to survey mode`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Filler, InMode, Mission, Shape
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.modes import MODE_WORDS
from helio_dagster.catalog.choice.offer import Mode
from helio_dagster.domain.pipeline import Fetch

_SMALL = frozenset("data products product mode version ones use now please for to of the it them both all in instead".split())  # noqa: SIM905
_TOKENS: dict[Mode, tuple[str, ...]] = {
    "burst": ("brst",),
    "survey": ("srvy", "fast"),
    "fast": ("fast", "srvy"),
    "slow": ("slow",),
}
"""How ids of MMS say a mode: the fast survey of a particle instrument is the survey of the fields."""


def switch_mode(text: str, table: Table) -> bool:
    """Fetch what is drawn in another mode; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        Something that is drawn is not known in that mode: half of it is never changed.
    """
    words = form("modes.lead").sub("", form("modes.instead").sub("", text))
    reading = read_request(words, table.now)
    modes = reading.all(InMode)
    if len(modes) != 1 or modes[0].name not in _TOKENS:
        return False
    mode = modes[0].name
    known = (Filler, InMode, Measured, Mission, Shape)
    if reading.time is not None or not all(isinstance(each.meaning, known) for each in reading.mentions):
        return False
    unknown = [each.words for each in reading.unknown if each.words.casefold() not in {*_SMALL, *words_of("small")}]
    if unknown:
        raise NotUnderstood(f"I do not understand {', '.join(map(repr, unknown))}. What do you want in {MODE_WORDS[mode]}?")
    names = " ".join(each.words for each in reading.mentions if isinstance(each.meaning, Measured | Mission | Shape))
    target = table.plotted.target(names) if names else None
    if names and (target is None or not target.is_named):
        return False
    lines = target.lines if target is not None else table.plotted.lines
    steps = {step.id: step.fetch for line in lines for step in table.plotted.upstream(line.trace.data) if step.fetch}
    new = {step: _in_mode(fetch, mode, table) for step, fetch in steps.items()}
    _refuse(new, lines, text, mode, table)
    changed = {step: fetch for step, fetch in new.items() if fetch is not None and fetch != steps[step]}
    if not changed:
        raise OpenQuestion(f"It is in {MODE_WORDS[mode]} already. What do you want to change?")
    for step, fetch in changed.items():
        table.change(step, {"fetch.dataset": fetch.dataset, "fetch.parameter": fetch.parameter})
    _say(steps, changed, mode, table)
    return True


def _refuse(new: dict[str, Fetch | None], lines: Sequence[Line], text: str, mode: Mode, table: Table) -> None:
    """Ask where a part of what is meant is not known in the mode."""
    steps = {step.id: step.fetch for step in table.plotted.pipeline.steps if step.fetch}
    missing = [steps[step] for step, fetch in new.items() if fetch is None]
    if not missing:
        return
    named = " and ".join(dict.fromkeys(f"{each.dataset} {each.parameter}" for each in missing))
    able = [line for line in lines if all(new.get(step.id, True) for step in table.plotted.upstream(line.trace.data))]
    names = dict.fromkeys(table.plotted.name_of(line) for line in able)
    what = "For which do you want it?" if names else "What do you want to change?"
    raise OpenQuestion(f"I know nothing like {named} in {MODE_WORDS[mode]}. {what}", [f"{text} for {name}" for name in names])


def _say(steps: dict[str, Fetch], changed: dict[str, Fetch], mode: Mode, table: Table) -> None:
    """State which datasets are used now; what was said of those before goes with them."""
    old = {steps[step].dataset for step in changed} - {fetch.dataset for fetch in changed.values()}
    kept = [each for each in table.plotted.pipeline.assumptions if not any(name in each.split() for name in old)]
    stated = [
        f"{each} is used, in {mode} mode, as was asked." for each in dict.fromkeys(fetch.dataset for fetch in changed.values())
    ]
    table.describe({"assumptions": [*kept, *stated]})
    if mode == "burst":
        table.notes.append("Burst data are of selected intervals: where there are none in the range, the figure is empty.")


def _in_mode(fetch: Fetch, mode: Mode, table: Table) -> Fetch | None:
    """The same parameter in another mode; None where the catalog has none."""
    catalog = table.offers.catalog
    if form("modes.token").search(fetch.dataset) is None:
        return None
    for token in _TOKENS[mode]:
        dataset = form("modes.token").sub(token.upper(), fetch.dataset)
        facts = catalog.facts(fetch.archive, dataset)
        if facts is None:
            continue
        names = {each.name for each in facts.parameters}
        parameter = next((each for each in _spellings(form("modes.token").sub(token, fetch.parameter)) if each in names), None)
        if parameter is not None:
            return fetch.model_copy(update={"dataset": dataset, "parameter": parameter})
    return None


def _spellings(parameter: str) -> Iterator[str]:
    """A parameter, with and without the flagged values that only some datasets leave in."""
    yield parameter
    yield parameter.removesuffix("_clean") if parameter.endswith("_clean") else f"{parameter}_clean"
