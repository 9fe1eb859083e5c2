"""The solar wind as it is now, in words: `solar wind right now`, `real-time IMF Bz`, `solar wind speed of the last 2 days`.

It is planned from SWPC's last seven days, with today's partition open. Requests for earlier times are left to the planner,
which has OMNI and the spacecraft's own data.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.drafting.assembly import compute_of, figure_of, plain_pipeline, step_of
from helio_dagster.agent.offline.forms import form
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.real_time import SWPC_ARCHIVE, SWPC_KEEPS
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.yaml.document import Value

_QUANTITIES = ("bz", "bt", "b", "speed", "density", "temperature")
_CALLED = {"b": "magnetic field", "bt": "|B|", "bz": "Bz"}
_USUAL = ("bt", "bz", "speed", "density")
"""What is drawn where only the solar wind is named."""
_FETCHED: dict[str, tuple[str, str, str]] = {
    "speed": ("solar-wind-plasma", "speed", "Fetch the speed"),
    "density": ("solar-wind-plasma", "density", "Fetch the density"),
    "temperature": ("solar-wind-plasma", "temperature", "Fetch the temperature"),
}


def real_time_plan(request: str, now: datetime) -> Plan | None:
    """The plan of a request for the solar wind of now or of the last days; None where it is for anything else."""
    found = find_span(request, now)
    rest = f"{request[: found.first]} {request[found.last :]}" if found else request
    if form("real_time.subject").search(rest) is None or not (form("real_time.now").search(request) or found):
        return None
    span = _span(found.span if found else None, now, is_up_to_now=found is not None and "since" in found.words.casefold())
    if span is None or (found is not None and found.span is None):
        return None
    if found is not None and form("real_time.now").search(request) is None and span.stop < Grain.DAILY.floor(now):
        return None
    wanted: list[tuple[int, str]] = []
    rest = form("real_time.now").sub(" ", rest)
    for name, pattern in ((name, form(f"real_time.{name}")) for name in _QUANTITIES):
        if (match := pattern.search(rest)) is not None:
            wanted.append((match.start(), name))
            rest = pattern.sub(lambda each: " " * len(each[0]), rest)
    rest = form("real_time.subject").sub(" ", rest)
    if any(form("real_time.filler").fullmatch(word) is None for word in re.findall(r"[^\s,;.!?:&+]+", rest)):
        return None
    names = [name for _, name in sorted(wanted)]
    if names in ([], ["b"]) and "solar wind" in request.casefold():
        names = list(_USUAL)
    note = f"SWPC has the last {SWPC_KEEPS.days} days of the solar wind at L1 alone; what a run gets stays in the cache."
    is_longer = found is not None and found.span != span
    whole = (f"The range is of whole days: {span}.",) if is_longer else ()
    return Plan(_pipeline(names or ["b"], span, is_open=span.stop > now), span, (*whole, note))


def _span(said: TimeRange | None, now: datetime, *, is_up_to_now: bool) -> TimeRange | None:
    """The days of a range that SWPC has; today where none is said, None of times before the last seven days."""
    today = Grain.DAILY.floor(now)
    if said is None:
        return TimeRange(today, today + timedelta(days=1))
    first = Grain.DAILY.floor(said.start)
    if first < Grain.DAILY.floor(now - SWPC_KEEPS) + timedelta(days=1) or said.start > now:
        return None
    return TimeRange(first, today + timedelta(days=1) if is_up_to_now else Grain.DAILY.ceil(said.stop))


def _pipeline(names: list[str], span: TimeRange, *, is_open: bool) -> Pipeline:
    steps: list[Value] = []
    if {"b", "bz", "bt"} & {*names}:
        fetch: Value = {"archive": SWPC_ARCHIVE, "dataset": "solar-wind-mag", "parameter": "b_gsm"}
        steps.append(step_of("b_gsm", "Fetch the magnetic field vector in GSM", fetch=fetch))
    if "bt" in names:
        steps.append(step_of("b_mag", "Magnitude of the field", compute=compute_of("magnitude", {"vector": "b_gsm"})))
    if "bz" in names:
        of = compute_of("component", {"vector": "b_gsm"}, {"component": "bz_gsm"})
        steps.append(step_of("bz", "North-south component of the field", compute=of))
    for name in names:
        if name in _FETCHED:
            dataset, parameter, intent = _FETCHED[name]
            steps.append(step_of(name, intent, fetch={"archive": SWPC_ARCHIVE, "dataset": dataset, "parameter": parameter}))
    panels: list[Value] = []
    field: list[Value] = [{"data": {"bt": "b_mag", "bz": "bz"}[name]} for name in names if name in ("bt", "bz")]
    for name in names:
        if name in ("bt", "bz"):
            panels += [{"traces": field}] if field else []
            field = []
        else:
            panels.append({"b": "b_gsm"}.get(name, name))
    steps.append(figure_of("Draw the solar wind", *panels))
    title = "Solar wind in real time" if len(names) > 1 else f"Real-time solar wind, {_CALLED.get(names[0], names[0])}"
    assumed = ["The solar wind of the last days is that of NOAA SWPC, real-time data that are not definitive."]
    assumed += ["Today is made up to its newest record, and again as it grows (`open: true`)."] if is_open else []
    description = "The solar wind at L1 as NOAA SWPC publishes it, up to the newest record. Not definitive data."
    more: dict[str, Value] = {"description": description, **({"open": True} if is_open else {})}
    return plain_pipeline(title, steps, assumed, start=format_time(span.start), **more)
