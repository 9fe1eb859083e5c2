"""Changes of what steps expect of their results: `expect the speed between 200 and 900 km/s`, `add checks`, `no checks`."""

from __future__ import annotations

from pydantic import ValidationError

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.suggested_checks import asks_for_checks, check_edits, with_limits
from helio_dagster.catalog.choice.usual_checks import usual_checks
from helio_dagster.domain.expectation import Expectation


def change_expectations(text: str, table: Table) -> bool:
    """Change what the steps of the pipeline on the table expect; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which line is meant, or nothing is known of what is plotted.
    """
    if matched("expecting.none", text):
        expecting = [step.id for step in table.plotted.pipeline.steps if step.expect is not None]
        if not expecting:
            raise OpenQuestion("No step expects anything. What do you want to change?")
        for step in expecting:
            table.change(step, {"expect": None})
        return True
    if asks_for_checks(text):
        _add_usual(table)
        return True
    match = matched("expecting.expect", text)
    if match is None:
        return False
    step = _step_of(match["target"], table)
    unit = f" {match['unit'].strip()}" if match["unit"] else ""
    given = {"min": match["low"] or match["least"], "max": match["high"] or match["most"]}
    limits = {side: f"{value.replace(',', '')}{unit}" for side, value in given.items() if value}
    try:
        expect = Expectation.model_validate(limits)
    except ValidationError as error:
        problem = str(error.errors()[0].get("ctx", {}).get("error", "These limits cannot be met."))
        raise NotUnderstood(f"{problem} What do you expect?") from None
    table.change(step, {"expect": with_limits(table.plotted.pipeline.step(step), expect)})
    return True


def _add_usual(table: Table) -> None:
    plotted = table.plotted
    usual = usual_checks(plotted.pipeline, table.offers.catalog)
    if not usual:
        text = "No data here are a speed, a density or a magnetic field of the solar wind near 1 AU. What do you expect?"
        raise OpenQuestion(text, [f"expect the {plotted.name_of(line)} between 0 and 100" for line in plotted.lines[:2]])
    table.make(*check_edits(plotted.pipeline, usual))


def _step_of(target: str, table: Table) -> str:
    own = [step.id for step in table.plotted.pipeline.steps if step.fetch is not None or step.compute is not None]
    if target in own:
        return target
    found = table.plotted.target(target)
    steps = list(dict.fromkeys(line.trace.data for line in found.lines)) if found is not None and not found.unknown else []
    if len(steps) == 1 and steps[0] in own:
        return steps[0]
    if not steps:
        raise NotUnderstood.of([target], "Of which line do you expect that?")
    raise OpenQuestion(f"Of which line do you expect that: {' or '.join(steps)}?", [])
