"""What is drawn, set against another quantity: its ratio to it, its difference from it, or a scatter over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.redrafting import makes
from helio_dagster.agent.intent import Intent
from helio_dagster.agent.offline.edits.forms import Form, matched
from helio_dagster.agent.offline.edits.grafting import redraw_as
from helio_dagster.agent.offline.edits.intent_changes import known_intent
from helio_dagster.agent.offline.edits.laid_over import found_targets, is_drawn_by
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Filler, Frame, Mission, Shape
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Derived, Measured, Target
from helio_dagster.agent.treatments import Pairing, Treatment, WholeResult

_NAMING = Measured | Derived | Mission | Frame | Shape
_AGAIN = {"ratio": "divide {0} by {1}", "difference": "subtract {1} from {0}", "scatter": "plot {0} against {1}"}
"""How each kind is said of a line and a quantity."""


def pair_up(text: str, table: Table, requests: RequestPlanner) -> bool:
    """Draw a line set against another quantity in its place: `divide by the electron temperature`; False for other sentences.

    Raises
    ------
    OpenQuestion
        It is open which line is meant, or it cannot be drafted.
    """
    kind, match = next(
        ((kind, found) for kind in _AGAIN if (found := matched(f"pairing.{kind}", text)) is not None), ("", None)
    )
    if match is None or (other := _other(match, table)) is None:
        return False
    line, drawn = _line(match, kind, table), _drawn(match["other"], table)
    known = known_intent(table, requests) if line is not None else None
    if line is None or known is None or known[0].treatment.whole is not None or known[0].treatment.pairing is not None:
        return False
    intent = _paired(known[0], kind, line, drawn, other, table)
    if intent is None:
        return False
    plan = requests.drafter.draft(intent, table.now, samples=False)
    if not _is_of(plan, line, table):
        intent = _of_drawn_data(intent, (line, drawn), table)
        plan = requests.drafter.draft(intent, table.now, samples=False)
    is_named_so = table.plotted.pipeline.title == known[1].pipeline.title
    gone = [line, *([drawn] if drawn is not None and kind == "scatter" else [])]
    if not _is_of(plan, line, table) or not redraw_as(plan, gone, table):
        return False
    if len(table.plotted.lines) == 1:
        table.intent = intent
        table.describe({"title": plan.pipeline.title} if is_named_so else {})
        figure = next(step for step in plan.pipeline.steps if step.figure is not None)
        table.change(table.plotted.figure.id, {"intent": figure.intent})
    return True


def _is_of(plan: Plan, line: Line, table: Table) -> bool:
    """Whether a plan makes a line as it is drawn."""
    made = [makes(step, {}) for step in plan.pipeline.steps]
    return all(makes(step, {}) in made for step in table.plotted.upstream(line.trace.data))


def _of_drawn_data(intent: Intent, lines: Sequence[Line | None], table: Table) -> Intent:
    """The intent of the data that are drawn, where they would be taken from elsewhere together."""
    targets = list(intent.targets)
    for place, line in enumerate(lines):
        target, steps = targets[place], table.plotted.upstream(line.trace.data) if line is not None else []
        datasets = {step.fetch.dataset for step in steps if step.fetch is not None}
        if isinstance(target, Target) and len(datasets) == 1:
            targets[place] = replace(target, dataset=datasets.pop())
    return replace(intent, targets=tuple(targets))


def _other(match: Form, table: Table) -> Reading | None:
    """What the line is set against; None where words name no quantity, or more than that."""
    reading = read_request(match["other"], table.now)
    named = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler)]
    is_quantity = any(isinstance(each, Measured | Derived) for each in named)
    is_all = not reading.unknown and reading.time is None and all(isinstance(each, _NAMING) for each in named)
    return reading if is_quantity and is_all else None


def _drawn(words: str, table: Table) -> Line | None:
    """The one line that words name."""
    lines = table.plotted.named(words)
    return lines[0] if len(lines) == 1 else None


def _line(match: Form, kind: str, table: Table) -> Line | None:
    """The line that is set against something; None where words name no line.

    Raises
    ------
    OpenQuestion
        It could be several.
    """
    target, other = table.plotted.target(match["what"] or ""), _drawn(match["other"], table)
    if target is None or target.unknown:
        return None
    lines = [line for line in target.lines if line != other]
    if len(lines) > 1 and not target.is_named:
        names = [table.plotted.name_of(line) for line in lines]
        again = [_AGAIN[kind].format(name, match["other"]) for name in names]
        raise OpenQuestion(f"Which line do you mean: {' or '.join(names)}?", again)
    return lines[0] if len(lines) == 1 else None


def _paired(intent: Intent, kind: str, line: Line, drawn: Line | None, other: Reading, table: Table) -> Intent | None:
    """The intent of the line and the other quantity alone; None where it is open which quantities these are."""
    own = [each for each in intent.targets if is_drawn_by(each, line, table)]
    others = [each for each in intent.targets if drawn is not None and is_drawn_by(each, drawn, table)]
    others = others or found_targets(other, own, table)
    if len(own) != 1 or len(others) != 1 or own == others:
        return None
    treatment: Treatment = replace(intent.treatment, is_comparison=kind == "scatter")
    if kind == "scatter":
        treatment = replace(treatment, whole=WholeResult("scatter", {}, is_swapped=True))
    else:
        treatment = replace(treatment, pairing=Pairing("ratio" if kind == "ratio" else "difference"))
    return replace(intent, targets=(own[0], others[0]), treatment=treatment)
