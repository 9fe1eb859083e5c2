"""Run saved pipelines, report each step, and offer what to do about a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from helio_dagster.agent.conversation.ahead import tell_steps
from helio_dagster.agent.conversation.check_summary import causes, sum_up
from helio_dagster.agent.conversation.ranges import complete_part, time_event
from helio_dagster.agent.conversation.suggestions import suggest
from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import FailedStep, OnTable, Outcome, Session, Span, span_of
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import Failure, RunReport, StepReport
from helio_dagster.domain.time_range import TimeRange, format_time

MOST_TRIES = 3
"""Maximum number of runs over one range after a step fails."""
_MOST_LISTED = 5
_OF_COVERAGE = ("coverage", "values")
"""Checks that all fail if there are no data; only one of them is reported."""


class Runner:
    """Runs pipelines for a conversation.

    Parameters
    ----------
    side
        Runs and checks.
    session
        Keeps the current pipeline and what failed; changed in place.
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

    def run(self, name: str, span: Span | TimeRange | None, *, tries: int = 1) -> Outcome:
        """Bring a saved pipeline up to date over a range, and report the outcome."""
        if span is None:
            raise InputError(f"{name} has no time range yet", hint="Give a time range, such as 2023-01-02 or last 7 days.")
        file, session = self._side.load(name), self._session
        asked, note = complete_part(file.pipeline, span.range if isinstance(span, Span) else span, self._clock())
        if note:
            self._say("note", note)
        self._tell(time_event(asked))
        session.table = OnTable(name=name, span=span_of(asked), is_running=True)
        session.failed = None
        self._keep()
        self._say("run", f"{name}: {asked}", pipeline=name, start=format_time(asked.start), stop=format_time(asked.stop))
        try:
            report = self._side.run(name, asked, self._step_done, self._progress)
        except HelioError:  # it was refused; a run interrupted by Ctrl-C or a kill can be continued
            session.table.is_running = False
            raise
        session.table.is_running = False
        for figure in report.figures:
            text = f"figure {figure.step}: {figure.png or figure.html}"
            self._say("run", text, step=figure.step, html=figure.html, png=figure.png)
        if report.status != "success" and report.failures:
            return self._offer_repair(report, tries)
        return self._close(file, asked, report.status)

    def retry(self) -> Outcome:
        """Run the range again, making only what is missing."""
        failed, table = self._session.failed, self._session.table
        if failed is None or table is None:
            raise InputError("nothing has failed, so there is nothing to retry", hint="Say what you want to see.")
        if failed.tries >= MOST_TRIES:
            hint = "Say what to change in it, skip, or abort."
            raise InputError(f"{failed.step} has failed {failed.tries} times and would fail again", hint=hint)
        return self.run(table.name, table.span, tries=failed.tries + 1)

    def skip(self) -> Outcome:
        """Continue with what was made."""
        table = self._session.table
        if self._session.failed is not None:
            self._say("note", f"Continuing without {self._session.failed.step} and what needs it.")
        self._session.failed = None
        if table is None or table.span is None:
            return "partial"
        return self._close(self._side.load(table.name), table.span.range, "partial")

    def abort(self) -> Outcome:
        """Stop here; the saved pipeline and what was made are kept."""
        self._session.failed = None
        table = self._session.table
        again = f"; `helio run {table.name}` continues at any time" if table else ""
        self._say("note", f"Stopped here: what was made is kept{again}.")
        return "failed"

    def offer(self) -> Outcome:
        """Say which step failed and what can be done about it."""
        failed = self._session.failed
        if failed is None:
            return "answered"
        retry = [f"retry ({failed.tries + 1} of {MOST_TRIES})"] if failed.tries < MOST_TRIES else []
        choices = [*retry, "say what to change, for a new plan", "skip and go on", "abort"]
        text = f"{failed.step} failed. What was made is kept; a retry makes only the rest."
        self._say("repair", text, step=failed.step, tries=failed.tries, choices=choices, hint=failed.hint)
        return "repair"

    def explain_failure(self) -> Outcome:
        """Repeat why a step failed, and what can be done."""
        failed = self._session.failed
        if failed is not None:
            told = f"{failed.step}: {failed.error}" + (f"\n  {failed.hint}" if failed.hint else "")
            self._say("error", told, step=failed.step, hint=failed.hint)
        return self.offer()

    def tell_table(self) -> None:
        """Name the current pipeline; after an interrupted run, say what is left and how to continue."""
        table = self._session.table
        if table is None or table.span is None:
            return
        if not table.is_running:
            self._say("note", f"The current pipeline is {table.name}, {table.span.range}.")
            return
        ahead = self._side.estimate(self._side.load(table.name), table.span.range)
        are = "is" if ahead.partitions == 1 else "are"
        left = f"{counted(ahead.partitions, 'partition')} {are} left to make ({tell_steps(ahead)}); what was made is kept."
        left = left if ahead.partitions else "All of it was made."
        told = f"The last run was interrupted: {table.name}, {table.span.range}."
        self._say("note", f"{told}\n{left} Say `run` to continue.", left=ahead.partitions)

    def _step_done(self, step: str, counts: StepReport) -> None:
        told = [f"{count} {word}" for word, count in _counted(counts)]
        facts = counts.model_dump(exclude={"asset"})
        self._say("run", f"{step}: {', '.join(told) or 'nothing to do'}", step=step, asset=counts.asset, **facts)

    def _offer_repair(self, report: RunReport, tries: int) -> Outcome:
        first = report.failures[0]
        for text in _failure_lines(report.failures):
            self._say("error", text, step=first.step, hint=first.hint)
        self._session.failed = FailedStep(step=first.step, error=first.error, hint=first.hint, tries=tries)
        self._keep()
        return self.offer()

    def _close(self, file: PipelineFile, span: TimeRange, status: Outcome) -> Outcome:
        """Report the checks, and suggest what to do next."""
        results = sorted(self._side.judge(file.pipeline.name, span), key=lambda result: result.has_passed)
        self._tell_checks(file.pipeline, results)
        for words in suggest(file.pipeline, span, results, kept_code=self._session.kept_code):
            self._say("suggestion", words, say=words)
        self._keep()
        return status

    def _tell_checks(self, pipeline: Pipeline, results: list[CheckResult]) -> None:
        """Report failed checks first, then the summary of the others."""
        causing = causes(pipeline, results)
        uncovered = {result.step for result in results if result.check == "coverage" and not result.has_passed}
        for result in results:
            cause = causing.get(result.step, result.step if result.check == "values" and result.step in uncovered else None)
            because = {"follows_from": cause} if cause and not result.has_passed and result.check in _OF_COVERAGE else {}
            facts = {**result.facts, **because}
            self._say("check", result.text, step=result.step, check=result.check, passed=result.has_passed, **facts)
        if told := sum_up(pipeline, results):
            self._say("check", told, check="all", passed=all(each.has_passed for each in results), checks=len(results))

    def _progress(self, text: str) -> None:
        self._say("progress", text)

    def _say(self, stage: Stage, text: str, **facts: object) -> None:
        self._tell(Event(stage=stage, text=text, facts=facts))


def _counted(counts: StepReport) -> Iterator[tuple[str, int]]:
    yield from (
        (word, count) for word in ("computed", "reused", "empty", "skipped", "failed") if (count := getattr(counts, word))
    )


def _failure_lines(failures: list[Failure]) -> Iterator[str]:
    """Each cause once, with its place, count and remedy."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for failure in failures:
        groups.setdefault((failure.step, failure.error, failure.hint), []).append(failure.partition or "")
    for (step, error, hint), partitions in list(groups.items())[:_MOST_LISTED]:
        more = f" and {len(partitions) - 1} more" if len(partitions) > 1 else ""
        place = f"{step} {partitions[0]}".strip()
        yield f"{place}{more}: {error}" + (f"\n  {hint}" if hint else "")
    if len(groups) > _MOST_LISTED:
        yield f"and {len(groups) - _MOST_LISTED} other causes"
