"""Questions that are answered with information and make no data, separated from requests for data."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Information, OpenQuestion
from helio_dagster.agent.information import (
    describe_abilities,
    describe_dataset,
    describe_mission,
    describe_parameter,
    explain_operation,
    missions_measuring,
)
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Dataset, Filler, Instrument, Meaning, Mission, Shape, Unclear
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.offline.targets import INDEX_MISSION, examples
from helio_dagster.agent.offline.whole_results import COVERAGE
from helio_dagster.agent.planner import Knowledge
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import QUANTITIES, QUANTITY_WORDS

_KINDS = ("datasets", "who", "when", "definition", "holdings", "there_is")
"""Ways of asking, in the order in which they are tried."""


class Inquiries:
    """Answers questions about operations, quantities, datasets and missions.

    Parameters
    ----------
    knowledge
        The catalog and the operations.
    offers
        What the catalog has of a quantity.
    """

    def __init__(self, knowledge: Knowledge, offers: Offers) -> None:
        self._knowledge = knowledge
        self._offers = offers

    def answer(self, request: str, now: datetime) -> Information | None:
        """The information asked for; None where a request is not a question of this kind.

        Raises
        ------
        InputError, OpenQuestion
            It names a time, mission or dataset that cannot be, or is not clear.
        """
        text = " ".join(request.split()).strip(" ?!.")
        if (held := form("inquiries.has_data").match(text)) is not None:
            return self._when(replace(read_request(held["whose"] or held["what"], now), time=None))
        if form("inquiries.abilities").fullmatch(text):
            return describe_abilities(self._knowledge, examples(self._offers.archive), list(QUANTITY_WORDS.values()))
        if (datasets := form("inquiries.datasets_with").fullmatch(text)) is not None:
            found = self._when(read_request(f"{datasets['whose']} {datasets['what']}", now))
            if found is not None:
                return found
        for name in _KINDS:
            match = form(f"inquiries.{name}").fullmatch(text)
            read = {"who": self._who, "definition": self._definition}.get(name, self._when)
            found = read(read_request(form("inquiries.level").sub("", match["body"]), now)) if match else None
            if found is not None:
                return found
        return None

    def _who(self, reading: Reading) -> Information | None:
        target = _weighty_meanings(reading)
        if target is None or any(not isinstance(each, Measured) for each in target) or len(target) > 1:
            return None
        if reading.time is not None and reading.time.span is None:
            raise OpenQuestion(reading.time.question)
        names = _catalogued(target[0]) if target and isinstance(target[0], Measured) else None
        if names is None and reading.time is None:
            return None
        return missions_measuring(self._knowledge, names, reading.span)

    def _when(self, reading: Reading) -> Information | None:
        target = _weighty_meanings(reading)
        if not target or reading.time is not None:
            return None
        missions = [each for each in target if isinstance(each, Mission)]
        measured = [each for each in target if isinstance(each, Measured)]
        datasets = [each for each in target if isinstance(each, Dataset)]
        if len(datasets) == len(target) == 1:
            return describe_dataset(self._knowledge, datasets[0].name)
        instruments = [each for each in target if isinstance(each, Instrument)]
        if len(missions) != 1 or len(missions) + len(measured) + len(instruments) != len(target) or len(measured) > 1:
            return None
        if len(instruments) > 1:
            return None
        by = instruments[0].name if instruments else None
        names: list[str | None] = [
            name for each in measured for quantity in each.quantities for name in QUANTITIES[quantity].catalogued
        ]
        found = [describe_mission(self._knowledge, missions[0].name, name, by) for name in names or [None]]
        return next((each for each in found if len(each.sources) > 1), found[0])

    def _definition(self, reading: Reading) -> Information | None:
        target = _weighty_meanings(reading)
        if target is None or len(target) != 1 or reading.time is not None:
            return None
        subject = target[0]
        if isinstance(subject, Derived | Transform | Pairing):
            return explain_operation(self._knowledge, subject.operation)
        if isinstance(subject, Smoothing):
            return explain_operation(self._knowledge, "rolling_mean")
        if isinstance(subject, Averaging):
            return explain_operation(self._knowledge, "resample")
        if isinstance(subject, Mission):
            return describe_mission(self._knowledge, subject.name)
        if isinstance(subject, Dataset):
            return describe_dataset(self._knowledge, subject.name)
        if isinstance(subject, Measured):
            return self._of_quantity(subject)
        return None

    def _of_quantity(self, measured: Measured) -> Information | None:
        """What the catalog says of a quantity, by the parameter of OMNI that holds it."""
        if measured.axis or len(measured.quantities) > 1:
            return None
        if measured.shape == "magnitude":
            return explain_operation(self._knowledge, "magnitude")
        found = self._offers.find(Asked(INDEX_MISSION, measured.quantities[0]))
        if not found:
            return None
        offer = next((each for each in found if each.axis is None), found[0])
        return describe_parameter(self._knowledge, offer.dataset, offer.parameter)


def _weighty_meanings(reading: Reading) -> list[Meaning] | None:
    """What the words mean, without those that change nothing; None where one is not understood."""
    if any(form("inquiries.loose").fullmatch(mention.words) is None for mention in reading.unknown):
        return None
    target = [mention.meaning for mention in reading.mentions if not isinstance(mention.meaning, Filler | Shape)]
    target = [each for each in target if each != COVERAGE]  # without a time it is from when to when there are data
    unclear = [each for each in target if isinstance(each, Unclear)]
    if unclear:
        raise OpenQuestion(unclear[0].question, list(unclear[0].options))
    return list(dict.fromkeys(target))


def _catalogued(measured: Measured) -> str | None:
    names = QUANTITIES[measured.quantities[0]].catalogued
    return names[0] if names else None
