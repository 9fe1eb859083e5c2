"""The same quantities from other data of the spacecraft: `1 min instead of hourly`, `use WI_H1_SWE`, `SWE rather than 3DP`."""

from __future__ import annotations

import re
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.offline.edits.alike import fetch_alike
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Cadence, Dataset, Filler, Instrument, Mission, Shape
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.times.lengths import LENGTH
from helio_dagster.domain.pipeline import Fetch


def exchange_data(text: str, table: Table) -> bool:
    """Fetch what is drawn from other data of the same spacecraft; False where the sentence names none.

    Raises
    ------
    OpenQuestion
        A quantity is not in such data, or all is from them already.
    """
    old = form("other_data.old").search(text)
    words = form("other_data.lead").sub("", form("other_data.end").sub("", text[: old.start()] if old is not None else text))
    was = read_request(old["old"], table.now) if old is not None else None
    is_data = form("other_data.product").search(words) is not None or re.search(r"\bdata\b", words, re.IGNORECASE) is not None
    words = form("other_data.product").sub("data", words)
    if re.fullmatch(LENGTH, words, re.IGNORECASE) and was is not None and was.all(Cadence):
        words = f"{words} data"
    reading = read_request(words, table.now)
    kinds = [*reading.all(Cadence), *reading.all(Dataset), *reading.all(Instrument)]
    if (
        was is not None
        and was.all(Cadence)
        and not is_data
        and "resample" in {op for line in table.plotted.lines for op in line.operations}
    ):
        return False  # of the bins, not of the data
    if not kinds or not _names_only_data(reading) or len(kinds) > len({type(each) for each in kinds}):
        return False
    is_exchange = is_data or (was is not None and any(was.all(kind) for kind in (Cadence, Dataset, Instrument)))
    if not is_exchange and not reading.all(Dataset) and not re.match(r"use|switch to|take", text, re.IGNORECASE):
        return False
    names = " ".join(each.words for each in reading.mentions if isinstance(each.meaning, Measured | Mission | Shape))
    target = table.plotted.target(names) if names else None
    if names and (target is None or not target.is_named or target.unknown):
        return False
    _exchange(reading, [line.trace.data for line in (target.lines if target is not None else table.plotted.lines)], table)
    return True


def _names_only_data(reading: Reading) -> bool:
    """Whether a reading names data and what is drawn, and nothing else."""
    known = (Cadence, Dataset, Instrument, Filler, Measured, Mission, Shape)
    unknown = [each for each in reading.unknown if each.words.casefold() not in {*words_of("small"), "data"}]
    return reading.time is None and not unknown and all(isinstance(each.meaning, known) for each in reading.mentions)


def _exchange(reading: Reading, plotted: list[str], table: Table) -> None:
    cadences, datasets, instruments = reading.all(Cadence), reading.all(Dataset), reading.all(Instrument)
    wanted = Preferences(
        cadence=cadences[0].length if cadences else None,
        instrument=instruments[0].name if instruments and not datasets else None,
    )
    dataset = datasets[0].name if datasets else None
    steps = {step.id: step.fetch for data in plotted for step in table.plotted.upstream(data) if step.fetch}
    gone: set[str] = set()
    for step, fetch in steps.items():
        mission = table.plotted.mission(fetch)
        if not mission:
            raise OpenQuestion(f"I do not know whose data {fetch.dataset} are. Which dataset do you want in its place?")
        try:
            new, _, _ = fetch_alike(fetch, Mission(mission), table, wanted, dataset)
        except DraftQuestion as asked:
            raise OpenQuestion(asked.question.text) from None
        is_as_dense = cadences and new.dataset == fetch.dataset and _cadence(new, table) == _cadence(fetch, table)
        if (new.dataset, new.parameter) != (fetch.dataset, fetch.parameter) and not is_as_dense:
            table.change(step, {"fetch.dataset": new.dataset, "fetch.parameter": new.parameter})
            gone.add(fetch.dataset)
    if not gone:
        raise SoAlready("It is from these data already. What do you want to change?")
    left = gone - {step.fetch.dataset for step in table.plotted.pipeline.steps if step.fetch}
    assumed = table.plotted.pipeline.assumptions
    kept = [each for each in assumed if not any(name in each.split() for name in left)]
    table.describe({"assumptions": kept or None} if kept != assumed else {})


def _cadence(fetch: Fetch, table: Table) -> timedelta | None:
    facts = table.offers.catalog.facts(fetch.archive, fetch.dataset)
    parameter = facts.parameter(fetch.parameter) if facts is not None else None
    return parameter.cadence if parameter is not None else None
