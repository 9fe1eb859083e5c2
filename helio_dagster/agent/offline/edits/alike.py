"""What another mission measures of the same as a fetch: the quantity, its shape or component, and whose particles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.assumptions import Assumption, Assumptions, Topic
from helio_dagster.agent.drafting.dataset_choice import Choice, choose
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.targets import ShapeName, Target
from helio_dagster.catalog.choice.modes import is_in_mode
from helio_dagster.catalog.choice.offer import Mode
from helio_dagster.catalog.choice.parameter_reading import find_axis, find_frame, find_kind, species_of
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, VECTORS, Species
from helio_dagster.catalog.choice.siblings import sibling
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.table import Kind

_TWIN = 0.9
"""From which likeness of dataset and parameter on, spacecraft of one family have the same: `C1_PP_CIS` and `C3_PP_CIS`."""


@dataclass(frozen=True)
class _Described:
    """What the catalog says of a fetch."""

    quantity: Quantity
    kind: Kind
    frame: str | None
    axis: str | None
    species: Species

    @property
    def is_directed(self) -> bool:
        """Whether it depends on the frame."""
        return self.kind == "vector" or self.axis is not None

    @property
    def shape(self) -> ShapeName | None:
        """The shape of a quantity that is a vector."""
        if self.quantity not in VECTORS or self.axis is not None:
            return None
        return "vector" if self.kind == "vector" else "magnitude"


def fetch_alike(fetch: Fetch, mission: Mission, table: Table) -> tuple[Fetch, str | None, str | None]:
    """What the other mission measures of the same; the frame that was, and the one that is.

    Raises
    ------
    OpenQuestion
        It is not known what is measured, or the other mission does not measure the same in the same shape.
    """
    if table.plotted.quantity(fetch) is None and (same := _of_the_family(fetch, mission, table)) is not None:
        _say([f"{mission.name} is taken from {same.dataset} {same.parameter}."], mission, same.dataset or "", table)
        return same, None, None
    plotted = _described(fetch, mission, table)
    target = Target(mission.name, plotted.quantity, plotted.shape, plotted.axis, None, plotted.species, mission.member)
    frame = plotted.frame if plotted.is_directed else None
    mode: Mode | None = "burst" if is_in_mode("burst", fetch.dataset, "") else None
    choice = _closest(_chosen(target, Preferences(mode=mode, frame=frame, span=table.span), table), fetch, plotted)
    if choice.offer.parts:
        is_length = all("magnitude" in line.operations for line in table.plotted.lines)
        words = replace(target, shape="magnitude").words if is_length else target.words
        text = f"{target.who} is catalogued with single components of the {target.name}. Do you want it in a panel below?"
        raise OpenQuestion(text, [f"add the {words} of {target.who}"])
    if (choice.offer.kind, choice.part) != (plotted.kind, "as_is"):
        what = QUANTITY_WORDS[plotted.quantity]
        text = f"{mission.name} has no {what} of the same shape that I know, so it cannot be added alike."
        within = f" in {frame}" if frame else ""
        again = [f"add {target.words}{within} of {target.who}"] if plotted.axis else []
        raise OpenQuestion(f"{text} Which part of it do you want?", again)
    phrase = [f"{mission.name} is taken from {choice.offer.dataset} {choice.offer.parameter}."]
    if choice.offer.frame != plotted.frame and plotted.is_directed:
        phrase.append(f"Its frame is {choice.offer.frame}, not {plotted.frame}; magnitudes are the same in both.")
    _say(phrase, mission, choice.offer.dataset, table)
    return choice.fetch(table.offers.archive), plotted.frame, choice.offer.frame


def _say(notes: list[str], mission: Mission, dataset: str, table: Table) -> None:
    about = Topic("mission", mission.name), Topic("dataset", dataset)
    table.assume([Assumption(each, about) for each in notes])
    table.notes += notes


def _of_the_family(fetch: Fetch, mission: Mission, table: Table) -> Fetch | None:
    """A fetch of what has no one quantity, such as a spectrogram, for another spacecraft of its family."""
    missions = table.plotted.mission(fetch) or "", mission.name
    names = sibling(fetch.archive or "", fetch.dataset or "", fetch.parameter or "", missions, table.offers.catalog)
    return fetch.model_copy(update=dict(zip(("dataset", "parameter"), names, strict=True))) if names is not None else None


def _described(fetch: Fetch, mission: Mission, table: Table) -> _Described:
    catalog, quantity = table.offers.catalog, table.plotted.quantity(fetch)
    if quantity is None:
        text = f"I do not know what {fetch.dataset} {fetch.parameter} measures. What of {mission.name} do you want to add?"
        raise OpenQuestion(text)
    meta = catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
    entry, facts = catalog.dataset(fetch.archive, fetch.dataset), catalog.facts(fetch.archive, fetch.dataset)
    by_hand = entry.parameter(fetch.parameter) if entry else None
    parameter = facts.parameter(fetch.parameter) if facts else None
    found = find_kind(parameter, quantity) if parameter else None
    kind: Kind = by_hand.kind if by_hand else meta.kind if meta else found or "series"
    axis = find_axis(parameter, quantity) if parameter and kind == "series" and quantity in VECTORS else None
    frame = by_hand.frame if by_hand else meta.frame if meta else None
    if frame is None and facts and parameter:
        frame = find_frame(facts, parameter, is_directed=kind == "vector" or axis is not None)
    species = species_of(facts, parameter, quantity) if facts and parameter else ""
    return _Described(quantity, kind, frame, axis, species)


def _closest(choice: Choice, fetch: Fetch, plotted: _Described) -> Choice:
    """The choice, or another that would do as well: of the same shape and then, of a family of missions, the twin by name."""
    alike = [each for each in (choice, *choice.others) if (each.offer.kind, each.part) == (plotted.kind, "as_is")]
    names = {each.offer: f"{each.offer.dataset} {each.offer.parameter}" for each in alike}
    old = f"{fetch.dataset} {fetch.parameter}"
    likeness = {each.offer: SequenceMatcher(None, old, names[each.offer]).ratio() for each in alike}
    twins = sorted((each for each in alike if likeness[each.offer] >= _TWIN), key=lambda each: -likeness[each.offer])
    return next(iter((*twins, *alike)), choice)


def _chosen(target: Target, preferences: Preferences, table: Table) -> Choice:
    try:
        chosen = choose(target, preferences, offers=table.offers, assumptions=Assumptions())[0]
        if chosen.into is None:
            return chosen
        where = f"in {chosen.offer.frame}, not in {chosen.into}"
        text = f"{target.who} has the {target.words} {where}. Do you want it in a panel below?"
        raise OpenQuestion(text, [f"add the {target.words} of {target.who} in {chosen.into}"])
    except OpenQuestion:
        is_length = all("magnitude" in line.operations for line in table.plotted.lines)
        if preferences.frame is None or not is_length:
            raise
        return choose(target, replace(preferences, frame=None), offers=table.offers, assumptions=Assumptions())[0]
