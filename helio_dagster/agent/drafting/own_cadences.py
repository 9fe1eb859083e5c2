"""Data beside each other that do not all exist at one cadence: which is taken at its own, and what the card says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, topics_of
from helio_dagster.agent.drafting.curves import AnyChoice, measured
from helio_dagster.agent.drafting.draft_titles import listed
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.drafting.operation_order import SAMPLES_A_BIN
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import AnyTarget, Target
from helio_dagster.agent.treatments import Averaging
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.domain.planetary import id_in_archive

Choose = Callable[[AnyTarget, Preferences, Assumptions], list[AnyChoice]]


def choose_all(
    targets: Sequence[AnyTarget], preferences: Preferences, assumptions: Assumptions, choose: Choose
) -> list[AnyChoice]:
    """The choices for all targets; an index that has no such cadence is taken at its own beside data that have it.

    Raises
    ------
    DraftQuestion
        A target cannot be had as asked.
    """
    found: list[AnyChoice] = []
    as_asked = 0
    for target in targets:
        try:
            found += choose(target, preferences, assumptions)
            as_asked += 1
        except DraftQuestion as asked:
            is_index = isinstance(target, Target) and target.quantity in INDICES
            is_last = target is targets[-1] and not as_asked
            if preferences.cadence is None or asked.remedies != (Remedy("cadence"),) or not is_index or is_last:
                raise
            found += choose(target, replace(preferences, cadence=None), assumptions)
            assumptions.say(f"{target.words} has no {spoken(preferences.cadence)} values.", *topics_of(target))
    return found


def say_cadences(who: str, choices: Sequence[AnyChoice], assumptions: Assumptions) -> None:
    """Say which of the data of one source have which cadence, where they differ."""
    names: dict[timedelta, list[str]] = {}
    for each in (one for choice in choices for one in measured(choice) if one.target.who == who):
        if each.offer.cadence is None:
            return
        held = names.setdefault(each.offer.cadence, [])
        held += [each.target.words] if each.target.words not in held else []
    if len(names) > 1:
        clauses = [_cadence_clause(held, cadence) for cadence, held in sorted(names.items())]
        assumptions.say(f"Of {who}, {', '.join(clauses)}.", Topic("mission", who))


def say_thin_bins(choices: Sequence[AnyChoice], averaging: Averaging | None, assumptions: Assumptions) -> None:
    """Say where bins have hardly more than one value, because the catalog has no data that are denser."""
    if averaging is None:
        return
    for offer in dict.fromkeys(each.offer for choice in choices for each in measured(choice)):
        if offer.cadence is None or not offer.cadence <= averaging.length < offer.cadence * SAMPLES_A_BIN:
            continue
        text = (
            f"{offer.dataset} has {spoken(offer.cadence)} values: {spoken(averaging.length)} {spoken_method(averaging.method)}"
        )
        text = f"{text} of it have {_count(averaging.length / offer.cadence)} each."
        assumptions.say(text, Topic("dataset", id_in_archive(offer.dataset)), Topic("operation", "resample"))


def _count(samples: float) -> str:
    count = max(1, round(samples))
    return f"{count} value{'s' if count > 1 else ''}"


def _cadence_clause(words: Sequence[str], cadence: timedelta) -> str:
    return f"{listed(words)} {'have' if len(words) > 1 else 'has'} {spoken(cadence)} values"
