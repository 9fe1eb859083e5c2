"""How a step names an asset of the Dagster project around it, which no pipeline makes."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from helio_dagster.domain.described import Described
from helio_dagster.domain.pipeline_fields import ASSET_PATTERN, Column
from helio_dagster.domain.units import normalize_unit


class ProjectAsset(Described):
    """An asset that a Dagster project defines: read through the IO manager that the project gives it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    asset: Annotated[str, Field(pattern=ASSET_PATTERN, max_length=300)]
    """Its key, the parts joined with /."""
    time: Column | None = None
    """The column that holds the time of a record; the index of the DataFrame, or its column `time`, where not given."""
    unit: Annotated[str, AfterValidator(normalize_unit)] | None = None
    """Unit of all columns that `units` does not name."""
    units: dict[Column, Annotated[str, AfterValidator(normalize_unit)]] = {}
    """Units of single columns."""
    frame: str | None = None
    """Its coordinate frame."""
    allow_missing: bool = False
    """Whether partitions that were never materialized count as empty; otherwise a partition that needs one fails."""

    def __str__(self) -> str:
        return f"asset {self.asset}"
