"""An operation without a quantity, made of the one line that is drawn: `add a spectrogram` beside what is filtered."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.operation_order import ON_VECTORS
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.frames import axis_of, frame_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Dataset, Frame, Meaning
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Measured, ShapeName
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.domain.pipeline import Step

_MAGNITUDE = frozenset(("magnitude",))
_PARTS = _MAGNITUDE | {"component"}
_KEEPING_TIMES = frozenset(("butterworth", "despike", "detrend", "scale", "shift_time"))
"""Operations of one series whose results stand at times as dense as its own."""
_NAMES = {"filtered": "butterworth", "detrended": "detrend", "despiked": "despike", "scaled": "scale", "shifted": "shift_time"}


def of_the_line(reading: Reading, table: Table, of: Line | None) -> tuple[Reading, Line | None]:
    """An operation without a quantity is of the one line that is plotted: what was fetched for it, and the line.

    Raises
    ------
    OpenQuestion
        There are several lines.
    """
    if all(each.operation in ON_VECTORS for each in reading.all(Transform)):
        return reading, None
    plotted, words = table.plotted, reading.request.strip()
    lines = list(
        {line.trace.data: line for line in plotted.lines if not {"rolling_mean", "resample"} & set(line.operations)}.values()
    )
    lines = [of] if of is not None else lines
    if len(lines) != 1:
        names = " or ".join(plotted.name_of(line) for line in lines)
        again = [
            f"add {words} of {_words(line) if {*line.operations} <= _MAGNITUDE else plotted.name_of(line)}" for line in lines
        ]
        both = [" and ".join(again)] if len(again) in (2, 3) else []
        raise OpenQuestion(f"What do you want the {words} of{': ' if names else ''}{names}?", [*again, *both])
    (line,) = lines
    steps = plotted.upstream(line.trace.data)
    fetches = [step.fetch for step in steps if step.fetch]
    if len(fetches) != 1 or len(line.quantities) != 1 or not set(line.operations) <= _PARTS | _KEEPING_TIMES:
        raise OpenQuestion(f"What do you want the {words} of?")
    shape: ShapeName | None = "magnitude" if "magnitude" in line.operations else None
    frame = frame_of(line, table)
    measured = Measured((line.quantities[0],), shape, axis_of(line, table) or None)
    target: list[Meaning] = [Dataset(fetches[0].dataset), measured, *([Frame(frame)] if frame else [])]
    return replace(reading, mentions=(*(Mention(each, 0, 0, "") for each in target), *reading.mentions)), line


def treated_line(words: str, table: Table) -> tuple[str, Line | None]:
    """What is to be made, and of which line: one that is filtered or detrended, by its name or as `the filtered Br`."""
    match = matched("of_the_line.treated", words)
    lines = [] if match is None else [line for line in table.plotted.lines if is_treated(line)]
    named = [line for line in lines if match and table.plotted.name_of(line).casefold() == match["of"].casefold()]
    if match is not None and not named:
        rest = table.plotted.named(match["rest"]) if match["rest"] else lines
        named = [line for line in lines if line in rest and _NAMES[match["how"].casefold()] in line.operations]
    return (match["what"], named[0]) if match is not None and len(named) == 1 else (words, None)


def is_treated(line: Line) -> bool:
    """Whether more is done to what is fetched for a line than taking a part of a vector."""
    return not set(line.operations) <= _PARTS


def made_of(step: Step, line: Line | None, table: Table) -> Step:
    """A new step that is made of what a line draws, where it was drafted of what that was before it was treated."""
    if step.compute is None or line is None or not is_treated(line):
        return step
    steps = takewhile(
        lambda each: not each.compute or each.compute.operation in _PARTS, table.plotted.upstream(line.trace.data)
    )
    *_, base = (each.id for each in steps)
    inputs = {name: line.trace.data if each == base else each for name, each in step.compute.inputs.items()}
    return step.model_copy(update={"compute": step.compute.model_copy(update={"inputs": inputs})})


def _words(line: Line) -> str:
    """Whose line it is and what it shows, as a request has it."""
    words = " ".join([*line.missions, " and ".join(QUANTITY_WORDS[quantity] for quantity in line.quantities)])
    return f"{words} magnitude" if "magnitude" in line.operations else words
