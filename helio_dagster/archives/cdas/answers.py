"""What a CDAS-compatible server answers to a path, from a `FileProvider`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import parse_qs, quote, unquote, urlsplit

from pydantic import BaseModel

from helio_dagster.archives.cdas.id_patterns import id_matcher
from helio_dagster.archives.cdas.messages import (
    Complaint,
    DatasetDescription,
    Datasets,
    FileDescription,
    Files,
    Inventories,
    InventoryDescription,
    TimeInterval,
    VariableDescription,
    Variables,
    message_time,
    parse_path_time,
)
from helio_dagster.archives.cdas.place import MASTERS_PATH
from helio_dagster.archives.files.provider import DatasetEntry, FileEntry, FileProvider
from helio_dagster.archives.files.selection import covers
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange

SERVICE_PATH = "/WS/cdasr/1/dataviews/sp_phys/"
FILES_PATH = "/sp_phys/data/"

_MASTER = re.compile(rf"{re.escape(MASTERS_PATH)}([^/]+)_00000000_v01\.cdf")

_GAP = timedelta(seconds=1)  # days that stop at 23:59:59.999 are one interval with the next


@dataclass(frozen=True)
class Answer:
    """Status, body and the body's type."""

    status: int
    body: bytes
    content_type: str = "application/json"


class CdasAnswers:
    """The answers over one provider."""

    def __init__(self, provider: FileProvider) -> None:
        self._provider = provider

    @staticmethod
    def base_url(host: str) -> str:
        """The URL up to and with `…/sp_phys/` at a host."""
        return f"http://{host}{SERVICE_PATH}"

    def answer(self, target: str, host: str) -> Answer:
        """The answer to a request target; `host` is the one that file URLs name."""
        parts = urlsplit(target)
        if master := _MASTER.fullmatch(parts.path):
            return self._master(unquote(master[1]))
        if parts.path.startswith(FILES_PATH):
            return self._file(unquote(parts.path.removeprefix(FILES_PATH)))
        if not parts.path.startswith(SERVICE_PATH):
            return complaint(404, f"Nothing is here; the service begins at {SERVICE_PATH}.")
        steps = [unquote(step) for step in parts.path.removeprefix(SERVICE_PATH).rstrip("/").split("/")]
        try:
            match steps:
                case ["datasets"]:
                    return self._datasets(parse_qs(parts.query))
                case ["datasets", dataset, "variables"]:
                    return self._variables(self._dataset(dataset))
                case ["datasets", dataset, "inventory"]:
                    entry = self._dataset(dataset)
                    return self._inventory(entry, entry.span)
                case ["datasets", dataset, "inventory", times]:
                    return self._inventory(self._dataset(dataset), _span(times))
                case ["datasets", dataset, "orig_data", times]:
                    return self._files(self._dataset(dataset), _span(times), host)
        except LookupError as error:
            return complaint(404, str(error.args[0]))
        except InputError as error:
            return complaint(400, f"{error.problem.rstrip('.')}. {error.hint}".strip())
        return complaint(404, "There is no such resource.")

    def _dataset(self, name: str) -> DatasetEntry:
        entry = self._dataset_or_none(name)
        if entry is None:
            raise LookupError(f"There is no dataset {name}.")
        return entry

    def _dataset_or_none(self, name: str) -> DatasetEntry | None:
        """The dataset with exactly this id; else the one with this id in another case, else the first with this alias."""
        entries, folded = self._provider.datasets(), name.casefold()
        return (
            next((entry for entry in entries if entry.id == name), None)
            or next((entry for entry in entries if entry.id.casefold() == folded), None)
            or next((entry for entry in entries if entry.is_named(name)), None)
        )

    def _datasets(self, query: dict[str, list[str]]) -> Answer:
        asked = {entry.id for name in query.get("id", []) if (entry := self._dataset_or_none(name)) is not None}
        is_like = id_matcher(query["idPattern"][0]) if "idPattern" in query else None
        entries = [
            entry
            for entry in self._provider.datasets()
            if ("id" not in query or entry.id in asked)
            and (is_like is None or any(is_like(name) for name in (entry.id, *entry.aliases)))
            and _is_asked_for(entry, query)
        ]
        return _json(Datasets(dataset_description=[_description(entry) for entry in entries]))

    def _variables(self, entry: DatasetEntry) -> Answer:
        described = [
            VariableDescription(name=variable.name, short_description=variable.short, long_description=variable.long)
            for variable in entry.variables
        ]
        return _json(Variables(variable_description=described))

    def _inventory(self, entry: DatasetEntry, span: TimeRange) -> Answer:
        intervals: list[TimeInterval] = []
        for file in self._covering(entry, span):
            if intervals and file.start <= intervals[-1].end + _GAP:
                joined = TimeInterval(start=intervals[-1].start, end=max(intervals[-1].end, file.stop))
                intervals[-1] = joined
            else:
                intervals.append(TimeInterval(start=file.start, end=file.stop))
        return _json(Inventories(inventory_description=[InventoryDescription(id=entry.id, time_interval=intervals)]))

    def _files(self, entry: DatasetEntry, span: TimeRange, host: str) -> Answer:
        described = [
            FileDescription(
                name=f"http://{host}{FILES_PATH}{quote(file.name)}",
                start_time=file.start,
                end_time=file.stop,
                length=file.length,
                last_modified=message_time(file.last_modified),
            )
            for file in self._covering(entry, span)
        ]
        return _json(Files(file_description=described)) if described else complaint(404, "No data available.")

    def _covering(self, entry: DatasetEntry, span: TimeRange) -> list[FileEntry]:
        files = self._provider.files(entry.id, span)
        return sorted((file for file in files if covers(file.start, file.stop, span)), key=lambda file: (file.start, file.name))

    def _master(self, dataset: str) -> Answer:
        """The master that the provider holds, else the newest data file: it has the same attributes."""
        entry = self._dataset_or_none(dataset)
        if entry is None:
            return complaint(404, "There is no such master.")
        try:
            return Answer(200, self._provider.master(entry.id), "application/x-cdf")
        except FileNotFoundError:
            files = self._covering(entry, entry.span)
            return self._file(files[-1].name) if files else complaint(404, "There is no such master.")

    def _file(self, name: str) -> Answer:
        try:
            body = self._provider.read(name)
        except FileNotFoundError:
            return complaint(404, "There is no such file.")
        return Answer(200, body, "application/x-cdf")


def is_file_path(path: str) -> bool:
    """Whether a path asks for a file, not for a listing."""
    return path.startswith((FILES_PATH, MASTERS_PATH))


def complaint(status: int, text: str) -> Answer:
    """An answer that is none."""
    return _json(Complaint(message=[text]), status)


def _json(message: BaseModel, status: int = 200) -> Answer:
    return Answer(status, message.model_dump_json(by_alias=True, exclude_none=True).encode())


def _span(times: str) -> TimeRange:
    start, _, stop = times.partition(",")
    try:
        return TimeRange(parse_path_time(start), parse_path_time(stop))
    except ValueError:
        raise InputError(f"{times} is not a time range such as 20230101T000000Z,20230102T000000Z.") from None


def _is_asked_for(entry: DatasetEntry, query: dict[str, list[str]]) -> bool:
    given = {
        "observatoryGroup": entry.observatory_group,
        "instrumentType": entry.instrument_type,
        "observatory": entry.observatory,
        "instrument": entry.instrument,
    }
    return all(
        value.casefold() in {asked.casefold() for asked in query[name]} for name, value in given.items() if name in query
    )


def _description(entry: DatasetEntry) -> DatasetDescription:
    return DatasetDescription(
        id=entry.id,
        label=entry.label,
        observatory=_listed(entry.observatory),
        observatory_group=_listed(entry.observatory_group),
        instrument=_listed(entry.instrument),
        instrument_type=_listed(entry.instrument_type),
        time_interval=TimeInterval(start=entry.span.start, end=entry.span.stop),
        pi_name=entry.pi_name,
        pi_affiliation=entry.pi_affiliation,
    )


def _listed(text: str) -> list[str]:
    return [text] if text else []
