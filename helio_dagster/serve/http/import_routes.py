"""Pipelines and bundles that a program sends to be brought into the library."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Base64Bytes, BaseModel, Field

from helio_dagster.serve.http.conversation_routes import Sent
from helio_dagster.serve.looking import Looking


class NewImport(Sent):
    """A pipeline's file or a bundle in Base64, and its name for messages; `replace` replaces what differs."""

    content: Base64Bytes
    name: Annotated[str, Field(max_length=200)] = "the text"
    replace: bool = False


class ArrivalAnswer(BaseModel):
    """What became of one thing that was brought: new, same or replaced."""

    kind: str
    name: str
    state: str
    path: str
    approved_by: str
    sha256: str


class ArrivalList(BaseModel):
    """All that was brought."""

    arrivals: list[ArrivalAnswer]


def import_routes(looking: Looking) -> APIRouter:
    """The route `/imports`."""
    router = APIRouter(tags=["pipelines"])

    @router.post("/imports", status_code=201)
    def bring(given: NewImport) -> ArrivalList:
        """Bring a pipeline and what came with it into the library, as `helio pipelines import`: all of it or nothing."""
        found = looking.bring(given.content, given.name, replace=given.replace)
        return ArrivalList(
            arrivals=[
                ArrivalAnswer(
                    kind=each.kind,
                    name=each.name,
                    state=each.state,
                    path=str(each.path),
                    approved_by=each.approved_by,
                    sha256=each.sha256,
                )
                for each in found
            ]
        )

    return router
