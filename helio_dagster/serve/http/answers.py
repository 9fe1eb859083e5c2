"""What the interface answers with: JSON in ASCII, and errors of one form with a status for each cause."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from helio_dagster.domain.errors import ArchiveError, HelioError, InputError, UnknownDataset
from helio_dagster.domain.shortage import shortage_of
from helio_dagster.serve.refusals import Conflict, Missing
from helio_dagster.serve.work.pool import AllAtWork
from helio_dagster.storage.sessions import SessionChanged, SessionHeld

_log = logging.getLogger(__name__)
_MOST_FAULTS = 8
_STATUSES: Sequence[tuple[type[HelioError], int]] = (
    (Missing, 404),
    (UnknownDataset, 404),
    (Conflict, 409),
    (SessionHeld, 409),
    (SessionChanged, 409),
    (AllAtWork, 429),
    (InputError, 400),
    (ArchiveError, 502),
)
RETRY_AFTER_S = 5
NOTHING_HERE = "there is nothing at this address"


class AsciiJson(JSONResponse):
    """JSON in which no character is left that a terminal or an editor would obey."""

    def render(self, content: Any) -> bytes:
        """The document as bytes."""
        text = json.dumps(content, separators=(",", ":"), default=str, allow_nan=False)
        return text.replace("\x7f", "\\u007f").encode()


class Fault(BaseModel):
    """What is wrong, and what to do."""

    model_config = ConfigDict(extra="forbid")

    problem: str
    hint: str = ""


class Refusal(BaseModel):
    """The body of every answer that is not a success."""

    model_config = ConfigDict(extra="forbid")

    error: Fault


def refusal(status: int, problem: str, hint: str = "", headers: dict[str, str] | None = None) -> AsciiJson:
    """An answer that says what is wrong."""
    return AsciiJson({"error": {"problem": problem, "hint": hint}}, status, headers=headers)


def answer_errors(app: FastAPI) -> None:
    """Turn every error of an endpoint into an answer of one form."""

    @app.exception_handler(HelioError)
    def _known(_request: Request, error: HelioError) -> AsciiJson:
        status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
        where = f"{error.where}: " if error.where else ""
        headers = {"Retry-After": str(RETRY_AFTER_S)} if status == 429 else None
        return refusal(status, f"{where}{error.problem}", error.hint or "", headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(_request: Request, error: RequestValidationError) -> AsciiJson:
        faults = [f"{_place(each['loc'])}{each['msg']}" for each in error.errors()[:_MOST_FAULTS]]
        return refusal(400, "; ".join(faults), "GET /api/v1/openapi.json says what is taken.")

    @app.exception_handler(HTTPException)
    def _plain(_request: Request, error: HTTPException) -> AsciiJson:
        problems = {404: NOTHING_HERE, 405: "this address does not take this method"}
        headers = dict(error.headers) if error.headers else None
        return refusal(error.status_code, problems.get(error.status_code, str(error.detail)), headers=headers)

    @app.exception_handler(Exception)
    def _bug(request: Request, error: Exception) -> AsciiJson:
        known = shortage_of(error)
        if known is not None:
            return refusal(500, known.problem, known.hint or "")
        _log.error("a bug in helio serve, %s", request.url.path, exc_info=error)
        return refusal(500, f"a bug in helio: {type(error).__name__}", "Its traceback is in the server's standard error.")


def _place(parts: Sequence[int | str]) -> str:
    named = [str(part)[:60] for part in parts if part not in ("body", "query", "path", "header")]
    return f"{'.'.join(named)}: " if named else ""
