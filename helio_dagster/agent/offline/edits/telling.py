"""Questions about what is drawn: from which dataset, how dense, in which mode, frame or unit it is, and what is averaged."""

from __future__ import annotations

import re
from collections.abc import Callable

from helio_dagster.agent.answers import Information
from helio_dagster.agent.drafting.drawn_figure import AVERAGED
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.computing import LENGTH_OPTIONS, unit_of
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.frames import frame_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.catalog.choice.modes import MODE_WORDS, is_in_mode
from helio_dagster.catalog.choice.offer import Mode
from helio_dagster.compute.operation import OPERATION_IDS, get_operation
from helio_dagster.domain.pipeline import Fetch

_MODES: tuple[Mode, ...] = ("burst", "survey", "fast", "slow")


def tell_of_plan(text: str, table: Table) -> Information | None:
    """What is known of the data that are drawn, where a text asks for nothing but that; None for any other."""
    if (why := matched("telling.reason", text.rstrip(" ?!."))) is not None:
        return _reason(why["what"] or "data", table)
    if (both := matched("telling.source_and_why", text.rstrip(" ?!."))) is not None:
        return _source_and_why(both["which"], table)
    if (step := matched("telling.step", text.rstrip(" ?!."))) is not None and (made := _made_by(step["what"], table)):
        return Information("\n".join(made), sources=())
    if matched("telling.size", text.rstrip(" ?!.")) is not None:
        fetched = ", ".join(dict.fromkeys(f"{each.dataset} {each.parameter}" for each in _fetches(table)))
        stated = "How much is left to download stands behind `ahead` on the card, and for how many partitions"
        return Information(f"{stated}: the files of {fetched}, for {table.span or 'the range that you name'}.", sources=())
    parts = [each for each in form("telling.and").split(text.rstrip(" ?!.")) if each.strip()]
    kinds = [next((kind for kind in _TOLD if matched(f"telling.{kind}", part.strip())), None) for part in parts]
    other = [part.strip() for kind, part in zip(kinds, parts, strict=True) if kind is None]
    if len(other) == len(kinds) or form("telling.wanted").search(text) is not None:
        return None
    if not all(matched("telling.asked", part) for part in other):
        return None
    if any(each.name not in table.plotted.missions for each in read_request(text, table.now).all(Mission)):
        return None
    listed = [line for kind in dict.fromkeys(filter(None, kinds)) for line in _TOLD[kind](table)]
    listed += [f"I cannot tell what {part!r} asks for: say it in other words." for part in other]
    sources = [each.file or each.dataset for each in _fetches(table)]
    return Information("\n".join(dict.fromkeys(listed)), sources=tuple(dict.fromkeys(sources)))


def _reason(what: str, table: Table) -> Information | None:
    """What the plan assumes about a spacecraft, a frame, or its datasets; None where it assumes nothing about it."""
    assumed = [str(each) for each in table.plotted.pipeline.assumptions]
    target = table.plotted.target(what)
    if matched("telling.any_data", what) is None:
        lines = target.lines if target is not None and target.is_named else []
        steps = [step for line in lines for step in table.plotted.upstream(line.trace.data)]
        names = [what, *dict.fromkeys(step.fetch.dataset for step in steps if step.fetch)]
        named = "|".join(map(re.escape, names))
        assumed = [each for each in assumed if re.search(rf"(?<![^\W_])(?:{named})(?![^\W_])", each, re.IGNORECASE)]
    return Information("\n".join(assumed), sources=()) if assumed else None


def _source_and_why(which: str, table: Table) -> Information | None:
    """From which datasets the data are and what the plan says of that choice; None where other things are asked too."""
    which = form("telling.used").sub("did you pick", which)
    if (source := tell_of_plan(which, table)) is None or matched("telling.source", which) is None:
        return None
    assumed = [str(each) for each in table.plotted.pipeline.assumptions]
    why = [each for each in assumed if any(dataset in each for dataset in source.sources)]
    named = "The request names the dataset, or leaves no choice: the plan assumes nothing about it."
    return Information("\n".join((source.text, *(why or [named]))), source.sources)


def _made_by(what: str, table: Table) -> list[str]:
    """What the step that words mean makes, how, and of what; empty where they mean none, or data that are fetched."""
    steps = {step.id: step for step in table.plotted.pipeline.steps}
    found = [steps[name] for name in dict.fromkeys(line.trace.data for line in table.plotted.named(what)) if name in steps]
    found = [steps[what.replace(" ", "_")]] if what.replace(" ", "_") in steps else found
    listed = []
    for step in found:
        listed.append(f"{step.id}: {step.intent}.")
        if step.fetch is not None:
            own, fetch = step.fetch.is_own, step.fetch
            listed.append(
                f"  {', '.join(fetch.columns or {})} of your file {fetch.file}, as it stands there."
                if own
                else f"  {fetch.parameter} of {fetch.dataset}, as the archive has it."
            )
        if step.compute is None:
            continue
        if step.compute.operation in OPERATION_IDS:
            options = ", ".join(f"{name} {value}" for name, value in step.compute.options.items())
            listed.append(f"  {step.compute.operation}{f' with {options}' if options else ''}: ")
            listed[-1] += get_operation(step.compute.operation).summary
        listed += [f"  {line}" for line in (step.compute.code or "").splitlines()]
        listed.append(f"  It is made of {', '.join(step.compute.step_inputs.values())}.")
    return listed


def _fetches(table: Table) -> list[Fetch]:
    found = [step.fetch for line in table.plotted.lines for step in table.plotted.upstream(line.trace.data) if step.fetch]
    return list({(each.dataset, each.parameter): each for each in found}.values())


def _source(table: Table) -> list[str]:
    listed = []
    for fetch in _fetches(table):
        if fetch.is_own:
            listed.append(f"{', '.join(fetch.columns or {})}: a column of your file {fetch.file}.")
            continue
        entry = table.offers.catalog.dataset(fetch.archive, fetch.dataset)
        label = f" ({entry.label})" if entry is not None and entry.label else ""
        listed.append(f"{table.plotted.mission(fetch)}: {fetch.parameter} of {fetch.dataset}{label}, archive {fetch.archive}.")
    return listed


def _cadence(table: Table) -> list[str]:
    listed = []
    for fetch in _fetches(table):
        facts = table.offers.catalog.facts(fetch.archive, fetch.dataset)
        cadence = facts.cadence if facts is not None else None
        words = f"a value every {spoken_alone(cadence)}" if cadence is not None else "the catalog does not tell how often"
        words = "your file has the times" if fetch.is_own else words
        name = f"{', '.join(fetch.columns or {})} of {fetch.file}" if fetch.is_own else f"{fetch.dataset} {fetch.parameter}"
        listed.append(f"{name}: {words}.")
    return listed + _averages(table)


def _mode(table: Table) -> list[str]:
    listed = []
    for fetch in _fetches(table):
        mode = next((MODE_WORDS[each] for each in _MODES if is_in_mode(each, fetch.dataset, "")), "")
        normal = "normal mode" if re.search("normal", fetch.dataset, re.IGNORECASE) else "no mode that its name tells"
        listed.append(f"{fetch.dataset}: {mode or normal}.")
    return listed


def _averages(table: Table) -> list[str]:
    steps = [step for line in table.plotted.lines for step in table.plotted.upstream(line.trace.data) if step.compute]
    made = [step.intent for step in steps if step.compute and step.compute.operation in AVERAGED | LENGTH_OPTIONS.keys()]
    return [f"{each}." for each in dict.fromkeys(made)] or [
        "Nothing is averaged or smoothed: the values are those of the archive."
    ]


def _frame(table: Table) -> list[str]:
    directed = [line for line in table.plotted.lines if line.is_whole_vector or "component" in line.operations]
    listed = [f"{table.plotted.name_of(line)}: {frame_of(line, table) or 'a frame that I do not know'}." for line in directed]
    return listed or ["Nothing that is drawn has a direction."]


def _unit(table: Table) -> list[str]:
    lines = table.plotted.lines
    return [
        f"{table.plotted.name_of(line)}: {unit_of(line.trace.data, table.plotted) or 'no unit that I know'}." for line in lines
    ]


_TOLD: dict[str, Callable[[Table], list[str]]] = {
    "source": _source,
    "cadence": _cadence,
    "mode": _mode,
    "averages": _averages,
    "frame": _frame,
    "unit": _unit,
}
