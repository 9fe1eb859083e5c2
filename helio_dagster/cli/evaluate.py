"""`helio eval`: ask planners requests with known answers, and print how many they get right and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, Verbose, configuration, settings_from_environment
from helio_dagster.cli.terminal import write_error, write_json
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.agent.evaluation.evaluating import Contender
    from helio_dagster.agent.evaluation.known_answers import Expectation
    from helio_dagster.agent.evaluation.outcomes import Outcome
    from helio_dagster.agent.planner import Knowledge


def evaluate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="YAML file of requests. Default: those that come with helio.", show_default=False),
    ] = None,
    planners: Annotated[
        list[str] | None,
        typer.Option(
            "--planner",
            metavar="NAME",
            help="Planner to evaluate: offline, google:…, openai:… or anthropic:…. May be repeated. "
            "Default: offline, and the configured model if there is one.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="GROUP",
            help="Only one set (tune, report) or one kind (plan, edits, question, …). May be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Test planners on requests with known answers, and compare verdicts, rounds, tokens and cost.

    Runs nothing and saves nothing. A language model gets each request once, and its provider charges for it.
    """
    from helio_dagster.agent.evaluation.evaluating import Evaluation
    from helio_dagster.agent.evaluation.report import EvaluationReport
    from helio_dagster.agent.evaluation.request_file import SHIPPED, read_requests
    from helio_dagster.agent.knowledge import open_knowledge

    read = read_requests(file or SHIPPED)
    requests = _chosen(read.requests, only or [])
    knowledge = open_knowledge(settings_from_environment())
    contenders = list(_contenders(planners or [], knowledge))
    evaluation = Evaluation(requests, read.lists, knowledge, read.now or datetime.now(UTC))
    outcomes: dict[str, list[Outcome]] = {each.name: [] for each in contenders}
    try:
        for contender in contenders:
            with _progress(contender.name, len(requests), is_verbose=verbose) as heard:
                for outcome in evaluation.ask(contender):
                    outcomes[contender.name].append(outcome)
                    heard(outcome)
    except KeyboardInterrupt:
        write_error("Stopped. These are the results so far.\n")
    report = EvaluationReport(str(file) if file else "shipped", requests, outcomes)
    if as_json:
        write_json(report.to_document())
    else:
        from helio_dagster.cli.evaluation_print import print_evaluation

        print_evaluation(report, is_verbose=verbose)
    return report.exit_code


def _chosen(requests: Sequence[Expectation], only: Sequence[str]) -> list[Expectation]:
    """The requests of the groups, or all."""
    groups = list(dict.fromkeys([*(each.part for each in requests if each.part), *(each.expect for each in requests)]))
    for group in only:
        if group not in groups:
            raise InputError(f"there is no group {group!r} of requests", hint=remedy(group, groups, what="groups"))
    return [each for each in requests if not only or each.part in only or each.expect in only]


def _contenders(names: Sequence[str], knowledge: Knowledge) -> Iterator[Contender]:
    from helio_dagster.agent.evaluation.contenders import OFFLINE, model_contender, offline_contender
    from helio_dagster.agent.model.settings import is_available

    if not names:
        configured = configuration()
        yield offline_contender(knowledge)
        if is_available(configured.environment):
            with configured.placing_errors():
                yield model_contender(configured.environment, knowledge)
    for name in dict.fromkeys(names):
        if name == OFFLINE:
            yield offline_contender(knowledge)
            continue
        if ":" not in name:
            hint = "Write offline, or provider:model, such as google:gemini-3.8-flash."
            raise InputError(f"there is no planner {name!r}", hint=hint)
        configured = configuration(name)
        with configured.placing_errors():
            yield model_contender(configured.environment, knowledge)


@contextmanager
def _progress(planner: str, total: int, *, is_verbose: bool) -> Iterator[Callable[[Outcome], None]]:
    """Shows how far a planner is: a bar on a terminal; with `-v` also a line for each request."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from helio_dagster.cli.console import Console

    console = Console(is_error=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(planner, total=total)

        def heard(outcome: Outcome) -> None:
            bar.advance(task)
            if is_verbose:
                console.print(f"{planner}: {outcome.judgement.verdict}: {outcome.expectation.request[:100]}", soft_wrap=True)

        yield heard
