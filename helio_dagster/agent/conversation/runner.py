"""Run saved pipelines, report each step, and offer what to do about a failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio_dagster.agent.conversation.ahead import tell_steps
from helio_dagster.agent.conversation.check_summary import causes, sum_up
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.expectation_words import verdicts
from helio_dagster.agent.conversation.fact_answer import tell_events, tell_facts
from helio_dagster.agent.conversation.ranges import complete_part, time_event
from helio_dagster.agent.conversation.suggestions import suggest
from helio_dagster.agent.session import FailedStep, OnTable, Outcome, Span, span_of
from helio_dagster.catalog.times.phrases import read_words
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


def run_pipeline(context: Context, name: str, span: Span | TimeRange | None, *, tries: int = 1) -> Outcome:
    """Bring a saved pipeline up to date over a range, and report the outcome."""
    file, session = context.side.load(name), context.session
    if span is None and file.pipeline.range is not None:
        span = read_words([file.pipeline.range], context.clock())
    if span is None:
        raise InputError(f"{name} has no time range yet", hint="Give a time range, such as 2023-01-02 or last 7 days.")
    asked, note = complete_part(
        file.pipeline, span.range if isinstance(span, Span) else span, context.clock(), is_open=context.is_open
    )
    if note:
        context.say("note", note)
    context.tell(time_event(asked))
    session.table = OnTable(name=name, span=span_of(asked), is_running=True, intent=session.intent_of(name))
    session.failed = None
    context.keep()
    context.say("run", f"{name}: {asked}", pipeline=name, start=format_time(asked.start), stop=format_time(asked.stop))

    def step_done(step: str, counts: StepReport) -> None:
        lines = [f"{count} {word}" for word, count in _counted(counts)]
        facts = counts.model_dump(exclude={"asset"})
        context.say("run", f"{step}: {', '.join(lines) or 'nothing to do'}", step=step, asset=counts.asset, **facts)

    try:
        report = context.side.run(name, asked, step_done, context.progress)
    except HelioError:  # it was refused; a run interrupted by Ctrl-C or a kill can be continued
        session.table.is_running = False
        raise
    session.table.is_running = False
    for figure in report.figures:
        text = f"figure {figure.step}: {figure.png or figure.html}"
        context.say("run", text, **figure.model_dump(), run=report.run_id)
    tell_facts(context, name, report.facts)
    tell_events(context, report.events)
    if report.status != "success" and report.failures:
        return _offer_repair(context, report, tries)
    return _close(context, file, asked, report.status, list(verdicts(file.pipeline, report)))


def run_table(context: Context) -> Outcome:
    """Run the current saved pipeline again, or the rest of an interrupted run."""
    table = context.session.table
    if table is None:
        raise InputError("there is no current pipeline", hint="Say what you want to see, or run a saved one by name.")
    return run_pipeline(context, table.name, table.span)


def retry(context: Context) -> Outcome:
    """Run the range again, making only what is missing."""
    failed, table = context.session.failed, context.session.table
    if failed is None or table is None:
        raise InputError("nothing has failed, so there is nothing to retry", hint="Say what you want to see.")
    if failed.tries >= MOST_TRIES:
        hint = "Say what to change in it, skip, or abort."
        raise InputError(f"{failed.step} has failed {failed.tries} times and would fail again", hint=hint)
    return run_pipeline(context, table.name, table.span, tries=failed.tries + 1)


def skip(context: Context) -> Outcome:
    """Continue with what was made."""
    session = context.session
    if session.failed is not None:
        context.say("note", f"Continuing without {session.failed.step} and what needs it.")
    session.failed = None
    if session.table is None or session.table.span is None:
        return "partial"
    return _close(context, context.side.load(session.table.name), session.table.span.range, "partial")


def abort(context: Context) -> Outcome:
    """Stop here; the saved pipeline and what was made are kept."""
    context.session.failed = None
    table = context.session.table
    again = f"; `helio run {table.name}` continues at any time" if table else ""
    context.say("note", f"Stopped here: what was made is kept{again}.")
    return "failed"


def offer_repair(context: Context) -> Outcome:
    """Say which step failed and what can be done about it."""
    failed = context.session.failed
    if failed is None:
        return "answered"
    again = [f"retry ({failed.tries + 1} of {MOST_TRIES})"] if failed.tries < MOST_TRIES else []
    choices = [*again, "say what to change, for a new plan", "skip and go on", "abort"]
    text = f"{failed.step} failed. What was made is kept; a retry makes only the rest."
    context.say("repair", text, step=failed.step, tries=failed.tries, choices=choices, hint=failed.hint)
    return "repair"


def explain_failure(context: Context) -> Outcome:
    """Repeat why a step failed, and what can be done."""
    failed = context.session.failed
    if failed is not None:
        problem = f"{failed.step}: {failed.error}" + (f"\n  {failed.hint}" if failed.hint else "")
        context.say("error", problem, step=failed.step, hint=failed.hint)
    return offer_repair(context)


def tell_table(context: Context) -> None:
    """Name the current pipeline; after an interrupted run, say what is left and how to continue."""
    table = context.session.table
    if table is None or table.span is None:
        return
    if not table.is_running:
        context.say("note", f"The current pipeline is {table.name}, {table.span.range}.")
        return
    ahead = context.side.estimate(context.side.load(table.name), table.span.range)
    are = "is" if ahead.partitions == 1 else "are"
    left = f"{counted(ahead.partitions, 'partition')} {are} left to make ({tell_steps(ahead)}); what was made is kept."
    left = left if ahead.partitions else "All of it was made."
    interrupted = f"The last run was interrupted: {table.name}, {table.span.range}."
    context.say("note", f"{interrupted}\n{left} Say `run` to continue.", left=ahead.partitions)


def _offer_repair(context: Context, report: RunReport, tries: int) -> Outcome:
    first = report.failures[0]
    for text in _failure_lines(report.failures):
        context.say("error", text, step=first.step, hint=first.hint)
    context.session.failed = FailedStep(step=first.step, error=first.error, hint=first.hint, tries=tries)
    context.keep()
    return offer_repair(context)


def _close(
    context: Context, file: PipelineFile, span: TimeRange, status: Outcome, judged: Sequence[CheckResult] = ()
) -> Outcome:
    """Report the checks, and what was `judged` by the file's expectations, and suggest what to do next."""
    results = sorted([*judged, *context.side.judge(file.pipeline.name, span)], key=lambda result: result.has_passed)
    _tell_checks(context, file.pipeline, results)
    for words in suggest(file.pipeline, span, results, kept_code=context.session.kept_code):
        context.say("suggestion", words, say=words)
    context.keep()
    return status


def _tell_checks(context: Context, pipeline: Pipeline, results: list[CheckResult]) -> None:
    """Report failed checks first, then the summary of the others."""
    causing = causes(pipeline, results)
    uncovered = {result.step for result in results if result.check == "coverage" and not result.has_passed}
    for result in results:
        cause = causing.get(result.step, result.step if result.check == "values" and result.step in uncovered else None)
        because = {"follows_from": cause} if cause and not result.has_passed and result.check in _OF_COVERAGE else {}
        facts = {**result.facts, **because}
        context.say("check", result.text, step=result.step, check=result.check, passed=result.has_passed, **facts)
    if summary := sum_up(pipeline, results):
        context.say("check", summary, check="all", passed=all(each.has_passed for each in results), checks=len(results))


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
