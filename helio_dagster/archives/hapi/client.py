"""A typed client of one HAPI server, versions 2 and 3: catalog, info, data."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from helio_dagster.archives.hapi.isotime import format_isotime
from helio_dagster.archives.hapi.messages import (
    NO_DATA,
    OK,
    OUT_OF_RANGE,
    SERVER_FAILED,
    TOO_MUCH,
    UNKNOWN_DATASET,
    UNKNOWN_PARAMETER,
    Capabilities,
    CatalogItem,
    CatalogMessage,
    Info,
    Status,
    printable,
    read_status,
    status_of,
)
from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.json_text import TooManyValues, first_fault, read_json
from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.did_you_mean import near_names
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveError, UnknownDataset
from helio_dagster.domain.time_range import TimeRange

_Message = TypeVar("_Message", bound=BaseModel)

_MOST_NAMED = 12
_CODE = re.compile(rb'"code"\s*:\s*"?(\d{4})')


class _Refused(ArchiveAnswerError):
    """The server's own word that it does not give what was asked for."""

    def __init__(self, status: Status, reply: Reply) -> None:
        hint = _TOO_MUCH if status.code == TOO_MUCH else _CHECK_URL
        super().__init__(f"the archive refused: {status.sentence}", where=reply.url, hint=hint)
        self.status = status
        self.body = reply.body


class HapiClient:
    """One HAPI server. Methods may be called from several threads at once.

    Every method raises ArchiveUnavailable when the network or the server failed on each try, and ArchiveAnswerError when the
    answer cannot be what was asked for.

    Parameters
    ----------
    base_url
        Up to and with `/hapi`.
    archive
        The archive's name in messages.
    settings
        Limits of transfers.
    """

    def __init__(self, base_url: str, *, archive: str = "hapi", settings: TransferSettings | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._archive = archive
        self._transfer = HttpTransfer(self.base_url, settings, check_url=_CHECK_URL)
        self._lock = threading.Lock()
        self._capabilities: Capabilities | None = None

    def capabilities(self, *, on_retry: OnRetry | None = None) -> Capabilities:
        """Version and formats of the server; asked once in the life of the client."""
        with self._lock:
            if self._capabilities is None:
                self._capabilities = self._ask("capabilities", Capabilities, on_retry)
            return self._capabilities

    def catalog(self, *, on_retry: OnRetry | None = None) -> list[CatalogItem]:
        """All datasets of the server."""
        return self._ask("catalog", CatalogMessage, on_retry).catalog

    def info(self, dataset: str, *, on_retry: OnRetry | None = None) -> Info:
        """Parameters and times of a dataset.

        Raises
        ------
        UnknownDataset
            The server has no such dataset; the hint offers near names.
        """
        words = self._words(on_retry)
        try:
            info = self._ask(f"info?{urlencode({words[0]: dataset})}", Info, on_retry)
        except _Refused as refused:
            if refused.status.code == UNKNOWN_DATASET:
                raise self.unknown_dataset(dataset, on_retry=on_retry) from refused
            raise
        if not info.parameters or info.parameters[0].type != "isotime":
            problem = f"the description of {dataset} does not begin with times"
            raise ArchiveAnswerError(problem, where=self._archive, hint=_CHECK_URL)
        return info

    def data_url(self, dataset: str, parameters: Sequence[str], span: TimeRange, *, on_retry: OnRetry | None = None) -> str:
        """Where the records of `[start, stop)` are, with their header; binary where the server speaks it."""
        words = self._words(on_retry)
        query = {words[0]: dataset}
        if parameters:
            query["parameters"] = ",".join(parameters)
        query |= {words[1]: format_isotime(span.start), words[2]: format_isotime(span.stop), "include": "header"}
        query["format"] = "binary" if "binary" in self.capabilities(on_retry=on_retry).formats else "csv"
        return f"{self.base_url}/data?{urlencode(query, safe=':,/')}"

    def download(self, url: str, into: Path, *, on_retry: OnRetry | None = None) -> Received:
        """Write what a `data_url` gives to `into`, as received; what says that there are no data is an answer as well.

        Raises
        ------
        UnknownDataset
            The server has no such dataset or parameter.
        """
        try:
            return self._transfer.download(
                url,
                into,
                length=None,
                check_head=_require_data,
                refusal=_refusal,
                on_retry=on_retry,
            )
        except _Refused as refused:
            if refused.status.code in (NO_DATA, OUT_OF_RANGE):
                into.write_bytes(refused.body)
                return Received(len(refused.body), hashlib.sha256(refused.body).hexdigest())
            if refused.status.code in (UNKNOWN_DATASET, UNKNOWN_PARAMETER):
                hint = "Check the names in the pipeline: the archive may have renamed them."
                raise UnknownDataset(refused.problem, where=self._archive, hint=hint) from refused
            raise

    def unknown_dataset(self, dataset: str, *, on_retry: OnRetry | None = None) -> UnknownDataset:
        """The error for a dataset that the server has not, with near names from its catalog."""
        try:
            ids = sorted(item.id for item in self.catalog(on_retry=on_retry))
        except ArchiveError:
            ids = []
        return UnknownDataset(f"there is no dataset {dataset}", where=self._archive, hint=_nearest(dataset, ids, "It has"))

    def unknown_parameter(self, parameter: str, dataset: str, info: Info) -> UnknownDataset:
        """The error for a parameter that a dataset has not, with near names."""
        names = [each.name for each in info.parameters[1:]]
        problem = f"there is no parameter {parameter!r}"
        return UnknownDataset(problem, where=f"{self._archive}/{dataset}", hint=_nearest(parameter, names, "Its parameters:"))

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._transfer.is_closed

    def close(self) -> None:
        """End waits, close connections."""
        self._transfer.close()

    def _words(self, on_retry: OnRetry | None) -> tuple[str, str, str]:
        """What the server's version calls dataset, start and stop."""
        is_old = self.capabilities(on_retry=on_retry).version.startswith(("1", "2"))
        return ("id", "time.min", "time.max") if is_old else ("dataset", "start", "stop")

    def _ask(self, place: str, model: type[_Message], on_retry: OnRetry | None) -> _Message:
        return self._transfer.get(f"{self.base_url}/{place}", _parser(model), on_retry=on_retry)


def _parser(model: type[_Message]) -> Callable[[Reply], _Message]:
    def parse(reply: Reply) -> _Message:
        if reply.status != 200:
            raise _refusal(reply)
        if is_html(reply.body, reply.content_type):
            raise TransferTrouble("answered with a web page instead of JSON")
        try:
            document = read_json(reply.body)
        except TooManyValues as error:
            raise ArchiveAnswerError(str(error), where=reply.url, hint="Tell the archive.") from None
        except ValueError:
            raise TransferTrouble("answered with something that is not JSON") from None
        status = status_of(document)
        if status is not None and status.code != OK:
            raise _refusal(reply)
        try:
            return model.model_validate(document)
        except ValidationError as error:
            problem = f"the answer is not that of a HAPI server: {first_fault(error)}"
            raise ArchiveAnswerError(problem, where=reply.url, hint=_CHECK_URL) from error

    return parse


def _refusal(reply: Reply) -> Exception:
    """The error of an answer that is a HAPI status, or no HAPI answer at all."""
    status = None if is_html(reply.body, reply.content_type) else read_status(reply.body)
    if status is not None and status.code >= SERVER_FAILED:
        return TransferTrouble(f"answered with HAPI status {status.sentence}")
    if status is not None:
        return _Refused(status, reply)
    kind = "a web page" if is_html(reply.body, reply.content_type) else "something that is not a HAPI answer"
    return ArchiveAnswerError(f"the archive answered {kind}, with status {reply.status}", where=reply.url, hint=_CHECK_URL)


def _require_data(head: bytes) -> None:
    """Refuse what cannot be records: they begin with a year, or with their header after `#`; JSON must say *no data*."""
    if is_html(head):
        raise TransferTrouble("sent a web page instead of data")
    if not head or head[:1] == b"#" or head[:1].isdigit():
        return
    code = _CODE.search(head) if head[:1] == b"{" else None
    if code is None:
        raise TransferTrouble("sent something that is not HAPI data")
    if int(code[1]) >= SERVER_FAILED:
        raise TransferTrouble(f"sent HAPI status {int(code[1])} instead of data")
    if int(code[1]) not in (NO_DATA, OUT_OF_RANGE):
        raise ArchiveAnswerError(f"the archive sent HAPI status {int(code[1])} instead of data", hint=_CHECK_URL)


def _nearest(name: str, given: Sequence[str], lead: str) -> str:
    known = [printable(each) for each in given]
    near = near_names(name, known, count=5)
    if near:
        return f"Did you mean {', '.join(near)}?"
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"{lead} {', '.join(known[:_MOST_NAMED])}{more}." if known else "The archive does not list any."


_CHECK_URL = "Check the archive's name: `hapi:` and a known server, or its URL up to and with /hapi."
_TOO_MUCH = "The server gives less at once than a chunk is. Choose a dataset of lower cadence, or tell the archive."
