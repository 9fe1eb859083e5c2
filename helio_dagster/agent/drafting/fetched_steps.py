"""Steps that fetch what was chosen, three components as one vector."""

from __future__ import annotations

from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.naming import slug
from helio_dagster.agent.drafting.places import Place
from helio_dagster.agent.drafting.step_list import StepList
from helio_dagster.domain.planetary import archive_of, id_in_archive
from helio_dagster.domain.yaml.document import Value

MEAN_TEMPERATURE = "return (parallel.iloc[:, 0] + 2 * perpendicular.iloc[:, 0]) / 3"


def fetched(steps: StepList, choice: Choice, short: str, archive: str) -> str:
    """The id of the step that fetches a choice, its components composed to a vector where there are several."""
    offer, who = choice.offer, choice.target.who
    vector = offer.kind == "vector"
    suffix = f"_{(offer.frame or 'vector').lower()}" if vector else "_mag" if short.endswith("b") and not offer.axis else ""
    suffix = f"_{offer.axis}_{(offer.frame or '').lower()}".rstrip("_") if offer.axis else suffix
    words = choice.target.name + (f" vector in {offer.frame}" if vector and offer.frame else "")
    words = f"{words} {offer.axis} in {offer.frame}" if offer.axis else words
    if offer.parts:
        return _composed(steps, choice, f"{short}{suffix}", f"The {who} {words}", archive)
    fetch: Value = {**_where(offer.dataset, archive), "parameter": offer.parameter}
    if choice.along is None:
        return steps.put(f"{short}{suffix}", f"Fetch the {who} {words}", {"fetch": fetch})
    across = steps.put(f"{short}_perp", f"Fetch the {who} perpendicular temperature", {"fetch": fetch})
    fetch = {**_where(choice.along.dataset, archive), "parameter": choice.along.parameter}
    along = steps.put(f"{short}_par", f"Fetch the {who} parallel temperature", {"fetch": fetch})
    inputs: dict[str, Value] = {"parallel": along, "perpendicular": across}
    body: Value = {"inputs": inputs, "unit": offer.unit, "code": MEAN_TEMPERATURE}
    return steps.put(f"{short}{suffix}", f"The {who} temperature from those along and across the field", {"compute": body})


def placed(steps: StepList, place: Place, stem: str) -> str:
    """The id of the step that gives where a spacecraft was."""
    fetch: dict[str, Value] = dict(place.fetch)
    if not place.parts:
        return steps.put(f"{stem}place", f"Position of {place.who}", {"fetch": fetch})
    inputs: dict[str, Value] = {
        name: steps.put(f"{stem}place_{axis}", f"Position of {place.who} along {axis}", {"fetch": {**fetch, "parameter": part}})
        for name, axis, part in zip(("first", "second", "third"), "xyz", place.parts, strict=True)
    }
    return steps.compute(f"{stem}place", f"Position of {place.who}", "compose_vector", inputs, frame=place.frame)


def _composed(steps: StepList, choice: Choice, step: str, intent: str, archive: str) -> str:
    """The id of a step that makes one vector of its components, each fetched by itself."""
    offer = choice.offer
    inputs: dict[str, Value] = {}
    for place, parameter in zip(("first", "second", "third"), offer.parts, strict=True):
        fetch: Value = {**_where(offer.dataset, archive), "parameter": parameter}
        inputs[place] = steps.put(slug(f"{step}_{parameter}"), f"Fetch {offer.dataset} {parameter}", {"fetch": fetch})
    parts = [part.casefold() for part in offer.parts]
    frames = [["gsm", "gse"], ["gsm"], ["gsm"]] if offer.frame == "GSM" else [[(offer.frame or "").casefold()]] * 3
    is_named = all(any(frame and frame in part for frame in each) for each, part in zip(frames, parts, strict=True))
    options: dict[str, Value] = {"frame": offer.frame} if is_named else {}  # else the files tell it
    return steps.compute(step, intent, "compose_vector", inputs, **options)


def _where(dataset: str, archive: str) -> dict[str, Value]:
    return {"archive": archive_of(dataset, archive), "dataset": id_in_archive(dataset)}
