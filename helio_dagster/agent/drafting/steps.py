"""Steps made of chosen parameters: fetch, and what is computed of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.drafting.around_events import around_events, of_one_number
from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, topics_of
from helio_dagster.agent.drafting.curve_pairs import pair_curves, tolerance_of
from helio_dagster.agent.drafting.curves import (
    AnyChoice,
    Curve,
    DerivedChoice,
    by_boltzmann,
    can_give,
    in_radii,
    measured,
    unit_of,
)
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.dense_enough import needed_options
from helio_dagster.agent.drafting.derived import HOURLY, SHORT, kind_of
from helio_dagster.agent.drafting.draft_titles import average_words
from helio_dagster.agent.drafting.fetched_steps import fetched, placed
from helio_dagster.agent.drafting.lengths import length_name, spoken, spoken_alone, spoken_method
from helio_dagster.agent.drafting.naming import capital, short_of, slug, slug_of_unit, symbol_of
from helio_dagster.agent.drafting.operation_order import CLEANING, ON_VECTORS, SPECTRAL, TO_THE_RADIAL
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.step_list import StepList
from helio_dagster.agent.treatments import Averaging, Transform, Treatment
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.table import Kind
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.unit_conversion import can_convert, is_by_boltzmann
from helio_dagster.domain.units import divide_units, is_same_unit
from helio_dagster.domain.yaml.document import Value

_BINNED = Topic("operation", "resample")
_KEEPING_UNIT = frozenset(("transform_frame", "despike", "detrend", "butterworth", "rolling_statistic"))


class StepDraft(StepList):
    """Collects the steps of choices.

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
    assumptions
        What was assumed in choosing; is added to.
    """

    def __init__(
        self,
        archive: str,
        treatment: Treatment,
        *,
        is_single: bool,
        existing: Sequence[Step] = (),
        assumptions: Assumptions | None = None,
    ) -> None:
        super().__init__(existing, assumptions)
        self._archive = archive
        self.treatment = treatment
        self._is_single = is_single

    def add(self, choice: AnyChoice, *, spares_numbers: bool = False) -> Curve:
        """Add the steps of a choice and give what it draws; numbers may be spared what is done to vectors."""
        with self.assumptions.about(*topics_of(choice.target)):
            return self._added(choice, spares_numbers=spares_numbers)

    def _added(self, choice: AnyChoice, *, spares_numbers: bool) -> Curve:
        curve = self._derived(choice) if isinstance(choice, DerivedChoice) else self._measured(choice)
        where = "" if self._is_single else f" at {choice.target.who}"
        curve = self._in_unit(curve, where)
        late: list[Transform] = []
        for transform in self.treatment.transforms:
            if transform.operation in ON_VECTORS and curve.kind != "vector" and spares_numbers:
                shown = curve.symbol or curve.choice.target.words
                text = f"The {transform.words} is that of the vector; {shown} is drawn as it is."
                self.assumptions.say(text, Topic("operation", transform.operation))
            elif transform.operation == CLEANING and ("window" in transform.options or curve.cadence is not None):
                curve = self._transformed(curve, transform, where)
            elif transform.operation not in ON_VECTORS or (transform.operation == "direction" and self._takes_means(curve)):
                late.append(transform)
            else:
                curve = self._transformed(curve, transform, where)
        before = curve.step
        if curve.unit == "deg" and self.treatment.averaging is not None and self.treatment.averaging.method != "count":
            self.assumptions.say("It is taken of the angle as a number, which jumps at the end of its circle.", _BINNED)
        curve = self._averaged(curve, where)
        curve = self._smoothed(curve, where)
        for transform in late:
            if transform.operation == "direction" and curve.step != before:
                text = f"The vector is averaged first; the {transform.words} is that of the averages."
                self.assumptions.say(text, _BINNED, Topic("operation", transform.operation))
            curve = self._transformed(curve, transform, where)
        has_rate = any(each.operation == "derivative" for each in self.treatment.transforms)
        curve = self._in_unit(curve, where) if has_rate else curve
        return replace(curve, over=average_words(self.treatment), shows_data=self.treatment.has_data and bool(curve.beneath))

    def _takes_means(self, curve: Curve) -> bool:
        """Whether a direction is that of averaged vectors: angles jump at 180 degrees, and their means do not point there."""
        averaging = self.treatment.averaging
        return curve.kind == "vector" and (averaging is None or averaging.method in ("mean", "median"))

    def pair(self, first: Curve, second: Curve) -> Curve:
        """What an operation makes of two curves."""
        pairing = self.treatment.pairing
        paired = pair_curves(first, second, pairing.operation if pairing else "difference", self.treatment.lengths or {})
        for text in paired.assumptions:
            self.assumptions.say(text, Topic("operation", paired.operation))
        inputs: dict[str, Value] = {"a": paired.a.step, "b": paired.b.step}
        step = self.compute(paired.step, paired.intent, paired.operation, inputs, **paired.options)
        return replace(paired.a, step=step, symbol=paired.symbol, kind="series", unit=paired.unit, beneath=None, is_of_two=True)

    def _in_unit(self, curve: Curve, where: str) -> Curve:
        """The curve in the unit asked for, where one was that its own converts to."""
        wanted = [unit for unit in self.treatment.units if can_give(curve.unit, unit)]
        if len(wanted) > 1:
            raise DraftQuestion(f"In which unit is {curve.symbol} wanted: {' or '.join(wanted)}?")
        if not wanted or is_same_unit(curve.unit, wanted[0]):
            return curve
        (unit,) = wanted
        intent = f"{capital(curve.choice.target.words)}{where} in {unit}"
        if not can_convert(curve.unit, unit):
            factor, assumed = in_radii(curve.unit, unit)
            stem = f"{curve.step}_{slug_of_unit(unit)}"
            step = self.compute(stem, intent, "scale", {"series": curve.step}, factor=factor, unit=unit)
            self.assumptions.say(assumed, Topic("unit", unit))
            return replace(curve, step=step, unit=unit)
        step = self.compute(f"{curve.step}_{slug_of_unit(unit)}", intent, "convert_unit", {"series": curve.step}, unit=unit)
        if is_by_boltzmann(curve.unit, unit):
            self.assumptions.say(by_boltzmann(curve.unit, unit), Topic("unit", unit))
        return replace(curve, step=step, unit=unit)

    def _measured(self, choice: Choice) -> Curve:
        short = self._stem(choice) + short_of(choice)
        where = "" if self._is_single else f" at {choice.target.who}"
        step = fetched(self, choice, short, self._archive)
        kind, words = choice.offer.kind, choice.target.name
        if choice.into is not None:
            intent = f"The {words}{where} in {choice.into}"
            inputs: dict[str, Value] = {"vector": step}
            options: dict[str, Value] = {"to": choice.into}
            if choice.place is not None:
                inputs["position"] = placed(self, choice.place, self._stem(choice))
                options["position_gap"] = choice.place.gap
            step = self.compute(f"{short}_{choice.into.lower()}", intent, "transform_frame", inputs, **options)
        if choice.part == "magnitude":
            step, kind = (
                self.compute(f"{short}_mag", f"Magnitude of the {words}{where}", "magnitude", {"vector": step}),
                "series",
            )
        elif choice.part == "component" and kind == "vector":
            axis, called = choice.target.axis or "", choice.target.called
            intent = f"{called}{where}: component {axis}, counted from 0" if called else f"Component {axis}{where}"
            name = short if called else f"{short}_{axis}"
            step = self.compute(name, intent, "component", {"vector": step}, component=axis)
            kind = "series"
        return Curve(choice, step, kind, symbol_of(choice), choice.offer.cadence, choice.offer.unit)

    def _derived(self, choice: DerivedChoice) -> Curve:
        inputs: dict[str, Value] = {name: self._measured(each).step for name, each in choice.inputs}
        cadences = [each.offer.cadence for _, each in choice.inputs]
        known = [cadence for cadence in cadences if cadence is not None]
        stem = "" if self._is_single else f"{slug(choice.target.who)}_"
        operation = choice.target.derived.operation
        made = Topic("operation", operation)
        where = "" if self._is_single else f" at {choice.target.who}"
        is_hourly = operation in HOURLY
        matched = known if len(inputs) > 1 and not is_hourly else []
        options = {**tolerance_of(matched), **choice.target.derived.options}
        step = self.compute(
            f"{stem}{SHORT.get(operation, operation)}", f"{choice.target.words}{where}", operation, inputs, **options
        )
        if "tolerance" in options:
            self.assumptions.say(f"Samples of the inputs up to {options['tolerance']} apart meet each other.", made)
        if is_hourly:
            self.assumptions.say(HOURLY[operation], made)
        elif len(inputs) > 1:
            self.assumptions.say(f"The times of the {choice.target.words} are those of the {choice.inputs[0][0]}.", made)
        cadence = timedelta(hours=1) if is_hourly else cadences[0]
        return Curve(choice, step, kind_of(choice.target.derived), choice.target.words, cadence, unit_of(choice))

    def _averaged(self, curve: Curve, where: str) -> Curve:
        averaging, cadence = self.treatment.averaging, self.treatment.cadence
        if averaging is None and cadence is not None and (curve.cadence is None or curve.cadence < cadence):
            averaging = Averaging(cadence, "mean")
            who = ", ".join(choice.offer.dataset for choice in measured(curve.choice))
            text = f"{capital(spoken(cadence))} data of {curve.choice.target.who} are means of {who}."
            self.assumptions.say(text, _BINNED)
        if averaging is None:
            return curve
        if curve.cadence is not None and curve.cadence > averaging.length and averaging.method != "count":
            self._keep_as_is(curve, "averaged")
            return curve
        if averaging.method == "sum":
            text = "A sum is over the samples as they are: it depends on how dense they are, and on gaps."
            self.assumptions.say(text, _BINNED)
        if averaging.length == timedelta(days=7):
            self.assumptions.say("Weeks are bins of seven days since 1970-01-01, so they begin on Thursdays.", _BINNED)
        length, method = spoken(averaging.length), averaging.method
        is_plain = method == "mean" or (method == "median" and not self.treatment.also)
        step_id = f"{curve.step}_{length_name(averaging.length)}" + ("" if is_plain else f"_{method}")
        options = {"cadence": format_duration(averaging.length), "method": method}
        intent = f"{capital(length)} {spoken_method(method)}{where}"
        step = self.compute(step_id, intent, "resample", {"series": curve.step}, **options)
        unit, symbol = ("", f"samples of {curve.symbol}") if method == "count" else (curve.unit, curve.symbol)
        symbol = f"{symbol} {method}" if self.treatment.also or method == "std" else symbol
        return replace(curve, step=step, cadence=averaging.length, unit=unit, symbol=symbol)

    def _smoothed(self, curve: Curve, where: str) -> Curve:
        smoothing = self.treatment.smoothing
        if smoothing is None or smoothing.length is None:
            return curve
        if curve.cadence is not None and curve.cadence >= smoothing.length:
            self._keep_as_is(curve, "smoothed")
            return curve
        intent, window = f"{capital(spoken(smoothing.length))} running mean{where}", format_duration(smoothing.length)
        mean = self.compute(f"{curve.step}_mean", intent, "rolling_mean", {"series": curve.step}, window=window)
        return replace(curve, step=mean, beneath=curve.step, dense=curve.cadence)

    def _keep_as_is(self, curve: Curve, done: str) -> None:
        apart = spoken(curve.cadence or timedelta(0))
        self.assumptions.say(f"{curve.symbol or curve.choice.target.words} is not {done}: it has {apart} values.")

    def _transformed(self, curve: Curve, transform: Transform, where: str) -> Curve:
        with self.assumptions.about(Topic("operation", transform.operation)):
            return self._turned(curve, transform, where)

    def _turned(self, curve: Curve, transform: Transform, where: str) -> Curve:
        operation, words = transform.operation, transform.words
        if operation == "superposed_epoch":
            return around_events(self, curve, transform, where)
        if operation in ON_VECTORS and curve.kind != "vector":
            raise DraftQuestion(f"The {words} needs a vector; {curve.symbol or 'this'} is none. What do you want?")
        if operation in SPECTRAL and curve.kind != "series":
            raise of_one_number(curve, words)
        if words == TO_THE_RADIAL:
            axis = (
                "R, away from the Sun" if curve.symbol.endswith("RTN") else f"X of {curve.symbol.split()[-1]}, towards the Sun"
            )
            self.assumptions.say(f"The angle is that to the first axis: {axis}.")
        options = dict(transform.options) | needed_options(curve, transform, self.treatment.lengths or {}, self.assumptions)
        if "window" in options and curve.cadence is not None and 2 * curve.cadence > parse_duration(str(options["window"])):
            text = f"{capital(curve.choice.target.words)} of {curve.choice.target.who} has {spoken(curve.cadence)} values here"
            raise DraftQuestion(f"{text}, too far apart for a window of {spoken_alone(parse_duration(options['window']))}.")
        options.pop("from", None)
        options.pop("points", None)
        name = "vector" if operation in ON_VECTORS else "series"
        suffix = str(options.get("angle") or options.get("statistic") or options.get("to") or operation).lower()
        step = self.compute(f"{curve.step}_{suffix}", f"{capital(words)}{where}", operation, {name: curve.step}, **options)
        kind: Kind = "spectrogram" if operation in SPECTRAL else "series" if operation == "direction" else curve.kind
        frame = f" {curve.symbol.split()[-1]}" if len(curve.symbol.split()) > 1 else ""
        symbol = {
            "direction": f"{words}{frame}",
            "derivative": f"d({curve.symbol})/dt",
            "transform_frame": f"{curve.symbol.partition(' ')[0]} {options.get('to', '')}",
            "minimum_variance": f"normal{frame}",
            "despike": f"{curve.symbol} despiked",
            "detrend": f"{curve.symbol} detrended",
            "butterworth": f"{curve.symbol} filtered",
            "rolling_statistic": f"{curve.symbol} {suffix}",
        }.get(operation, f"{words} of {curve.symbol}")
        unit = "deg" if operation == "direction" else curve.unit if operation in _KEEPING_UNIT else ""
        if operation == "derivative" and curve.unit:
            unit = divide_units(curve.unit, "s")
        return replace(curve, step=step, kind=kind, symbol=symbol, unit=unit, beneath=None)

    def _stem(self, choice: Choice) -> str:
        stem = "" if self._is_single else f"{slug(choice.target.who)}_"
        return f"{stem}{choice.target.species}_" if choice.target.species in ("electrons", "alphas") else stem
