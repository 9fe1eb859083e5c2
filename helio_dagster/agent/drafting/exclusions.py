"""Intervals that a request leaves out, as a list in the pipeline and `exclude` on what is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helio_dagster.agent.treatments import Exclusions
from helio_dagster.domain.time_range import format_time
from helio_dagster.domain.yaml.document import Value

LIST_STEP = "excluded"


@dataclass(frozen=True)
class Excluding:
    """Steps with their exclusions, and what a person should know of it."""

    steps: list[Value]
    assumption: str


def with_exclusions(steps: Sequence[Value], excluded: Exclusions) -> Excluding:
    """The steps, where each fetch leaves out the intervals of a list that stands before them."""
    listed = list_step(excluded)
    found = [_without(step) if isinstance(step, dict) and "fetch" in step else step for step in steps]
    return Excluding([listed, *found], left_out(excluded))


def left_out(excluded: Exclusions) -> str:
    """What an assumption says of intervals that are left out."""
    where = f"of {excluded.file}" if excluded.file else f"of the table `{LIST_STEP}`"
    words = "" if excluded.file else ": " + ", ".join(str(span) for span in excluded.spans)
    return f"Samples inside the intervals {where} are left out everywhere{words}."


def list_step(excluded: Exclusions) -> dict[str, Value]:
    """The step that lists the intervals."""
    head: dict[str, Value] = {"id": LIST_STEP, "intent": "Intervals that are left out"}
    if excluded.file:
        return {**head, "events": {"file": excluded.file, "source": "named in the request"}}
    return {**head, "table": {"csv": excluded_csv(excluded), "source": "named in the request"}}


def excluded_csv(excluded: Exclusions) -> str:
    """The intervals as CSV, in order."""
    ordered = sorted(excluded.spans, key=lambda each: each.start)
    rows = [f"{format_time(span.start)},{format_time(span.stop)}" for span in ordered]
    return "\n".join(["start,stop", *rows]) + "\n"


def _without(step: dict[str, Value]) -> dict[str, Value]:
    head: dict[str, Value] = {name: step[name] for name in ("id", "intent") if name in step}
    return {**head, "exclude": LIST_STEP, **step}
