"""The JSON interface as an application, and its description in OpenAPI from the models that check the requests."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from helio_dagster import __version__
from helio_dagster.serve.conversations import Conversations
from helio_dagster.serve.http.answers import AsciiJson, Refusal, answer_errors
from helio_dagster.serve.http.conversation_routes import conversation_routes
from helio_dagster.serve.http.figure_routes import figure_routes
from helio_dagster.serve.http.import_routes import import_routes
from helio_dagster.serve.http.lookup_routes import lookup_routes
from helio_dagster.serve.http.pipeline_routes import pipeline_routes
from helio_dagster.serve.http.result_routes import result_routes
from helio_dagster.serve.http.run_routes import run_routes
from helio_dagster.serve.http.schedule_routes import schedule_routes
from helio_dagster.serve.http.sse import Readers
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.runs import Runs
from helio_dagster.serve.switching import Switches

PATH = "/api/v1"
_REFUSALS = {
    "400": "What was sent is not what is taken, or what is asked cannot be.",
    "403": "The person whose token was sent may look, not change.",
    "404": "What the address names is not there.",
    "409": "It does not fit what is there now.",
    "413": "The request is too large.",
    "415": "The request is not JSON.",
    "429": "Too much at once; `Retry-After` says when to try again.",
    "401": "The token is missing, wrong or has expired.",
    "500": "The home cannot be used, or a bug.",
    "502": "The archive did not deliver.",
}


def json_interface(conversations: Conversations, looking: Looking, runs: Runs, switches: Switches) -> FastAPI:
    """The application; it is mounted at `PATH`."""
    app = FastAPI(
        title="helio_dagster",
        version=__version__,
        description="Conversations, catalog, pipelines, runs and results of a home.",
        docs_url=None,  # its page would load scripts of another site
        redoc_url=None,
        openapi_url="/openapi.json",
        default_response_class=AsciiJson,
        generate_unique_id_function=_operation_id,
        servers=[{"url": PATH}],
        root_path_in_servers=False,
    )
    readers = Readers()
    app.include_router(conversation_routes(conversations, readers))
    app.include_router(lookup_routes(looking))
    app.include_router(pipeline_routes(looking))
    app.include_router(figure_routes(looking))
    app.include_router(result_routes(looking))
    app.include_router(run_routes(looking, runs, readers))
    app.include_router(schedule_routes(looking, switches))
    app.include_router(import_routes(looking))
    answer_errors(app)

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name


def _described(app: FastAPI) -> dict[str, Any]:
    """The description, with the refusals that every address can answer with instead of FastAPI's own form of them."""
    found = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, servers=app.servers
    )
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    described = Refusal.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(described.pop("$defs"))
    schemas["Refusal"] = described
    body = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    for path in found["paths"].values():
        for operation in path.values():
            answers = operation["responses"]
            answers.pop("422", None)
            answers |= {status: {"description": meaning, "content": body} for status, meaning in _REFUSALS.items()}
    return found
