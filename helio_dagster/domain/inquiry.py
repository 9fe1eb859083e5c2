"""What the run side reports to a conversation besides runs: samples, trials, forks, checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange

Progress = Callable[[str], None]
"""Called with the progress of something that takes a while, in a few words."""


def keep_silent(_text: str) -> None:
    """Progress that nobody hears of."""


@dataclass(frozen=True)
class Sample:
    """What a fetch holds in a short part of the range that is asked for.

    `state` distinguishes data, a true absence of records, records that are all fill, a fetch that cannot be right (no such
    dataset or parameter, a damaged file), and an archive that could not be asked. `coverage` is the share of `span`
    that has valid values; `problem` says what failed.
    """

    fetch: Fetch
    span: TimeRange
    state: Literal["data", "empty", "all_fill", "failed", "unreachable"]
    records: int = 0
    coverage: float | None = None
    cadence: timedelta | None = None
    kind: str = ""
    unit: str = ""
    frame: str = ""
    columns: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class StepTrial:
    """What a draft's step gave for one partition: `text` is its statistics and a small picture, as `helio try` prints them.

    `is_twice_the_same` is None of what is not a code, or had nothing to compute.
    """

    step: str
    partition: str
    records: int
    text: str
    printed: str = ""
    is_twice_the_same: bool | None = None


@dataclass(frozen=True)
class FoundPipeline:
    """A saved pipeline that words were looked for in; `words` are those it holds, `missed` those it does not."""

    name: str
    title: str
    score: float
    words: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ForkProposal:
    """A pipeline for another mission, not saved.

    `changes` name each dataset that takes another's place, `losses` what does not carry over, `kept` the fetches for which the
    mission has nothing, `notes` what else to look at.
    """

    file: PipelineFile
    changes: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckResult:
    """One check of one step over a range, in words; `facts` are its numbers."""

    step: str
    check: str
    has_passed: bool
    text: str
    facts: dict[str, float | int | str] = field(default_factory=dict)
