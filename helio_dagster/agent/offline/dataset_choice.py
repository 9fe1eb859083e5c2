"""Which catalogued parameter answers a wish, and what is assumed in choosing it. Steps are made of it in `pipeline_draft`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import ShapeName
from helio_dagster.agent.offline.vocabulary import QUANTITY_WORDS
from helio_dagster.agent.offline.wishes import Wish, missions_with
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.catalog_entry import CatalogDataset, CatalogParameter, Quantity

Part = Literal["as_is", "magnitude", "component"]
Entry = tuple[CatalogDataset, CatalogParameter]

_VECTORS: frozenset[Quantity] = frozenset(("magnetic_field", "velocity", "position"))
_PARTS: dict[ShapeName, tuple[Part, ...]] = {
    "vector": ("as_is",),
    "magnitude": ("magnitude",),
    "both": ("as_is", "magnitude"),
}
_FRAME_ORDER = ("GSE", "RTN", "GSM")


@dataclass(frozen=True)
class Choice:
    """A parameter, and what is shown of it: as it is, its magnitude, or one component."""

    wish: Wish
    dataset: CatalogDataset
    parameter: CatalogParameter
    part: Part


@dataclass(frozen=True)
class Preferences:
    """What the request says about all it asks for; its own words and those of its time, to make choices of."""

    frame: str | None = None
    cadence: timedelta | None = None
    request: str = ""
    time: str = ""


def choose(wish: Wish, preferences: Preferences, *, catalog: Catalog, archive: str, assumptions: list[str]) -> list[Choice]:
    """The parameters that answer a wish, two for a vector with its magnitude; what was assumed is added to `assumptions`.

    Raises
    ------
    OpenQuestion
        The mission has no such quantity, frame or shape.
    """
    entries = catalog.find(archive, mission=wish.mission, quantity=wish.quantity)
    if not entries and wish.quantity == "speed":
        entries = catalog.find(archive, mission=wish.mission, quantity="velocity")
        if entries:
            assumptions.append(f"The speed at {wish.mission} is the magnitude of its velocity.")
            return [Choice(wish, *_framed(entries, wish, preferences, assumptions), "magnitude")]
    if wish.dataset:
        entries = [entry for entry in entries if entry[0].dataset == wish.dataset]
    if not entries:
        raise _no_such(wish, preferences, catalog, archive)
    entries = _dense_enough(entries, wish, preferences, assumptions)
    vectors = [entry for entry in entries if entry[1].kind == "vector"]
    lone = [entry for entry in entries if entry[1].kind != "vector"]
    if wish.quantity not in _VECTORS:
        return [Choice(wish, *lone[0], "as_is")]
    return _of_vector(wish, preferences, vectors, lone, assumptions)


def _of_vector(
    wish: Wish, preferences: Preferences, vectors: list[Entry], lone: list[Entry], assumptions: list[str]
) -> list[Choice]:
    if wish.axis:
        return [Choice(wish, *_with_axis(vectors, wish, preferences, assumptions), "component")]
    quantity = QUANTITY_WORDS[wish.quantity]
    if not vectors:
        if wish.shape in ("vector", "both"):
            text = (
                f"{wish.mission} is catalogued with the magnitude of the {QUANTITY_WORDS[wish.quantity]} only. Is that wanted?"
            )
            raise OpenQuestion(text, [f"{wish.mission} {quantity} magnitude {preferences.time}"])
        if wish.shape is None:
            assumptions.append(f"{wish.mission} is catalogued with the magnitude of the {quantity} only.")
        return [Choice(wish, *lone[0], "as_is")]
    dataset, parameter = _framed(vectors, wish, preferences, assumptions)
    if wish.shape is None:
        assumptions.append(f"The components of the {quantity} are shown, because the request names no magnitude.")
    shown = _PARTS[wish.shape or "vector"]
    if "magnitude" in shown and lone:
        assumptions.append(f"The magnitude is computed from {parameter.name}, not taken from the archive's {lone[0][1].name}.")
    return [Choice(wish, dataset, parameter, part) for part in shown]


def _dense_enough(entries: list[Entry], wish: Wish, preferences: Preferences, assumptions: list[str]) -> list[Entry]:
    """The entries of one dataset: that of the cadence asked for, else the preferred one."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in entries))
    chosen = datasets[0]
    if preferences.cadence is not None:
        fitting = [dataset for dataset in datasets if dataset.cadence == preferences.cadence]
        finer = [dataset for dataset in datasets if dataset.cadence < preferences.cadence]
        if not fitting and not finer:
            raise OpenQuestion(f"No dataset of {wish.mission} that I know is that dense. Is {chosen.label} wanted?")
        chosen = (fitting or finer)[0]
    elif wish.dataset is None:
        assumptions.append(f"{chosen.dataset} ({chosen.label}) is used, because the request names no dataset.")
    return [entry for entry in entries if entry[0] is chosen]


def _framed(entries: list[Entry], wish: Wish, preferences: Preferences, assumptions: list[str]) -> Entry:
    """The vector in the frame asked for, else in the usual one."""
    frames = list(dict.fromkeys(str(parameter.frame) for _, parameter in entries))
    if preferences.frame is not None:
        for entry in entries:
            if entry[1].frame == preferences.frame:
                return entry
        quantity = QUANTITY_WORDS[wish.quantity]
        text = f"The {quantity} of {wish.mission} is not catalogued in {preferences.frame}. In which frame is it wanted?"
        raise OpenQuestion(text, [f"{wish.mission} {quantity} in {frame} {preferences.time}" for frame in frames])
    best = min(entries, key=lambda entry: _FRAME_ORDER.index(entry[1].frame) if entry[1].frame in _FRAME_ORDER else 9)
    if len(frames) > 1 and wish.shape != "magnitude":
        assumptions.append(f"{best[1].frame} is used, because the request names no frame.")
    return best


def _with_axis(vectors: list[Entry], wish: Wish, preferences: Preferences, assumptions: list[str]) -> Entry:
    """The vector that has the axis: R, T, N in RTN, X, Y, Z elsewhere; its frame must be said where there are several."""
    fitting = [entry for entry in vectors if (entry[1].frame == "RTN") == (wish.axis in ("r", "t", "n"))]
    frames = list(dict.fromkeys(str(parameter.frame) for _, parameter in fitting))
    if not fitting:
        raise OpenQuestion(
            f"{wish.mission} has no B{wish.axis} that I know.", [f"{wish.mission} magnetic field vector {preferences.time}"]
        )
    if len(frames) > 1 and preferences.frame is None and wish.axis != "x":
        text = f"In which frame is B{wish.axis} of {wish.mission} wanted?"
        raise OpenQuestion(text, [f"{preferences.request} in {frame}" for frame in frames])
    return _framed(fitting, wish, preferences, assumptions)


def _no_such(wish: Wish, preferences: Preferences, catalog: Catalog, archive: str) -> OpenQuestion:
    having = missions_with(wish.quantity, catalog, archive)
    where = f"the archive {archive!r}"
    if wish.dataset:
        return OpenQuestion(f"I know no {wish.words} in {wish.dataset}. Which dataset or spacecraft is meant?")
    if wish.mission not in catalog.missions(archive):
        text = f"In {where} I know nothing of {wish.mission}; there are {', '.join(catalog.missions(archive))}."
    else:
        text = f"In {where} I know no {wish.words} of {wish.mission}."
    return OpenQuestion(text, [f"{mission} {wish.words} {preferences.time}" for mission in having])
