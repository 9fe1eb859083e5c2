"""Which file an export writes, and in which format."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from typing import Literal, get_args

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.exporting.header import logical_source

Format = Literal["csv", "parquet", "cdf", "netcdf"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: dict[str, Format] = {".csv": "csv", ".parquet": "parquet", ".cdf": "cdf", ".nc": "netcdf", ".nc4": "netcdf"}
"""Suffix to the format that it chooses."""
_USUAL_SUFFIX: dict[Format, str] = {"csv": ".csv", "parquet": ".parquet", "cdf": ".cdf", "netcdf": ".nc"}


@dataclass(frozen=True)
class Target:
    """The file to write and its format."""

    path: Path
    format: Format


def find_target(
    asset: str, span: TimeRange | None, output: Path | None, wanted: str | None, *, is_folder: bool = False
) -> Target:
    """The file and format that a person asks for.

    Parameters
    ----------
    asset, span
        What is exported, for the name of the file where none is given: the asset and the range, as ISTP names files.
    output
        A file, whose suffix tells the format unless one is given; or a folder to write into. By default the working directory.
    wanted
        The format.
    is_folder
        Whether `output` is a folder, though it may not exist yet.

    Raises
    ------
    InputError
        There is no such format, or neither it nor the file's suffix says which.
    """
    if wanted is not None and wanted not in FORMATS:
        raise InputError(f"there is no format {wanted!r}", hint=f"Formats are {', '.join(FORMATS)}.")
    is_file = output is not None and not is_folder and not output.is_dir()
    found: Format | None = next((each for each in FORMATS if each == wanted), None)
    if found is None and output is not None and is_file:
        found = SUFFIXES.get(output.suffix.lower())
    if found is None:
        named = "no format given"
        if output is not None and is_file:
            named = f"cannot export to {output.name}: its name does not end in a format that helio writes"
        hint = "Name a file that ends in .cdf, .nc, .csv or .parquet, or say --format cdf, netcdf, csv or parquet."
        raise InputError(named, hint=hint)
    if output is not None and is_file:
        if found == "cdf" and output.suffix.lower() != ".cdf":
            raise InputError(
                f"the name of a CDF file must end in .cdf; {output.name} does not",
                hint="Write a name that ends in .cdf, or an existing folder.",
            )
        return Target(output, found)
    return Target((output or Path()) / f"{file_id(asset, span)}{_USUAL_SUFFIX[found]}", found)


def file_id(asset: str, span: TimeRange | None) -> str:
    """The name of a file without suffix: the dataset and the range, whose stop is left out for a single day."""
    if span is None:
        return logical_source(asset)
    is_day = span.start.time() == time() and (span.stop - span.start).total_seconds() == 86_400
    moments = [span.start] if is_day else [span.start, span.stop]
    return "_".join([logical_source(asset), *(_stamp(moment) for moment in moments)])


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y%m%d}" if moment.time() == time() else f"{moment:%Y%m%dT%H%M%S}"
