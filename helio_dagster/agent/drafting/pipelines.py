"""A pipeline made of chosen parameters: steps and a figure over them. What answers a request is decided before."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.drafting.assembly import assemble, made_from
from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, lines_of
from helio_dagster.agent.drafting.curves import AnyChoice, Curve, measured
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.detected_events import draft_events
from helio_dagster.agent.drafting.draft_panels import draft_panels
from helio_dagster.agent.drafting.draft_titles import intent_of_figure, listed, title_of_draft
from helio_dagster.agent.drafting.event_ranges import draft_dates
from helio_dagster.agent.drafting.exclusions import with_exclusions
from helio_dagster.agent.drafting.left_out_where import leave_out_where
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.operation_order import PAIRING_WORDS
from helio_dagster.agent.drafting.orbits import with_orbits
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.drafting.superposition import together
from helio_dagster.agent.drafting.variants import over_the_data, variants_of
from helio_dagster.agent.drafting.whole_results import BESIDE, draft_whole
from helio_dagster.agent.treatments import Treatment
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.yaml.document import Value


def draft_pipeline(
    choices: Sequence[AnyChoice],
    treatment: Treatment,
    *,
    archive: str,
    assumptions: Assumptions,
    catalog: KnownCatalog,
    limited: AnyChoice | None = None,
) -> Pipeline:
    """The pipeline that fetches, computes and draws the choices.

    Parameters
    ----------
    choices
        In the order of their panels.
    treatment
        Averages, operations and the arrangement asked for.
    archive
        Where the datasets are fetched from.
    assumptions
        What was assumed in choosing; is added to.
    catalog
        Gives grains and first days of datasets.
    limited
        The quantity whose limit leaves out times, or makes events.

    Raises
    ------
    DraftQuestion
        An operation cannot take what was chosen, or needs to know more.
    """
    whose = {choice.target.who for choice in choices}
    found = None
    if limited is not None and treatment.detected is not None:
        draft = StepDraft(archive, treatment, is_single=whose == {limited.target.who}, assumptions=assumptions)
        found = draft_events(draft, limited, treatment.detected)
        treatment = found.treatment
    else:
        draft = StepDraft(archive, treatment, is_single=len(whose) == 1, assumptions=assumptions)
    has_vectors = any(isinstance(each, Choice) and each.part == "as_is" and each.offer.kind == "vector" for each in choices)
    drawn = {
        curve.step: (own, curve)
        for choice in choices
        for own in treatment.each_of(choice.target)
        for curve in _curves(draft, choice, own, spares_numbers=has_vectors)
    }
    curves = [curve for _, curve in drawn.values()]
    draft.treatment = treatment
    if treatment.pairing is not None:
        pair, beside = _split(curves, treatment)
        if len(pair) < 2:
            text = f"A {PAIRING_WORDS[treatment.pairing.operation]} is of two, and {choices[0].target.words} is named twice."
            raise DraftQuestion(f"{text} What is the other one?")
        curves = [*(pair if treatment.has_data else []), draft.pair(pair[0], pair[1]), *beside]
    results: list[tuple[Treatment, str]] = []
    if treatment.apart:
        curves, panels, results = _apart(draft, treatment, list(drawn.values()), curves)
    else:
        _say_how_drawn(curves, treatment, assumptions)
        panels = draft_panels(curves, treatment)
    title = title_of_draft(choices, treatment, results)
    shown = [curve for _, curve in drawn.values()] if results else curves
    intent = intent_of_figure(shown, treatment, panels)
    panels = with_orbits(panels, curves, treatment, assumptions)
    if treatment.whole is not None:
        result = draft_whole(draft, curves, treatment.whole, panels)
        title, intent = f"{title}, {result.words}", result.intent
        panels = [*panels, *result.panels] if treatment.has_data and treatment.whole.kind in BESIDE else list(result.panels)
    windows = None
    if (stacked := together(draft, curves, treatment)) is not None:
        panels, intent, windows = list(stacked.panels), stacked.intent, stacked.windows
    if found is not None:
        panels, title = found.panels(draft, panels, curves), f"{title}{found.title}"
        intent = intent if found.detected.is_superposed else f"{intent}, for each event"
    if windows is None and treatment.dates:
        windows = draft_dates(draft, treatment.dates)
    if limited is not None and treatment.excluded is not None:
        leave_out_where(draft, limited, treatment.excluded)
    draft.steps.append({"id": "overview", "intent": intent, "figure": {"panels": list(panels)}})
    steps = list[Value](draft.steps)
    if treatment.excluded is not None and limited is None:
        excluding = with_exclusions(steps, treatment.excluded)
        steps = excluding.steps
        assumptions.say(excluding.assumption)
    offers = list(
        dict.fromkeys(each.offer for choice in (*choices, *([limited] if limited else [])) for each in measured(choice))
    )
    fetches = [offer.fetch(archive) for offer in offers]
    return assemble(
        title,
        made_from(fetches),
        steps,
        fetches=fetches,
        assumptions=lines_of(assumptions.records),
        catalog=catalog,
        windows=windows,
    )


def _curves(draft: StepDraft, choice: AnyChoice, treatment: Treatment, *, spares_numbers: bool) -> list[Curve]:
    """What is drawn of a choice: the data, what is made of them, or both."""
    made = []
    for variant in variants_of(treatment):
        draft.treatment = variant
        made.append(draft.add(choice, spares_numbers=spares_numbers))
    return over_the_data(made, treatment)


def _apart(
    draft: StepDraft, treatment: Treatment, drawn: Sequence[tuple[Treatment, Curve]], shown: Sequence[Curve]
) -> tuple[list[Curve], list[dict[str, Value]], list[tuple[Treatment, str]]]:
    """Of what is treated apart the curves over time among those `shown`, all panels, and what results are called."""
    summed_up = [curve for own, curve in drawn if own.whole is not None and treatment.whole is None]
    curves = [curve for curve in shown if curve not in summed_up]
    panels, results = draft_panels(curves, treatment), list[tuple[Treatment, str]]()
    for own in treatment.each:
        made = [curve for each, curve in drawn if each == own]
        if not made:
            continue
        _say_how_drawn(made, own, draft.assumptions, is_all=False)
        if own.whole is not None and treatment.whole is None:
            result = draft_whole(draft, made, own.whole, [])
            is_first = made[0] == drawn[0][1]
            panels = [*result.panels, *panels] if is_first else [*panels, *result.panels]
            results.append((own, result.words))
    return curves, panels, results


def _say_how_drawn(curves: Sequence[Curve], treatment: Treatment, assumptions: Assumptions, *, is_all: bool = True) -> None:
    """Say how curves are made, which are all that is drawn or a part of it."""
    if treatment.averaging is not None:
        methods = listed([spoken_method(each.method) for each in treatment.averagings])
        binned = Topic("operation", "resample")
        assumptions.say(f"{capital(spoken(treatment.averaging.length))} {methods} are over fixed bins.", binned)
        if any(each.method == "std" for each in treatment.averagings):
            assumptions.say("The standard deviation is that about the mean of each bin.", binned)
    smoothed = Topic("operation", "rolling_mean")
    if treatment.smoothing is not None:
        where = ", and taken of all that is shown." if is_all and len(curves) > 1 else "."
        assumptions.say(f"The running mean is centred{where}", smoothed)
    if any(curve.beneath is not None for curve in curves):
        is_alone = is_all and len(curves) == 1 and curves[0].is_line
        is_drawn = is_alone or treatment.has_data
        text = "The values themselves are drawn in grey." if is_drawn else "Only the running mean is drawn."
        assumptions.say(text, *([smoothed] if treatment.smoothing is not None else []))
    if any(transform.options.get("statistic") == "std" for transform in treatment.transforms):
        text = "The standard deviation is that about the mean of each window."
        assumptions.say(text, Topic("operation", "rolling_statistic"))
    chain = max((each.transforms for each in variants_of(treatment)), key=len)
    if len(chain) > 1:
        names = ", then ".join(transform.words for transform in chain)
        text = f"The operations follow each other in this order: {names}."
        assumptions.say(text, *(Topic("operation", each.operation) for each in chain))


def _split(curves: Sequence[Curve], treatment: Treatment) -> tuple[list[Curve], list[Curve]]:
    """The curves of a pairing, and those beside it."""
    pair = [each for each in curves if each.choice.target not in treatment.beside]
    return pair, [each for each in curves if each.choice.target in treatment.beside]
