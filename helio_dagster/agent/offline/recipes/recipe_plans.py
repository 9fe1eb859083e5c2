"""Pipelines of recipes: their data are planned as a request for them is, then the recipe's steps and figure are added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.assembly import compute_of, figure_of, name_of, step_of
from helio_dagster.agent.drafting.assumptions import WHOLE_VECTOR, lines_about
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.recipes.one_instrument import Data, frames_of, of_one_instrument
from helio_dagster.agent.offline.recipes.own_positions import Planned, place_of, shown
from helio_dagster.agent.offline.recipes.said_options import (
    AVERAGE,
    OF_ORDERS,
    averaged,
    by_the_method,
    has_methods,
    is_of_one_quantity,
    of_orders,
    of_the_kind,
    read_average,
    read_orders,
    without_method,
)
from helio_dagster.agent.offline.recipes.vocabulary import (
    Recipe,
    RecipeStep,
    find_recipe,
    find_recipe_within,
    without_occasion,
    without_place,
)
from helio_dagster.agent.offline.request_times import range_of, without_time
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_steps, pipeline_to_document
from helio_dagster.domain.time_range import format_time
from helio_dagster.domain.yaml.document import Value

_GROUPS = {"mms": "MMS{}", "cluster": "Cluster {}"}


@dataclass(frozen=True)
class _Stated:
    """What a request names: the spacecraft, the frame of the result, the moment of a shock."""

    who: str
    frame: str
    moment: str


def recipe_plan(request: str, now: datetime, planned: Planned, *, is_within: bool = False) -> Plan | None:
    """The plan of a request that names a recipe, a spacecraft and a time; None where it is none.

    With `is_within`, the name may stand among words that ask, tell the occasion, or name what the result has anyway.

    Raises
    ------
    OpenQuestion
        The time, or the moment of a shock, is missing, or the spacecraft lacks what the recipe needs.
    """
    whole = " ".join(form("recipes.courtesy").sub("", request).split()).strip(" .!?,")
    text = without_method(whole)
    found = find_span(text, now)
    rest = without_time(text, found)
    rest = form("recipes.frames_first").sub(
        r"\g<who> from RTN to \g<to>", form("recipes.earlier_frame").sub(r"\g<rest> in \g<frame>", rest)
    )
    framed = form("recipes.frame").search(rest)
    name = form("recipes.frame").sub(" in RTN" if framed and framed["own"] else "", rest)
    name, orders, longest = read_orders(name)
    name, average = read_average(name)
    named = find_recipe_within(name) if is_within else find_recipe(name)
    if named is None:
        return None
    recipe, who = named
    if (recipe.is_turned and framed is None) or is_of_one_quantity(recipe, who) or (text != whole and not has_methods(recipe)):
        return None
    who = without_occasion(who).removesuffix(" data")
    who = re.sub(r"(?<!solar )\bwind\b", "Wind", without_place(who) if "position" in recipe.data else who)
    if orders or longest:
        if recipe.steps[0].operation != OF_ORDERS:
            return None
        recipe = of_orders(recipe, orders, longest)
    if average:
        if AVERAGE not in recipe.steps[0].options:
            return None
        recipe = averaged(recipe, average)
    if not who and recipe.spacecraft:
        raise OpenQuestion(f"Of which spacecraft, and for which time, do you want the {recipe.title}?")
    if recipe.spacecraft == 4:
        who = "MMS" if "mms" in who.lower() else "Cluster"
    range_of(text, found, *([f"{text} on 2005-01-16"] if not recipe.needs else []))
    assert found is not None  # noqa: S101 - it has a range
    recipe = of_the_kind(by_the_method(recipe, whole), name)
    moment = _moment(recipe, found, who, text, whole)
    to = framed["to"].upper() if framed else ""
    recipe = recipe.model_copy(update={"title": recipe.title.replace("FRAME", to).replace("WHO", who)})
    frame = recipe.frame if recipe.is_turned else to or recipe.frame
    when = text[found.first : found.last]
    base, inputs = _data(recipe, who, frame, when, planned)
    if recipe.is_turned:
        place = place_of(who, when, planned)
        base, inputs = _together([base, place.plan]), {**inputs, "position": place.step}
        recipe = recipe.model_copy(update={"assumed": (place.assumed,), "steps": tuple(map(place.reaching, recipe.steps))})
    pipeline = _with_steps(recipe, base, inputs, _Stated(who, to, moment))
    return Plan(pipeline, base.span, base.notes)


def _moment(recipe: Recipe, found: FoundSpan, who: str, text: str, whole: str) -> str:
    """The moment that is named, if the recipe needs one; a question that offers to look for it where there is none."""
    if not recipe.needs:
        return ""
    if found.moment is None:
        when = re.sub(r"^(?:on|in|for|at) ", "", text[found.first : found.last], flags=re.IGNORECASE)
        of_each = re.sub(r"\b(?:the|an?) ((?:\w+ )?shock)\b", r"each \1", whole, flags=re.IGNORECASE)
        raise OpenQuestion(
            "When does the shock pass? The plasma before and after that moment is compared: name it with hours and minutes, as "
            f"in 2005-01-16 09:27. To find it, ask for {f'the shocks at {who} on {when}'!r}, which lists the moments.",
            [of_each] if of_each != whole else [],
        )
    return format_time(found.moment)


def _data(recipe: Recipe, who: str, frame: str, when: str, planned: Planned) -> Data:
    """A plan of the data, and input to the step that gives it: with what is optional if it can be had, vectors in one frame."""
    asked: OpenQuestion | InputError | None = None
    for requests in _requests(recipe, who, frame, when):
        try:
            found = _tried(requests, planned)
        except (OpenQuestion, InputError) as error:
            asked = asked or error
            continue
        if found is not None:
            return of_one_instrument(recipe, found, who, when, lambda words: _tried(words, planned))
    if isinstance(asked, OpenQuestion):
        raise OpenQuestion(f"For the {recipe.title}{f' of {who}' if who else ''}: {asked.question.text}")
    if asked is not None:
        raise asked
    needed = ", ".join(recipe.wanted(is_whole=False).values())
    raise OpenQuestion(f"The {recipe.title} needs {needed}, which I do not find of {who} then. Which spacecraft do you want?")


def _tried(requests: Mapping[tuple[str, ...], str], planned: Planned) -> Data | None:
    """What requests for data give; None where it is not just what they name, with its vectors in one frame."""
    plans = [planned(words) for words in requests.values()]
    names = [name for names in requests for name in names]
    steps = [step for plan in plans for step in shown(plan.pipeline)]
    if any(plan.ignored for plan in plans) or len(steps) != len(names) or len(frames_of(steps)) > 1:
        return None
    return _together(plans), dict(zip(names, steps, strict=True))


def _requests(recipe: Recipe, who: str, frame: str, when: str) -> Iterator[dict[tuple[str, ...], str]]:
    """Names of inputs to the request for them, the most wanted first."""
    if recipe.spacecraft == 2 and "position" not in recipe.data:
        pair = re.sub(r" with ", " and ", who, count=1, flags=re.IGNORECASE)
        what = next(iter(recipe.data.values()))
        yield {
            tuple(recipe.data): f"{pair}{'' if what.startswith('the ') else f' {what}'}{f' in {frame}' if frame else ''} {when}"
        }
        return
    if recipe.spacecraft > 1:
        crafts = (
            [_GROUPS[who.lower()].format(place) for place in (1, 2, 3, 4)]
            if recipe.spacecraft == 4
            else form("recipes.pair").split(who, 1)
        )
        yield {
            tuple(f"{name}{place}" for place in range(1, len(crafts) + 1)): " and ".join(f"{craft} {words}" for craft in crafts)
            + f" in {frame or 'GSE'} {when}"
            for name, words in recipe.data.items()
        }
        return
    frames = [frame] if frame or not recipe.spacecraft else ["", "GSE", "RTN"]
    for is_whole in [True, False] if recipe.optional else [True]:
        data = recipe.wanted(is_whole=is_whole)
        for one in frames:
            yield {tuple(data): f"{who} {', '.join(data.values())}{f' in {one}' if one else ''} {when}".strip()}


def _together(plans: list[Plan]) -> Plan:
    """Several plans over one time as one, without a step or an assumption twice."""
    first, *others = plans
    if not others:
        return first
    document = pipeline_to_document(first.pipeline)
    steps = {str(step["id"]): step for plan in plans for step in pipeline_steps(pipeline_to_document(plan.pipeline))}
    assumed = dict.fromkeys(each for plan in plans for each in plan.pipeline.assumptions)
    document |= {"steps": list(steps.values()), "assumptions": list(assumed)}
    notes = dict.fromkeys(note for plan in plans for note in plan.notes)
    known = tuple(each for plan in plans for each in plan.assumed)
    return Plan(Pipeline.model_validate(document), first.span, tuple(notes), assumed=known)


def _with_steps(recipe: Recipe, base: Plan, inputs: dict[str, str], words: _Stated) -> Pipeline:
    """The pipeline of the data with the recipe's steps, its figure and its assumptions."""
    document, moment, who = pipeline_to_document(base.pipeline), words.moment, words.who
    kept: list[Value] = [step for step in pipeline_steps(document) if "figure" not in step]
    made: list[Value] = []
    for step in recipe.steps:
        made.append(_step(step, inputs, words))
        inputs = {**inputs, step.feeds: step.id} if step.feeds else inputs
    panels = [_panel(names, inputs, recipe, moment) for names in recipe.panels]
    plotted = figure_of(f"The data and the {recipe.title}", *panels)
    link = "of" if recipe.spacecraft == 2 or "" in recipe.data.values() else "at"
    title = f"{capital(recipe.title)}{f' {link} {who}' if who and who not in recipe.title else ''}"
    document |= {"name": name_of(title), "title": title, "steps": [*kept, *made, plotted]}
    document.pop("description", None)
    whole = lines_about(base.assumed, WHOLE_VECTOR)
    of_base: list[Value] = [each for each in base.pipeline.assumptions if each not in whole]
    document["assumptions"] = [*of_base, *recipe.assumed]
    return Pipeline.model_validate(document)


def _panel(names: tuple[str, ...], inputs: dict[str, str], recipe: Recipe, moment: str) -> Value:
    """A panel of some steps or `step.column`, labelled where there are several; one over time marks the shock."""
    parts = [(inputs.get(step, step), column) for step, _, column in (name.partition(".") for name in names)]
    labels = {step.id: step.intent for step in recipe.steps} if len(names) > 1 else {}
    traces: list[Value] = [
        {
            "data": step,
            **({"component": column} if column else {}),
            **({"label": labels[step]} if step in labels and not column else {}),
        }
        for step, column in parts
    ]
    of_range = {step.id for step in recipe.steps if step.over == "range"}
    marks: list[Value] = [] if not moment or of_range & {step for step, _ in parts} else [{"x": moment, "text": "shock"}]
    axis: dict[str, Value] = {"scale": "log"} if set(names) & set(recipe.log) else {}
    if title := next((step.axis for step in recipe.steps if names == (step.id,)), ""):
        axis["title"] = title
    return {"traces": traces, **({"y": axis} if axis else {}), **({"marks": marks} if marks else {})}


def _step(step: RecipeStep, inputs: dict[str, str], words: _Stated) -> Value:
    """A step of a recipe as it stands in a pipeline: of the inputs that its operation has, those that there are."""
    known = get_operation(step.operation).inputs
    own: dict[str, Value] = {name: inputs[name] for name in known if name in inputs}
    own |= {name: inputs.get(each, each) for name, each in step.inputs.items()}
    options: dict[str, Value] = {}
    for name, value in step.options.items():
        options[name] = words.frame if value == "FRAME" else list(value) if isinstance(value, tuple) else value
    if words.moment:
        options["time"] = words.moment
    over: dict[str, Value] = {"over": "range"} if step.over == "range" else {}
    return step_of(step.id, step.intent.replace("FRAME", words.frame), **over, compute=compute_of(step.operation, own, options))
