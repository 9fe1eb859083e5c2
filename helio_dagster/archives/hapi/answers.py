"""What a HAPI 3.1 server answers to a path."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from helio_dagster.archives.cdas.answers import Answer
from helio_dagster.archives.hapi.isotime import format_isotime, parse_isotime
from helio_dagster.archives.hapi.messages import (
    BAD_FORMAT,
    BAD_REQUEST,
    NO_DATA,
    OK,
    OUT_OF_RANGE,
    SERVER_FAILED,
    UNKNOWN_DATASET,
    UNKNOWN_PARAMETER,
)
from helio_dagster.archives.hapi.source import HapiSource, ServedDataset
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.time_range import TimeRange

HAPI_PATH = "/hapi"
_VERSION = "3.1"
_TEXTS = {
    OK: "OK",
    NO_DATA: "OK - no data for time range",
    BAD_REQUEST: "Bad request - user input error",
    1401: "Bad request - unknown API parameter name",
    1402: "Bad request - error in start",
    1403: "Bad request - error in stop",
    1404: "Bad request - start equal to or after stop",
    OUT_OF_RANGE: "Bad request - time outside valid range",
    UNKNOWN_DATASET: "Bad request - unknown dataset id",
    UNKNOWN_PARAMETER: "Bad request - unknown dataset parameter",
    BAD_FORMAT: "Bad request - unsupported output format",
    1410: "Bad request - unsupported include value",
    1411: "Bad request - out-of-order or duplicate parameters",
    SERVER_FAILED: "Internal server error",
}
_NOT_FOUND = (UNKNOWN_DATASET, UNKNOWN_PARAMETER)
_OLD_NAMES = {"id": "dataset", "time.min": "start", "time.max": "stop"}
_KNOWN = {"dataset", "start", "stop", "parameters", "include", "format", "resolve_references"}


class _Refused(Exception):
    def __init__(self, code: int, detail: str = "") -> None:
        self.code = code
        self.detail = detail


class HapiAnswers:
    """The answers over some sources, of which the first that has a dataset serves it; an `ExtraService` of `CdasServer`."""

    def __init__(self, *sources: HapiSource) -> None:
        self._sources = sources

    def has(self, path: str) -> bool:
        """Whether a path is HAPI's."""
        return path == HAPI_PATH or path.startswith(f"{HAPI_PATH}/")

    def is_data(self, path: str) -> bool:
        """Whether a path asks for records, not for a description."""
        return path.rstrip("/") == f"{HAPI_PATH}/data"

    def answer(self, target: str) -> Answer:
        """The answer to a request target."""
        parts = urlsplit(target)
        query = {_OLD_NAMES.get(name, name): values[-1] for name, values in parse_qs(parts.query).items()}
        questions: Mapping[str, Callable[[dict[str, str]], Answer]] = {
            "about": lambda _: _json(
                OK, id="helio", title="; ".join(source.title for source in self._sources), contact="whoever serves it"
            ),
            "capabilities": lambda _: _json(OK, outputFormats=["csv", "binary"]),
            "catalog": lambda _: self._catalog(),
            "info": self._info,
            "data": self._data,
        }
        question = questions.get(unquote(parts.path).removeprefix(HAPI_PATH).strip("/"))
        try:
            if question is None:
                raise _Refused(BAD_REQUEST, f"there are {', '.join(f'{HAPI_PATH}/{name}' for name in questions)}")
            unknown = sorted(query.keys() - _KNOWN)
            if unknown:
                raise _Refused(1401, unknown[0][:40])
            return question(query)
        except _Refused as refused:
            return _json(refused.code, detail=refused.detail)
        except HelioError as error:
            return _json(SERVER_FAILED, detail=error.problem)

    def _catalog(self) -> Answer:
        listed: dict[str, str] = {}
        for source in self._sources:
            for name, title in source.titles():
                listed.setdefault(name, title or name)
        return _json(OK, catalog=[{"id": name, "title": listed[name]} for name in sorted(listed)])

    def _info(self, query: dict[str, str]) -> Answer:
        _, dataset = self._dataset(query)
        return _json(OK, **dataset.about, parameters=self._parameters(dataset, query))

    def _data(self, query: dict[str, str]) -> Answer:
        source, dataset = self._dataset(query)
        parameters = self._parameters(dataset, query)
        span = _span(query)
        form, include = query.get("format", "csv"), query.get("include", "")
        if form not in ("csv", "binary"):
            raise _Refused(BAD_FORMAT, form[:40])
        if include not in ("", "header"):
            raise _Refused(1410, include[:40])
        first, last = parse_isotime(dataset.about["startDate"]), parse_isotime(dataset.about["stopDate"])
        if span.stop <= first or span.start > last + timedelta(days=1):
            raise _Refused(OUT_OF_RANGE, f"the dataset has {dataset.about['startDate']} to {dataset.about['stopDate']}")
        try:
            records = source.records(dataset, [each["name"] for each in parameters[1:]], span, is_binary=form == "binary")
        except InputError as error:
            raise _Refused(BAD_REQUEST, error.problem) from error
        header = b""
        if include:
            said = _document(OK if records else NO_DATA, **dataset.about, parameters=parameters, format=form)
            header = "".join(f"#{line}\n" for line in json.dumps(said, indent=1).splitlines()).encode()
        content_type = "application/octet-stream" if form == "binary" else "text/csv"
        return Answer(200, header + records, content_type)

    def _dataset(self, query: dict[str, str]) -> tuple[HapiSource, ServedDataset]:
        name = query.get("dataset", "")
        for source in self._sources:
            if (found := source.dataset(name)) is not None:
                return source, found
        raise _Refused(UNKNOWN_DATASET, name[:120])

    @staticmethod
    def _parameters(dataset: ServedDataset, query: dict[str, str]) -> list[dict[str, Any]]:
        """Those asked for, times first; all of them where none are named."""
        asked = [name for name in query.get("parameters", "").split(",") if name]
        known = {each["name"]: each for each in dataset.parameters}
        for name in asked:
            if name not in known:
                raise _Refused(UNKNOWN_PARAMETER, name[:120])
        if asked != [name for name in known if name in asked]:
            raise _Refused(1411, ",".join(asked)[:120])
        times = dataset.parameters[0]
        return [each for name, each in known.items() if not asked or name in asked or each is times]


def _span(query: dict[str, str]) -> TimeRange:
    edges = []
    for name, code in (("start", 1402), ("stop", 1403)):
        try:
            edges.append(parse_isotime(query.get(name, "")))
        except ValueError as error:
            raise _Refused(code, str(error)[:80]) from None
    if edges[0] >= edges[1]:
        raise _Refused(1404, f"{format_isotime(edges[0])} to {format_isotime(edges[1])}")
    try:
        return TimeRange(edges[0], edges[1])
    except InputError as error:
        raise _Refused(OUT_OF_RANGE, error.problem) from None


def _document(code: int, *, detail: str = "", **content: Any) -> dict[str, Any]:
    message = f"{_TEXTS[code]}: {detail}" if detail else _TEXTS[code]
    return {"HAPI": _VERSION, "status": {"code": code, "message": message}, **content}


def _json(code: int, *, detail: str = "", **content: Any) -> Answer:
    status = 200 if code < BAD_REQUEST else 404 if code in _NOT_FOUND else 400 if code < SERVER_FAILED else 500
    return Answer(status, json.dumps(_document(code, detail=detail, **content)).encode())
