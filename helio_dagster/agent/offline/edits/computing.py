"""What is computed of the lines: another length, a running mean, averages over bins, another unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, SoAlready
from helio_dagster.agent.drafting.assumptions import Assumption, Topic
from helio_dagster.agent.drafting.curves import RADII, by_boltzmann, can_give, in_radii
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.drawn_figure import SPECTRAL, Line
from helio_dagster.agent.drafting.lengths import length_name, spoken, spoken_method
from helio_dagster.agent.drafting.naming import slug_of_unit
from helio_dagster.agent.offline.bin_statistics import with_statistics
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.option_values import reword, set_option
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure, bare
from helio_dagster.agent.offline.edits.removing import remove_unused
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table, filled
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.lone_lengths import with_lone_lengths
from helio_dagster.agent.offline.meanings import Cadence, Filler, Length, Mission, Shape, Statistic, Unit
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.pipeline_edit import AddStep
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.unit_conversion import can_convert, is_by_boltzmann
from helio_dagster.domain.units import is_same_unit

LENGTH_OPTIONS = {
    **dict.fromkeys(("rolling_mean", "rolling_statistic", "detrend", "spectrogram"), "window"),
    **dict.fromkeys(("welch", "minimum_variance", "superposed_epoch"), "bin"),
    "resample": "cadence",
}
_KEEPING = frozenset(
    (
        *("magnitude", "component", "transform_frame", "rotate", "rolling_mean", "rolling_statistic", "resample"),
        *("detrend", "butterworth", "difference", "despike", "shift_time"),
    )
)
"""Operations that give their input's unit, but for the statistics below."""
_OTHER_QUANTITIES = {"std": "{} std", "count": "samples of {}"}
"""How an axis is called where its bins do not hold values of what they are made of."""
_LOSING = frozenset(("variance", "count"))


def compute_anew(clause: Clause, table: Table) -> bool:
    """Change what is computed of the lines that are meant; False where the clause says no such thing.

    Raises
    ------
    OpenQuestion
        It leaves open what is meant, or cannot be done.
    """
    is_order = form("computing.order").match(clause.target) is not None
    words = (
        bare(form("computing.window").sub("", clause.target))
        if find_length(bare(clause.target)) is None
        else bare(clause.target)
    )
    length = (
        find_length(words) or find_length(re.sub(r"^[\d.]+", lambda _: words, bare(clause.old or "")))
        if words and not is_order
        else None
    )
    if length is not None and matched("computing.old", bare(clause.old or "")) is None:
        raise NotUnderstood.of([bare(clause.old or "")], "What do you want to change?")
    if length is not None and (_has_lengths(table) or form("computing.kind").search(clause.target) is None):
        _give_length(length, table.plotted.lines, table)
        return True
    reading = read_request(clause.target, table.now)
    plotted = [each for each in reading.unknown if _is_drawn(each, table)]
    unknown = [each for each in reading.unknown if each not in plotted]
    if any(each.words.casefold() not in words_of("small") for each in unknown) or reading.time is not None:
        return False
    reading = with_statistics(_averaged(with_lone_lengths(reading)))
    kept = [each for each in reading.mentions if not isinstance(each.meaning, Filler)]
    same = [each.meaning for each in kept if isinstance(each.meaning, Smoothing | Averaging | Unit | Length | Cadence)]
    changes = list(dict.fromkeys(same))  # `5-minute means of V and 5-minute means of N`
    names = [each for each in kept if isinstance(each.meaning, Measured | Mission | Shape | Derived | Transform)]
    names, kept = [*names, *plotted], [*kept, *plotted]
    if not changes or len(names) + len(same) != len(kept):
        return False
    found = table.plotted.target(" ".join(each.words for each in names)) if names else table.target(_of_it(clause))
    if found is None and any(isinstance(each, Unit) for each in changes):
        return False
    if found is None or not all(isinstance(each.meaning, Mission | Measured | Shape) for each in names if each not in plotted):
        return _other_lengths(kept, table)
    windows = [each.length for each in changes if isinstance(each, Length)]
    places = {(line.panel, line.place) for line in found.lines}
    for change in changes:
        found = replace(found, lines=[line for line in table.plotted.lines if (line.panel, line.place) in places])
        if isinstance(change, Unit):
            _convert(found.lines, change.unit, table)
        elif isinstance(change, Averaging):
            _average(clause, found.lines, change, table)
        elif isinstance(change, Smoothing):
            if change.length is None and not windows:
                words = filled(clause, clause.text[slice(*clause.at)]) if clause.at else clause.text
                choices = [f"{words} over {each}" for each in ("10 minutes", "1 hour")]
                raise OpenQuestion("How long do you want the running mean to be?", choices)
            _process(found.lines, "rolling_mean", change.length or windows[0], {}, table, is_added=clause.verb == "add")
        elif not any(isinstance(each, Smoothing) for each in changes):
            _give_length(change.length, found.lines, table)
    return True


def _of_it(clause: Clause) -> Clause:
    """A clause about what the one before it drew, where it says `it`; else about all."""
    match = re.search(r"\b(?:it|its|this|that|them)\b", f"{clause.target} {clause.all}", re.IGNORECASE)
    return replace(clause, target=match[0] if match is not None else "", all="")


def _has_lengths(table: Table) -> bool:
    """Whether a step beneath the figure takes a length."""
    steps = [step for line in table.plotted.lines for step in table.plotted.upstream(line.trace.data)]
    return any(step.compute is not None and step.compute.operation in LENGTH_OPTIONS for step in steps)


def _is_drawn(mention: Mention, table: Table) -> bool:
    """Whether a word that a request would not know names what is drawn: `distance`."""
    return mention.words.casefold() not in words_of("small") and bool(table.plotted.named(mention.words))


def _averaged(reading: Reading) -> Reading:
    """`average the speed over 5 minutes` is of bins, as `average over 5 minutes` is."""
    verb = next(
        (
            each
            for each in reading.mentions
            if each.meaning == Statistic("mean") and form("computing.order").match(f"{each.words} to")
        ),
        None,
    )
    over = next(
        (each for each in reading.mentions if isinstance(each.meaning, Length) and each.meaning.role != "segment"), None
    )
    if verb is None or over is None or not isinstance(over.meaning, Length):
        return reading
    bins = replace(over, meaning=Averaging(over.meaning.length, "mean"))
    return replace(reading, mentions=tuple(bins if each == over else each for each in reading.mentions if each != verb))


def _other_lengths(kept: Sequence[Mention], table: Table) -> bool:
    """`detrend with a 2-hour window` where it is detrended already: another length."""
    lengths = [each.meaning.length for each in kept if isinstance(each.meaning, Length)]
    operations = [each.meaning.operation for each in kept if isinstance(each.meaning, Transform)]
    lines = [line for line in table.plotted.lines if set(operations) & set(line.operations)]
    if len(lengths) != 1 or len(kept) != len(operations) + 1 or not lines:
        return False
    _give_length(lengths[0], lines, table)
    return True


def _give_length(length: timedelta, lines: Sequence[Line], table: Table) -> None:
    """Another length for the steps of one kind that have one."""
    beneath = {step.id: step for line in lines for step in table.plotted.upstream(line.trace.data)}
    steps = [step for step in beneath.values() if step.compute and step.compute.operation in LENGTH_OPTIONS]
    words = spoken(length)
    if not steps:
        count, _, unit = words.partition("-")
        plural = f"{count} {unit}{'' if count == '1' else 's'}"
        choices = [f"smooth over {plural}", f"{words} averages"]
        raise OpenQuestion(f"Nothing in the figure has a length. What do you want over {plural}?", choices)
    if len({step.compute.operation for step in steps if step.compute}) > 1:
        raise OpenQuestion(f"Which step takes {words}: {', '.join(f'{step.id} ({step.intent})' for step in steps)}?")
    _set_lengths(steps, length, table)


def _set_lengths(steps: Sequence[Step], length: timedelta, table: Table, method: str = "") -> None:
    """Another window or bin for steps; one that has it already stays.

    Raises
    ------
    SoAlready
        All have it.
    """
    made = len(table.edits)
    for step in steps:
        try:
            _set_length(step, length, table, method)
        except SoAlready:
            if step == steps[-1] and len(table.edits) == made:
                raise


def _set_length(step: Step, length: timedelta, table: Table, method: str = "") -> None:
    """A step's window or bin changed, and the words that stated the old one."""
    assert step.compute is not None  # noqa: S101 - chosen by its operation
    if any(isinstance(each, AddStep) and each.step.id == step.id for each in table.edits):
        raise OpenQuestion(f"Two lengths are said of {step.intent.partition(' of ')[2] or 'one line'}. Which one do you want?")
    option, noted = LENGTH_OPTIONS[step.compute.operation or ""], str(step.compute.options.get("method", ""))
    set_option(step, option, format_duration(length), table)
    if method and noted and method != noted:
        set_option(table.plotted.pipeline.step(step.id), "method", method, table)
        reword([(spoken_method(noted), spoken_method(method))], step.id, table)


def _average(clause: Clause, lines: Sequence[Line], change: Averaging, table: Table) -> None:
    """Averages over bins; `5-minute mean` beside a running mean is its length."""
    moving = [line for line in lines if "rolling_mean" in line.operations]
    if change.method == "mean" and moving and re.search(r"\bmean\b", clause.text, re.IGNORECASE):
        _process(moving, "rolling_mean", change.length, {}, table)
    else:
        _process(lines, "resample", change.length, {"method": change.method}, table, is_added=clause.verb == "add")


def _process(
    lines: Sequence[Line], operation: str, length: timedelta, options: dict[str, str], table: Table, *, is_added: bool = False
) -> None:
    """The lines smoothed or averaged: steps that do so take the new length, others get one."""
    having = [step for step in table.steps_of(lines) if step.compute and step.compute.operation == operation]
    if having:
        _set_lengths(having, length, table, options.get("method", ""))
        return
    drawable = [line for line in lines if not SPECTRAL & set(line.operations) and line.trace.draw != "spectrogram"]
    if not drawable:
        raise OpenQuestion("I do not average spectrograms. What do you want to smooth?")
    is_mean = operation == "rolling_mean"
    what, suffix = ("running mean", "mean") if is_mean else (spoken_method(options["method"]), length_name(length))
    is_over, changes = is_added or (is_mean and len(table.plotted.lines) == 1), dict[str, Any]()
    given = {"window": format_duration(length)} if is_mean else {"cadence": format_duration(length), **options}
    for line in drawable:
        data = table.compute(suffix, f"{spoken(length)} {what} of {line.words}", line.trace.data, operation, given)
        if is_added and (title := _OTHER_QUANTITIES.get(options.get("method", ""))) is not None:
            own = table.plotted.panels[line.panel].y.title or line.words
            table.draw({"figure.panels[+]": {"traces": [{"data": data}], "y": {"title": title.format(own)}}})
        elif is_over:
            mean = {"data": data, "label": f"{spoken(length)} {'mean' if is_mean else what}", "color": "firebrick"}
            changes[f"figure.panels[{line.panel}].traces[+]"] = mean
        else:
            changes[f"{line.path}.data"] = data
    changed = {line.trace.data for line in drawable}
    for row in {line.panel for line in drawable} if options.get("method") in _OTHER_QUANTITIES and not is_added else ():
        panel = table.plotted.panels[row]
        if panel.y.title and {trace.data for trace in panel.traces} <= changed:
            changes[f"figure.panels[{row}].y.title"] = _OTHER_QUANTITIES[options["method"]].format(panel.y.title)
    table.draw(changes)


def _convert(lines: Sequence[Line], unit: str, table: Table) -> None:
    """A step for each thing plotted, or another unit for the one that is there; axes with a range of their own lose it."""
    plotted = table.plotted
    known = {line.trace.data: unit_of(line.trace.data, plotted) for line in lines}
    bases = {data: _measured_in(data, plotted) for data in known}
    fitting = [line for line in lines if (own := bases[line.trace.data][1]) is not None and can_give(own, unit)]
    if not fitting:
        shown = ", ".join(f"{line.words} in {known[line.trace.data] or 'no unit that I know'}" for line in lines[:4])
        raise OpenQuestion(f"Nothing here can be given in {unit}: there is {shown}. Which unit do you want?")
    changed = [line for line in fitting if not is_same_unit(str(known[line.trace.data]), unit)]
    if not changed:
        raise SoAlready(f"{fitting[0].words} is in {unit} already. What do you want to change?")
    old = next((own for line in changed if (own := known[line.trace.data]) and is_by_boltzmann(own, unit)), None)
    steps, made, changes = {step.id: step for step in plotted.pipeline.steps}, dict[str, str](), dict[str, Any]()
    for line in changed:
        data = line.trace.data
        step = steps.get(data)
        if step is not None and step.compute is not None and step.compute.operation == "convert_unit":
            before = unit_of(next(iter(step.compute.step_inputs.values())), plotted) or ""
            if can_convert(before, unit):
                table.change(data, {"compute.options.unit": unit})
                continue
        if data not in made:
            base, own = bases[data]
            operation, options = "convert_unit", dict[str, Any](unit=unit)
            if not can_convert(str(own), unit):
                operation, options = "scale", {"factor": in_radii(str(own), unit)[0], "unit": unit}
            made[data] = (
                base
                if is_same_unit(str(own), unit)
                else table.compute(slug_of_unit(unit), f"{line.words} in {unit}", base, operation, options)
            )
        changes[f"{line.path}.data"] = made[data]
    for row in {line.panel for line in changed}:
        changes |= {f"figure.panels[{row}].y.range": None} if plotted.panels[row].y.range is not None else {}
    table.draw(changes)
    remove_unused(list(made), table)
    table.assume([Assumption(by_boltzmann(old, unit), (Topic("unit", unit),))] if old else [])


def _measured_in(data: str, plotted: PlottedFigure) -> tuple[str, str | None]:
    """What a line is made of before it was given in radii, and the unit of that; else the line's own."""
    step = next((each.compute for each in plotted.pipeline.steps if each.id == data.rpartition("/")[2]), None)
    if step is not None and step.operation == "scale" and step.options.get("unit") in RADII:
        base = next(iter(step.step_inputs.values()), "")
        return base, unit_of(base, plotted)
    return data, unit_of(data, plotted)


def unit_of(data: str, plotted: PlottedFigure) -> str | None:
    """The unit that a step gives; None where that is not known."""
    step = next((each for each in plotted.pipeline.steps if each.id == data.rpartition("/")[2]), None)
    if step is None or step.fetch is not None:
        return plotted.unit(step.fetch) if step is not None and step.fetch is not None else None
    if step.compute is None or step.compute.operation is None:
        return None
    operation, options = step.compute.operation, step.compute.options
    if operation == "convert_unit" or (operation == "scale" and options.get("unit")):
        return str(options["unit"])
    if operation in DERIVED_UNITS:
        return DERIVED_UNITS[operation]
    if operation not in _KEEPING or _LOSING & {options.get("method"), options.get("statistic")}:
        return None
    return unit_of(next(iter(step.compute.step_inputs.values()), ""), plotted)
