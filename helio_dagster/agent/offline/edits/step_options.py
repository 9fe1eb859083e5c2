"""Options of what is computed, changed on the table: `at least 3 hours`, `20 km/s bins`, `lags up to 2 hours`, `order 4`.

Every option of every operation goes one way: words to names and values, names to the steps that have them, and what is stated
of the old value is stated of the new one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.lengths import spoken_alone, spoken_method
from helio_dagster.agent.drafting.results_over_time import INCLUDING
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import form, matched, rows
from helio_dagster.agent.offline.edits.option_values import having, reword, set_option, set_options
from helio_dagster.agent.offline.edits.slots import plain
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Asks, Filler, Length, Planes
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.compute.operation import OPERATION_IDS, get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.unit_words import read_unit
from helio_dagster.domain.units import is_same_unit

Options = Mapping[str, Any]
_LIMITS = ("above", "below")
_LIMITED = ("intervals_where", "filter_events")
"""Operations that have one."""
_THIRDS = (0, 3, 7)
"""What ten times a Kp ends in: a limit that ends in another digit was moved, so that the Kp that is named counts too."""
_ALSO_CALLED = {"apart": ("apart", "merge", "nearer"), "merge": ("merge", "apart", "nearer")}
"""What operations call the same differently."""
_NO_NAMES = frozenset(
    ("unit", "to", "frame", "window", "axis", "value", "time", "normal", "change", "component", "bin", "result")
)
"""Options whose names are words for other things, too."""
_STATISTICS = {"average": "mean", "median": "median", "minim": "minimum", "maxim": "maximum", "coverage": "coverage",
               "standard deviation": "std", "std": "std", "mean": "mean"}  # fmt: skip
_OF_WINDOWS = {"minimum": "min", "maximum": "max"}


def change_options(text: str, table: Table) -> bool:
    """Change options of the steps on the table; False where a sentence names none that a step has.

    Raises
    ------
    OpenQuestion
        It is open of which step, or the value cannot be had.
    """
    words = form("step_options.instead").sub("", form("step_options.lead").sub("", text)).strip(" ,")
    return (
        _move_limit(text, table)
        or _exchange(text, table)
        or _set(_worded(words, table), table)
        or _set(_meant(words, table), table)
        or _set(_by_name(words, table), table)
        or _change_statistic(text, table)
        or _change_orbit(words, table)
    )


def _worded(words: str, table: Table) -> dict[str, Any]:
    """What words of follow-ups say of options that steps on the table have."""
    for given, pattern in rows("option_words.txt"):
        name, _, value = given.partition("=")
        match = pattern.fullmatch(words)
        names = [each for each in _ALSO_CALLED.get(name, (name,)) if having(each, table)]
        names = names or (["x_bins", "y_bins"] if name == "bins" and having("x_bins", table) else [])
        if match is None or not names:
            continue
        slots = match.groupdict()
        if slots.get("length"):
            length = find_length(slots["length"])
            return {names[0]: format_duration(length)} if length else {}
        if slots.get("number"):
            number = plain(slots["number"])
            of_all = names if name == "bins" else names[:1]
            share = number / 100 if name == "overlap" else number
            return {**dict.fromkeys(of_all, share), "unit": slots.get("unit") or ""}
        return {names[0]: value or slots["word"].lower()}
    return {}


def _meant(words: str, table: Table) -> dict[str, Any]:
    """What the words of requests say of them, where all of the words do."""
    try:
        reading = read_request(words, table.now)
    except InputError:
        return {}
    meanings = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler)]
    unknown = reading.unread(words_of("small"))
    if unknown or reading.time is not None or not meanings:
        return {}
    found: dict[str, Any] = {}
    operations = {step.compute.operation for step in table.plotted.pipeline.steps if step.compute}
    for meaning in meanings:
        if isinstance(meaning, Asks) and meaning.options:
            found |= {name: _number(value) for name, value in meaning.options}
        elif isinstance(meaning, Length) and meaning.role == "segment":
            found["segment"] = format_duration(meaning.length)
        elif isinstance(meaning, Transform) and meaning.options and meaning.operation in operations:
            found |= meaning.options
        else:
            return {}
    if "bins" in found and not having("bins", table):
        found |= dict.fromkeys(("x_bins", "y_bins"), found.pop("bins"))
    named = {next((each for each in _ALSO_CALLED.get(name, (name,)) if having(each, table)), name): name for name in found}
    return (
        {name: found[given] for name, given in named.items()}
        if all(having(each, table) for each in {*named} - {"unit"})
        else {}
    )


def _number(value: str | float) -> str | float:
    """A value as files have it: lines of words have numbers as text."""
    return plain(value) if isinstance(value, str) and re.fullmatch(r"[-+]?\d+(?:\.\d+)?", value) else value


def _by_name(words: str, table: Table) -> dict[str, Any]:
    """An option by its own name: `least correlation 0.8`, `adiabatic index of 1.5`."""
    for step in table.plotted.pipeline.steps:
        operation = step.compute.operation if step.compute else None
        for name in get_operation(operation).options.model_fields if operation in OPERATION_IDS else ():
            called = re.sub(r"_(hz|deg|km|re|rs|d|s|k|nt)$", "", name).replace("_", r"[ _-]")
            match = re.fullmatch(
                rf"(?:the )?{called}(?:\s|=|:|\bof\b|\bto\b|\bat\b|\bis\b|\bbe\b)+(\S.*)", words, re.IGNORECASE
            )
            if match is None or name in _NO_NAMES:
                continue
            length, number = find_length(match[1]), re.fullmatch(r"[-+−]?\d+(?:\.\d+)?", match[1])
            value = format_duration(length) if length else plain(match[1]) if number else match[1].lower().replace(" ", "_")
            with suppress(InputError):
                get_operation(str(operation)).read_options({name: value})
                return {name: value}
    return {}


def _set(options: Options, table: Table) -> bool:
    """Give the steps that have them these options; False where there are none."""
    given = {name: value for name, value in options.items() if name != "unit"}
    steps = {step.id: step for name in given for step in having(name, table)}
    if len({step.compute.operation for step in steps.values() if step.compute}) > 1:
        listed = ", or ".join(f"{step.id} ({step.intent})" for step in steps.values())
        raise OpenQuestion(f"Which step do you mean: {listed}?")
    for step in steps.values():
        _check_unit(step, str(options.get("unit") or ""), table)
        set_options(step, given, table)
    return bool(steps)


def _check_unit(step: Step, unit: str, table: Table) -> None:
    own = unit_of(next(iter(step.compute.step_inputs.values()), ""), table.plotted) if step.compute else None
    if unit and own and not is_same_unit(read_unit(unit), own):
        raise OpenQuestion(f"{step.intent} is in {own}, not in {unit}. Which value do you want, in {own}?")


def _exchange(text: str, table: Table) -> bool:
    """A length in the place of another, which the steps have: `3 hours instead of 2`."""
    match = matched("step_options.exchange", text)
    if match is None or form("step_options.of_bins").search(text) is not None:
        return False
    new = find_length(form("step_options.lead").sub("", match["new"]).removeprefix("at least "))
    unit = spoken_alone(new).partition(" ")[2] if new is not None else ""
    old = find_length(match["old"]) or find_length(f"{match['old']} {unit}")
    if new is None or old is None:
        return False
    steps = table.plotted.pipeline.steps
    found = [(step, name) for step in steps if step.compute for name, value in step.compute.options.items() if _is(value, old)]
    if len({name for _, name in found}) > 1:
        names = ", or ".join(f"{name.replace('_', ' ')} of {step.id}" for step, name in found)
        raise OpenQuestion(f"Which one do you mean: {names}?")
    for step, name in found:
        set_option(step, name, format_duration(new), table)
    return bool(found)


def _is(value: Any, length: timedelta) -> bool:
    with suppress(InputError, ValueError):
        return isinstance(value, str) and parse_duration(value) == length
    return False


def _move_limit(text: str, table: Table) -> bool:
    """Another value in the place of a limit; False where the figure has none, or another old one is named."""
    said = matched("step_options.limit", text)
    if said is None:
        return False
    new, old, side = plain(said["new"]), plain(said["old"]) if said["old"] else None, (said["side"] or "").lower()
    sides = ("above",) if side[:4] in ("over", "abov", "more", "grea") else ("below",) if side else _LIMITS
    steps = [step for step in table.plotted.pipeline.steps if step.compute and step.compute.operation in _LIMITED]
    found = [(step, each) for step in steps if step.compute for each in sides if each in step.compute.options]
    found = [(step, each) for step, each in found if old is None or (step.compute and step.compute.options[each] == old)]
    if len(found) > 1:
        raise OpenQuestion(f"There are {len(found)} limits. Which one: {' or '.join(step.intent for step, _ in found)}?")
    if not found and said["side"]:  # `above 10` where it is below -10
        found = [(step, name) for step in steps if step.compute for name in _LIMITS if name in step.compute.options]
    if len(found) != 1:
        return False
    ((step, held),) = found
    name = sides[0] if said["side"] else held
    _check_unit(step, said["unit"] or "", table)
    assert step.compute is not None  # noqa: S101 - chosen so
    if [table.plotted.quantity(each.fetch) for each in table.plotted.upstream(step.id) if each.fetch] == ["kp"]:
        is_moved = float(step.compute.options[name]) % 10 not in _THIRDS
        new = 10 * new + (INCLUDING[name] if is_moved else 0)
    for other in table.plotted.pipeline.steps:  # the hours beside the intervals have the same limit
        is_same = other.compute is not None and other.compute.inputs == step.compute.inputs
        if is_same and other.compute and other.compute.options.get(held) == step.compute.options[held]:
            set_option(other, name, new, table)
    return True


def _change_statistic(text: str, table: Table) -> bool:
    """Another statistic of bins and windows, or one more number of a range; False where nothing is computed so."""
    more, other = matched("step_options.more", text), matched("step_options.other", text)
    fewer = matched("step_options.fewer", text)
    facts = [step for step in table.plotted.pipeline.steps if step.compute and step.compute.operation == "facts_of"]
    if (listed := more or fewer) is not None and facts:
        names = [_STATISTICS[each.lower()] for each in re.findall("|".join(_STATISTICS), listed["which"], re.IGNORECASE)]
        for step in facts:
            old = list(step.compute.options["statistics"]) if step.compute else []
            new = [*dict.fromkeys([*old, *names])] if more is not None else [each for each in old if each not in names]
            if not {*new} - {"coverage"}:
                return False
            set_option(step, "statistics", new, table)
            stated = [each for each in new if each != "coverage"]
            table.notes.append(f"The numbers are: {', '.join(stated)}.")
        return True
    if other is None:
        return False
    name = next(value for words, value in _STATISTICS.items() if other["which"].lower().startswith(words))
    name = _OF_WINDOWS.get(name, name)
    done = [_with_statistic(step, name, table) for step in table.plotted.pipeline.steps]
    return any(done)


def _with_statistic(step: Step, name: str, table: Table) -> bool:
    """Whether a step has taken another statistic of its bins or windows."""
    operation = step.compute.operation if step.compute else None
    assert step.compute is not None or operation is None  # noqa: S101 - of that compute
    if operation == "resample" and step.compute:
        old = str(step.compute.options.get("method", "mean"))
        set_option(step, "method", name, table)
        reword([(spoken_method(old), spoken_method(name))], step.id, table)
    elif operation == "superposed_epoch":
        set_option(step, "statistic", name, table)
    elif operation in ("rolling_mean", "rolling_statistic") and step.compute:
        old = str(step.compute.options.get("statistic", "mean"))
        if old == name:
            raise SoAlready("It is computed so already. What do you want to change?")
        is_mean = name == "mean"
        changes = {"compute.operation": "rolling_mean" if is_mean else "rolling_statistic"}
        table.change(step.id, changes | {"compute.options.statistic": None if is_mean else name})
        reword([(f"running {old}", f"running {name}"), (f"moving {old}", f"moving {name}")], step.id, table)
        words = [(line.path, re.sub(rf"\b{old}\b", name, line.trace.label or "")) for line in table.plotted.lines]
        drawn = {line.path for line in table.plotted.lines if line.trace.data == step.id and line.trace.label}
        table.draw({f"{path}.label": label for path, label in words if path in drawn})
    else:
        return False
    return True


def _change_orbit(words: str, table: Table) -> bool:
    """Other planes of the orbits that are drawn, and the boundaries in them."""
    rows_of_orbits = [row for row, panel in enumerate(table.plotted.panels) if panel.orbit is not None]
    bounds = {match[0].lower().replace(" ", "_"): True for match in form("step_options.boundary").finditer(words)}
    reading = read_request(form("step_options.boundary").sub(" ", words), table.now) if rows_of_orbits else None
    if reading is None:
        return False
    planes = [name for each in reading.all(Planes) for name in each.names]
    rest = [each for each in reading.mentions if not isinstance(each.meaning, Filler | Planes)]
    small = {*words_of("small"), *words_of("only"), *words_of("add")}
    if not (planes or bounds) or rest or reading.unread(small):
        return False
    changes = ({"planes": planes} if planes else {}) | bounds
    table.draw({f"figure.panels[{row}].orbit.{name}": value for row in rows_of_orbits for name, value in changes.items()})
    return True
