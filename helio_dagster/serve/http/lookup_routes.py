"""Catalog, operations, settings and doctor: what is known without a pipeline."""

from __future__ import annotations

import threading
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from helio_dagster.catalog.documents import read_facets
from helio_dagster.compute.operation_search import search_operations
from helio_dagster.compute.operations.document import operation_as_json
from helio_dagster.domain.errors import InputError
from helio_dagster.hosting.about import diagnosed, doctor_document, settings_document
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.refusals import Missing

_DOCTOR_S = 60.0
Words = Annotated[str, Query(max_length=400, description="Words of the search.")]
Archive = Literal["cdaweb", "demo"]
Word = Annotated[str | None, Query(max_length=120)]


class FoundDatasets(BaseModel):
    """As `helio catalog search --json`; `hapi` are those of HAPI servers of which there is a snapshot."""

    datasets: list[dict[str, Any]]
    instead: dict[str, str]
    hapi: list[dict[str, Any]] = []


class OperationList(BaseModel):
    """As `helio operations ls --json`."""

    operations: list[dict[str, Any]]


class SettingsAnswer(BaseModel):
    """Every setting with its value and where it comes from; of keys only whether they are set."""

    settings: list[dict[str, str]]
    keys: dict[str, bool]
    files: dict[str, bool]


def lookup_routes(looking: Looking) -> APIRouter:
    """Routes that look things up and change nothing: `/catalog`, `/operations`, `/settings` and `/doctor`."""
    router = APIRouter(tags=["lookups"])
    doctor_seen: list[tuple[float, dict[str, Any]]] = []
    one_doctor = threading.Lock()

    @router.get("/catalog/search")
    def search_catalog(
        words: Words = "",
        mission: Word = None,
        quantity: Word = None,
        frame: Word = None,
        cadence: Word = None,
        during: Word = None,
        everything: bool = False,
        archive: Archive = "cdaweb",
        count: Annotated[int, Query(ge=1, le=200)] = 10,
    ) -> FoundDatasets:
        """The datasets that match the words best; the answer is that of `helio catalog search --json`."""
        if not words.strip() and not mission:
            raise InputError("no search words given", hint="Give words=, or mission=.")
        facets = read_facets(
            looking.site.clock(),
            mission=mission,
            quantity=quantity,
            frame=frame,
            cadence=cadence,
            during=during,
            everything=everything,
        )
        return FoundDatasets(**looking.search(words.strip(), facets, archive, count))

    @router.get("/catalog/datasets/{name:path}")
    def read_dataset(name: Annotated[str, Path(max_length=200)], archive: Archive = "cdaweb") -> dict[str, Any]:
        """What is known of a dataset, as `helio catalog show --json` prints it."""
        return looking.dataset(name, archive)

    @router.get("/operations")
    def list_operations(words: Words = "") -> OperationList:
        """The operations, all or those that match the words, as `helio operations ls --json` prints them."""
        known = looking.site.home.operations.all()
        found = [each.operation for each in search_operations(known, words)] if words.strip() else known
        return OperationList(operations=[operation_as_json(each) for each in found])

    @router.get("/operations/{name}")
    def read_operation(name: Annotated[str, Path(max_length=120)]) -> dict[str, Any]:
        """What an operation takes, does and returns."""
        try:
            return operation_as_json(looking.site.home.operations.get(name))
        except InputError as error:
            raise Missing(error.problem, hint=error.hint) from None

    @router.get("/settings")
    def read_settings() -> SettingsAnswer:
        """Every setting with its value and where it comes from, never a key."""
        site = looking.site
        return SettingsAnswer(**settings_document(site.configuration, site.settings, site.folder))

    @router.get("/doctor")
    def doctor() -> dict[str, Any]:
        """What this machine supports, found out by trying; at most once a minute."""
        with one_doctor:
            if not doctor_seen or time.monotonic() - doctor_seen[0][0] > _DOCTOR_S:
                doctor_seen[:] = [(time.monotonic(), doctor_document(*diagnosed(), looking.site.settings))]
            return doctor_seen[0][1]

    return router
