"""Figures from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from helio_dagster.api.opening import AnyPipeline, When, quiet_dagster, settings_of, span_of
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.print_options import PrintOptions
from helio_dagster.domain.printing import read_printing
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.printing import FORMATS, bring_up_to_date, check_paper, figure_steps, print_figures
from helio_dagster.resources.workbench import Workbench

if TYPE_CHECKING:
    from pathlib import Path

    from helio_dagster.launch.running.printing import Format, PrintedFigure


def figure(
    pipeline: AnyPipeline,
    start: When | None = None,
    stop: When | None = None,
    *,
    step: str | None = None,
    form: Format = "png",
    home: str | Path | None = None,
    **how: Unpack[PrintOptions],
) -> PrintedFigure:
    """Draw a figure of a pipeline, after running what is missing; a notebook shows it.

    Parameters
    ----------
    pipeline, start, stop, home
        As in `run`.
    step
        The figure's step; not needed where the pipeline has one figure.
    form
        `png`, `svg`, `pdf`, or `html` for the page that can be zoomed.
    **how
        As the options of `helio figure`, such as `style="agu", width="85 mm", font="8 pt"`; `PrintOptions` lists them.

    Returns
    -------
    PrintedFigure
        `content` is its bytes, `save(path)` writes them.

    Raises
    ------
    InputError
        There is no such pipeline, step, range or option, or there are several figures.
    HelioError
        A step failed.

    Examples
    --------
    >>> figure("ace_bfield", "2003-10-29", width="85 mm").save("storm.png")
    """
    if form not in FORMATS:
        raise InputError(f"{form} is not a figure format", hint=f"Use one of: {', '.join(FORMATS)}.")
    wanted = read_printing(how)
    with Workbench(settings_of(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        asked = opened.asked_range(span_of(start, stop, now) if start is not None else None, now)
        request = opened.request(asked, now)
        nodes = figure_steps(request, step)
        if len(nodes) > 1:
            steps = ", ".join(node.step.id for node in nodes)
            raise InputError(f"{request.pipeline.name} has several figures", hint=f"Give step=, one of: {steps}.")
        check_paper(nodes, wanted)
        with quiet_dagster():
            bring_up_to_date(request, workbench)
        made = list(print_figures(request, nodes, workbench, form, wanted))
    if not made:
        raise InputError(f"{request.pipeline.name} has no figure over {request.span}", hint="Ask for a range with data.")
    if len(made) > 1:
        problem = f"{request.pipeline.name} has {len(made)} figures over {request.span}, one for each event"
        raise InputError(problem, hint="Ask for a range with one event, or draw them all with `helio figure`.")
    return made[0]
