"""Results as Markdown tables on standard output. Measuring happens elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.trial import Answer

Row = Sequence[str]


def print_table(title: str, header: Row, rows: Sequence[Row]) -> None:
    """Print a Markdown table under a heading."""
    lines = [header, ["---"] * len(header), *rows]
    print(f"\n### {title}\n")
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)


def middle(answers: Sequence[Answer], key: str) -> float:
    """Median of a number over repetitions."""
    return median(float(answer[key]) for answer in answers)


def seconds(value: float) -> str:
    """A time in s, two digits after the point."""
    return f"{value:.2f}"


def ratio(value: float, base: float) -> str:
    """How many times the base a value is."""
    return f"{value / base:.2f}"
