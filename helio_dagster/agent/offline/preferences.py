"""What a request says about all the data it asks for: frame, cadence, instrument, mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.intent import Own, Preferences
from helio_dagster.agent.offline.clauses import cadences_by_clause, described_by_clause, frames_by_clause
from helio_dagster.agent.offline.meanings import Cadence, Descriptor, Frame, InMode, Instrument, Level
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.choice.levels import spoken_level
from helio_dagster.catalog.choice.modes import MODE_WORDS
from helio_dagster.catalog.choice.offer import Asked


def read_preferences(reading: Reading, questions: Sequence[Asked] = (), *, own: tuple[Own, ...] = ()) -> Preferences:
    """What the request says about all it asks for; `own` are its instruments if each has a quantity of its own."""
    frames, cadences, instruments = reading.all(Frame), reading.all(Cadence), reading.all(Instrument)
    modes = reading.all(InMode)
    if len(modes) > 1:
        raise OpenQuestion(f"Which do you want: {' or '.join(MODE_WORDS[each.name] for each in modes)}?")
    levels = reading.all(Level)
    if len(levels) > 1:
        raise OpenQuestion(f"Which do you want: {' or '.join(spoken_level(each.name) for each in levels)}?")
    sources = [str(each.options["from"]) for each in reading.all(Transform) if "from" in each.options]
    described = described_by_clause(reading, questions)
    dense = cadences_by_clause(reading, questions)
    framed = frames_by_clause(reading, questions) if len(frames) > 1 else ()
    if len(frames) > 1 and not framed:
        names = " or ".join(frame.name for frame in frames)
        named = reading.of(Frame)
        choices = [without(reading, [each for each in named if each.meaning != frame]) for frame in frames]
        raise OpenQuestion(f"Which frame do you want: {names}?", choices)
    if len(cadences) > 1 and not {each.length for each in cadences} <= {each.cadence for each in dense}:
        raise OpenQuestion("The request names two cadences. Which one do you want?")
    if len(instruments) > 1 and not own:
        words = reading.of(Instrument)
        alone = [without(reading, [each for each in words if each is not one]) for one in words]
        raise OpenQuestion(f"Which instrument do you want: {' or '.join(each.name for each in instruments)}?", alone)
    return Preferences(
        frame=frames[0].name if frames and not framed else sources[0] if sources else None,
        cadence=cadences[0].length if cadences and not dense else None,
        instrument=instruments[0].name if instruments and not own else None,
        span=reading.span,
        own=(*own, *framed, *dense, *described),
        mode=modes[0].name if modes else None,
        level=levels[0].name if levels else None,
        described=tuple(
            each.word for each in reading.all(Descriptor) if all(each.word not in one.described for one in described)
        ),
        in_gsm=" and ".join(dict.fromkeys(_angles_in_gsm(reading))),
    )


def _angles_in_gsm(reading: Reading) -> Iterator[str]:
    """The angles asked for that depend on the frame; a cone angle is the same in GSE and GSM."""
    for each in reading.all(Transform):
        if each.operation == "direction" and each.options.get("angle") in ("clock", "latitude", "longitude"):
            yield "clock angle" if each.options["angle"] == "clock" else str(each.options["angle"])
