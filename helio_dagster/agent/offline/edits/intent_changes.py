"""A change as another intent: what a clause says is laid over what the pipeline was drafted of, and that is drafted again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion, Plan, SoAlready
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.lengths import spoken, spoken_alone
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.redrafting import Redraft, makes
from helio_dagster.agent.intent import Intent, Preferences
from helio_dagster.agent.offline.draft_questions import spoken_question
from helio_dagster.agent.offline.edits.laid_over import laid_over, own_of
from helio_dagster.agent.offline.edits.said import Said, two_sides
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline, Step


def change_intent(clause: Clause, table: Table, requests: RequestPlanner, lines: Sequence[Line] = ()) -> bool:
    """Draft the pipeline again of an intent over which a clause is laid; False where it says nothing of an intent.

    Parameters
    ----------
    clause
        What is said.
    table
        The pipeline on the table.
    requests
        Reads words and drafts intents.
    lines
        The lines in whose place something is wanted, where the clause does not name them.

    Raises
    ------
    OpenQuestion
        What is wanted now cannot be drafted.
    """
    if clause.looks or clause.layout or clause.place or clause.beside or clause.foreign:
        return False
    new, gone = two_sides(clause, table, requests)
    known = known_intent(table, requests) if new is not None and gone is not None else None
    if new is None or gone is None or known is None:
        return False
    intent, before = known
    changed = laid_over(intent, new, gone, clause, table, lines)
    if changed is None or changed == intent:
        return False
    try:
        after = _drafted(changed, new, table, requests)
    except OpenQuestion as asked:
        spoken = spoken_question(new.reading, asked) if isinstance(asked, DraftQuestion) else asked
        again = [each if each.startswith("add ") else f"add {each}" for each in spoken.question.choices]
        choices = again if clause.verb == "add" else list(_parts(intent, new, clause, table, requests))
        raise OpenQuestion(spoken.question.text, choices) from None
    is_of_data = new.preferences != Preferences() or clause.verb in ("add", "replace", "fork") or clause.old
    if not is_of_data and intent.targets == changed.targets and _datasets(before) != _datasets(after):
        return False  # what is only treated in another way stays what it is
    _ask_about_cadence(new, before, after, changed)
    edits = Redraft(table.plotted.file, before.pipeline, after.pipeline, table.offers.catalog).edits()
    if edits is None:
        return False
    if not edits or _makes(before.pipeline) == _makes(after.pipeline):
        raise SoAlready("It is so already. What do you want to change?")
    table.make(*edits)
    table.intent = changed
    table.new_assumed += after.assumed
    table.notes += [each for each in after.pipeline.assumptions if each not in before.pipeline.assumptions]
    return True


def _datasets(plan: Plan) -> set[str | None]:
    return {step.fetch.dataset for step in plan.pipeline.steps if step.fetch is not None}


def _makes(pipeline: Pipeline) -> list[Step]:
    """What a pipeline makes, whatever it is called."""
    return [step.model_copy(update={"intent": None}) for step in pipeline.steps]


def _ask_about_cadence(new: Said, before: Plan, after: Plan, intent: Intent) -> None:
    """Offer means where there are no data of the cadence that is said.

    Raises
    ------
    OpenQuestion
        There are none.
    """
    length = new.preferences.cadence
    if length is not None and _bins(before) < _bins(after):
        names = " and ".join(dict.fromkeys(f"{each.words} of {each.who}" for each in intent.targets))
        text = f"I know no {names} every {spoken_alone(length)}. Do you want means over bins?"
        raise OpenQuestion(text, [f"{spoken(length)} averages"])


def _bins(plan: Plan) -> int:
    return sum(step.compute is not None and step.compute.operation == "resample" for step in plan.pipeline.steps)


def _drafted(intent: Intent, new: Said, table: Table, requests: RequestPlanner) -> Plan:
    """The plan of an intent; a frame that another quantity had is left out where the new one has none."""
    try:
        return requests.drafter.draft(intent, table.now, samples=False)
    except DraftQuestion as asked:
        has_frame = intent.preferences.frame is not None and new.preferences.frame is None
        if not has_frame or not any(each.part == "frame" for each in asked.remedies):
            raise
        return requests.drafter.draft(
            replace(intent, preferences=replace(intent.preferences, frame=None)), table.now, samples=False
        )


def _parts(intent: Intent, new: Said, clause: Clause, table: Table, requests: RequestPlanner) -> Iterator[str]:
    """The clause for each target alone of which it can be said, where it cannot of all."""
    for target in intent.targets if len(intent.targets) > 1 and not new.has_quantities else ():
        own = own_of(intent.preferences, new.preferences, [target])
        with suppress(OpenQuestion):
            if own is not None:
                _drafted(replace(intent, preferences=replace(intent.preferences, own=own)), new, table, requests)
                yield f"{clause.text} for {target.words}"


def known_intent(table: Table, requests: RequestPlanner) -> tuple[Intent, Plan] | None:
    """The intent of the pipeline with its draft: the one that was kept, or what its title reads as if that is nearer to it."""
    found: list[tuple[int, Intent, Plan]] = []
    for intent in _intents(table):
        intent = replace(intent, preferences=replace(intent.preferences, span=table.span or intent.preferences.span))
        with suppress(OpenQuestion, InputError):
            plan = requests.drafter.draft(intent, table.now, samples=False)
            if not (apart := _apart(plan, table)):
                return intent, plan
            found.append((apart, intent, plan))
    nearest = min(found, key=lambda each: each[0], default=None)
    return nearest[1:] if nearest is not None else None


def _intents(table: Table) -> Iterator[Intent]:
    if table.intent is not None:
        yield table.intent
    if table.plan is not None and table.span is not None:
        with suppress(OpenQuestion, InputError):
            plan = table.plan(f"{table.plotted.pipeline.title}, {table.span}")
            if isinstance(plan, Plan) and plan.intent is not None and not plan.ignored:
                yield plan.intent


def _apart(plan: Plan, table: Table) -> int:
    """How many steps a draft and the file do not have in common."""
    one, other = ([makes(step, {}) for step in of.steps if not step.figure] for of in (plan.pipeline, table.plotted.pipeline))
    return sum(each not in other for each in one) + sum(each not in one for each in other)
