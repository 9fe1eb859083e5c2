"""A pipeline made of chosen parameters: fetch, compute, figure. What is asked for and what answers it is decided before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from helio_dagster.agent.offline.dataset_choice import Choice
from helio_dagster.agent.offline.meanings import Averaging, Smoothing
from helio_dagster.agent.offline.vocabulary import QUANTITY_WORDS
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import format_duration, format_time
from helio_dagster.domain.yaml_document import Value

_SHORT: dict[Quantity, str] = {"magnetic_field": "b", "fluctuation": "b_rms", "ion_flux": "ions", "electron_flux": "electrons"}
_SYMBOLS: dict[Quantity, str] = {
    "magnetic_field": "B",
    "fluctuation": "B rms",
    "velocity": "V",
    "speed": "V",
    "density": "N",
    "temperature": "T",
    "dst": "Dst",
    "position": "R",
}
_COLORS = ("black", "firebrick", "steelblue", "darkgoldenrod", "seagreen")


@dataclass(frozen=True)
class Treatment:
    """What is done to every quantity, and how they are arranged."""

    averaging: Averaging | None = None
    smoothing: Smoothing | None = None
    cadence: timedelta | None = None
    is_stacked: bool = False


@dataclass(frozen=True)
class _Curve:
    """What one choice draws: the step, and the step beneath a running mean."""

    choice: Choice
    step: str
    beneath: str | None = None

    @property
    def is_line(self) -> bool:
        """Whether it is one line, which can share a panel with another."""
        return self.choice.part != "as_is" or self.choice.parameter.kind == "series"

    @property
    def panel(self) -> tuple[str, str]:
        """Curves of one key mean the same and may share a panel."""
        return self.choice.wish.quantity, _symbol(self.choice)


def draft_pipeline(choices: Sequence[Choice], treatment: Treatment, *, archive: str, assumptions: Sequence[str]) -> Pipeline:
    """The pipeline that fetches, computes and draws the choices.

    Parameters
    ----------
    choices
        In the order of their panels.
    treatment
        Averages, running means and the arrangement asked for.
    archive
        Where the datasets are fetched from.
    assumptions
        What was assumed in choosing.
    """
    draft = _Draft(archive, treatment, is_single=len({choice.wish.mission for choice in choices}) == 1)
    curves = [draft.add(choice) for choice in choices]
    draft.assumptions += _drawing_assumptions(curves, treatment)
    title = _title(choices, treatment)
    panels = _panels(curves, treatment)
    draft.steps.append({"id": "overview", "intent": _figure_intent(curves), "figure": {"panels": list(panels)}})
    datasets = list(dict.fromkeys(choice.dataset for choice in choices))
    start = min(dataset.starts(archive) for dataset in datasets).replace(hour=0, minute=0, second=0, microsecond=0)
    name = re.sub(r"[^a-z0-9]+", "_", title.replace("|B|", "magnetic field magnitude").lower()).strip("_")[:80].strip("_")
    document: dict[str, Value] = {
        "version": 1,
        "name": name,
        "title": title,
        "description": f"Made from {', '.join(dataset.dataset for dataset in datasets)} of the archive {archive}.",
        "partitions": max((dataset.grain for dataset in datasets), key=lambda grain: grain.shortest).value,
        "start": format_time(start),
        "assumptions": list(dict.fromkeys([*assumptions, *draft.assumptions])),
        "steps": list(draft.steps),
    }
    return Pipeline.model_validate(document)


class _Draft:
    """Collects steps; the same fetch or computation is added once."""

    def __init__(self, archive: str, treatment: Treatment, *, is_single: bool) -> None:
        self.steps: list[dict[str, Value]] = []
        self.assumptions: list[str] = []
        self._archive = archive
        self._treatment = treatment
        self._is_single = is_single

    def add(self, choice: Choice) -> _Curve:
        """Add the steps of a choice and give what it draws."""
        stem = "" if self._is_single else f"{_slug(choice.wish.mission)}_"
        short = stem + _SHORT.get(choice.wish.quantity, choice.wish.quantity)
        where = "" if self._is_single else f" at {choice.wish.mission}"
        step = self._fetch(choice, short)
        if choice.part == "magnitude":
            intent = f"Magnitude of the {QUANTITY_WORDS[choice.wish.quantity]}{where}"
            step = self._compute(f"{short}_mag", intent, "magnitude", {"vector": step})
        elif choice.part == "component":
            intent = f"Component {choice.wish.axis}{where}"
            step = self._compute(
                f"{short}_{choice.wish.axis}", intent, "component", {"vector": step}, component=choice.wish.axis
            )
        averaging = self._averaging(choice)
        if averaging is not None:
            spoken, cadence = _spoken(averaging.length), format_duration(averaging.length)
            intent, step_id = f"{_capital(spoken)} {averaging.method}s{where}", f"{step}_{spoken.replace('-', '')}"
            step = self._compute(step_id, intent, "resample", {"series": step}, cadence=cadence, method=averaging.method)
        smoothing = self._treatment.smoothing
        if smoothing is None or smoothing.length is None:
            return _Curve(choice, step)
        intent = f"{_capital(_spoken(smoothing.length))} running mean{where}"
        window = format_duration(smoothing.length)
        mean = self._compute(f"{step}_mean", intent, "rolling_mean", {"series": step}, window=window)
        return _Curve(choice, mean, beneath=step)

    def _averaging(self, choice: Choice) -> Averaging | None:
        cadence = self._treatment.cadence
        if self._treatment.averaging is not None or cadence is None or choice.dataset.cadence >= cadence:
            return self._treatment.averaging
        self.assumptions.append(
            f"{_capital(_spoken(cadence))} data of {choice.wish.mission} are means of {choice.dataset.dataset}."
        )
        return Averaging(cadence, "mean")

    def _fetch(self, choice: Choice, short: str) -> str:
        vector = choice.parameter.kind == "vector"
        suffix = f"_{(choice.parameter.frame or 'vector').lower()}" if vector else "_mag" if short.endswith("b") else ""
        words = QUANTITY_WORDS[choice.wish.quantity] + (f" vector in {choice.parameter.frame}" if vector else "")
        fetch: Value = {"archive": self._archive, "dataset": choice.dataset.dataset, "parameter": choice.parameter.name}
        return self._put(f"{short}{suffix}", f"Fetch the {choice.wish.mission} {words}", {"fetch": fetch})

    def _compute(self, step: str, intent: str, operation: str, inputs: dict[str, Value], **options: Value) -> str:
        compute: dict[str, Value] = {"operation": operation, "inputs": inputs}
        if options:
            compute["options"] = options
        return self._put(step, intent, {"compute": compute})

    def _put(self, wanted: str, intent: str, body: dict[str, Value]) -> str:
        """The id of the step with this body, added where it is new."""
        step_id, number = wanted, 2
        while any(step["id"] == step_id for step in self.steps):
            if any(step["id"] == step_id and all(step.get(key) == value for key, value in body.items()) for step in self.steps):
                return step_id
            step_id, number = f"{wanted}_{number}", number + 1
        self.steps.append({"id": step_id, "intent": intent, **body})
        return step_id


def _drawing_assumptions(curves: Sequence[_Curve], treatment: Treatment) -> list[str]:
    found = []
    if treatment.averaging is not None:
        found.append(f"{_capital(_spoken(treatment.averaging.length))} {treatment.averaging.method}s are over fixed bins.")
    if any(curve.beneath is not None for curve in curves):
        found.append("The running mean is centred" + (", and taken of all that is shown." if len(curves) > 1 else "."))
        is_alone = len(curves) == 1 and curves[0].is_line
        found.append("The values themselves are drawn in grey." if is_alone else "Only the running mean is drawn.")
    return found


def _panels(curves: Sequence[_Curve], treatment: Treatment) -> list[dict[str, Value]]:
    """One panel per quantity, lines of several missions together unless they shall be stacked."""
    groups: list[list[_Curve]] = []
    for curve in curves:
        home = next((group for group in groups if curve.is_line and group[0].panel == curve.panel), None)
        if home is None or treatment.is_stacked:
            groups.append([curve])
        else:
            home.append(curve)
    several = len({curve.choice.wish.mission for curve in curves}) > 1
    return [_panel(group, treatment=treatment, several=several, is_alone=len(curves) == 1) for group in groups]


def _panel(group: Sequence[_Curve], *, treatment: Treatment, several: bool, is_alone: bool) -> dict[str, Value]:
    traces: list[Value] = []
    for index, curve in enumerate(group):
        label = {"label": curve.choice.wish.mission} if several and curve.is_line else {}
        if curve.beneath is not None and is_alone and curve.is_line:
            average = treatment.averaging.length if treatment.averaging else treatment.cadence
            dense = _spoken(average or curve.choice.dataset.cadence)
            traces.append({"data": curve.beneath, "label": f"{dense} values", "color": "silver"})
            traces.append({"data": curve.step, "label": f"{_mean_length(treatment)} mean", "color": "firebrick"})
        elif len(group) > 1:
            traces.append({"data": curve.step, **label, "color": _COLORS[index % len(_COLORS)]})
        else:
            traces.append({"data": curve.step, **label})
    panel: dict[str, Value] = {"traces": traces}
    title = _symbol(group[0].choice)
    if several and len(group) == 1 and title:
        title = f"{group[0].choice.wish.mission} {title}"
    if title:
        panel["y"] = {"title": title}
    return panel


def _symbol(choice: Choice) -> str:
    """What a panel's axis is called, without the unit."""
    symbol = _SYMBOLS.get(choice.wish.quantity, "")
    if choice.part == "component":
        return f"{symbol}{choice.wish.axis} {choice.parameter.frame}"
    if choice.parameter.kind == "vector" and choice.part == "as_is":
        return f"{symbol} {choice.parameter.frame}"
    return f"|{symbol}|" if choice.wish.quantity == "magnetic_field" else symbol


def _title(choices: Sequence[Choice], treatment: Treatment) -> str:
    missions = list(dict.fromkeys(choice.wish.mission for choice in choices))
    quantities = list(dict.fromkeys(choice.wish.words for choice in choices))
    asked = list(dict.fromkeys((choice.wish.mission, choice.wish.words) for choice in choices))
    title = f"{_listed(missions)} {_listed(quantities)}"
    if len(asked) < len(missions) * len(quantities):
        title = _listed([f"{mission} {words}" for mission, words in asked])
    if treatment.averaging is not None:
        title += f", {_spoken(treatment.averaging.length)} {treatment.averaging.method}s"
    if mean := _mean_length(treatment):
        title += f", {mean} running mean"
    return title


def _figure_intent(curves: Sequence[_Curve]) -> str:
    shown = list(dict.fromkeys(_symbol(curve.choice) or QUANTITY_WORDS[curve.choice.wish.quantity] for curve in curves))
    return f"Draw {shown[0]}" if len(shown) == 1 else f"From top to bottom: {', '.join(shown)}"


def _mean_length(treatment: Treatment) -> str:
    smoothing = treatment.smoothing
    return _spoken(smoothing.length) if smoothing is not None and smoothing.length is not None else ""


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _spoken(length: timedelta) -> str:
    """`10-minute`, `1-hour`, `90-second`."""
    seconds = length.total_seconds()
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds % size == 0:
            return f"{seconds / size:g}-{name}"
    return f"{seconds:g}-second"


def _slug(mission: str) -> str:
    return {"Parker Solar Probe": "psp", "Van Allen Probe A": "rbspa", "Solar Orbiter": "solo"}.get(
        mission, re.sub(r"[^a-z0-9]+", "_", mission.lower())
    )
