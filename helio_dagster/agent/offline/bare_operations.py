"""Operations and quantities named alone, beside a pipeline: what of it they mean."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.operation_order import ON_VECTORS
from helio_dagster.agent.intent import Derived, Measured, ShapeName, Transform
from helio_dagster.agent.offline.meanings import Dataset, Filler, Frame, Length, Meaning
from helio_dagster.agent.offline.plotted_figure import Line, PlottedFigure
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS


def is_bare(reading: Reading) -> bool:
    """Whether words only name a quantity that follows from others, or an operation: no spacecraft, no time, no verb."""
    meant = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler | Frame | Length | Measured)]
    return bool(meant) and all(isinstance(each, Derived | Transform) for each in meant) and reading.time is None


def _words(line: Line) -> str:
    """What a line shows, as a request has it."""
    words = " and ".join(QUANTITY_WORDS[quantity] for quantity in line.quantities)
    return f"{words} magnitude" if "magnitude" in line.operations else words


def of_the_line(reading: Reading, plotted: PlottedFigure) -> Reading:
    """An operation without a quantity is of the one line that is plotted, as that was fetched.

    Raises
    ------
    OpenQuestion
        There are several lines.
    """
    on_vectors = all(each.operation in ON_VECTORS for each in reading.all(Transform))
    if on_vectors:
        return reading
    shown = {line.trace.data: line for line in plotted.lines if not {"rolling_mean", "resample"} & set(line.operations)}
    lines = list(shown.values())
    words = reading.request.strip()
    if len(lines) != 1:
        names = " or ".join(line.words for line in lines)
        again = [f"add {words} of {' '.join(line.missions)} {_words(line)}" for line in lines]
        raise OpenQuestion(
            f"Which line do you want the {words} of: {names}?" if names else f"What do you want the {words} of?", again
        )
    (line,) = lines
    steps = plotted.upstream(line.trace.data)
    fetches = [step.fetch for step in steps if step.fetch]
    if len(fetches) != 1 or len(line.quantities) != 1 or not {"magnitude", "component"} >= set(line.operations):
        raise OpenQuestion(f"What do you want the {words} of?", [f"add {words} of {mission} |B|" for mission in line.missions])
    axis = next(
        (str(step.compute.options["component"]) for step in steps if step.compute and step.compute.operation == "component"),
        None,
    )
    shape: ShapeName | None = "magnitude" if "magnitude" in line.operations else None
    measured = Measured((line.quantities[0],), shape, axis)
    frame = plotted.frame(fetches[0])
    meant: list[Meaning] = [Dataset(fetches[0].dataset), measured, *([Frame(frame)] if frame else [])]
    return replace(reading, mentions=(*(Mention(each, 0, 0, "") for each in meant), *reading.mentions))
