"""What a follow-up says that neither the change has nor what was there before: shown as ignored, as in a new plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from helio_dagster.agent.answers import Answer, Edits, Fork, OpenQuestion, Plan, Replay, SoAlready
from helio_dagster.agent.offline.edits.slots import tokens_of
from helio_dagster.agent.offline.nothing_dropped import missing, showing_dropped, text_of, unused_notes
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.planner import Current
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform
from helio_dagster.catalog.choice.fetched import mission_of_fetch
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.time_range import TimeRange, format_duration

_NOTHING_NEW = "This is the plan as it stands: nothing of it is changed."


def with_ignored(answer: Answer, current: Current | None, read: Callable[[], Reading], catalog: KnownCatalog) -> Answer:
    """The answer with the words that are nowhere in it shown as ignored: those of a new plan, or notes on those of a follow-up.

    Parameters
    ----------
    answer
        What was made of the request.
    current
        What was on the table; None for a new request.
    read
        Takes the request apart.
    catalog
        Tells what was fetched.
    """
    if current is None:
        return showing_dropped(answer, read(), catalog) if isinstance(answer, Plan) else answer
    if not isinstance(answer, Edits | Replay | Fork | Plan):
        return answer
    with suppress(OpenQuestion, InputError):  # a time that only the range on the table makes whole
        notes = [f"{each!r} is ignored." for each in lost(answer, current, read(), catalog)]
        notes += unused_notes(_after(answer, current), current.file.pipeline)
        if isinstance(answer, Plan) and (answer.pipeline.steps, answer.span) == (current.file.pipeline.steps, current.span):
            notes.append(_NOTHING_NEW)
        return replace(answer, notes=(*answer.notes, *notes)) if notes else answer
    return answer


def refuse_no_change(request: str, answer: Answer | None, current: Current) -> None:
    """Say so where a follow-up comes to what is there already; a saved pipeline may be run again.

    Raises
    ------
    OpenQuestion
        Nothing would change.
    """
    if isinstance(answer, Replay) and answer.name is None and answer.span == current.span and not current.is_saved:
        raise SoAlready(f"It is for {answer.span} already. What do you want to change?")
    if isinstance(answer, Edits) and answer.span in (None, current.span):
        with suppress(InputError):  # what cannot be carried out is answered where it is carried out
            if _after(answer, current) == current.file.pipeline:
                raise SoAlready(f"{request.strip()!r} would change nothing of the plan. What do you want to change?")


def lost(answer: Edits | Replay | Fork | Plan, current: Current, reading: Reading, catalog: KnownCatalog) -> tuple[str, ...]:
    """Numbers, spacecraft, quantities, operations and looks that are nowhere before or after, and that no note names."""
    before = current.file.pipeline
    after = _after(answer, current)
    told = [text_of(before), text_of(after), *_times(current.span, answer.span), *answer.notes]
    told += [*answer.ignored] if isinstance(answer, Plan) else []
    told += [answer.mission, answer.then] if isinstance(answer, Fork) else []
    text = " ".join(told)
    found = [*missing((before, after), text, reading, catalog), *_operations(reading, text), *_looks(reading.request, text)]
    missions = [answer.mission] if isinstance(answer, Fork) else _missions(after, catalog)
    letters = {each[-1] for each in missions if re.search(r"[ -][A-Z]$", each)}  # `the same for B`, which is no field
    return tuple(each for each in dict.fromkeys(found) if each.strip() not in letters and each not in " ".join(answer.notes))


def _missions(pipeline: Pipeline, catalog: KnownCatalog) -> list[str]:
    return [mission_of_fetch(catalog, step.fetch) for step in pipeline.steps if step.fetch is not None]


def _after(answer: Edits | Replay | Fork | Plan, current: Current) -> Pipeline:
    """The pipeline that an answer leads to; of a copy for another spacecraft the one that is copied."""
    if isinstance(answer, Edits):
        return apply_edits(current.file, answer.edits).pipeline
    return answer.pipeline if isinstance(answer, Plan) else current.file.pipeline


def _times(before: TimeRange | None, after: TimeRange | None) -> Iterator[str]:
    """Both ranges, by how much their ends differ, how long they are, and what is in the middle."""
    for span in (before, after):
        if span is not None:
            yield f"{span} {format_duration(span.duration)} {span.start + span.duration / 2}"
    if before is not None and after is not None:
        moved = (after.start - before.start, after.stop - before.stop)
        yield " ".join(format_duration(abs(each)) for each in moved if each)


def _operations(reading: Reading, text: str) -> Iterator[str]:
    """What is to be done that no step does; numbers beside it are looked after by themselves."""
    for mention in reading.mentions:
        meaning, words = mention.meaning, mention.words.strip()
        wanted = [meaning.operation, meaning.words] if isinstance(meaning, Transform) else []
        wanted += (
            [str(meaning.options["statistic"])] if isinstance(meaning, Transform) and "statistic" in meaning.options else []
        )
        if isinstance(meaning, Averaging | Smoothing) and meaning.length is not None:
            wanted = [format_duration(meaning.length)]
        if wanted and not re.search(r"\d", words) and not any(each in text for each in (*wanted, words)):
            yield words


def _looks(request: str, text: str) -> Iterator[str]:
    """Colours, scales and ways of drawing that nothing has."""
    known = _plain(text)
    for token in tokens_of(request):
        words = request[token.first : token.last]
        value = _plain(token.parts.get("value") or "")
        wanted = {"color": value, "scale": "scale:log" if value.startswith("log") else "", "dash": "dash:"}
        wanted |= {each: f"draw:{each}" for each in ("points", "steps")}
        if token.kind == "points" and "dotted" in words and "dash:dot" in known:
            continue
        if wanted.get(token.kind, "") not in known:
            yield words.strip()


def _plain(words: str) -> str:
    return re.sub(r"[-\s]", "", words.casefold()).replace("gray", "grey")
