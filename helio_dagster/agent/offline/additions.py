"""What is added to the pipeline on the table, in words: the same for one more mission, or one more quantity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.dataset_choice import Choice, choose
from helio_dagster.agent.drafting.naming import slug
from helio_dagster.agent.drafting.pipelines import draft_panels
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.intent import Averaging, Measured, Preferences, Smoothing, Target, Transform
from helio_dagster.agent.offline.bare_operations import is_bare, of_the_line
from helio_dagster.agent.offline.meanings import Compare, Dataset, Filler, Length, Mission, Unclear
from helio_dagster.agent.offline.plotted_figure import Line, PlottedFigure
from helio_dagster.agent.offline.request_plan import RequestPlanner, read_preferences, spoken_question
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import find_targets
from helio_dagster.agent.offline.treatment import read_treatment
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import INDICES, QUANTITY_WORDS, VECTORS
from helio_dagster.domain.pipeline import Fetch, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep
from helio_dagster.domain.time_range import EARLIEST, TimeRange

_ADDING = re.compile(
    r"(?:(?:and )?(?:also|add|plus|include|overplot|overlay|append|and|with)"
    r"|compare (?:it |this |that )?(?:with|to)|versus|vs)\b"
    r"(?: (?:also|show|plot|add|include|draw))?(?: (?:a|an|the))?(?: panels? (?:with|of|for|showing))? (?P<what>.+?)"
    r"(?: (?:as well|too|also|to it|to the (?:plot|figure)|in (?:a |its own |another |a separate |an extra )?panel))*"
    r"|(?P<also>.+?) (?:as well|too)",
    re.IGNORECASE,
)
_WIND = re.compile(r"\bWind(?= (?:density|speed|velocity|temperature|plasma))")
"""Written so, beside a pipeline, it is the spacecraft."""
_COLORS = ("black", "firebrick", "steelblue", "darkgoldenrod", "seagreen")


class Additions:
    """Adds to what is plotted.

    Parameters
    ----------
    offers
        What the catalog has.
    requests
        Chooses what answers a target.
    """

    def __init__(self, offers: Offers, requests: RequestPlanner) -> None:
        self._offers = offers
        self._requests = requests

    def read(
        self, text: str, plotted: PlottedFigure, span: TimeRange | None, now: datetime
    ) -> tuple[list[Edit], list[str]] | None:
        """The edits that a sentence means, and what is assumed; None where it adds nothing.

        Raises
        ------
        OpenQuestion
            It leaves open what is meant, or the mission does not measure it.
        """
        match = _ADDING.fullmatch(text)
        words = _WIND.sub("Wind spacecraft", text if match is None else match["what"] or match["also"])
        reading = self._requests.read(words, now)
        if match is None and not is_bare(reading):
            return None
        if reading.unknown or reading.time is not None or any(isinstance(each.meaning, Unclear) for each in reading.mentions):
            return None
        meant = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler | Compare)]
        missions = [each for each in meant if isinstance(each, Mission)]
        if not meant:
            return None
        if len(missions) == len(meant):
            added = _Copies(plotted, self._offers, span)
            return [edit for mission in missions for edit in added.copy(mission)], added.assumptions
        if all(isinstance(each, Smoothing | Averaging) for each in meant):
            return None
        if all(isinstance(each, Transform | Length) for each in meant):
            reading = of_the_line(reading, plotted)
        try:
            return self._quantity(reading, missions, plotted, span)
        except OpenQuestion as open_question:
            asked = spoken_question(reading, open_question) if isinstance(open_question, DraftQuestion) else open_question
            choices = [choice if choice.startswith("add ") else f"add {choice}" for choice in asked.question.choices]
            raise OpenQuestion(asked.question.text, choices) from None

    def _quantity(
        self, reading: Reading, missions: Sequence[Mission], plotted: PlottedFigure, span: TimeRange | None
    ) -> tuple[list[Edit], list[str]]:
        """A panel for one more quantity of the mission that is plotted."""
        measured = [each for each in reading.all(Measured) if each.quantities[0] not in INDICES]
        if not missions and not reading.all(Dataset) and (measured or not reading.all(Measured)):
            if not plotted.missions:
                raise OpenQuestion(f"Of which spacecraft is {reading.request} wanted?")
            named = tuple(Mention(Mission(name), 0, 0, name) for name in plotted.missions)
            reading = replace(reading, mentions=(*named, *reading.mentions))
        preferences = replace(read_preferences(reading), span=span)
        treatment = read_treatment(reading, preferences.cadence)
        assumptions: list[str] = []
        targets = find_targets(reading, self._offers.catalog, self._offers.archive)
        choices = [choice for target in targets for choice in self._requests.drafter.choices(target, preferences, assumptions)]
        is_single = {choice.target.who for choice in choices} == set(plotted.missions) and len(plotted.missions) == 1
        draft = StepDraft(self._offers.archive, treatment, is_single=is_single, existing=plotted.pipeline.steps)
        curves = [draft.add(choice) for choice in choices]
        panels = draft_panels(curves, treatment, several=not is_single)
        steps: list[Edit] = [
            AddStep(kind="add_step", step=Step.model_validate(step), before=plotted.figure.id) for step in draft.steps
        ]
        changes = [EditStep(kind="edit_step", step=plotted.figure.id, changes={"figure.panels[+]": panel}) for panel in panels]
        return [*steps, *changes], [*assumptions, *draft.assumptions]


class _Copies:
    """The steps beneath every line once more, for another mission."""

    def __init__(self, plotted: PlottedFigure, offers: Offers, span: TimeRange | None) -> None:
        self.assumptions: list[str] = []
        self._plotted = plotted
        self._offers = offers
        self._span = span
        self._taken = {step.id for step in plotted.pipeline.steps}
        self._shown = len(plotted.lines)

    def copy(self, mission: Mission) -> list[Edit]:
        """The edits that add a mission."""
        plotted = self._plotted
        if mission.name in plotted.missions:
            raise OpenQuestion(f"{mission.name} is drawn already. What shall be added?")
        source = plotted.missions[0] if plotted.missions else ""
        lines = [line for line in plotted.lines if line.missions == (source,)]
        if not lines:
            raise OpenQuestion(f"I cannot tell what of the pipeline on the table {mission.name} shall add. Which quantity?")
        steps: dict[str, Step] = {}
        for line in lines:
            for step in plotted.upstream(line.trace.data):
                if step.id not in steps:
                    steps[step.id] = self._copied(step, steps, source, mission)
        edits: list[Edit] = [AddStep(kind="add_step", step=step, before=plotted.figure.id) for step in steps.values()]
        edits += self._figure(lines, {old: step.id for old, step in steps.items()}, source, mission)
        title = plotted.pipeline.title
        if source and source in title:
            edits.append(
                EditPipeline(kind="edit_pipeline", changes={"title": title.replace(source, f"{source} and {mission.name}", 1)})
            )
        return edits

    def _copied(self, step: Step, steps: dict[str, Step], source: str, mission: Mission) -> Step:
        prefix = slug(f"{mission.name} {mission.member}".strip())
        plain = step.id.removeprefix(f"{slug(source)}_")
        step_id, number = f"{prefix}_{plain}"[:70], 2
        while step_id in self._taken:
            step_id, number = f"{prefix}_{plain}"[:68] + f"_{number}", number + 1
        self._taken.add(step_id)
        told = (
            step.intent.replace(source, mission.name)
            if source and source in step.intent
            else f"{step.intent} at {mission.name}"
        )
        if step.fetch is not None:
            fetch, old, new = self._fetch(step.fetch, mission)
            if old and new and old != new:
                told, other = told.replace(f" in {old}", f" in {new}"), step_id.replace(f"_{old.lower()}", f"_{new.lower()}")
                step_id = other if other not in self._taken else step_id
                self._taken.add(step_id)
            return step.model_copy(update={"id": step_id, "intent": told, "fetch": fetch})
        if step.compute is not None and step.compute.operation is not None:
            inputs = {name: steps[other].id if other in steps else other for name, other in step.compute.inputs.items()}
            compute = step.compute.model_copy(update={"inputs": inputs})
            return step.model_copy(update={"id": step_id, "intent": told, "compute": compute})
        raise OpenQuestion(
            f"The step {step.id} is not a fetch and no operation, so I cannot add it for {mission.name}. What shall be added?"
        )

    def _fetch(self, fetch: Fetch, mission: Mission) -> tuple[Fetch, str | None, str | None]:
        """What the other mission measures of the same quantity and shape; the frame that was, and the one that is."""
        plotted, catalog = self._plotted, self._offers.catalog
        quantity = plotted.quantity(fetch)
        if quantity is None:
            raise OpenQuestion(f"I do not know what {fetch.dataset} {fetch.parameter} measures. What shall {mission.name} add?")
        meta = catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
        entry = catalog.dataset(fetch.archive, fetch.dataset)
        by_hand = entry.parameter(fetch.parameter) if entry else None
        kind = by_hand.kind if by_hand else meta.kind if meta else "series"
        frame = by_hand.frame if by_hand else meta.frame if meta else None
        shape = ("vector" if kind == "vector" else "magnitude") if quantity in VECTORS else None
        target = Target(mission.name, quantity, "vector" if shape == "vector" else None, member=mission.member)
        preferences = replace(read_preferences(_nothing()), span=self._span)
        choice = self._chosen(target, replace(preferences, frame=frame if kind == "vector" else None))
        if (choice.offer.kind, choice.part) != (kind, "as_is"):
            what = QUANTITY_WORDS[quantity]
            text = f"{mission.name} has no {what} of the same shape that I know, so it cannot be added alike."
            raise OpenQuestion(f"{text} Which part of it do you want?")
        self.assumptions.append(f"{mission.name} is taken from {choice.offer.dataset} {choice.offer.parameter}.")
        if choice.offer.frame != frame and kind == "vector":
            self.assumptions.append(f"Its frame is {choice.offer.frame}, not {frame}; magnitudes are the same in both.")
        return choice.fetch(self._offers.archive), frame, choice.offer.frame

    def _chosen(self, target: Target, preferences: Preferences) -> Choice:
        said: list[str] = []
        try:
            chosen = choose(target, preferences, offers=self._offers, assumptions=said)[0]
            if chosen.into is None:
                return chosen
            where = f"in {chosen.offer.frame}, not in {chosen.into}"
            text = f"{target.who} has the {target.words} {where}. Is it wanted in a panel below?"
            raise OpenQuestion(text, [f"add the {target.words} of {target.who} in {chosen.into}"])
        except OpenQuestion:
            is_length = all("magnitude" in line.operations for line in self._plotted.lines)
            if preferences.frame is None or not is_length:
                raise
            return choose(target, replace(preferences, frame=None), offers=self._offers, assumptions=said)[0]

    def _figure(self, lines: Sequence[Line], ids: dict[str, str], source: str, mission: Mission) -> list[Edit]:
        labels: dict[str, Any] = {}
        added: list[tuple[str, dict[str, Any]]] = []
        who = f"{mission.name} {mission.member}".strip()
        for line in lines:
            step = self._plotted.upstream(line.trace.data)[-1]
            data = ids[line.trace.data]
            if line.trace.draw == "spectrogram" or self._is_wide(line, step):
                panel = self._plotted.panels[line.panel].model_dump(mode="json", exclude_none=True, exclude_defaults=True)
                title = f"{who} {panel.get('y', {}).get('title', '')}".strip()
                added.append(("figure.panels[+]", {**panel, "traces": [{"data": data}], "y": {"title": title}}))
                continue
            color = next((each for each in _COLORS if each not in self._colors(line.panel)), "black")
            old = line.trace.label or ""
            if source not in old:
                labels[f"{line.path}.label"] = f"{source} {old}".strip()
            kind = re.sub(r"\S+ values$", "values", old.replace(source, ""))  # how dense they are is another matter
            label = f"{who} {kind.strip()}".strip()
            added.append((f"figure.panels[{line.panel}].traces[+]", {"data": data, "label": label, "color": color}))
        changes = [{path: value} for path, value in added]
        figure = self._plotted.figure.id
        return [EditStep(kind="edit_step", step=figure, changes=each) for each in ([labels] if labels else []) + changes]

    def _is_wide(self, line: Line, step: Step) -> bool:
        """Whether a line is a whole vector, or a spectrogram: two of them in one panel tell nothing."""
        if step.fetch is not None:
            meta = self._offers.catalog.meta(step.fetch.archive, step.fetch.dataset, step.fetch.parameter)
            return meta is not None and meta.kind != "series"
        vectors = {"magnitude", "component", "direction"} & set(line.operations)
        spectral = {"spectrogram", "welch", "wavelet_power"} & set(line.operations)
        return bool(spectral) or (bool(VECTORS & set(line.quantities)) and not vectors and len(line.quantities) == 1)

    def _colors(self, row: int) -> set[str]:
        return {trace.color or "black" for trace in self._plotted.panels[row].traces}


def _nothing() -> Reading:
    return Reading("", None, (), (), EARLIEST)
