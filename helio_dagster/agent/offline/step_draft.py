"""Steps made of chosen parameters: fetch, and what is computed of it. The figure over them is drawn up in `pipeline_draft`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.curves import AnyChoice, Curve, DerivedChoice, measured
from helio_dagster.agent.offline.dataset_choice import Choice
from helio_dagster.agent.offline.lengths import spoken
from helio_dagster.agent.offline.meanings import Averaging, Transform
from helio_dagster.agent.offline.quantities import QUANTITIES, QUANTITY_WORDS
from helio_dagster.agent.offline.step_words import capital, slug, symbol_of
from helio_dagster.agent.offline.treatment import ON_VECTORS, SPECTRAL, Treatment, even_slots
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.table import Kind
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.units import is_same_unit
from helio_dagster.domain.yaml_document import Value

_MATCHED = timedelta(minutes=1)
"""How far apart samples of two inputs may be where nothing is said."""


class StepDraft:
    """Collects steps; the same fetch or computation is added once.

    Parameters
    ----------
    archive
        Where is fetched from.
    treatment
        What is done to every quantity.
    is_single
        Whether ids need not name the mission.
    existing
        Steps that are there already: their ids are not free, and what they make is not made again.
    """

    def __init__(self, archive: str, treatment: Treatment, *, is_single: bool, existing: Sequence[Step] = ()) -> None:
        self.steps: list[dict[str, Value]] = []
        self.assumptions: list[str] = []
        self._archive = archive
        self._treatment = treatment
        self._is_single = is_single
        self._existing = existing

    def add(self, choice: AnyChoice) -> Curve:
        """Add the steps of a choice and give what it draws."""
        curve = self._derived(choice) if isinstance(choice, DerivedChoice) else self._measured(choice)
        where = "" if self._is_single else f" at {choice.wish.who}"
        for transform in self._treatment.transforms:
            if transform.operation in ON_VECTORS:
                curve = self._transformed(curve, transform, where)
        curve = self._averaged(curve, where)
        curve = self._smoothed(curve, where)
        for transform in self._treatment.transforms:
            if transform.operation not in ON_VECTORS:
                curve = self._transformed(curve, transform, where)
        return curve

    def pair(self, first: Curve, second: Curve) -> Curve:
        """The difference or ratio of two curves."""
        pairing = self._treatment.pairing
        operation = pairing.operation if pairing else "difference"
        names = [slug(curve.choice.wish.who) for curve in (first, second)]
        names = [first.step, second.step] if names[0] == names[1] else names
        sign = "minus" if operation == "difference" else "over"
        words = f"{first.choice.wish.who} {sign} {second.choice.wish.who}"
        units = [curve.choice.offer.unit if isinstance(curve.choice, Choice) else "" for curve in (first, second)]
        if operation == "difference" and not is_same_unit(*units):
            raise OpenQuestion(f"One is in {units[0] or 'no unit'}, the other in {units[1] or 'no unit'}. Is the ratio meant?")
        known = [curve.cadence for curve in (first, second) if curve.cadence is not None]
        options = _tolerance(known)
        step = self.compute(f"{names[0]}_{sign}_{names[1]}", words, operation, {"a": first.step, "b": second.step}, **options)
        self.assumptions.append(f"The times are those of {first.choice.wish.who}, each with the nearest sample of the other.")
        symbol = f"{first.symbol} {'difference' if operation == 'difference' else 'ratio'}"
        return replace(first, step=step, symbol=symbol, beneath=None)

    def _measured(self, choice: Choice) -> Curve:
        short = self._stem(choice) + QUANTITIES[choice.wish.quantity].short
        where = "" if self._is_single else f" at {choice.wish.who}"
        step = self._fetch(choice, short)
        kind, words = choice.offer.kind, QUANTITY_WORDS[choice.wish.quantity]
        if choice.into is not None:
            intent = f"The {words}{where} in {choice.into}"
            step = self.compute(f"{short}_{choice.into.lower()}", intent, "transform_frame", {"vector": step}, to=choice.into)
        if choice.part == "magnitude":
            step, kind = (
                self.compute(f"{short}_mag", f"Magnitude of the {words}{where}", "magnitude", {"vector": step}),
                "series",
            )
        elif choice.part == "component" and kind == "vector":
            axis = choice.wish.axis or ""
            step = self.compute(f"{short}_{axis}", f"Component {axis}{where}", "component", {"vector": step}, component=axis)
            kind = "series"
        return Curve(choice, step, kind, symbol_of(choice), choice.offer.cadence)

    def _derived(self, choice: DerivedChoice) -> Curve:
        inputs: dict[str, Value] = {name: self._measured(each).step for name, each in choice.inputs}
        cadences = [each.offer.cadence for _, each in choice.inputs]
        known = [cadence for cadence in cadences if cadence is not None]
        stem = "" if self._is_single else f"{slug(choice.wish.who)}_"
        operation = choice.wish.derived.operation
        where = "" if self._is_single else f" at {choice.wish.who}"
        options = {**_tolerance(known if len(inputs) > 1 else []), **choice.wish.derived.options}
        step = self.compute(f"{stem}{operation}", f"{choice.wish.words}{where}", operation, inputs, **options)
        if "tolerance" in options:
            self.assumptions.append(f"Samples of the inputs up to {options['tolerance']} apart meet each other.")
        if len(inputs) > 1:
            self.assumptions.append(f"The times of the {choice.wish.words} are those of the {choice.inputs[0][0]}.")
        is_vector = operation == "convection_electric_field"
        return Curve(choice, step, "vector" if is_vector else "series", choice.wish.words, cadences[0])

    def _averaged(self, curve: Curve, where: str) -> Curve:
        averaging, cadence = self._treatment.averaging, self._treatment.cadence
        if averaging is None and cadence is not None and (curve.cadence is None or curve.cadence < cadence):
            averaging = Averaging(cadence, "mean")
            who = ", ".join(choice.offer.dataset for choice in measured(curve.choice))
            self.assumptions.append(f"{capital(spoken(cadence))} data of {curve.choice.wish.who} are means of {who}.")
        if averaging is None:
            return curve
        length, method = spoken(averaging.length), averaging.method
        step_id = f"{curve.step}_{length.replace('-', '')}"
        options = {"cadence": format_duration(averaging.length), "method": method}
        step = self.compute(step_id, f"{capital(length)} {method}s{where}", "resample", {"series": curve.step}, **options)
        return replace(curve, step=step, cadence=averaging.length)

    def _smoothed(self, curve: Curve, where: str) -> Curve:
        smoothing = self._treatment.smoothing
        if smoothing is None or smoothing.length is None:
            return curve
        if curve.cadence is not None and curve.cadence >= smoothing.length:
            apart = spoken(curve.cadence)
            self.assumptions.append(f"{curve.symbol or curve.choice.wish.words} is not smoothed: it has {apart} values.")
            return curve
        intent, window = f"{capital(spoken(smoothing.length))} running mean{where}", format_duration(smoothing.length)
        mean = self.compute(f"{curve.step}_mean", intent, "rolling_mean", {"series": curve.step}, window=window)
        return replace(curve, step=mean, beneath=curve.step)

    def _transformed(self, curve: Curve, transform: Transform, where: str) -> Curve:
        operation, words = transform.operation, transform.words
        if operation in ON_VECTORS and curve.kind != "vector":
            raise OpenQuestion(f"The {words} needs a vector; {curve.symbol or 'this'} is none. What is wanted?")
        if operation in SPECTRAL and curve.kind != "series":
            raise _of_one_number(curve, words)
        options = dict(transform.options) | self._needed(curve, transform)
        options.pop("from", None)
        name = "vector" if operation in ON_VECTORS else "series"
        suffix = str(options.get("angle") or options.get("statistic") or options.get("to") or operation).lower()
        step = self.compute(f"{curve.step}_{suffix}", f"{capital(words)}{where}", operation, {name: curve.step}, **options)
        kind: Kind = "spectrogram" if operation in SPECTRAL else "series" if operation == "direction" else curve.kind
        frame = f" {curve.symbol.split()[-1]}" if len(curve.symbol.split()) > 1 else ""
        symbol = {
            "direction": f"{words}{frame}",
            "derivative": f"d({curve.symbol})/dt",
            "transform_frame": f"{curve.symbol.split()[0]} {options.get('to', '')}",
            "minimum_variance": f"normal{frame}",
            "detrend": f"{curve.symbol} detrended",
            "butterworth": f"{curve.symbol} filtered",
            "rolling_statistic": f"{curve.symbol} {suffix}",
        }.get(operation, f"{words} of {curve.symbol}")
        return replace(curve, step=step, kind=kind, symbol=symbol, beneath=None)

    def _needed(self, curve: Curve, transform: Transform) -> dict[str, Any]:
        """Options that follow from how dense the data are."""
        operation = transform.operation
        if operation not in ("derivative", "butterworth", *SPECTRAL):
            return {}
        if curve.cadence is None:
            names = ", ".join(choice.offer.dataset for choice in measured(curve.choice))
            text = f"The catalog does not tell how dense {names} is, which the {transform.words} needs."
            raise OpenQuestion(f"{text} Of which averages shall it be taken?")
        if operation == "derivative":
            gap = max(4 * curve.cadence, timedelta(seconds=1))
            self.assumptions.append(f"Neighbours up to {format_duration(gap)} apart are joined in the derivative.")
            return {"max_gap": format_duration(gap)}
        if operation == "butterworth":
            below = transform.options.get("below_hz") or transform.options.get("above_hz") or 0.0
            if below * curve.cadence.total_seconds() >= 0.5:
                text = (
                    f"Values every {format_duration(curve.cadence)} hold no frequencies of {below:g} Hz. Which data are wanted?"
                )
                raise OpenQuestion(text)
            return {"cadence": format_duration(curve.cadence)}
        return self._spectral(curve.cadence, transform)

    def _spectral(self, cadence: timedelta, transform: Transform) -> dict[str, Any]:
        if transform.operation == "wavelet_power":
            if parse_duration(transform.options["shortest"]) < 4 * cadence:
                raise OpenQuestion(f"Periods below four times {format_duration(cadence)} cannot be seen. Which are wanted?")
            return {"cadence": format_duration(cadence)}
        more: dict[str, Any] = {}
        window = parse_duration(transform.options.get("window") or transform.options["bin"])
        if transform.operation == "welch":
            window = (self._treatment.lengths or {}).get("segment") or window / 4
            more = {"segment": format_duration(window)}
        slot = even_slots(window, cadence)
        if slot is None:
            text = (
                f"{format_duration(window)} is no even number of samples every {format_duration(cadence)}, 8 to 8192 of them."
            )
            raise OpenQuestion(f"{text} Which length is wanted?")
        if transform.operation == "welch" and "segment" not in (self._treatment.lengths or {}):
            self.assumptions.append(f"The segments of each spectrum are {format_duration(window)} long, a quarter of a bin.")
        if slot != cadence:
            self.assumptions.append(f"Samples are put into even slots of {format_duration(slot)} before the spectrum.")
        return {"cadence": format_duration(slot), **more}

    def _fetch(self, choice: Choice, short: str) -> str:
        offer, who = choice.offer, choice.wish.who
        vector = offer.kind == "vector"
        suffix = f"_{(offer.frame or 'vector').lower()}" if vector else "_mag" if short.endswith("b") and not offer.axis else ""
        suffix = f"_{offer.axis}_{(offer.frame or '').lower()}".rstrip("_") if offer.axis else suffix
        words = QUANTITY_WORDS[choice.wish.quantity] + (f" vector in {offer.frame}" if vector and offer.frame else "")
        words = f"{words} {offer.axis} in {offer.frame}" if offer.axis else words
        if offer.parts:
            return self._composed(choice, f"{short}{suffix}", f"The {who} {words}")
        fetch: Value = {"archive": self._archive, "dataset": offer.dataset, "parameter": offer.parameter}
        return self._put(f"{short}{suffix}", f"Fetch the {who} {words}", {"fetch": fetch})

    def _composed(self, choice: Choice, step: str, intent: str) -> str:
        """The id of a step that makes one vector of its components, each fetched by itself."""
        offer = choice.offer
        inputs: dict[str, Value] = {}
        for place, parameter in zip(("first", "second", "third"), offer.parts, strict=True):
            fetch: Value = {"archive": self._archive, "dataset": offer.dataset, "parameter": parameter}
            inputs[place] = self._put(slug(f"{step}_{parameter}"), f"Fetch {offer.dataset} {parameter}", {"fetch": fetch})
        is_named = offer.frame is not None and all(offer.frame.casefold() in part.casefold() for part in offer.parts)
        options: dict[str, Value] = {"frame": offer.frame} if is_named else {}  # else the files tell it
        return self.compute(step, intent, "compose_vector", inputs, **options)

    def compute(self, step: str, intent: str, operation: str, inputs: Mapping[str, Value], **options: Value) -> str:
        """The id of a step that computes, added where it is new."""
        compute: dict[str, Value] = {"operation": operation, "inputs": dict(inputs)}
        if options:
            compute["options"] = options
        return self._put(step, intent, {"compute": compute})

    def _put(self, wanted: str, intent: str, body: dict[str, Value]) -> str:
        """The id of the step with this body, added where it is new."""
        there = next((step.id for step in self._existing if _is_made_by(step, body)), None)
        if there is not None:
            return there
        taken = {step.id for step in self._existing}
        step_id, number = wanted[:70], 2
        while any(step["id"] == step_id for step in self.steps) or step_id in taken:
            if any(step["id"] == step_id and all(step.get(key) == value for key, value in body.items()) for step in self.steps):
                return step_id
            step_id, number = f"{wanted[:70]}_{number}", number + 1
        self.steps.append({"id": step_id, "intent": capital(intent), **body})
        return step_id

    def _stem(self, choice: Choice) -> str:
        stem = "" if self._is_single else f"{slug(choice.wish.who)}_"
        return f"{stem}{choice.wish.species}_" if choice.wish.species in ("electrons", "alphas") else stem


def _is_made_by(step: Step, body: Mapping[str, Value]) -> bool:
    """Whether a step fetches or computes just this."""
    made = Step.model_validate({"id": step.id, **body})
    return (step.fetch, step.compute) == (made.fetch, made.compute)


def _tolerance(cadences: list[timedelta]) -> dict[str, Any]:
    """How far apart samples may be, where a minute is less than half the coarsest cadence."""
    half = max(cadences, default=timedelta(0)) / 2
    return {"tolerance": format_duration(half)} if half > _MATCHED else {}


def _of_one_number(curve: Curve, words: str) -> OpenQuestion:
    text = f"The {words} is taken of one number, and {curve.symbol or 'this'} has several. Which component, or the magnitude?"
    return OpenQuestion(text)
