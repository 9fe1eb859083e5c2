"""What a verification found, as people and programs read it."""

from __future__ import annotations

from typing import Literal

from helio_dagster.domain.report import Fact

Verdict = Literal["same", "differs", "not_stored", "not_redone"]


class PartitionVerdict(Fact):
    """The comparison of one partition, or of one figure, whose key is its range.

    `same_values` says whether a table that differs has the same data version; `stored` and `redone` are data versions.
    """

    key: str | None
    verdict: Verdict
    why: list[str] = []
    same_values: bool | None = None
    stored: str | None = None
    redone: str | None = None


class StepVerdict(Fact):
    """The comparison of a step's partitions."""

    asset: str
    step: str
    partitions: list[PartitionVerdict]


class VerifyReport(Fact):
    """The result of `helio verify`; `status` is `same` if everything stored was reproduced byte for byte."""

    pipeline: str
    start: str
    stop: str
    status: Literal["same", "differs"]
    steps: list[StepVerdict]

    @property
    def exit_code(self) -> int:
        """0 if everything is the same, else 1."""
        return 0 if self.status == "same" else 1
