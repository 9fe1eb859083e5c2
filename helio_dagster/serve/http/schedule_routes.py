"""Whether the schedule of a pipeline is on, and the switch."""

from __future__ import annotations

from fastapi import APIRouter

from helio_dagster.domain.report import ScheduleReport
from helio_dagster.serve.http.addressing import Name
from helio_dagster.serve.http.conversation_routes import Sent
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.switching import Switches


class Turned(Sent):
    """How the schedule is to be."""

    is_on: bool


def schedule_routes(looking: Looking, switches: Switches) -> APIRouter:
    """The routes `/pipelines/NAME/schedule`."""
    router = APIRouter(tags=["pipelines"])

    @router.get("/pipelines/{name}/schedule")
    def read_schedule(name: Name) -> ScheduleReport:
        """Whether Dagster runs the pipeline by itself, and when next."""
        return switches.read(looking.pipeline(name).pipeline)

    @router.post("/pipelines/{name}/schedule")
    def switch_schedule(name: Name, given: Turned) -> ScheduleReport:
        """Switch the schedule on or off in Dagster; 409 where nothing here runs schedules."""
        return switches.turn(looking.pipeline(name).pipeline, is_on=given.is_on)

    return router
