"""A pipeline made of chosen parameters: steps and a figure over them. What answers a request is decided before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.assembly import assemble, made_from
from helio_dagster.agent.drafting.curves import AnyChoice, Curve, measured
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.detected_events import draft_events
from helio_dagster.agent.drafting.event_ranges import draft_dates
from helio_dagster.agent.drafting.exclusions import with_exclusions
from helio_dagster.agent.drafting.left_out_where import leave_out_where
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.operation_order import PAIRING_WORDS
from helio_dagster.agent.drafting.orbits import with_orbits
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.drafting.superposition import together
from helio_dagster.agent.drafting.whole_results import BESIDE, draft_whole
from helio_dagster.agent.treatments import Averaging, Transform, Treatment
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.units import is_same_unit
from helio_dagster.domain.yaml.document import Value

COLORS = ("black", "firebrick", "steelblue", "darkgoldenrod", "seagreen", "mediumpurple", "darkorange", "slategray")


def draft_pipeline(
    choices: Sequence[AnyChoice],
    treatment: Treatment,
    *,
    archive: str,
    assumptions: Sequence[str],
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
        What was assumed in choosing.
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
        draft = StepDraft(archive, treatment, is_single=whose == {limited.target.who})
        found = draft_events(draft, limited, treatment.detected)
        treatment = found.treatment
    else:
        draft = StepDraft(archive, treatment, is_single=len(whose) == 1)
    has_vectors = any(isinstance(each, Choice) and each.part == "as_is" and each.offer.kind == "vector" for each in choices)
    curves: list[Curve] = []
    for choice in choices:
        made = []
        for variant in _variants(treatment):
            draft.treatment = variant
            made.append(draft.add(choice, spares_numbers=has_vectors))
        curves += _over_the_data(made, treatment)
    curves = list({curve.step: curve for curve in curves}.values())
    draft.treatment = treatment
    if treatment.pairing is not None:
        pair, beside = _split(curves, treatment)
        curves = [*(pair if treatment.has_data else []), draft.pair(pair[0], pair[1]), *beside]
    draft.assumptions += _drawing_assumptions(curves, treatment)
    title = _title(choices, treatment)
    panels, intent = draft_panels(curves, treatment), _figure_intent(curves, treatment)
    panels = with_orbits(panels, curves, treatment, draft.assumptions)
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
        draft.assumptions.append(excluding.assumption)
    offers = list(
        dict.fromkeys(each.offer for choice in (*choices, *([limited] if limited else [])) for each in measured(choice))
    )
    fetches = [offer.fetch(archive) for offer in offers]
    return assemble(
        title,
        made_from(fetches),
        steps,
        fetches=fetches,
        assumptions=[*assumptions, *draft.assumptions],
        catalog=catalog,
        windows=windows,
    )


def _variants(treatment: Treatment) -> list[Treatment]:
    """The treatment once for each angle or moving statistic that it asks for; before these the data, or averaged vectors."""
    statistics = _moving_statistics(treatment)
    if treatment.pairing is not None:  # of which the data are the curves that are paired
        treatment = replace(treatment, has_data=False)
    if treatment.also:
        data = [replace(treatment, averaging=None, also=(), has_data=False)] if treatment.has_data else []
        return [*data, *(replace(treatment, averaging=each, has_data=False) for each in _averagings(treatment))]
    if statistics:
        rest = tuple(each for each in treatment.transforms if each not in statistics)
        plain = replace(treatment, smoothing=None, transforms=rest, has_data=False)
        each_alone = [replace(plain, transforms=(*rest, each)) for each in statistics]
        smoothed = [replace(plain, smoothing=treatment.smoothing)] if treatment.smoothing is not None else []
        return [*([plain] if treatment.has_data else []), *smoothed, *each_alone]
    angles = [each for each in treatment.transforms if each.operation == "direction"]
    variants = [
        replace(treatment, transforms=tuple(each for each in treatment.transforms if each not in angles or each is angle))
        for angle in angles
    ]
    if treatment.has_data and angles:
        return [replace(treatment, transforms=tuple(each for each in treatment.transforms if each not in angles)), *variants]
    if treatment.has_data:
        turned = tuple(each for each in treatment.transforms if each.operation == "transform_frame")
        return [replace(treatment, averaging=None, smoothing=None, transforms=turned), treatment]
    return variants or [treatment]


def _averagings(treatment: Treatment) -> tuple[Averaging, ...]:
    """All statistics of bins."""
    return (treatment.averaging, *treatment.also) if treatment.averaging is not None else ()


def _moving_statistics(treatment: Treatment) -> list[Transform]:
    """Moving statistics that stand beside each other: several, or one of the window of a running mean; none else."""
    found = [each for each in treatment.transforms if each.operation == "rolling_statistic"]
    mean = treatment.smoothing.length if treatment.smoothing is not None else None
    if mean is None:
        return found if len(found) > 1 else []
    return found if {str(each.options.get("window")) for each in found} == {format_duration(mean)} else []


def _over_the_data(made: Sequence[Curve], treatment: Treatment) -> list[Curve]:
    """The curves of one choice; an average that lies in the range of its data is drawn over them."""
    if not treatment.has_data or len(made) != 2:
        return list(made)
    data, result = made
    if result.step == data.step or not (data.is_line and result.is_line) or not _is_average(treatment):
        return list(made)
    return [replace(result, beneath=data.step, dense=data.cadence)]


def _is_average(treatment: Treatment) -> bool:
    """Whether all that is done to the data leaves them among their own values."""
    methods: list[str] = [treatment.averaging.method] if treatment.averaging is not None else []
    methods += [str(each.options.get("statistic")) for each in treatment.transforms if each.operation != "transform_frame"]
    return all(each in ("mean", "median", "min", "max") for each in methods)


def _drawing_assumptions(curves: Sequence[Curve], treatment: Treatment) -> list[str]:
    found = []
    if treatment.averaging is not None:
        methods = _listed([spoken_method(each.method) for each in _averagings(treatment)])
        found.append(f"{capital(spoken(treatment.averaging.length))} {methods} are over fixed bins.")
        if any(each.method == "std" for each in _averagings(treatment)):
            found.append("The standard deviation is that about the mean of each bin.")
    if treatment.smoothing is not None:
        found.append("The running mean is centred" + (", and taken of all that is shown." if len(curves) > 1 else "."))
    if any(curve.beneath is not None for curve in curves):
        is_alone = len(curves) == 1 and curves[0].is_line
        is_drawn = is_alone or treatment.has_data
        found.append("The values themselves are drawn in grey." if is_drawn else "Only the running mean is drawn.")
    if any(transform.options.get("statistic") == "std" for transform in treatment.transforms):
        found.append("The standard deviation is that about the mean of each window.")
    chain = max((each.transforms for each in _variants(treatment)), key=len)
    if len(chain) > 1:
        names = ", then ".join(transform.words for transform in chain)
        found.append(f"The operations follow each other in this order: {names}.")
    return found


def draft_panels(curves: Sequence[Curve], treatment: Treatment, *, several: bool | None = None) -> list[dict[str, Value]]:
    """One panel per quantity, lines of several missions together unless they shall be stacked."""
    groups: list[list[Curve]] = []
    are_indices = all(getattr(curve.choice.target, "quantity", "") in INDICES for curve in curves)
    is_alike = len(curves) == 2 and (are_indices or len({curve.choice.target.words.split()[-1] for curve in curves}) == 1)
    is_together = treatment.is_together or (treatment.is_comparison and is_alike)
    for curve in curves:
        home = next((group for group in groups if _share_an_axis(group[0], curve, is_together=is_together)), None)
        is_apart = treatment.is_stacked or (treatment.has_data and curve.beneath is not None)
        if home is None or is_apart:
            groups.append([curve])
        else:
            home.append(curve)
    if several is None:
        several = len({curve.choice.target.who for curve in curves}) > 1
    homes = _datasets_apart(curves)
    return [
        _panel(group, treatment=treatment, several=several, is_alone=len(curves) == 1 or treatment.has_data, homes=homes)
        for group in groups
    ]


def _datasets_apart(curves: Sequence[Curve]) -> dict[str, str]:
    """The dataset of each step that shows the same as another does of another dataset of its mission."""
    homes = {curve.step: curve.choice.offer.dataset for curve in curves if isinstance(curve.choice, Choice)}
    return {
        curve.step: homes[curve.step]
        for curve in curves
        if curve.step in homes
        and any(
            homes.get(other.step, homes[curve.step]) != homes[curve.step]
            and (other.choice.target.who, other.panel) == (curve.choice.target.who, curve.panel)
            for other in curves
        )
    }


def _share_an_axis(one: Curve, other: Curve, *, is_together: bool) -> bool:
    """Whether two curves are single lines in the same unit, which mean the same or are wanted together."""
    return one.is_line and other.is_line and (is_together or one.panel == other.panel) and is_same_unit(one.unit, other.unit)


def _panel(
    group: Sequence[Curve], *, treatment: Treatment, several: bool, is_alone: bool, homes: Mapping[str, str]
) -> dict[str, Value]:
    traces: list[Value] = []
    for index, curve in enumerate(group):
        whose = homes.get(curve.step) or (curve.choice.target.who if several and not curve.is_of_two else "")
        label = {"label": whose} if whose and curve.is_line else {}
        if curve.beneath is not None and is_alone and len(group) == 1 and curve.is_line:
            dense = f"{spoken(curve.dense)} values" if curve.dense else "values"
            traces.append({"data": curve.beneath, "label": dense, "color": "silver"})
            traces.append({"data": curve.step, "label": _average(treatment), "color": "firebrick"})
        elif len(group) > 1:
            quantities = {each.choice.target.words for each in group}
            label = {"label": f"{curve.choice.target.who} {curve.choice.target.words}"} if len(quantities) > 1 else label
            traces.append({"data": curve.step, **label, "color": COLORS[index % len(COLORS)]})
        else:
            traces.append({"data": curve.step, **label})
    panel: dict[str, Value] = {"traces": traces}
    title = group[0].axis
    whose = homes.get(group[0].step) or (group[0].choice.target.who if several and not group[0].is_of_two else "")
    if whose and len(group) == 1 and title:
        title = f"{whose} {title}"
    if title and group[0].kind != "spectrogram":
        panel["y"] = {"title": title}
    if treatment.shown is not None and group[0].kind == "spectrogram":
        panel["y"] = {"range": [*treatment.shown]}
    return panel


def _split(curves: Sequence[Curve], treatment: Treatment) -> tuple[list[Curve], list[Curve]]:
    """The curves of a pairing, and those beside it."""
    pair = [each for each in curves if each.choice.target not in treatment.beside]
    return pair, [each for each in curves if each.choice.target in treatment.beside]


def _title(choices: Sequence[AnyChoice], treatment: Treatment) -> str:
    if treatment.beside:
        pair = [each for each in choices if each.target not in treatment.beside]
        beside = _title(
            [each for each in choices if each.target in treatment.beside], replace(treatment, pairing=None, beside=())
        )
        return f"{_title(pair, replace(treatment, beside=(), averaging=None, smoothing=None, transforms=()))}; {beside}"
    missions = list(dict.fromkeys(choice.target.who for choice in choices))
    quantities = list(dict.fromkeys(choice.target.words for choice in choices))
    asked = list(dict.fromkeys((choice.target.who, choice.target.words) for choice in choices))
    title = f"{_listed(missions)} {_listed(quantities)}"
    if len(asked) < len(missions) * len(quantities):
        title = _listed([f"{mission} {words}" for mission, words in asked])
    if treatment.pairing is not None:
        title = f"{title}, {PAIRING_WORDS[treatment.pairing.operation]}"
    if treatment.averaging is not None:
        methods = _listed([spoken_method(each.method) for each in _averagings(treatment)])
        title += f", {spoken(treatment.averaging.length)} {methods}"
    if mean := _mean_length(treatment):
        title += f", {mean} running mean"
    return title + "".join(f", {transform.words}" for transform in treatment.transforms)


def _figure_intent(curves: Sequence[Curve], treatment: Treatment) -> str:
    is_by_mission = treatment.is_stacked and len({curve.choice.target.who for curve in curves}) > 1
    words = [(curve.symbol or curve.choice.target.words, curve.choice.target.who) for curve in curves]
    shown = list(dict.fromkeys(f"{symbol} of {who}" if is_by_mission else symbol for symbol, who in words))
    return f"Draw {shown[0]}" if len(shown) == 1 else f"From top to bottom: {', '.join(shown)}"


def _mean_length(treatment: Treatment) -> str:
    smoothing = treatment.smoothing
    return spoken(smoothing.length) if smoothing is not None and smoothing.length is not None else ""


def _average(treatment: Treatment) -> str:
    """What a curve over its data is: `10-minute mean`."""
    if mean := _mean_length(treatment):
        return f"{mean} mean"
    if treatment.averaging is not None:
        return f"{spoken(treatment.averaging.length)} {spoken_method(treatment.averaging.method)}"
    return ", ".join(transform.words for transform in treatment.transforms)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
