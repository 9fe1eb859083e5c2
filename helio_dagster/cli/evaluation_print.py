"""Print an evaluation for people: a table for each set with the planners side by side, and what was not right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from helio_dagster.agent.evaluation.report import VERDICTS, EvaluationReport, Score
from helio_dagster.domain.amounts import counted

if TYPE_CHECKING:
    from rich.table import Table

    from helio_dagster.agent.evaluation.known_answers import Part
    from helio_dagster.cli.console import Console

MOST_SHOWN = 20
"""Number of requests printed without `-v`."""
_TITLES: dict[Part | None, str] = {
    "tune": "Set tune: {}. Planners are worked on with these in sight, so this is not how good they are.",
    "report": "Set report: {}. Kept apart from work on the planners.",
    None: "{} of no set.",
}


def print_evaluation(report: EvaluationReport, *, is_verbose: bool) -> None:
    """Print the scores, then each request that a planner did not get right; with `is_verbose` every request."""
    from helio_dagster.cli.console import Console

    console = Console()
    for part in report.parts:
        number = sum(each.part == part for each in report.requests)
        console.print(_TITLES[part].format(counted(number, "request")), style="bold", soft_wrap=True)
        _print_scores({name: report.score(name, part) for name in report.outcomes}, console)
        console.print()
    blocks = list(_blocks(report, is_verbose=is_verbose))
    for lines in blocks if is_verbose else blocks[:MOST_SHOWN]:
        for line in lines:
            console.print(line, soft_wrap=True)
    if len(blocks) > MOST_SHOWN and not is_verbose:
        console.print(f"… and {counted(len(blocks) - MOST_SHOWN, 'more request')} not right: add -v")


def _print_scores(scores: dict[str, Score], console: Console) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for name in scores:
        table.add_column(name, justify="right")
    for title, cell in _ROWS.items():
        cells = [cell(each) for each in scores.values()]
        if title != "failed" or any(each != "·" for each in cells):
            table.add_row(title, *cells)
        if title == "right":
            _add_kinds(table, list(scores.values()))
    console.print(table)


def _add_kinds(table: Table, scores: Sequence[Score]) -> None:
    """How many are right of each kind of answer."""
    for kind in dict.fromkeys(kind for score in scores for kind in score.right_of):
        found = [score.right_of.get(kind, (0, 0)) for score in scores]
        table.add_row(f"  {kind}", *(f"{right} of {number}" for right, number in found))


def _verdict(verdict: str) -> Callable[[Score], str]:
    return lambda score: str(next((count for name, count in score.verdicts.items() if name == verdict and count), "·"))


def _rounds(score: Score) -> str:
    rounds = score.spent.rounds
    return f"{rounds:,} ({rounds / score.number:.1f} each)" if rounds else "·"


def _tokens_in(score: Score) -> str:
    spent = score.spent
    cached = f" ({spent.cached_tokens / spent.input_tokens:.0%} cached)" if spent.cached_tokens else ""
    return f"{_least(score)}{spent.input_tokens:,}{cached}" if spent.input_tokens else "·"


def _tokens_out(score: Score) -> str:
    return f"{_least(score)}{score.spent.output_tokens:,}" if score.spent.output_tokens else "·"


def _cost(score: Score) -> str:
    cost = score.spent.cost_usd
    if cost is None:
        return "unknown"
    return f"{_least(score)}${cost:.2f}" if cost >= 1 else f"{_least(score)}${cost:.4f}" if cost else "·"


def _least(score: Score) -> str:
    return "at least " if score.spent.is_least else ""


_ROWS: dict[str, Callable[[Score], str]] = {
    **{verdict: _verdict(verdict) for verdict in VERDICTS},
    "rounds": _rounds,
    "tokens in": _tokens_in,
    "tokens out": _tokens_out,
    "cost": _cost,
    "seconds": lambda score: f"{score.spent.seconds:.1f}",
}


def _blocks(report: EvaluationReport, *, is_verbose: bool) -> Iterator[Sequence[str]]:
    """The lines about each request that a planner did not get right, or about each."""
    for place, expectation in enumerate(report.requests):
        found = [(name, outcomes[place]) for name, outcomes in report.outcomes.items() if place < len(outcomes)]
        if not found:
            continue
        if not is_verbose and all(outcome.judgement.verdict == "right" for _, outcome in found):
            continue
        after = f" after {expectation.given!r}" if expectation.given else ""
        lines = [f"{expectation.request[:200]!r}{after} (expected: {expectation.expect})"]
        for name, outcome in found:
            faults = "; ".join(outcome.judgement.faults)
            lines.append(f"    {name}  {outcome.judgement.verdict}{f': {faults}' if faults else ''}")
        yield lines
