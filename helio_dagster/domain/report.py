"""What a run did, as people and programs read it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.domain.report_html import COUNTS, html_of_run, html_of_windows


class Fact(BaseModel):
    """A part of a report; its fields are the keys of the JSON document."""

    model_config = ConfigDict(extra="forbid")


class StepReport(Fact):
    """How many partitions of a step were computed, reused, skipped or failed.

    `computed` counts partitions made in this run that hold records; `empty` those without records, whether made now or
    reused.
    """

    asset: str
    computed: int = 0
    reused: int = 0
    empty: int = 0
    skipped: int = 0
    failed: int = 0


class Failure(Fact):
    """A partition of a step that could not be made, why, and what to do.

    `details` has what else is known, a line each: of code the failing line with its number, and what its inputs looked like.
    """

    step: str
    partition: str | None
    error: str
    hint: str = ""
    details: str = ""


class FigureReport(Fact):
    """A figure of the run; `png` is None where it has no picture, `height_px` where the page does not say its height."""

    step: str
    html: str
    png: str | None = None
    height_px: int | None = None


class FactReport(Fact):
    """A number that a step computed; `text` is it with uncertainty and unit, as people write it.

    `start` and `stop` bound what it was taken from; `of` is the id of the event, or the key of an event that is a partition.
    """

    step: str
    name: str
    value: int | float | str | None
    unit: str = ""
    uncertainty: float | None = None
    start: str
    stop: str
    of: str = ""
    text: str


class EventReport(Fact):
    """An event that a step found; `text` is its numbers as people write them, `stop` is empty for a moment.

    `cut` says that it reaches beyond the range that was run.
    """

    step: str
    start: str
    stop: str
    text: str
    values: dict[str, float | str | None] = {}
    cut: bool = False

    @property
    def words(self) -> str:
        """Its numbers, and that it reaches beyond the range where it does."""
        return " ".join(each for each in (self.text, "(reaches beyond the range)" if self.cut else "") if each)


class UnmetReport(Fact):
    """Something of a result that is not as its step expects; `text` says it in words.

    `what` is `value`, `coverage` or `fact`, `name` the column or fact. `value`, at the time `when`, is the one farthest outside
    the `limit`, null where nothing is known; `count` values are outside. `severity` is `block` where steps that read the
    result are not made.
    """

    step: str
    partition: str | None
    severity: Literal["warn", "block"]
    what: str
    name: str
    value: float | None
    unit: str
    limit: str
    when: str
    count: int
    text: str


class WarningReport(Fact):
    """What is wrong with what results of a step are made from; `partitions` are how many of them say so, of `of`."""

    step: str
    text: str
    partitions: int
    of: int

    @property
    def words(self) -> str:
        """The step, the warning, and how many partitions it is about where these are several."""
        return f"{self.step}: {self.text}" + (f" ({self.partitions:,} of {self.of:,} partitions)" if self.of > 1 else "")


class FactsReport(Fact):
    """The result of `helio facts`; `start` and `stop` are null without a range."""

    pipeline: str
    start: str | None
    stop: str | None
    facts: list[FactReport]


class RunReport(Fact):
    """The result of `helio run`.

    `start` and `stop` are the range of whole partitions that was run; `run_id` is None where nothing to do. `open_until` says
    up to when its last partition is complete where more data may still come.
    """

    pipeline: str
    start: str
    stop: str
    status: Literal["success", "partial", "failed"]
    run_id: str | None
    seconds: float
    partitions: list[str]
    steps: dict[str, StepReport]
    failures: list[Failure]
    figures: list[FigureReport]
    facts: list[FactReport] = []
    events: list[EventReport] = []
    unmet: list[UnmetReport] = []
    warnings: list[WarningReport] = []
    open_until: str | None = None
    is_wrong_input: Annotated[bool, Field(exclude=True)] = False

    @property
    def exit_code(self) -> int:
        """0 done; 2 where all that failed was asked wrongly; 1 else."""
        return 0 if self.status == "success" else 2 if self.is_wrong_input else 1

    def __str__(self) -> str:
        counts = [
            f"  {name}: " + ", ".join(f"{getattr(step, each)} {each}" for each in COUNTS if getattr(step, each))
            for name, step in self.steps.items()
        ]
        failed = [f"  failed: {each.step} {each.partition or ''}: {each.error}" for each in self.failures]
        return "\n".join([f"{self.pipeline}: {self.status}, {self.start} to {self.stop}", *counts, *failed])

    def _repr_html_(self) -> str:
        return html_of_run(self)


class WindowReport(Fact):
    """The run over one window of a list; `report` is null where it could not begin, and `error` says why."""

    id: str
    start: str
    stop: str
    status: Literal["success", "partial", "failed"]
    report: RunReport | None
    error: str = ""
    hint: str = ""
    is_wrong_input: Annotated[bool, Field(exclude=True)] = False


class WindowsReport(Fact):
    """The result of `helio run --windows`."""

    pipeline: str
    status: Literal["success", "partial", "failed"]
    seconds: float
    windows: list[WindowReport]

    @property
    def exit_code(self) -> int:
        """0 done; 2 where nothing was done because every window was asked wrongly; 1 else."""
        if self.status == "failed" and all(each.is_wrong_input for each in self.windows):
            return 2
        return 0 if self.status == "success" else 1

    def _repr_html_(self) -> str:
        return html_of_windows(self)


class PartitionStatus(Fact):
    """State of one partition and the reasons for it; `unmet` is what of its result is not as expected, in words."""

    key: str | None
    state: Literal["fresh", "stale", "missing", "empty", "failed"]
    why: list[str]
    data_version: str | None
    code_version: str | None
    unmet: list[str] = []


class AssetStatus(Fact):
    """State of an asset's partitions."""

    asset: str
    step: str
    partitions: list[PartitionStatus]


class StatusReport(Fact):
    """The result of `helio status`; `notes` say why a list of events that another pipeline computes is not whole."""

    pipeline: str
    assets: list[AssetStatus]
    notes: list[str] = []


LONG_RUN, LONG_RUN_BYTES = 20_000, 5_000_000_000
"""Number of partitions to make, over all steps, and bytes to download, above which a person is asked before a run."""


class Estimate(Fact):
    """What is ahead of a run.

    `partitions` are those to be made, of all assets, halos included, `steps` how many of each of the pipeline's steps; `files`
    those of the archive that they are made from, of which `at_hand` are in the cache and `synthetic` are made here, not
    downloaded. `download_bytes` is null where the archive does not give sizes, `disk_bytes` (tables and downloads together)
    where nothing is stored to judge by. `problem` says why the archive could not be asked.
    """

    partitions: int
    files: int
    at_hand: int
    download_bytes: int | None
    disk_bytes: int | None
    free_bytes: int
    problem: str | None = None
    synthetic: int = 0
    steps: dict[str, int] = {}

    @property
    def is_long(self) -> bool:
        """Whether a person is asked before such a run, even of a pipeline that was approved."""
        is_full = self.disk_bytes is not None and self.disk_bytes > self.free_bytes
        return is_full or self.partitions > LONG_RUN or (self.download_bytes or 0) > LONG_RUN_BYTES


class ScheduleReport(Fact):
    """The schedule of a pipeline as Dagster has it.

    `schedule` is what the file says, None without one. `is_on` is None where that is not known or nothing there runs
    schedules; `note` then says what to do. `can_switch` says whether it can be switched for this pipeline alone. `next` is when
    it runs next, in UTC.
    """

    schedule: str | None
    is_on: bool | None = None
    can_switch: bool = False
    next: str | None = None
    note: str = ""
