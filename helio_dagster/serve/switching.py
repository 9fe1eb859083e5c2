"""Switch the schedules of pipelines on and off in Dagster, by its own GraphQL: what it is asked here its own pages show."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import httpx
from anyio import from_thread
from starlette.types import ASGIApp

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import ScheduleReport
from helio_dagster.domain.schedule import ON_CHANGE, cron_of
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.serve.refusals import Conflict

LOCATION, _REPOSITORY = "helio_dagster", "__repository__"
_TIMEOUT_S = 120.0
_TRIES, _SETTLE_S = 5, 0.2
"""When a tick ends, Dagster's daemon writes a sensor's whole state as it read it just before: a switch between is lost."""
_NO_DAGSTER = "This server runs no schedules."
_START_DAGSTER = "`helio ui` serves the same page and runs them."
_NOT_READ = "Dagster has not read this schedule yet; switching it reads it."
_SHARED = "Dagster's sensor on_change runs all pipelines with `schedule: on_change`, and is switched for all of them."
_STATE = "{ id selectorId status }"
_SCHEDULE = f"""query($of: ScheduleSelector!) {{ found: scheduleOrError(scheduleSelector: $of) {{
  __typename ... on PythonError {{ message }} ... on Schedule {{
    cronSchedule state: scheduleState {_STATE} next: futureTicks(limit: 1) {{ results {{ timestamp }} }} }} }} }}"""
_SENSOR = f"""query($of: SensorSelector!) {{ found: sensorOrError(sensorSelector: $of) {{
  __typename ... on PythonError {{ message }} ... on Sensor {{ state: sensorState {_STATE} }} }} }}"""
_FAULT = "__typename ... on PythonError { message } ... on UnauthorizedError { message }"
_CHANGES = {
    ("schedule", True): f"mutation($of: ScheduleSelector!) {{ done: startSchedule(scheduleSelector: $of) {{ {_FAULT} }} }}",
    ("schedule", False): f"""mutation($id: String!, $selector: String!) {{
      done: stopRunningSchedule(id: $id, scheduleSelectorId: $selector) {{ {_FAULT} }} }}""",
    ("sensor", True): f"mutation($of: SensorSelector!) {{ done: startSensor(sensorSelector: $of) {{ {_FAULT} }} }}",
    ("sensor", False): f"""mutation($id: String!, $selector: String!) {{
      done: stopSensor(id: $id, jobSelectorId: $selector) {{ {_FAULT} }} }}""",
}
_RELOAD = """mutation($location: String!) { done: reloadRepositoryLocation(repositoryLocationName: $location) {
  __typename ... on PythonError { message } ... on ReloadNotSupported { message }
  ... on RepositoryLocationNotFound { message } } }"""
_REFUSED = ("PythonError", "UnauthorizedError", "ReloadNotSupported", "RepositoryLocationNotFound")


class Switches:
    """The schedules of a home's pipelines. Call it from a worker thread of the server.

    Parameters
    ----------
    dagster
        Dagster's own UI as an application; None where it is not served.
    """

    def __init__(self, dagster: ASGIApp | None) -> None:
        self._dagster = dagster

    def read(self, pipeline: Pipeline) -> ScheduleReport:
        """How the schedule is now; HelioError where Dagster cannot say."""
        if pipeline.schedule is None:
            return ScheduleReport(schedule=None, note="Its file has no `schedule:`.")
        if self._dagster is None:
            return ScheduleReport(schedule=pipeline.schedule, note=f"{_NO_DAGSTER} {_START_DAGSTER}")
        return self._switch(pipeline, self._found(pipeline))

    def turn(self, pipeline: Pipeline, *, is_on: bool) -> ScheduleReport:
        """Switch it, after Dagster has read the file again where it does not know this schedule; how it is then.

        Raises
        ------
        Conflict
            There is no schedule, it is not of this pipeline alone, or nothing here runs schedules.
        HelioError
            Dagster did not do it.
        """
        known = self.read(pipeline)
        if pipeline.schedule is None:
            raise Conflict(
                f"{pipeline.name} has no schedule", hint="Write `schedule: daily` in its file, or say `run it daily`."
            )
        if self._dagster is None:
            raise Conflict("this server runs no schedules", hint=_START_DAGSTER)
        if not known.can_switch:
            raise Conflict(f"the schedule of {pipeline.name} is not its own", hint=_SHARED)
        found = self._found(pipeline)
        if not self._is_read(pipeline, found):
            self._done(_RELOAD, {"location": LOCATION})
            found = self._found(pipeline)
            if not self._is_read(pipeline, found):
                hint = "See whether the pipeline is valid: helio check. Dagster's log is in the home's folder logs."
                raise HelioError(f"Dagster does not know the schedule of {pipeline.name}", hint=hint)
        kind, selector = _selector(pipeline)
        for _ in range(_TRIES):
            of = {"of": selector} if is_on else {"id": found["state"]["id"], "selector": found["state"]["selectorId"]}
            self._done(_CHANGES[kind, is_on], of)
            time.sleep(_SETTLE_S)
            found = self._found(pipeline)
            turned = self._switch(pipeline, found)
            if turned.is_on is is_on:
                return turned
        raise HelioError(f"Dagster did not keep the switch of {pipeline.name}", hint="Try again in a moment.")

    def _switch(self, pipeline: Pipeline, found: Mapping[str, Any]) -> ScheduleReport:
        can_switch = pipeline.schedule != ON_CHANGE or pipeline.is_over_events
        if not self._is_read(pipeline, found):
            note = _NOT_READ if can_switch else _SHARED
            return ScheduleReport(schedule=pipeline.schedule, can_switch=can_switch, note=note)
        is_on = found["state"]["status"] == "RUNNING"
        ticks = found.get("next", {}).get("results", []) if is_on else []
        due = f"{datetime.fromtimestamp(ticks[0]['timestamp'], UTC):%Y-%m-%d %H:%M}" if ticks else None
        return ScheduleReport(
            schedule=pipeline.schedule, is_on=is_on, can_switch=can_switch, next=due, note="" if can_switch else _SHARED
        )

    def _found(self, pipeline: Pipeline) -> Mapping[str, Any]:
        kind, selector = _selector(pipeline)
        return self._ask(_SCHEDULE if kind == "schedule" else _SENSOR, {"of": selector})["found"] or {}

    @staticmethod
    def _is_read(pipeline: Pipeline, found: Mapping[str, Any]) -> bool:
        """Whether what Dagster has loaded is what the file says now."""
        cron = None if pipeline.schedule == ON_CHANGE else cron_of(pipeline.schedule or "")
        return "state" in found and found.get("cronSchedule") == cron

    def _done(self, change: str, of: Mapping[str, Any]) -> None:
        found = self._ask(change, of)["done"]
        if found["__typename"] in _REFUSED:
            raise HelioError(f"Dagster did not do it: {found.get('message') or found['__typename']}".splitlines()[0])

    def _ask(self, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        return from_thread.run(self._asked, query, variables)

    async def _asked(self, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._dagster is None:
            raise TypeError("nothing is asked where Dagster is not served")
        transport = httpx.ASGITransport(self._dagster, root_path=DAGSTER)
        async with httpx.AsyncClient(transport=transport, base_url="http://dagster", timeout=_TIMEOUT_S) as client:
            answer = await client.post("/graphql", json={"query": query, "variables": variables})
        try:
            document: Mapping[str, Any] = json.loads(answer.content)
            if document.get("errors"):
                raise HelioError(f"Dagster cannot say: {document['errors'][0]['message']}".splitlines()[0])
            found: Mapping[str, Any] = document["data"]
        except (ValueError, KeyError, TypeError) as error:
            raise HelioError(f"Dagster answered {answer.status_code}", hint="Its log is in the home's folder logs.") from error
        return found


def _selector(pipeline: Pipeline) -> tuple[Literal["schedule", "sensor"], dict[str, str]]:
    """What of Dagster's runs a pipeline by itself, under the names that `assets.scheduling` and `assets.event_sensors` give."""
    place = {"repositoryName": _REPOSITORY, "repositoryLocationName": LOCATION}
    if pipeline.schedule != ON_CHANGE:
        return "schedule", {**place, "scheduleName": pipeline.name}
    return "sensor", {**place, "sensorName": f"events_of_{pipeline.name}" if pipeline.is_over_events else ON_CHANGE}
