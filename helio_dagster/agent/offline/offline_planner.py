"""A planner without a language model: known words to a pipeline, or one question. It never leaves a word out silently."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from helio_dagster.agent.answers import Answer, Asked, NotUnderstood, OpenQuestion, Plan, Question, Refusal
from helio_dagster.agent.offline.dataset_choice import Choice, Preferences, choose
from helio_dagster.agent.offline.meanings import Averaging, Cadence, Compare, Frame, Layout, Smoothing, Unclear
from helio_dagster.agent.offline.pipeline_draft import Treatment, draft_pipeline
from helio_dagster.agent.offline.request_reading import Reading, read_request, repaired, replaced
from helio_dagster.agent.offline.vocabulary import QUANTITY_WORDS
from helio_dagster.agent.offline.wishes import examples, find_wishes
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange, format_time

NAME = "offline"
LONGEST_REQUEST = 2000
MOST_SHOWN = 8
"""Words not understood that a question names."""


class OfflinePlanner:
    """Plans requests about the catalogued datasets of one archive.

    Parameters
    ----------
    catalog
        The datasets it knows.
    archive
        The archive its pipelines fetch from.
    """

    def __init__(self, catalog: Catalog, archive: str = "cdaweb") -> None:
        self._catalog = catalog
        self._archive = archive

    @property
    def name(self) -> str:
        """How it is called in records."""
        return NAME

    def answer(self, situation: Situation) -> Answer:
        """A pipeline where every word is understood, one question where one is not, a refusal where no answer would help."""
        request, now = situation.request, situation.now
        if not request.strip():
            return Refusal(("The request is empty.", "Try: " + examples(self._archive)[0]))
        if len(request) > LONGEST_REQUEST:
            return Refusal((f"The request is longer than {LONGEST_REQUEST} characters.", "Say it in one sentence."))
        try:
            return self._plan(read_request(request, now), now)
        except OpenQuestion as open_question:
            return self._asked(open_question, now)
        except InputError as error:
            return Refusal((f"{error.problem}.", *([error.hint] if error.hint else [])))

    def _asked(self, open_question: OpenQuestion, now: datetime) -> Asked:
        """The question, with those of its choices that lead to a plan; what else could be asked as notes."""
        text, choices = open_question.question.text, open_question.question.choices
        sound = [choice for choice in choices if self._is_plan(choice, now)]
        notes: list[str] = []
        if isinstance(open_question, NotUnderstood):
            choices = []
            missions, quantities = self._catalog.missions(self._archive), list(QUANTITY_WORDS.values())
            notes = [f"I know {', '.join(missions)}.", f"I know {', '.join(quantities)}.", f"Try: {examples(self._archive)[0]}"]
        return Asked(Question(text=text, choices=sound or choices), tuple(notes))

    def _is_plan(self, request: str, now: datetime) -> bool:
        try:
            self._plan(read_request(request, now), now)
        except (OpenQuestion, InputError):
            return False
        return True

    def _plan(self, reading: Reading, now: datetime) -> Plan:
        _ask_about_words(reading)
        wishes = find_wishes(reading, self._catalog, self._archive)
        assumptions: list[str] = []
        preferences = _preferences(reading)
        choices = [
            choice
            for wish in wishes
            for choice in choose(wish, preferences, catalog=self._catalog, archive=self._archive, assumptions=assumptions)
        ]
        treatment = _treatment(reading, choices, preferences)
        _ask_about_unused(reading, choices, preferences)
        span = reading.time.span if reading.time else None
        notes = self._time_notes(reading, span, choices, now)
        pipeline = draft_pipeline(choices, treatment, archive=self._archive, assumptions=assumptions)
        return Plan(pipeline, span, tuple(notes))

    def _time_notes(self, reading: Reading, span: TimeRange | None, choices: list[Choice], now: datetime) -> list[str]:
        """Notes on the range; a question where nothing of what is asked for can lie in it."""
        if span is None:
            return ["No time range is named: add one, or give it to `helio run`."]
        notes = [reading.time.note] if reading.time and reading.time.note else []
        is_demo = self._archive == DEMO_ARCHIVE
        if not is_demo and span.start >= now:
            raise OpenQuestion(f"{span} lies in the future. Which time is meant?")
        if not is_demo and span.stop > now + timedelta(days=1):
            notes.append(f"{format_time(span.stop)} lies in the future: there are no data yet after today.")
        for dataset in dict.fromkeys(choice.dataset for choice in choices):
            first, last = dataset.starts(self._archive), dataset.stops(self._archive)
            known = f"from {format_time(first)}" + (f" to {format_time(last)}" if last else " on")
            if span.stop <= first or (last is not None and span.start >= last):
                raise OpenQuestion(f"{dataset.dataset} has data {known}, none for {span}. Which time is meant?")
            if span.start < first or (last is not None and span.stop > last):
                notes.append(f"{dataset.dataset} has data {known}; the rest of {span} will be empty.")
        return notes


def _ask_about_words(reading: Reading) -> None:
    """Ask where a word, or the time, is not understood."""
    if reading.unknown:
        shown = list(dict.fromkeys(repr(mention.words[:40]) for mention in reading.unknown))
        words = ", ".join(shown[:MOST_SHOWN]) + (" …" if len(shown) > MOST_SHOWN else "")
        if reading.time is not None and any(re.search(r"\d{4}", mention.words) for mention in reading.unknown):
            text = f"Beside {reading.time.words!r} there is {words}; a plan has one time range. Which one is meant?"
            raise OpenQuestion(text, repaired(reading))
        raise NotUnderstood(f"I do not understand {words}. What is meant?", repaired(reading))
    for mention in reading.mentions:
        if isinstance(mention.meaning, Unclear):
            options = [replaced(reading.request, mention, option) for option in mention.meaning.options]
            raise OpenQuestion(mention.meaning.question, options)
    if reading.time is not None and reading.time.question:
        choices = [reading.request.replace(reading.time.words, choice, 1) for choice in reading.time.choices]
        raise OpenQuestion(reading.time.question, choices)


def _preferences(reading: Reading) -> Preferences:
    frames, cadences = reading.all(Frame), reading.all(Cadence)
    if len(frames) > 1:
        raise OpenQuestion(f"Which frame is wanted: {' or '.join(frame.name for frame in frames)}?")
    if len(cadences) > 1:
        raise OpenQuestion("The request names two cadences. Which one is wanted?")
    return Preferences(
        frame=frames[0].name if frames else None,
        cadence=cadences[0].length if cadences else None,
        request=reading.request,
        time=reading.time.words if reading.time else "",
    )


def _treatment(reading: Reading, choices: list[Choice], preferences: Preferences) -> Treatment:
    averagings, smoothings, layouts = reading.all(Averaging), reading.all(Smoothing), reading.all(Layout)
    if len(averagings) > 1 or len(smoothings) > 1:
        raise OpenQuestion("The request names two averages. Which one is wanted?")
    if smoothings and smoothings[0].length is None:
        lengths = ("10-minute", "1-hour")
        bare = next(mention for mention in reading.mentions if mention.meaning == smoothings[0])
        options = [replaced(reading.request, bare, f"{length} running mean") for length in lengths]
        raise OpenQuestion("How long is the running mean to be?", options)
    if len(layouts) > 1:
        raise OpenQuestion("Are they wanted in one panel, or in separate panels?")
    together = bool(layouts) and not layouts[0].is_stacked
    if together and not _share_an_axis(choices):
        layout = next(mention for mention in reading.mentions if mention.meaning == layouts[0])
        choices_text = [replaced(reading.request, layout, "in separate panels")]
        raise OpenQuestion("These have no axis in common. Are separate panels wanted?", choices_text)
    if (smoothings or averagings) and any(choice.parameter.kind == "spectrogram" for choice in choices):
        raise OpenQuestion("I do not average spectrograms: their energies may vary in time. Leave the average out?")
    return Treatment(
        averagings[0] if averagings else None,
        smoothings[0] if smoothings else None,
        preferences.cadence,
        is_stacked=bool(layouts) and layouts[0].is_stacked,
    )


def _share_an_axis(choices: list[Choice]) -> bool:
    kinds = {(choice.wish.quantity, choice.part, choice.wish.axis) for choice in choices}
    is_line = all(choice.part != "as_is" or choice.parameter.kind == "series" for choice in choices)
    return is_line and len(kinds) == 1


def _ask_about_unused(reading: Reading, choices: list[Choice], preferences: Preferences) -> None:
    """Ask where a word was understood and has no effect."""
    if preferences.frame is not None and not any(choice.parameter.frame for choice in choices):
        raise OpenQuestion(f"Nothing that is asked for has a frame; what is {preferences.frame} for?")
    if reading.all(Compare) and len({choice.wish.mission for choice in choices}) < 2:
        raise OpenQuestion(f"What shall {choices[0].wish.mission} be compared with?")
