"""The spectrum or histogram of columns of files of one's own, which no catalog knows: `power spectrum of H`."""

from __future__ import annotations

from typing import Any

from helio_dagster.agent.drafting.assumptions import Assumption, Topic, open_options
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.pipeline import Compute, Step


def draw_whole(text: str, table: Table) -> bool:
    """Draw the power spectrum or the histogram of columns that are drawn below them; False for other sentences."""
    match = matched("own_columns.whole", text)
    lines = table.plotted.of_columns(match["whose"]) if match is not None else []
    if match is None or not lines:
        return False
    operation = "histogram" if match["histogram"] else "power_spectrum"
    for line in lines:
        data = line.trace.data
        what, name, options = (
            ("Histogram", "histogram", {"bins": 50}) if match["histogram"] else ("Power spectrum", "spectrum", {})
        )
        compute = Compute(operation=operation, inputs={"series": data}, options=options)
        made = table.add(Step(id=f"{data}_{name}", intent=f"{what} of {data}", over="range", compute=compute))
        trace: dict[str, Any] = {"data": made, **({"draw": "steps"} if match["histogram"] else {})}
        axes = {"x": {"title": data}, "y": {"title": "Samples"}} if match["histogram"] else {"y": {"title": f"Power of {data}"}}
        table.draw({"figure.panels[+]": {"traces": [trace], **axes}})
    said = "The histogram has 50 bins, because the request names none." if match["histogram"] else _WELCH
    is_open = open_options(operation, *(("bins", "width") if match["histogram"] else ("parts", "segment")))
    table.assume([Assumption(said, (Topic("operation", operation), *is_open))])
    table.notes.append(said)
    return True


_WELCH = "The spectrum is the mean over overlapping segments (Welch), each an eighth of the range."
