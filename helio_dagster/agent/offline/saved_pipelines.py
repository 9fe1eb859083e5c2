"""Saved pipelines named in a request: which one is meant, for which time or mission. What they do is theirs."""

from __future__ import annotations

import re
from datetime import datetime

from helio_dagster.agent.answers import Fork, OpenQuestion, Replay
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Filler, Mission, Unclear
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.offline.request_times import range_of
from helio_dagster.agent.run_side import RunSide
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.errors import InputError

_MOST_CHOICES = 4


class SavedPipelines:
    """Finds the saved pipeline that a request names.

    Parameters
    ----------
    side
        Knows the saved pipelines; None where there is none to ask.
    """

    def __init__(self, side: RunSide | None) -> None:
        self._side = side

    def answer(self, request: str, now: datetime) -> Replay | Fork | None:
        """The replay or fork of a saved pipeline; None where the request names none.

        Raises
        ------
        OpenQuestion
            Several may be meant, or none holds the words, or the time is missing.
        InputError
            Nobody knows the saved pipelines here, or the time cannot be.
        """
        text = " ".join(request.split()).strip(" .!?")
        found = find_span(text, now) if re.match(r"(?:please )?\w", text) else None
        rest = " ".join(f"{text[: found.first]} {text[found.last :]}".split()).strip(" ,") if found else text
        match = form("saved.fork").fullmatch(rest) or form("saved.run").fullmatch(rest)
        if match is None:
            return None
        words = match["words"].strip()
        is_owned = re.search(r"\b(?:my|our|saved)\b", match["owner"], re.IGNORECASE) is not None
        is_named = self._side is not None and _as_name(words) in self._side.names()
        if not (is_owned or is_named):
            return None
        mission = _mission(match["mission"], now)
        if match["mission"] and mission is None:
            raise OpenQuestion(f"I do not understand {match['mission']!r}. For which time or spacecraft is it wanted?")
        if self._side is None:
            hint = "Use `helio run NAME START STOP`, or `helio pipelines search`."
            raise InputError("saved pipelines are not known here", hint=hint)
        name = _as_name(words) if is_named else self._named(words, found)
        span = range_of(text, found) if found is not None else None
        if mission is not None:
            return Fork(mission.name, name, span)
        if found is None or span is None:
            raise OpenQuestion(
                f"For which time should {name} run?", [f"run {name} for the last 7 days", f"run {name} for yesterday"]
            )
        return Replay(span, name, (found.note,) if found.note else ())

    def _named(self, words: str, found: FoundSpan | None) -> str:
        """The one saved pipeline that holds all the words."""
        hits = self._side.find_pipelines(words) if self._side else []
        whole = [hit for hit in hits if not hit.missed]
        if len(whole) == 1:
            return whole[0].name
        when = f" {found.words}" if found else ""
        choices = [f"run {hit.name}{when}" for hit in (whole or hits)[:_MOST_CHOICES]]
        if whole:
            raise OpenQuestion(f"Which pipeline do you mean by {words!r}: {' or '.join(hit.name for hit in whole)}?", choices)
        raise OpenQuestion(f"No saved pipeline holds {words!r}." + (" Do you mean another one?" if choices else ""), choices)


def _as_name(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _mission(words: str | None, now: datetime) -> Mission | None:
    """The mission that words name and nothing else."""
    reading = read_request(words, now) if words else None
    if reading is None or reading.unknown:
        return None
    target = [mention.meaning for mention in reading.mentions if not isinstance(mention.meaning, Filler)]
    if len(target) == 1 and isinstance(target[0], Unclear):
        raise OpenQuestion(target[0].question, list(target[0].options))
    return target[0] if len(target) == 1 and isinstance(target[0], Mission) else None
