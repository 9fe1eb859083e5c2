"""What a step's code yields. Running it is `code_step`."""

from __future__ import annotations

from dataclasses import dataclass

from helio_dagster.domain.table import Table


@dataclass(frozen=True)
class CodeResult:
    """What a step's code yields, and what it printed on the way, with a note where that was cut.

    `is_called` is false where there was nothing to compute, and the code was not run.
    """

    table: Table
    printed: str
    is_called: bool = True
