"""Add to the figure on the table what a request of its own would draw: its steps, but those that are there, and its panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.arranging import move
from helio_dagster.agent.offline.edits.elliptical import means_of, named_by_itself, names_of_two
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.frames import frame_of, has_direction
from helio_dagster.agent.offline.edits.removing import remove_lines, remove_unused
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Frame
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.pipeline import Compute, Step


def graft(text: str, table: Table) -> bool:
    """Add what a sentence asks to be added, as a request for it is planned; False where none is, or it is drawn already.

    Parameters
    ----------
    text
        The sentence: `add the curlometer current`, `show their difference too`.
    table
        The pipeline on the table.
    """
    match, fit = matched("grafting.added", text), matched("grafting.fit", text)
    if match is None and fit is None:
        return False
    what = text if match is None else match["what"] or match["what2"] or match["what3"]
    requests = _requests(_in_the_drawn_frame(what, table), table)
    plans = (found for each in requests if (found := planned(each, table)) is not None)
    plan = next((each for each in plans if _is_of_the_drawn(each, table)), None)
    return plan is not None and _add(plan, table)


def _is_of_the_drawn(plan: Plan, table: Table) -> bool:
    """Whether a plan is of no other spacecraft of the family that is drawn, unless it is of those that are, too."""
    missions = {table.plotted.mission(step.fetch) for step in plan.pipeline.steps if step.fetch is not None}
    others = {each for each in missions if each and each not in table.plotted.missions}
    families = {_family(each) for each in table.plotted.missions}
    return not any(_family(each) in families for each in others) or missions >= {*table.plotted.missions}


def _family(mission: str) -> str:
    return mission.rstrip("-0123456789ABCDE ")


def redraw(request: str, lines: Sequence[Line], table: Table) -> bool:
    """Draw what a request of its own is planned as in the place of lines; False where it has no plan of this kind."""
    plan = planned(request, table)
    return plan is not None and redraw_as(plan, lines, table)


def redraw_as(plan: Plan, lines: Sequence[Line], table: Table) -> bool:
    """Draw what a plan draws in the place of lines; False where all of it is drawn."""
    before = len(table.plotted.panels)
    if not _add(plan, table):
        return False
    names, new = {line.trace.data for line in lines}, [line for line in table.plotted.lines if line.panel >= before]
    if len(new) == len(lines):
        _in_place_of(lines, new, table)
        return True
    move(table, range(before, len(table.plotted.panels)), str(lines[0].panel + 1))
    remove_lines([line for line in table.plotted.lines if line.trace.data in names], table)
    return True


def _in_place_of(lines: Sequence[Line], new: Sequence[Line], table: Table) -> None:
    """Draw new lines where old ones are, which look as those did; the panels that were added for them go."""
    changes: dict[str, object] = {}
    panels = table.plotted.panels
    for old, line in zip(lines, new, strict=True):
        changes[f"{old.path}.data"] = line.trace.data
        changes |= {f"{old.path}.draw": line.trace.draw} if line.trace.draw != old.trace.draw else {}
        for name in "xyz":
            title, was = getattr(panels[line.panel], name).title, getattr(panels[old.panel], name).title
            changes |= {f"figure.panels[{old.panel}].{name}.title": title} if title != was else {}
    beneath = [step.id for line in lines for step in table.plotted.upstream(line.trace.data)]
    table.draw(changes)
    table.draw({f"figure.panels[{row}]": None for row in sorted({line.panel for line in new})})
    remove_unused(beneath, table)


def count_values(text: str, table: Table) -> bool:
    """Draw histograms of lines in their place; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        A line has several numbers, or has no histogram.
    """
    match = matched("grafting.histogram", text)
    target = table.plotted.target(match["target"] or "") if match is not None else None
    if match is None or target is None or target.unknown:
        return False
    if any(line.is_whole_vector or line.is_spectrogram for line in target.lines):
        raise OpenQuestion("A histogram is taken of one number, and this has several. Which component, or the magnitude?")
    bins = match["bins"] or match["bins2"]
    for line in target.lines:
        name, ways = named_by_itself(line, table), f" with {bins} bins" if bins else ""
        if not name or not redraw(f"histogram of {name}{means_of([line], table)}{ways}", [line], table):
            raise OpenQuestion(f"I know no histogram of {line.words}. What do you want to change?")
    return True


def planned(request: str, table: Table) -> Plan | None:
    """The plan of a request for the range on the table; None where it leaves a word out, or has other partitions."""
    if table.span is None or table.plan is None:
        return None
    with suppress(OpenQuestion, InputError):
        plan = table.plan(f"{request}, {table.span}")
        if isinstance(plan, Plan) and not {*plan.ignored} - {*words_of("small")} and _fits(plan, table):
            return plan
    return None


def _requests(what: str, table: Table) -> Iterator[str]:
    """Requests that ask for it, of what is drawn."""
    missions, two = table.plotted.missions, names_of_two(table)
    if (pair := matched("grafting.of_two", what)) is not None:
        if any(line.is_whole_vector for line in table.plotted.lines):
            raise OpenQuestion(f"A {pair['kind']} is of two numbers, and these are vectors. Which component, or the magnitude?")
        yield from [f"{pair['kind']} of {' and '.join(two)}{means_of(table.plotted.lines, table)}"] if two else []
        return
    if matched("grafting.fit", what) is not None:
        steps = [(step.compute.operation, step.intent) for step in table.plotted.pipeline.steps if step.compute]
        yield from [f"scatter plot of {intent} with a linear fit" for operation, intent in steps if operation == "scatter"]
        yield from [f"{intent} with its slope" for operation, intent in steps if operation == "power_spectrum"]
        return
    words = form("grafting.of_it").sub("", what)
    yield from [f"{words} of {name}" for name in two] if len(two) == 1 else []
    yield f"{' and '.join(missions)} {words}"
    family = {_family(name) for name in missions}
    yield from [f"{words} of {family.pop()}"] if len(family) == 1 else []


def _in_the_drawn_frame(what: str, table: Table) -> str:
    """Words of a component with the frame in which another part of its vector is drawn, where they name none."""
    reading = read_request(what, table.now)
    of = {quantity for each in reading.all(Measured) if each.axis for quantity in each.quantities}
    lines = [line for line in table.plotted.lines if has_direction(line) and of & {*line.quantities}]
    frames = {frame_of(line, table) for line in lines}
    return f"{what} in {frames.pop()}" if len(frames) == 1 and any(frames) and not reading.all(Frame) else what


def _fits(plan: Plan, table: Table) -> bool:
    """Whether a plan has the partitions and the range on the table, and what is fetched there from the same datasets."""
    plotted = table.plotted
    homes: dict[object, set[str]] = {}
    for fetch in (step.fetch for step in plotted.pipeline.steps if step.fetch is not None):
        homes.setdefault((plotted.mission(fetch), plotted.quantity(fetch)), set()).add(fetch.dataset)
    fetches = [step.fetch for step in plan.pipeline.steps if step.fetch is not None]
    known = [(each, homes.get((plotted.mission(each), plotted.quantity(each)))) for each in fetches]
    is_from_the_same = all(home is None or each.dataset in home for each, home in known)
    return is_from_the_same and plan.pipeline.partitions == plotted.pipeline.partitions and plan.span == table.span


def _add(plan: Plan, table: Table) -> bool:
    """Add the steps and panels of a plan; False where all of it is drawn."""
    ids, new = dict[str, str](), list[str]()
    left_out = next((step.exclude for step in table.plotted.pipeline.steps if step.fetch is not None and step.exclude), None)
    for step in plan.pipeline.steps:
        if step.figure is not None:
            continue
        own = _with_inputs(step, ids)
        own = own.model_copy(update={"exclude": left_out}) if own.fetch is not None and left_out else own
        same = next((each.id for each in table.plotted.pipeline.steps if _makes(each) == _makes(own)), None)
        ids[step.id] = same or table.add(own)
        new += [] if same else [ids[step.id]]
    rows = {line.trace.data: line.panel for line in table.plotted.lines}
    made = 0
    panels = next((step.figure.panels for step in plan.pipeline.steps if step.figure is not None), [])
    for panel in (_renamed(panel, ids) for panel in panels):
        more = [trace for trace in panel.traces if trace.data not in rows]
        row = next((rows[trace.data] for trace in panel.traces if trace.data in rows), None)
        added = panel if row is None else panel.model_copy(update={"traces": more})
        document = added.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        if row is None:
            table.draw({"figure.panels[+]": document})
        for trace in document["traces"] if row is not None else ():  # beside what it is made of, a fit
            table.draw({f"figure.panels[{row}].traces[+]": trace})
        made += len(more)
    stated = table.plotted.pipeline.assumptions
    words = [each for each in plan.pipeline.assumptions if each not in stated and _is_about(each, new, table)]
    table.assume([*(each for each in plan.assumed if each.text in words), *map(Assumption, words)])
    table.notes += words
    return made > 0


def _with_inputs(step: Step, ids: dict[str, str]) -> Step:
    """A step that reads the steps on the table."""
    if step.compute is None:
        return step
    inputs = {name: ids.get(each, each) if isinstance(each, str) else each for name, each in step.compute.inputs.items()}
    return step.model_copy(update={"compute": step.compute.model_copy(update={"inputs": inputs})})


def _makes(step: Step) -> tuple[object, ...]:
    """What a step makes, whatever it is called."""
    compute: Compute | None = step.compute
    return step.fetch, compute, step.table, step.events, step.over, step.exclude


def _renamed(panel: Panel, ids: dict[str, str]) -> Panel:
    traces = [trace.model_copy(update={"data": ids.get(trace.data, trace.data)}) for trace in panel.traces]
    return panel.model_copy(update={"traces": traces})


def _is_about(assumption: str, new: list[str], table: Table) -> bool:
    """Whether an assumption of the plan is about a step that was added: all are that name no dataset on the table before."""
    steps = table.plotted.pipeline.steps
    old = {step.fetch.dataset for step in steps if step.fetch is not None and step.id not in new}
    return not any(name in assumption for name in old)
