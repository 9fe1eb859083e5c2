"""How a pipeline describes files of a person's own measurements."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from helio_dagster.domain.described import Described
from helio_dagster.domain.table import BinAxis, ColumnMeta, TableMeta
from helio_dagster.domain.time_units import NAMED_TIMES, parse_time_units
from helio_dagster.domain.units import normalize_unit

OWN_ARCHIVE = "own"
"""What stands in the place of an archive's name where a fetch reads files of one's own."""
PATH_PATTERN = r"^[^\x00-\x1f\x7f\\]+$"
TIME_FIELDS = ("%Y", "%m", "%d", "%j", "%H")
_FIELD = re.compile(r"\{([^{}]*)\}")
_SPECIAL_TIMES = ("iso", *NAMED_TIMES, "year_doy", "year_doy_seconds")
Format = Literal["csv", "tsv", "fixed", "parquet", "netcdf", "hdf5", "cdf", "fits", "votable", "excel"]
FORMATS_WITH_TABLES = ("fits", "votable", "excel")
"""Formats of which a file may hold several tables, chosen by `table`."""
TEXT_FORMATS = ("csv", "tsv", "fixed")
FORMAT_OF_SUFFIX: Mapping[str, Format] = {
    ".csv": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".asc": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".nc", ".nc4", ".netcdf"), "netcdf"),
    **dict.fromkeys((".h5", ".hdf5", ".hdf", ".he5"), "hdf5"),
    ".cdf": "cdf",
    **dict.fromkeys((".fits", ".fit", ".fts"), "fits"),
    **dict.fromkeys((".vot", ".votable"), "votable"),
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
}


def _checked_path(value: str) -> str:
    if ".." in value.split("/"):
        raise ValueError(
            "a path may not climb up (..) out of the folder of pipelines. Give the file's place below it, or its whole path"
        )
    unknown = [field for field in _FIELD.findall(value) if field not in TIME_FIELDS]
    if "{%y}" in value:
        raise ValueError("{%y} is a year of two digits, which means several. Name the files by {%Y}")
    if unknown:
        raise ValueError(
            f"{{{unknown[0]}}} is not a field of a path. Fields: {', '.join(f'{{{each}}}' for each in TIME_FIELDS)}"
        )
    if set(_FIELD.sub("", value)) & {"{", "}"}:
        raise ValueError("a brace is not closed. Write {%Y}/{%j}_mag.csv")
    if "**" in value:
        raise ValueError("** is not read in a path. Write a * for each folder")
    given = set(_FIELD.findall(value))
    if given and "%Y" not in given:
        raise ValueError("the path names a part of a date without its year. Add {%Y}, or write * for what shall not be read")
    if "%d" in given and "%m" not in given:
        raise ValueError("the path names a day without its month. Add {%m}, or use {%j}, the day of the year")
    if "%H" in given and not given & {"%d", "%j"}:
        raise ValueError("the path names an hour without its day. Add {%m} and {%d}, or {%j}")
    return value


def _checked_time_format(value: str) -> str:
    if value in _SPECIAL_TIMES:
        return value
    if " since " in value.casefold():
        parse_time_units(value)
        return value
    if "%" not in value:
        raise ValueError(
            f"{value!r} is not a format of times. Give {', '.join(_SPECIAL_TIMES)}, "
            "one such as '%d.%m.%Y %H:%M:%S', or 'seconds since 2000-01-01 12:00:00'"
        )
    if "%y" in value:
        raise ValueError(
            "%y is a year of two digits, which means several. Write years of four digits into the file, and %Y here"
        )
    if "%Y" not in value:
        raise ValueError(f"{value!r} holds no year. Add %Y, and name the column that holds it")
    return value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else value


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


Heading = Annotated[str, Field(min_length=1, max_length=120)]


class TimeColumns(_Strict):
    """The columns that say when each record was taken; UTC, unless a time names its own offset."""

    columns: Annotated[list[Heading], Field(min_length=1, max_length=6), BeforeValidator(_as_list)]
    """Columns of the time; several are joined with a space between them, as date and time of day."""
    format: Annotated[str, AfterValidator(_checked_time_format)] = "iso"
    """iso, epoch_s, epoch_ms, epoch_us, epoch_ns, mjd, jd, tt2000, year_doy (a day with a fraction, counted from 1),
    year_doy_seconds, directives such as %d.%m.%Y %H:%M:%S, or `seconds since 2000-01-01 12:00:00`. In a file that says itself
    what its times count, iso (the default) means that."""

    @property
    def is_count(self) -> bool:
        """Whether times are numbers that count from a fixed moment."""
        return self.format in NAMED_TIMES or " since " in self.format.casefold()


class OwnColumn(_Strict):
    """A column of measurements."""

    unit: str = ""
    """Its unit, such as nT; none for a pure number."""
    fill: Annotated[list[float], BeforeValidator(_as_list)] = []
    """The values that stand for a missing one."""
    labelled: str | None = Field(default=None, exclude_if=lambda given: given is None)
    """The unit that the file itself names, where that is wrong and `unit` is right."""


class TextLayout(_Strict):
    """How a text file is laid out."""

    delimiter: Annotated[str, Field(min_length=1, max_length=10)] | None = None
    """What separates the columns: a character, or `space` for any white space; by default a comma, in .tsv files a tab."""
    decimal: Literal[".", ","] = "."
    """The decimal sign."""
    thousands: Literal[",", ".", " ", "'", "_"] | None = Field(default=None, exclude_if=lambda given: given is None)
    """The mark between thousands, as in 1,234,567."""
    missing: list[Annotated[str, Field(min_length=1, max_length=40)]] = Field(
        default_factory=list, max_length=20, exclude_if=lambda given: not given
    )
    """Texts that stand for no value, such as ****** or n.d.; an empty field, NaN and null do anyway."""
    comment: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """The character with which lines begin that are not read."""
    skip: Annotated[int, Field(ge=0, le=10_000)] = 0
    """How many lines at the top are not read."""
    names: list[Heading] | None = None
    """Names of all columns, for a file without a line of them."""
    widths: list[Annotated[int, Field(ge=1, le=1000)]] | None = None
    """Widths of the columns of a file of fixed widths, in characters."""
    encoding: Literal["utf-8", "latin-1", "cp1252"] = "utf-8"
    """How the characters are encoded."""

    @model_validator(mode="after")
    def _marks_differ(self) -> TextLayout:
        if self.thousands == self.decimal:
            raise ValueError(f"{self.decimal!r} cannot be both the decimal sign and the mark between thousands")
        return self


class OwnBins(_Strict):
    """The axis along which columns are the bins of a spectrogram."""

    values: Annotated[list[float], Field(min_length=2, max_length=4096)]
    """The center of each bin, in the order of the columns."""
    unit: str = ""
    """Their unit, such as keV."""
    name: Annotated[str, Field(max_length=120)] = ""
    """What they are, such as energy."""
    scale: Literal["linear", "log"] = "linear"
    """How the axis is drawn."""

    @property
    def axis(self) -> BinAxis:
        """What a table says of it."""
        return BinAxis(label=self.name, unit=normalize_unit(self.unit), scale=self.scale, centers=tuple(self.values))


def _is_none(value: object) -> bool:
    return value is None


class OwnFileFields(_Strict):
    """Files of one's own, as a fetch describes them. Fields that are not given do not stand in its documents."""

    file: Annotated[str, Field(pattern=PATH_PATTERN, max_length=400), AfterValidator(_checked_path)] | None = Field(
        default=None, exclude_if=_is_none
    )
    """A file below the folder of pipelines, instead of archive, dataset and parameter; * and {%Y} {%m} {%d} {%j} {%H} stand
    for many."""
    format: Format | None = Field(default=None, exclude_if=_is_none)
    """csv, tsv, fixed (text in columns of fixed widths), parquet, netcdf, hdf5, cdf, fits, votable or excel; by default what
    the file's name ends in."""
    table: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(default=None, exclude_if=_is_none)
    """Which table of a FITS file, VOTable or workbook: its name, or its number counted from 1; by default the first."""
    time: TimeColumns | None = Field(default=None, exclude_if=_is_none)
    """The columns that say when each record was taken."""
    columns: Annotated[dict[Heading, OwnColumn], Field(min_length=1, max_length=4096)] | None = Field(
        default=None, exclude_if=_is_none
    )
    """The columns to read, each with its unit; those of a vector together."""
    frame: str | None = Field(default=None, exclude_if=_is_none)
    """Coordinate frame of the components of a vector."""
    bins: OwnBins | None = Field(default=None, exclude_if=_is_none)
    """The axis of a spectrogram, whose bins the columns are."""
    measures: Annotated[str, Field(max_length=200)] | None = Field(default=None, exclude_if=_is_none)
    """What it is, in words."""
    spacecraft: Annotated[str, Field(min_length=1, max_length=80)] | None = Field(default=None, exclude_if=_is_none)
    """Whose the data are, such as PSP or ACE, so that they are not mixed with the place or data of another spacecraft."""
    text: TextLayout | None = Field(default=None, exclude_if=_is_none)
    """How a text file is laid out, where it is not plain CSV with a line of names."""
    duplicates: Literal["refuse", "first", "last"] | None = Field(default=None, exclude_if=_is_none)
    """Which of several records at one time is read, where they differ; by default that is an error."""

    @model_validator(mode="after")
    def _bins_are_columns(self) -> OwnFileFields:
        if self.bins is None or self.columns is None:
            return self
        if len(self.bins.values) != len(self.columns):
            raise ValueError(f"bins has {len(self.bins.values)} values for {len(self.columns)} columns. Give one for each")
        steps = [other - one for one, other in pairwise(self.bins.values)]
        if not all(math.isfinite(each) for each in self.bins.values) or not (min(steps) > 0 or max(steps) < 0):
            raise ValueError("bins are not in order. Give their centers from the lowest to the highest, with their columns")
        if self.bins.scale == "log" and min(self.bins.values) <= 0:
            raise ValueError("a logarithmic axis has no place for bins at or below zero. Write scale: linear")
        if len({normalize_unit(each.unit) for each in self.columns.values()}) > 1:
            raise ValueError("the columns of a spectrogram have one unit. Give them the same")
        return self

    @property
    def is_own(self) -> bool:
        """Whether it reads files of one's own."""
        return self.file is not None

    @property
    def file_format(self) -> Format:
        """The format of the files."""
        if self.format is not None:
            return self.format
        name = (self.file or "").casefold()
        return next((form for suffix, form in FORMAT_OF_SUFFIX.items() if name.endswith(suffix)), "csv")

    @property
    def layout(self) -> TextLayout:
        """The layout of a text file."""
        return self.text or TextLayout()

    @property
    def delimiter(self) -> str:
        """What separates the columns of a text file."""
        given = self.layout.delimiter
        return given if given is not None else "\t" if self.file_format == "tsv" else ","

    @property
    def table_meta(self) -> TableMeta:
        """What a table of it means."""
        columns = self.columns or {}
        metas = tuple(
            ColumnMeta(name=name, label=without_unit(name), unit=normalize_unit(each.unit)) for name, each in columns.items()
        )
        units = {meta.unit for meta in metas}
        is_vector = len(metas) == 3 and self.frame is not None and len(units) == 1
        return TableMeta(
            kind="spectrogram" if self.bins is not None else "vector" if is_vector else "series",
            columns=metas,
            label=self.measures or ("" if self.bins is not None else ", ".join(without_unit(name) for name in columns)),
            unit=units.pop() if len(units) == 1 else "",
            frame=self.frame,
            bins=self.bins.axis if self.bins is not None else None,
        )

    def digest(self, *, of_time_alone: bool = False) -> str:
        """What names this description, or only what of it says where a record's time is."""
        dump = {name: value for name, value in self.model_dump(mode="json").items() if name in OwnFileFields.model_fields}
        dump.pop("spacecraft", None)  # whose the data are changes nothing of what is read
        for name in ("columns", "frame", "bins", "measures", "duplicates") if of_time_alone else ():
            dump.pop(name, None)
        return hashlib.sha256(json.dumps(dump, sort_keys=True).encode()).hexdigest()[:10]


def without_unit(name: str) -> str:
    """A column's name without the unit in brackets behind it, which a label has anyway."""
    return re.sub(r"\s*(\([^()]*\)|\[[^\[\]]*\])$", "", name) or name


def own_names(fields: OwnFileFields) -> tuple[str, str]:
    """The dataset and parameter by which a description of files is known: of the file and what is read, with its digest."""
    place = re.sub(r"[^A-Za-z0-9_.-]+", "_", _FIELD.sub(lambda found: found[1][-1], fields.file or "")).strip("_.-")
    columns = re.sub(r"[^A-Za-z0-9_.-]+", "_", "_".join(fields.columns or {})).strip("_")
    return f"{place[-60:].lstrip('_.-') or 'file'}-{fields.digest()}", columns[:60] or "values"
