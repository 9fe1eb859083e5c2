"""Changes that a whole sentence says, each read by a module of its own; those that are made of clauses are the reader's."""

from __future__ import annotations

from helio_dagster.agent.offline.edits.arranging import order, swap
from helio_dagster.agent.offline.edits.components import change_components
from helio_dagster.agent.offline.edits.crossing import mark_crossings
from helio_dagster.agent.offline.edits.frames import rotate_all
from helio_dagster.agent.offline.edits.grafting import count_values
from helio_dagster.agent.offline.edits.levels import draw_level
from helio_dagster.agent.offline.edits.looks import give_height
from helio_dagster.agent.offline.edits.marking import mark_time
from helio_dagster.agent.offline.edits.own_columns import draw_whole
from helio_dagster.agent.offline.edits.palettes import recolor
from helio_dagster.agent.offline.edits.recomputing import scale_values
from helio_dagster.agent.offline.edits.removing import smooth_only
from helio_dagster.agent.offline.edits.shading import shade_span
from helio_dagster.agent.offline.edits.shifting import shift_lines
from helio_dagster.agent.offline.edits.slopes import fit_slopes
from helio_dagster.agent.offline.edits.stating import state_numbers
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.taking_back import take_out

_WHOLE_SENTENCES = (
    state_numbers,
    draw_whole,
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
