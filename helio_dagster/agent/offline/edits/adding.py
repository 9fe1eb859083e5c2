"""What is added to the figure: one more quantity, or the same for one more mission."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.assumptions import Assumptions, lines_of, mission_topics
from helio_dagster.agent.drafting.draft_panels import COLORS, draft_panels
from helio_dagster.agent.drafting.drawn_figure import SPECTRAL, Line
from helio_dagster.agent.drafting.naming import slug
from helio_dagster.agent.drafting.one_dataset import of_plotted
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.offline.covered_missions import ask_about_uncovered
from helio_dagster.agent.offline.draft_questions import spoken_question
from helio_dagster.agent.offline.edits.alike import fetch_alike
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.frames import FRAMES, frame_of, has_direction
from helio_dagster.agent.offline.edits.laid_over import of_mission
from helio_dagster.agent.offline.edits.of_the_line import made_of, of_the_line
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Dataset, Filler, Frame, Layout, Length, Mission, Shape
from helio_dagster.agent.offline.preferences import read_preferences
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import find_targets
from helio_dagster.agent.offline.treatment import read_treatment
from helio_dagster.agent.offline.whereabouts import with_solar_wind_of_omni
from helio_dagster.agent.targets import AnyTarget, DerivedTarget, Measured, Target
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.choice.quantities import INDICES, QUANTITIES
from helio_dagster.domain.pipeline import Compute, Step


def add_quantities(reading: Reading, table: Table, requests: RequestPlanner, of: Line | None = None) -> None:
    """Add a panel for each quantity, of the mission that is plotted where none is named.

    What is made of a line is made of that which is given, or else of the only one that is drawn.

    Raises
    ------
    OpenQuestion
        It leaves open what is meant, or a mission does not measure it; its choices are additions.
    """
    if all({"epoch_statistics", "superposed_epoch"} & set(line.operations) for line in table.plotted.lines):
        names = f"superposed epoch of {' and '.join(table.plotted.missions)} {reading.request.strip()}"
        raise OpenQuestion(f"The figure shows what events have in common. Say the whole request again: `{names} around …`.")
    target = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler)]
    if all(isinstance(each, Transform | Length) for each in target):
        reading, of = of_the_line(reading, table, of)
    if _add_parts(reading, table):
        return
    reading = _in_the_same_frame(reading, table)
    try:
        _add(reading, table, requests, of)
    except OpenQuestion as asked:
        asked = spoken_question(reading, asked) if isinstance(asked, DraftQuestion) else asked
        choices = [choice if choice.startswith("add ") else f"add {choice}" for choice in asked.question.choices]
        raise OpenQuestion(asked.question.text, choices) from None


def _add(reading: Reading, table: Table, requests: RequestPlanner, of: Line | None) -> None:
    plotted, archive = table.plotted, table.offers.archive
    reading = with_solar_wind_of_omni(reading, plotted.missions)
    measured = [each for each in reading.all(Measured) if each.quantities[0] not in INDICES]
    if not reading.all(Mission) and not reading.all(Dataset) and (measured or not reading.all(Measured)):
        if not plotted.missions:
            raise OpenQuestion(f"Which spacecraft do you want {reading.request} of?")
        named = tuple(Mention(Mission(name), 0, 0, name) for name in plotted.missions)
        reading = replace(reading, mentions=(*named, *reading.mentions))
    preferences = replace(read_preferences(reading), span=table.span)
    treatment = read_treatment(reading, preferences.cadence)
    assumptions = Assumptions()
    for each in reading.all(Mission):
        if each.note:
            assumptions.say(each.note, *mission_topics(each.name, each.member))
    targets = [_held(target, table) for target in find_targets(reading, table.offers.catalog, archive)]
    choices = [choice for target in targets for choice in requests.drafter.choices(target, preferences, assumptions)]
    if preferences == replace(Preferences(frame=preferences.frame), span=table.span):
        homes = dict.fromkeys(step.fetch.dataset for step in plotted.pipeline.steps if step.fetch)
        choices = of_plotted(choices, list(homes), assumptions)
    is_single = {choice.target.who for choice in choices} == set(plotted.missions) and len(plotted.missions) == 1
    draft = StepDraft(archive, treatment, is_single=is_single, existing=[*plotted.pipeline.nodes], assumptions=assumptions)
    panels: list[Any] = draft_panels([draft.add(choice) for choice in choices], treatment, several=not is_single)
    shown = {line.trace.data for line in plotted.lines}
    new: list[Any] = [panel for panel in panels if not {trace["data"] for trace in panel["traces"]} <= shown]
    if not new:
        raise OpenQuestion(f"{reading.request.strip()} is drawn already. What do you want to add?")
    for step in draft.steps:
        table.add(made_of(Step.model_validate(step), of, table))
    for panel in new:
        table.draw({"figure.panels[+]": panel})
    table.assume(assumptions.records)
    table.notes += lines_of(assumptions.records)


def _held(target: AnyTarget, table: Table) -> AnyTarget:
    """What could be computed, as a dataset that is plotted holds it already, at the cadence of the figure."""
    if not isinstance(target, DerivedTarget) or target.derived.options:
        return target
    fetches = [step.fetch for step in table.plotted.pipeline.steps if step.fetch]
    for fetch in fetches:
        facts = table.offers.catalog.facts(fetch.archive, fetch.dataset)
        if facts is None or table.plotted.mission(fetch) != target.mission:
            continue
        held = [each.name for each in facts.parameters if str(each.quantity) == target.words]
        if len(held) == 1:
            return Target(target.mission, "other", dataset=facts.dataset, parameter=held[0])
    return target


def _add_parts(reading: Reading, table: Table) -> bool:
    """Add components, or the magnitude, of the vectors that are drawn whole; False where anything else is asked for."""
    shapes, frames = reading.all(Shape), {each.name for each in reading.all(Frame)}
    wanted = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler | Layout | Frame | Shape)]
    parts: list[tuple[Line, str]] = []
    for each in wanted:
        if not isinstance(each, Measured) or shapes != ([] if each.axis else [Shape("magnitude")]):
            return False
        vectors = [line for line in table.plotted.lines if line.is_whole_vector and line.quantities == each.quantities]
        frame = frame_of(vectors[0], table) if len({line.trace.data for line in vectors}) == 1 else ""
        part = each.axis or "magnitude"
        if not vectors or part not in ("magnitude", *("rtn" if frame == "RTN" else "xyz")) or not frames <= {frame}:
            return False
        parts.append((vectors[0], part))
    for line, part in parts:
        data, frame, symbol = line.trace.data, frame_of(line, table), QUANTITIES[line.quantities[0]].symbol
        whose = f"{' '.join(line.missions)} " if len(table.plotted.missions) > 1 else ""
        if part == "magnitude":
            title, compute = f"{whose}|{symbol}|", Compute(operation="magnitude", inputs={"vector": data})
            step = table.add(Step(id=f"{_stem(data, frame)}_mag", intent=f"Magnitude of {whose}{data}", compute=compute))
        else:
            title, step = f"{whose}{symbol}{part} {frame}".strip(), component_step(line, part, table)
        table.draw({"figure.panels[+]": {"traces": [{"data": step}], "y": {"title": title}}})
    return bool(parts)


def component_step(line: Line, axis: str, table: Table) -> str:
    """The id of a step that makes one component of a vector that is drawn whole: a new one, or one that does so already."""
    data = line.trace.data
    return _made_once(
        Compute(operation="component", inputs={"vector": data}, options={"component": axis}),
        f"{_stem(data, frame_of(line, table))}_{axis}",
        f"Component {axis} of {data}",
        table,
    )


def magnitude_step(line: Line, table: Table) -> str:
    """The id of a step that makes the magnitude of a vector that is drawn whole: a new one, or one that does so already."""
    data = line.trace.data
    compute = Compute(operation="magnitude", inputs={"vector": data})
    return _made_once(compute, f"{_stem(data, frame_of(line, table))}_mag", f"Magnitude of {data}", table)


def _made_once(compute: Compute, name: str, intent: str, table: Table) -> str:
    if (same := next((each.id for each in table.plotted.pipeline.steps if each.compute == compute), None)) is not None:
        return same
    return table.add(Step(id=name, intent=intent, compute=compute))


def _stem(data: str, frame: str) -> str:
    return data.rpartition("/")[2].removesuffix(f"_{frame.lower()}")


def _in_the_same_frame(reading: Reading, table: Table) -> Reading:
    """A component without a frame is that of the vector that is drawn, or of which another part is."""
    of = {quantity for each in reading.all(Measured) if each.axis for quantity in each.quantities}
    vectors = [line for line in table.plotted.lines if has_direction(line) and of & set(line.quantities)]
    fetches = [step.fetch for line in vectors for step in table.plotted.upstream(line.trace.data) if step.fetch]
    frames = {table.plotted.frame(fetch) for fetch in fetches}
    frame = next(iter(frames)) if len(frames) == 1 and not reading.all(Frame) else None
    return replace(reading, mentions=(*reading.mentions, Mention(Frame(frame), 0, 0, ""))) if frame else reading


def add_distance(words: str, table: Table) -> bool:
    """Add the length of each position that is drawn: `the distance from the Earth`; False where none is, or words say more."""
    positions = [line for line in table.plotted.lines if line.quantities == ("position",) and line.is_whole_vector]
    positions = [line for line in positions if frame_of(line, table) in FRAMES]
    if not positions or matched("adding.distance", words) is None:
        return False
    for line in positions:
        compute = Compute(operation="magnitude", inputs={"vector": line.trace.data})
        step = Step(id=f"{line.trace.data}_distance", intent=f"Distance of {' '.join(line.missions)}", compute=compute)
        table.draw({"figure.panels[+]": {"traces": [{"data": table.add(step)}], "y": {"title": "Distance"}}})
    return True


def add_mission(mission: Mission, table: Table) -> None:
    """Add the steps beneath every line once more, for another mission.

    Raises
    ------
    OpenQuestion
        It is drawn already, has no data then, or does not measure the same.
    """
    plotted = table.plotted
    if mission.name in plotted.missions:
        raise OpenQuestion(f"{mission.name} is drawn already. What do you want to add?")
    ask_about_uncovered(table.span, [mission], table.offers.catalog, table.offers.archive)
    source = plotted.missions[0] if plotted.missions else ""
    lines = [line for line in plotted.lines if line.missions == (source,)]
    if not lines:
        raise OpenQuestion(f"I cannot tell what of {mission.name} you want to add. Which quantity?")
    ids: dict[str, str] = {}
    for line in lines:
        for step in plotted.upstream(line.trace.data):
            if step.id not in ids:
                ids[step.id] = copy_step(step, ids, source, mission, table)
    _draw_beside(lines, ids, source, mission, table)
    if table.intent is not None:
        again = [of_mission(each, mission) for each in table.intent.targets if each.mission == source]
        table.intent = replace(table.intent, targets=(*table.intent.targets, *again))


def copy_step(step: Step, ids: dict[str, str], source: str, mission: Mission, table: Table) -> str:
    """The id of a step that does for another mission what a step does."""
    step_id = f"{slug(f'{mission.name} {mission.member}'.strip())}_{step.id.removeprefix(f'{slug(source)}_')}"
    is_named_in = bool(source) and source in step.intent
    wording = step.intent.replace(source, mission.name) if is_named_in else f"{step.intent} at {mission.name}"
    if step.fetch is not None:
        fetch, old, new = fetch_alike(step.fetch, mission, table)
        if old and new and old != new:
            wording, step_id = (
                wording.replace(f" in {old}", f" in {new}"),
                step_id.replace(f"_{old.lower()}", f"_{new.lower()}"),
            )
        return table.add(step.model_copy(update={"id": step_id, "intent": wording, "fetch": fetch}))
    if step.compute is not None and step.compute.operation is not None:
        inputs = {
            name: ids.get(other, other) if isinstance(other, str) else other for name, other in step.compute.inputs.items()
        }
        compute = step.compute.model_copy(update={"inputs": inputs})
        return table.add(step.model_copy(update={"id": step_id, "intent": wording, "compute": compute}))
    raise OpenQuestion(
        f"The step {step.id} holds code or a table, so I cannot add it for {mission.name}. Which quantity instead?"
    )


def _draw_beside(lines: Sequence[Line], ids: dict[str, str], source: str, mission: Mission, table: Table) -> None:
    """The new lines in the panels of the old ones; vectors and spectrograms in panels of their own."""
    labels: dict[str, Any] = {}
    added: list[tuple[str, dict[str, Any]]] = []
    who, panels = f"{mission.name} {mission.member}".strip(), table.plotted.panels
    for line in lines:
        data = ids[line.trace.data]
        if panels[line.panel].orbit is not None:
            labels |= {f"{line.path}.label": source} if not line.trace.label else {}
            added.append((f"figure.panels[{line.panel}].traces[+]", {"data": data, "label": who}))
            continue
        if line.trace.draw == "spectrogram" or _is_wide(line, table):
            panel = panels[line.panel].model_dump(mode="json", exclude_none=True, exclude_defaults=True)
            title = panel.get("y", {}).get("title", "").removeprefix(source).strip()
            labels[f"figure.panels[{line.panel}].y.title"] = f"{source} {title}".strip()
            added.append(("figure.panels[+]", {**panel, "traces": [{"data": data}], "y": {"title": f"{who} {title}".strip()}}))
            continue
        taken = {trace.color or "black" for trace in panels[line.panel].traces}
        old = line.trace.label or ""
        labels |= {} if source in old else {f"{line.path}.label": f"{source} {old}".strip()}
        kind = re.sub(r"\S+ values$", "values", old.replace(source, ""))  # how dense they are is another matter
        label, color = f"{who} {kind.strip()}".strip(), next((each for each in COLORS if each not in taken), "black")
        added.append((f"figure.panels[{line.panel}].traces[+]", {"data": data, "label": label, "color": color}))
    table.draw(labels)
    for path, value in added:
        table.draw({path: value})


def _is_wide(line: Line, table: Table) -> bool:
    """Whether a line is a whole vector, or a spectrogram: two of them in one panel tell nothing."""
    if line.is_whole_vector or line.is_spectrogram:
        return True
    step = table.plotted.upstream(line.trace.data)[-1]
    if step.fetch is not None:
        meta = table.offers.catalog.meta(step.fetch.archive, step.fetch.dataset, step.fetch.parameter)
        return meta is not None and meta.kind != "series"
    return bool(SPECTRAL & set(line.operations))
