"""What the run side reports to a conversation besides runs: samples, trials, forks, checks, statistics of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

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


@dataclass(frozen=True)
class Reading:
    """A value of a table and its time, in ISO 8601; `value` is None if it is a fill value.

    `count` is how many records have this value, the first of them at `time`.
    """

    value: float | None
    time: str
    count: int = 1


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of one column over a range, of its `valid` values; `fill` others are fill.

    `at` is the record nearest to the moment that was asked about; `std` is the sample standard deviation.
    """

    column: str
    unit: str
    valid: int
    fill: int
    minimum: Reading | None = None
    maximum: Reading | None = None
    mean: float | None = None
    median: float | None = None
    std: float | None = None
    at: Reading | None = None


@dataclass(frozen=True)
class StepStatistics:
    """Statistics of what is stored of a step over a range.

    `states` counts its partitions: `data`, `empty` (no records), `all_fill`, `missing` (never made), `failed`, and `outdated`
    (made by another version of the step, or of other data). Only the first three are measured.
    """

    step: str
    asset: str
    span: TimeRange
    states: dict[str, int]
    kind: str = ""
    frame: str = ""
    is_synthetic: bool = False
    columns: tuple[ColumnStatistics, ...] = ()
    axes: tuple[Mapping[str, Any], ...] = ()
    """Of records with several, as documents have them."""

    @property
    def is_measured(self) -> bool:
        """Whether anything was made for the range."""
        return any(self.states.get(state) for state in MEASURED_STATES)


MEASURED_STATES = ("data", "empty", "all_fill")
"""States of partitions whose tables are measured."""
