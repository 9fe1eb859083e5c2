"""Figures: those that were drawn, and on paper."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel

from helio_dagster.domain.print_options import PrintOptions
from helio_dagster.domain.time_range import format_time
from helio_dagster.serve.http.addressing import CONTENT_TYPES, ISOLATED, Name, When
from helio_dagster.serve.http.print_query import print_query
from helio_dagster.serve.looking import Looking


class FigureAnswer(BaseModel):
    """A drawn figure; `page` and `picture` are addresses below this one, `out_of_date` says why it is no longer right."""

    name: str
    pipeline: str
    step: str
    title: str
    start: str | None
    stop: str | None
    event: str
    drawn: str
    page: str
    picture: str | None
    out_of_date: str


class FigureList(BaseModel):
    """The drawn figures, the last first."""

    figures: list[FigureAnswer]


def figure_routes(looking: Looking) -> APIRouter:
    """The routes `/figures` and `/pipelines/NAME/figure`."""
    router = APIRouter(tags=["pipelines"])

    @router.get("/pipelines/{name}/figure", response_class=Response)
    def print_figure(
        name: Name,
        how: Annotated[PrintOptions, Depends(print_query)],
        start: When = None,
        stop: When = None,
        step: Annotated[str | None, Query(max_length=120)] = None,
        form: Literal["png", "svg", "pdf", "html"] = "png",
    ) -> Response:
        """A figure over a range that was run, on paper as `helio figure` puts it; `X-Figure` says what it is, in JSON."""
        made = looking.figure(name, step, start, stop, form, how)
        size = {"width_mm": made.width_mm, "height_mm": made.height_mm}
        start, stop = format_time(made.span.start), format_time(made.span.stop)
        facts = {"step": made.step, "start": start, "stop": stop, "form": form, **size}
        return Response(made.content, media_type=CONTENT_TYPES[form], headers={**ISOLATED, "X-Figure": json.dumps(facts)})

    @router.get("/figures")
    def list_figures(
        pipeline: Annotated[str | None, Query(max_length=120)] = None, count: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> FigureList:
        """The drawn figures, the last first."""
        return FigureList(figures=[FigureAnswer(**each) for each in looking.figures(pipeline, count)])

    return router
