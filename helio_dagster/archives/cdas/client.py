"""A typed client of the CDAS web services: datasets, variables, file listings, downloads."""

from __future__ import annotations

import difflib
import struct
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, unquote, urlencode, urljoin

from pydantic import BaseModel, ValidationError

from helio_dagster.archives.cdas.messages import (
    Complaint,
    DatasetDescription,
    Datasets,
    FileDescription,
    Files,
    Inventories,
    TimeInterval,
    VariableDescription,
    Variables,
    path_time,
)
from helio_dagster.archives.cdas.place import master_url
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.json_text import TooManyValues, first_fault, read_json
from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.addresses import address_fault
from helio_dagster.domain.errors import ArchiveAnswerError, InputError, UnknownDataset
from helio_dagster.domain.time_range import TimeRange

_Message = TypeVar("_Message", bound=BaseModel)

_CDF_MAGIC = (0xCDF30001, 0xCDF26002, 0x0000FFFF)  # CDF 3, 2.6–2.7, and before
_CDF_SECOND_MAGIC = (0x0000FFFF, 0xCCCC0001)  # plain, compressed

_MOST_NAMED = 12


class _NotFound(ArchiveAnswerError):
    """Status 404 that does not say *no data*."""


class CdasClient:
    """The CDAS services at one base URL. Methods may be called from several threads at once.

    Every method raises ArchiveUnavailable when the network or the server failed on each try, and ArchiveAnswerError when the
    answer cannot be what was asked for.

    Parameters
    ----------
    base_url
        Up to and with `…/sp_phys/`.
    archive
        The archive's name in messages.
    settings
        Limits of transfers.

    Raises
    ------
    InputError
        The base URL is none.
    """

    def __init__(self, base_url: str, *, archive: str = "cdaweb", settings: TransferSettings | None = None) -> None:
        fault = address_fault(base_url)
        if fault:
            raise InputError(
                f"{base_url[:200]!r} is not the URL of an archive: {fault}",
                where=archive,
                hint="HELIO_CDAWEB_URL is a URL up to and with …/sp_phys/.",
            )
        self._base_url = base_url if base_url.endswith("/") else f"{base_url}/"
        self._archive = archive
        self._most_listed = (settings or TransferSettings()).most_listed
        self._transfer = HttpTransfer(self._base_url, settings)
        self._known: set[str] = set()

    def datasets(self, dataset: str | None = None, *, on_retry: OnRetry | None = None) -> list[DatasetDescription]:
        """All datasets, or those with this id."""
        query = f"?{urlencode({'id': dataset})}" if dataset is not None else ""
        return self._ask(f"datasets{query}", Datasets, on_retry).dataset_description

    def variables(self, dataset: str, *, on_retry: OnRetry | None = None) -> list[VariableDescription]:
        """The variables of a dataset that the archive lists; its files may hold more."""
        return self._ask(f"datasets/{quote(dataset, safe='')}/variables", Variables, on_retry).variable_description

    def inventory(self, dataset: str, span: TimeRange | None = None, *, on_retry: OnRetry | None = None) -> list[TimeInterval]:
        """When a dataset has data, in all or within a time range."""
        within = f"/{path_time(span.start)},{path_time(span.stop)}" if span is not None else ""
        place = f"datasets/{quote(dataset, safe='')}/inventory{within}"
        described = self._ask(place, Inventories, on_retry).inventory_description
        return [interval for one in described for interval in one.time_interval]

    def files(self, dataset: str, start: datetime, stop: datetime, *, on_retry: OnRetry | None = None) -> list[ListedFile]:
        """Files of a dataset that overlap a time range; empty where the archive has none.

        Raises
        ------
        UnknownDataset
            There are none because there is no such dataset.
        """
        place = f"datasets/{quote(dataset, safe='')}/orig_data/{path_time(start)},{path_time(stop)}"
        try:
            described = self._ask(place, Files, on_retry).file_description
        except _NotFound:
            self.require_dataset(dataset, on_retry=on_retry)
            raise
        if len(described) > self._most_listed:
            problem = f"the archive lists {len(described)} files, more than {self._most_listed}"
            raise ArchiveAnswerError(problem, where=f"{self._archive}/{dataset}", hint=_SHORTER)
        if not described:
            self.require_dataset(dataset, on_retry=on_retry)
        self._known.add(dataset)
        return [self._listed(file) for file in described]

    def require_dataset(self, dataset: str, *, on_retry: OnRetry | None = None) -> None:
        """Ask, once in the life of the client, whether the archive has a dataset.

        Raises
        ------
        UnknownDataset
            It has not; the hint offers near names.
        """
        if dataset in self._known:
            return
        found = self.datasets(dataset, on_retry=on_retry)
        if len(found) == 1 or any(one.id.casefold() == dataset.casefold() for one in found):
            self._known.add(dataset)
            return
        ids = {one.id.casefold(): one.id for one in self.datasets(on_retry=on_retry) if one.id.isprintable()}
        near = [ids[match] for match in difflib.get_close_matches(dataset.casefold(), ids, n=5, cutoff=0.6)]
        hint = f"Did you mean {', '.join(near)}?" if near else _some_of(sorted(ids.values()))
        raise UnknownDataset(f"there is no dataset {dataset}", where=self._archive, hint=hint)

    def download(self, file: ListedFile, into: Path, *, on_retry: OnRetry | None = None) -> Received:
        """Write a listed CDF file to `into`, checked against the listing's length and a CDF's first bytes."""
        return self._transfer.download(file.url, into, length=file.length, check_head=require_cdf, on_retry=on_retry)

    def master_url(self, dataset: str) -> str:
        """Where the archive keeps a dataset's master, which defines what no data file holds."""
        return master_url(self._base_url, dataset)

    def download_master(self, dataset: str, into: Path, *, on_retry: OnRetry | None = None) -> Received:
        """Write a dataset's master to `into`.

        Raises
        ------
        UnknownDataset
            The archive has none.
        """

        def refusal(reply: Reply) -> ArchiveAnswerError | UnknownDataset:
            if reply.status == 404:
                return UnknownDataset(f"there is no master of {dataset}", where=reply.url)
            return _refusal(reply, "")

        url = self.master_url(dataset)
        return self._transfer.download(url, into, length=None, check_head=require_cdf, refusal=refusal, on_retry=on_retry)

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._transfer.is_closed

    def close(self) -> None:
        """End waits, close connections."""
        self._transfer.close()

    def _ask(self, place: str, model: type[_Message], on_retry: OnRetry | None) -> _Message:
        return self._transfer.get(urljoin(self._base_url, place), _parser(model), on_retry=on_retry)

    @staticmethod
    def _listed(file: FileDescription) -> ListedFile:
        name = unquote(file.name.partition("?")[0].rpartition("/")[2])
        return ListedFile(file.name, name, file.start_time, file.end_time, file.length or None, file.last_modified)


def _parser(model: type[_Message]) -> Callable[[Reply], _Message]:
    def parse(reply: Reply) -> _Message:
        if is_html(reply.body, reply.content_type):
            if reply.status == 200:
                raise TransferTrouble("answered with a web page instead of JSON")
            raise _refusal(reply, "a web page")
        try:
            document = read_json(reply.body)
        except TooManyValues as error:
            raise ArchiveAnswerError(str(error), where=reply.url, hint=_SHORTER) from None
        except ValueError:
            if reply.status == 200:
                raise TransferTrouble("answered with something that is not JSON") from None
            raise _refusal(reply, "not JSON") from None
        complaint = _complaint(document)
        if reply.status in (200, 404) and complaint is not None and complaint.is_no_data:
            return model()
        if reply.status != 200 or (complaint is not None and complaint.text):
            raise _refusal(reply, complaint.text if complaint is not None else "")
        try:
            return model.model_validate(document)
        except ValidationError as error:
            raise ArchiveAnswerError(
                f"the answer is not that of a CDAS service: {first_fault(error)}", where=reply.url, hint=_CHECK_URL
            ) from error

    return parse


def _complaint(document: object) -> Complaint | None:
    if not isinstance(document, dict) or not {"Message", "Error"} & document.keys():
        return None
    try:
        return Complaint.model_validate(document)
    except ValidationError:
        return None


def _refusal(reply: Reply, text: str) -> ArchiveAnswerError:
    kind = _NotFound if reply.status == 404 else ArchiveAnswerError
    said = f": {text[:300]}" if text else ""
    return kind(f"the archive refused with status {reply.status}{said}", where=reply.url, hint=_CHECK_URL)


def require_cdf(head: bytes) -> None:
    """Raise TransferTrouble where a file's first bytes are not those of a CDF."""
    if not head:
        raise TransferTrouble("sent an empty file")
    if is_html(head):
        raise TransferTrouble("sent a web page instead of the file")
    first, second = struct.unpack(">II", head[:8]) if len(head) >= 8 else (0, 0)
    if first not in _CDF_MAGIC or second not in _CDF_SECOND_MAGIC:
        raise TransferTrouble("sent something that is not a CDF file")


_SHORTER = "Run a shorter time range, in shorter partitions."
_CHECK_URL = "Check the dataset's name and HELIO_CDAWEB_URL."


def _some_of(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"It has {', '.join(ids[:_MOST_NAMED])}{more}." if ids else "It has no datasets at all."
