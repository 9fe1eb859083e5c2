"""What a CDAS-compatible server serves: the `FileProvider` seam and its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from helio_dagster.domain.time_range import TimeRange


@dataclass(frozen=True)
class VariableEntry:
    """A variable of a dataset as CDAS lists it: name, a few words, a sentence."""

    name: str
    short: str = ""
    long: str = ""


@dataclass(frozen=True)
class DatasetEntry:
    """A dataset that a provider holds.

    `aliases` are other ids that name it (a file's Logical_source); ids and aliases are compared without regard to case.
    `span` is where its files begin and stop.
    """

    id: str
    span: TimeRange
    label: str = ""
    aliases: tuple[str, ...] = ()
    observatory: str = ""
    observatory_group: str = ""
    instrument: str = ""
    instrument_type: str = ""
    pi_name: str = ""
    pi_affiliation: str = ""
    variables: tuple[VariableEntry, ...] = ()

    def is_named(self, dataset: str) -> bool:
        """Whether `dataset` is the id or an alias, in any case."""
        return dataset.casefold() in {name.casefold() for name in (self.id, *self.aliases)}


@dataclass(frozen=True)
class FileEntry:
    """A file that a provider can hand out.

    `name` is its relative path with `/` (`AC_H0_MFI/ac_h0_mfi_20230102_v07.cdf`): unique in the provider, and the last part
    of its URL. `start` and `stop` (aware) are its coverage: a `stop` at midnight is exclusive, any other is inclusive, as in
    CDAS. `length` is in bytes, or None where it is not known before the file is made. `last_modified` (aware) changes whenever
    the bytes do.
    """

    name: str
    start: datetime
    stop: datetime
    last_modified: datetime
    length: int | None = None


class FileProvider(Protocol):
    """Where the server's datasets and files come from. Called from several threads at once."""

    def datasets(self) -> Sequence[DatasetEntry]:
        """All datasets, in order of id."""
        ...

    def files(self, dataset: str, span: TimeRange) -> Sequence[FileEntry]:
        """Files of the dataset with exactly this id (the server has resolved aliases) that may overlap `span`.

        Files beside the span do no harm: the server drops them. Called often, also with spans of many years: it makes no files.
        """
        ...

    def master(self, dataset: str) -> bytes:
        """The bytes of the master file of the dataset with exactly this id.

        Raises
        ------
        FileNotFoundError
            The provider has none apart from the data files.
        """
        ...

    def read(self, name: str) -> bytes:
        """The bytes of the file with this name.

        Raises
        ------
        FileNotFoundError
            The provider has no such file.
        """
        ...
