"""Show, change, undo and drop drafts. `approval` saves what is approved."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.agent import answers
from helio_dagster.agent.conversation.card import Card
from helio_dagster.agent.conversation.explaining import explain
from helio_dagster.agent.conversation.ranges import complete_part, time_event
from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.planner import Current
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import Draft, Outcome, Session, span_of
from helio_dagster.domain.errors import HelioError, InputError, PipelineError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_comparison import compare_pipelines
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from helio_dagster.domain.report import Estimate
from helio_dagster.domain.time_range import TimeRange

MOST_EARLIER = 10
"""Maximum number of earlier texts of a draft that are kept."""


@dataclass(frozen=True)
class Shown:
    """What a person has already seen of a pipeline: its text and time range."""

    text: str
    span: TimeRange | None


class Desk:
    """Holds a plan until it is decided on.

    Parameters
    ----------
    side
        Checks and estimates.
    session
        Holds the draft; changed in place.
    tell
        Receives events.
    keep
        Saves the session.
    clock
        Gives the current time.
    """

    def __init__(
        self, side: RunSide, session: Session, *, tell: Tell, keep: Callable[[], None], clock: Callable[[], datetime]
    ) -> None:
        self._side, self._session, self._tell, self._keep, self._clock = side, session, tell, keep, clock

    def current(self) -> Current | None:
        """The draft, else the current saved pipeline."""
        draft, table = self._session.draft, self._session.table
        if draft is not None:
            return Current(_parsed(draft.text), draft.span.range if draft.span else None, is_saved=False)
        if table is None:
            return None
        return Current(self._side.load(table.name), table.span.range if table.span else None, is_saved=True)

    def lay(self, answer: answers.Plan) -> Outcome:
        """Present a new pipeline under a free name; if an identical one is saved, run that again."""
        pipeline, span, notes = answer.pipeline, span_of(answer.span), list(answer.notes)
        saved = self._saved_alike(pipeline)
        if saved is not None:
            remarks = [*notes, f"already saved as {saved.pipeline.name}: nothing is written"]
            return self._put(Draft(text=saved.text, base=saved.text, span=span, remarks=remarks))
        named = pipeline.model_copy(update={"name": self._unused(pipeline.name)})
        return self._put(Draft(text=dump_pipeline(named), span=span, remarks=notes))

    def edit(self, answer: answers.Edits) -> Outcome:
        """Apply edits to the draft or the saved pipeline, and present the result."""
        current = self.current()
        if current is None:
            raise InputError("there is no pipeline to change", hint="Say what you want to see first.")
        changed = apply_edits(current.file, list(answer.edits))
        span = answer.span or current.span
        return self._replace(current, changed.text, span, list(answer.notes))

    def edited(self, text: str) -> Outcome:
        """Use the text edited by the person as the draft; new code is tried first."""
        current = self.current()
        if current is None:
            raise InputError("there is no plan to edit", hint="Say what you want to see first.")
        changed = _parsed(text)
        if changed.pipeline.name != current.file.pipeline.name:
            hint = "Leave `name:` as it is, and rename it later with `helio pipelines rename`."
            raise InputError("an edit cannot change the pipeline's name", hint=hint)
        self._require_sound(changed)
        self._try_code(changed, current)
        return self._replace(current, text, current.span, [])

    def fork(self, answer: answers.Fork) -> Outcome:
        """Present the same pipeline for another mission, with what does not carry over."""
        current = self.current()
        file = self._side.load(answer.name) if answer.name else current.file if current else None
        if file is None:
            raise InputError("there is no pipeline to copy", hint="Say what you want to see first, or name a saved pipeline.")
        new = self._unused(_forked_name(file.pipeline, answer.mission))
        proposal = self._side.fork(file, new, answer.mission, instead_of=answer.instead_of)
        losses = [f"does not carry over: {loss}" for loss in proposal.losses]
        remarks = [*answer.notes, *proposal.changes, *losses, *proposal.kept, *proposal.notes]
        span = answer.span or (current.span if current else None)
        return self._put(Draft(text=proposal.file.text, span=span_of(span), remarks=remarks))

    def retime(self, draft: Draft, span: TimeRange) -> Outcome:
        """Present a draft for another range."""
        shown = Shown(draft.text, draft.span.range if draft.span else None)
        return self._put(draft.model_copy(update={"span": span_of(span)}), shown)

    def show(self, shown: Shown | None = None) -> Outcome:
        """Show the draft as a card and wait for a decision; a saved pipeline is shown with nothing to decide.

        `shown` is what the person has already seen; then only the differences are shown.
        """
        draft, current = self._session.draft, self.current()
        if current is None:
            raise InputError("there is no plan yet", hint="Say what you want to see: ACE magnetic field for 2023-01-02.")
        findings = self._side.check(current.file)
        if findings.problems:
            raise PipelineError(findings.problems)
        span, remarks = current.span, list(draft.remarks) if draft else []
        if span is not None and draft is not None:
            span, note = complete_part(current.file.pipeline, span, self._clock())
            remarks += [note] if note else []
            draft.span = span_of(span)
        estimate, problem = self._estimate(current.file, span)
        base = _parsed(draft.base) if draft and draft.base else None
        seen = shown.text if shown else draft.earlier[-1] if draft and draft.earlier else None
        earlier = _parsed(seen) if seen is not None else None
        notes = tuple(note for note in findings.notes if note.path != "approved" or draft is None)
        card = Card(
            current.file, span, base, earlier, estimate, problem, notes, tuple(remarks),
            is_whole=shown is None, was=shown.span if shown else None, is_saved=draft is None or draft.text == draft.base,
        )  # fmt: skip
        if span is not None:
            self._tell(time_event(span))
        self._say("plan", card.text(), **card.facts())
        if draft is None:
            return "answered"
        self._say("approval", "Nothing has been run or written yet.", decision="awaited")
        self._keep()
        return "approval"

    def explain(self) -> None:
        """Explain the plan or the saved pipeline."""
        draft, current = self._session.draft, self.current()
        if current is None:
            raise InputError("there is no plan yet", hint="Say what you want to see: ACE magnetic field for 2023-01-02.")
        text = explain(current.file.pipeline, draft.looked if draft else [], draft.remarks if draft else [])
        self._say("information", text, sources=[], makes_data=False)

    def waiting(self) -> Outcome:
        """Repeat what the conversation awaits, after an answer to something else."""
        session = self._session
        if session.asked is not None:
            self._say("clarify", session.asked.text, choices=list(session.asked.choices), number=session.asked.number)
            return "question"
        if session.draft is not None:
            self._say("approval", "The plan is still waiting: nothing was run or written yet.", decision="awaited")
            return "approval"
        return "repair" if session.failed is not None else "answered"

    def reject(self) -> Outcome:
        """Drop the draft; nothing was written."""
        self.drop_draft()
        self._say("approval", "Dropped: nothing was run or written.", decision="rejected")
        return "refused"

    def drop_draft(self) -> None:
        """Remove the draft."""
        self._session.draft = None

    def take_back(self) -> Outcome:
        """Undo the draft's last change; a draft without changes is dropped."""
        self._session.draft = self._earlier(self._session.draft)
        return self.show() if self._session.draft is not None else self.reject()

    def keep_operation(self, answer: answers.Keep) -> Outcome:
        """Save a step's code as an operation, after trying it."""
        current = self.current()
        if current is None or current.span is None:
            raise InputError("the current pipeline does not have that step", hint="Plan a pipeline for a time range first.")
        name = self._side.keep_operation(
            current.file, answer.step, answer.operation, answer.summary, current.span, self._progress
        )
        step = current.file.pipeline.step(answer.step)
        self._session.kept_code += [step.compute.code] if step.compute and step.compute.code else []
        self._say("note", f"Saved as the operation {name}: use it in a pipeline as `operation: {name}`.", operation=name)
        return self.waiting()

    def _replace(self, current: Current, text: str, span: TimeRange | None, remarks: list[str]) -> Outcome:
        draft = self._session.draft
        earlier = [*draft.earlier, draft.text][-MOST_EARLIER:] if draft else []
        base = draft.base if draft else current.file.text
        return self._put(
            Draft(text=text, span=span_of(span), base=base, earlier=earlier, remarks=remarks),
            Shown(current.file.text, current.span),
        )

    def _put(self, draft: Draft, shown: Shown | None = None) -> Outcome:
        """Show a draft in place of the previous one, which is kept if the draft is invalid or its range cannot be run."""
        before, self._session.draft = self._session.draft, draft
        try:
            return self.show(shown)
        except HelioError:
            self._session.draft = before
            raise

    def _earlier(self, draft: Draft | None) -> Draft | None:
        if draft is None or not draft.earlier:
            return None
        return draft.model_copy(update={"text": draft.earlier[-1], "earlier": draft.earlier[:-1], "remarks": []})

    def _require_sound(self, file: PipelineFile) -> None:
        if problems := self._side.check(file).problems:
            raise PipelineError(problems)

    def _try_code(self, file: PipelineFile, current: Current) -> None:
        """Try each step with new code on part of the range; if one fails, raise and keep the previous draft."""
        known = {step.compute.code for step in current.file.pipeline.steps if step.compute}
        for step in file.pipeline.steps:
            if current.span is not None and step.compute and step.compute.code and step.compute.code not in known:
                try:
                    trial = self._side.try_step(file, step.id, current.span)
                except HelioError as error:
                    self._say("step_tested", f"{step.id}: {error}", step=step.id, passed=False, attempt=1)
                    raise
                self._say("step_tested", f"{step.id} on {trial.partition}:\n{trial.text}", step=step.id, passed=True, attempt=1)

    def _estimate(self, file: PipelineFile, span: TimeRange | None) -> tuple[Estimate | None, str]:
        if span is None:
            return None, ""
        try:
            return self._side.estimate(file, span), ""
        except HelioError as error:
            return None, error.problem

    def _saved_alike(self, pipeline: Pipeline) -> PipelineFile | None:
        """A saved pipeline with the same meaning, among those with this name, with or without a number."""
        pattern = re.compile(rf"{re.escape(pipeline.name)}(_[0-9]+)?")
        alike = (self._side.load(name) for name in self._side.names() if pattern.fullmatch(name))
        return next((file for file in alike if compare_pipelines(file.pipeline, pipeline).is_same), None)

    def _unused(self, wanted: str) -> str:
        """The name, with a number added if another pipeline has it."""
        taken, name, number = set(self._side.names()), wanted[:76], 1
        while name in taken:
            number += 1
            name = f"{wanted[:74]}_{number}"
        return name

    def _progress(self, text: str) -> None:
        self._say("progress", text)

    def _say(self, stage: Stage, text: str, **facts: object) -> None:
        self._tell(Event(stage=stage, text=text, facts=facts))


def _parsed(text: str) -> PipelineFile:
    return parse_pipeline(text, file="the plan")


def _forked_name(pipeline: Pipeline, mission: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "_", mission.lower()).strip("_")
    return f"{pipeline.name[: 78 - len(slug)]}_{slug}"
