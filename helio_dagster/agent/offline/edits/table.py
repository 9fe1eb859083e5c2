"""The pipeline on the table while a sentence is carried out: each change is made at once, so that the next one sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import Any

from helio_dagster.agent.answers import Answer, Edits, OpenQuestion, Plan
from helio_dagster.agent.drafting.assumptions import Assumption, Topic, lines_about, lines_of
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.naming import capital, free_id
from helio_dagster.agent.intent import Intent
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure, Target
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange


class Table:
    """Makes edits of a pipeline, and remembers them.

    Parameters
    ----------
    file
        The pipeline.
    offers
        What the catalog has.
    now
        The present.
    span
        The range that it is for.
    plan
        Plans a request of its own, of which a change draws what it adds.
    intent
        What the pipeline was drafted of.
    assumed
        What its assumptions are about, where that is known.
    """

    def __init__(
        self,
        file: PipelineFile,
        offers: Offers,
        now: datetime,
        span: TimeRange | None = None,
        plan: Callable[[str], Answer] | None = None,
        intent: Intent | None = None,
        assumed: Sequence[Assumption] = (),
    ) -> None:
        self.offers, self.now, self.span, self.plan, self.intent = offers, now, span, plan, intent
        self._assumed = tuple(assumed)
        self.new_assumed: list[Assumption] = []
        """What those assumptions are about that are added."""
        self.edits: list[Edit] = []
        self.notes: list[str] = []
        self.plotted = PlottedFigure(file, offers, now)
        self.last: set[str] = set()
        """What the clause before drew or changed: `it` is that."""

    @property
    def when(self) -> str:
        """The range in words of a request, which says nothing of a last day that is included or not."""
        span = self.span
        if span is None or any(each.second or each.microsecond for each in (span.start, span.stop)):
            return str(span or "")
        return f"{span.start:%Y-%m-%dT%H:%MZ} to {span.stop:%Y-%m-%dT%H:%MZ}"

    def target(self, clause: Clause) -> Target | None:
        """The lines that a clause is about; None where it names something else."""
        target = self.plotted.target(clause.target)
        is_it = re.search(r"\b(?:its?|this|that|them)\b", f"{clause.target} {clause.all}", re.IGNORECASE) is not None
        lines = [line for line in self.plotted.lines if line.trace.data in self.last]
        if target is None or target.is_named or not is_it or not lines:
            return target
        return Target(lines, is_named=True, unknown=target.unknown)

    def make(self, *edits: Edit) -> None:
        """Make edits."""
        self.plotted = PlottedFigure(apply_edits(self.plotted.file, edits), self.offers, self.now)
        self.edits += edits

    def answer(self) -> Edits:
        """The edits so far as an answer."""
        notes, new = tuple(dict.fromkeys(self.notes)), tuple(self.new_assumed)
        return Edits(tuple(self.edits), notes=notes, intent=self.intent, assumed=new)

    def change(self, step: str, changes: Mapping[str, Any]) -> None:
        """Change values of a step; nothing where there are none."""
        if changes:
            self.make(EditStep(kind="edit_step", step=step, changes=dict(changes)))

    def draw(self, changes: Mapping[str, Any]) -> None:
        """Change values of the figure."""
        self.change(self.plotted.figure.id, changes)

    def arrange(self, panels: Sequence[Panel]) -> None:
        """Give the figure these panels."""
        self.draw(
            {"figure.panels": [panel.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for panel in panels]}
        )

    def describe(self, changes: Mapping[Any, Any]) -> None:
        """Change values outside the steps."""
        if changes:
            self.make(EditPipeline(kind="edit_pipeline", changes=dict(changes)))

    @cached_property
    def known(self) -> tuple[Assumption, ...]:
        """What the assumptions are about: as it was kept, else as a draft of what the title says would have it."""
        if self._assumed or self.plan is None or self.span is None:
            return self._assumed
        with suppress(OpenQuestion, InputError):
            plan = self.plan(f"{self.plotted.pipeline.title}, {self.span}")
            return plan.assumed if isinstance(plan, Plan) else ()
        return ()

    def forget(self, *topics: Topic) -> None:
        """Drop the assumptions that are about one of these."""
        old, gone = self.plotted.pipeline.assumptions, lines_about((*self.known, *self.new_assumed), *topics)
        kept = [each for each in old if each not in gone]
        self.describe({"assumptions": kept or None} if kept != old else {})

    def assume(self, said: Sequence[Assumption]) -> None:
        """Add to the assumptions what does not stand there."""
        old = self.plotted.pipeline.assumptions
        self.new_assumed += said
        new = [each for each in lines_of(said) if each not in old]
        if new:  # the later list holds the earlier one
            alone = [each for each in self.edits if isinstance(each, EditPipeline) and each.changes.keys() == {"assumptions"}]
            self.edits = [each for each in self.edits if each not in alone]
        self.describe({"assumptions": [*old, *new]} if new else {})

    def add(self, step: Step, before: str = "") -> str:
        """The id of a step added before another, or before the figure; it gets a number if its id is taken."""
        step_id = free_id(step.id, {each.id for each in self.plotted.pipeline.nodes})
        new = step.model_copy(update={"id": step_id})
        self.make(AddStep(kind="add_step", step=new, before=before or self.plotted.figure.id))
        return step_id

    def compute(
        self, step_id: str, intent: str, data: str, operation: str, options: Mapping[str, Any], before: str = ""
    ) -> str:
        """The id of a step that computes something of one series: a new one, or one that does so already."""
        compute = Compute(operation=operation, inputs={"series": data}, options=dict(options))
        if (same := next((each.id for each in self.plotted.pipeline.steps if each.compute == compute), None)) is not None:
            return same
        return self.add(Step(id=f"{data.rpartition('/')[2]}_{step_id}", intent=capital(intent), compute=compute), before)

    def steps_of(self, lines: Sequence[Line]) -> list[Step]:
        """The steps that lines draw, each once."""
        plotted = {line.trace.data for line in lines}
        return [step for step in self.plotted.pipeline.steps if step.id in plotted]

    def ask_which(self, clause: Clause, lines: Sequence[Line], what: str = "line") -> OpenQuestion:
        """The question which line or panel is meant, with the sentence for each."""
        if what == "panel":
            rows = list(dict.fromkeys(line.panel for line in lines))
            firsts = [[line for line in lines if line.panel == row] for row in rows]
            names = [
                self.plotted.name_of(of[0]) if len(of) == 1 else f"panel {row + 1}"
                for row, of in zip(rows, firsts, strict=True)
            ]
        else:
            names = [self.plotted.name_of(line) for line in lines]
        return OpenQuestion(f"Which {what} do you mean: {' or '.join(names)}?", [filled(clause, name) for name in names])


def filled(clause: Clause, name: str) -> str:
    """The sentence with a name in the place of the words for what is changed."""
    if clause.at is None:
        return f"{clause.text} for {name}"
    return f"{clause.text[: clause.at[0]]}{name}{clause.text[clause.at[1] :]}"
