"""Changes that a whole sentence says, each read by a module of its own; those that are made of clauses are the reader's."""

from __future__ import annotations

from helio_dagster.agent.offline.edits.arranging import order, swap
from helio_dagster.agent.offline.edits.colors import change_components, recolor
from helio_dagster.agent.offline.edits.crossing import mark_crossings
from helio_dagster.agent.offline.edits.frames import rotate_all
from helio_dagster.agent.offline.edits.grafting import count_values
from helio_dagster.agent.offline.edits.levels import draw_level
from helio_dagster.agent.offline.edits.looks import give_height
from helio_dagster.agent.offline.edits.marking import mark_time
from helio_dagster.agent.offline.edits.range_results import draw_whole, fit_slopes, state_numbers
from helio_dagster.agent.offline.edits.raw_behind import draw_raw
from helio_dagster.agent.offline.edits.recomputing import scale_values
from helio_dagster.agent.offline.edits.removing import smooth_only, take_out
from helio_dagster.agent.offline.edits.shading import shade_span
from helio_dagster.agent.offline.edits.shifting import shift_lines
from helio_dagster.agent.offline.edits.table import Table

_WHOLE_SENTENCES = (
    state_numbers,
    draw_whole,
    draw_raw,
    fit_slopes,
    smooth_only,
    give_height,
    change_components,
    recolor,
    take_out,
    swap,
    order,
    rotate_all,
    mark_crossings,
    shade_span,
    draw_level,
    mark_time,
    scale_values,
    shift_lines,
    count_values,
)


def change_whole(text: str, table: Table) -> bool:
    """Make the change that a whole sentence says; False where it says none.

    Raises
    ------
    OpenQuestion
        It leaves open what is meant.
    """
    return any(change(text, table) for change in _WHOLE_SENTENCES)
