"""Times that are left out because a limit of a quantity holds then: its intervals, and `exclude` on what is shown."""

from __future__ import annotations

from datetime import timedelta

from helio_dagster.agent.drafting.curves import AnyChoice
from helio_dagster.agent.drafting.exclusions import LIST_STEP
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.result_parts import Made, series_of, whose
from helio_dagster.agent.drafting.results_over_time import limited_curve, spoken_limits
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.treatments import Exclusions, Treatment
from helio_dagster.domain.time_range import format_duration

_LONGEST = timedelta(days=10)
"""So far ahead is read for the stop of an interval."""


def leave_out_where(draft: StepDraft, limited: AnyChoice, excluded: Exclusions) -> None:
    """Add the steps that list the intervals, and leave these out of everything that was fetched before.

    Raises
    ------
    DraftQuestion
        The quantity is shown itself: a list that is made of it cannot leave out parts of it.
    """
    assert excluded.limit is not None  # noqa: S101 - a limit is of a quantity
    shown = [step for step in draft.steps if "fetch" in step]
    draft.treatment = Treatment()
    curve = draft.add(limited)
    own = {step_id for step_id in draft.upstream(curve.step) if any(step["id"] == step_id for step in shown)}
    if own:
        text = f"{whose(curve)} is shown itself, and where it is beyond a limit it cannot be left out of the same figure."
        raise DraftQuestion(f"{text} Do you want the intervals where {excluded.condition}?")
    made = Made(draft, [curve], excluded.limit, dict(excluded.limit.options))
    curve = limited_curve(made)
    made.options.pop("hours", None)
    limits = spoken_limits(made.options, curve.unit)
    intent = f"Intervals with {whose(curve)} {limits}, which are left out"
    made.step(LIST_STEP, intent, "intervals_where", series_of(curve), **made.options, longest=format_duration(_LONGEST))
    for step in shown:
        step["exclude"] = LIST_STEP
    made.assume(f"Samples at times with {whose(curve)} {limits} are left out of all that is shown.", "intervals_where")
    made.assume(
        f"Of such a time that lasts longer than {spoken_alone(_LONGEST)}, these are left out and no more.", "intervals_where"
    )
