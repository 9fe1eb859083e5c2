"""Requests for where a body was: its orbit, or the angle between two as a third sees them. Other words are not its matter."""

from __future__ import annotations

from datetime import datetime, timedelta

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.assembly import compute_of, figure_of, plain_pipeline, step_of
from helio_dagster.agent.offline.ephemeris_words import Said, read_ephemeris, without_link
from helio_dagster.agent.offline.request_times import range_of
from helio_dagster.catalog.missions import find_mission
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.bodies import Body, find_body
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.yaml.document import Value

_LONG = timedelta(days=31)
_ABOUT_LONGITUDE = "The longitude is that about the Sun's axis (HCI); latitudes do not count."


class Ephemerides:
    """Plans pipelines over ephemerides, of spacecraft in the demo archive where they are made up, else of SPICE kernels."""

    def answer(self, request: str, now: datetime) -> Plan | None:
        """The plan of a request for a position or a separation; None where it is none, or of a body without kernels.

        Raises
        ------
        OpenQuestion
            The time is missing, or can be read in several ways.
        """
        text = " ".join(request.split()).strip(" .!?")
        found = find_span(text, now)
        before = without_link(text[: found.first], text[found.first : found.last]) if found else text
        rest = f"{before} {text[found.last :].strip(' ,')}".strip() if found else text
        asked = next(filter(None, map(_of_known_bodies, read_ephemeris(rest))), None)
        if asked is None:
            return None
        said, named = asked
        if said.kind == "orbit" and named[0].naif_id < 0 and not named[0].is_made_up:
            return None  # that of a mission that the catalog has
        if said.kind in ("where", "position", "orbit") and named[0].name == "SUN":
            return None
        if said.kind == "position" and not said.frame and _is_catalogued(named[0]):
            return None
        span = range_of(text, found, f"{text} in 2021", f"{text} for the last 30 days")
        if said.kind == "near" and not said.limit:
            first = found.first if found else 0
            choices = [f"{text[:first].strip(' ,')} within {limit} degrees {text[first:]}" for limit in (5, 10)]
            raise OpenQuestion("Within how many degrees of longitude of each other?", choices)
        if said.kind == "along":
            pipeline = _apart_in_longitude(named, span)
        elif said.kind == "near":
            pipeline = _near_each_other(named, span, said.limit, is_of_longitude=said.is_of_longitude)
        elif said.kind == "angle":
            pipeline = _separation(named, span)
        else:
            pipeline = _whereabouts(named[0], span, said.frame)
        return Plan(pipeline, span, (found.note,) if found and found.note else ())


def _of_known_bodies(said: Said) -> tuple[Said, list[Body]] | None:
    """What is asked, with the bodies that are named; None where one of them is not known, or named twice."""
    bodies = [body for name in said.names if (body := _known(name)) is not None]
    return (said, bodies) if len({body.name for body in bodies}) == len(said.names) else None


def _known(name: str) -> Body | None:
    try:
        return find_body(name)
    except UnknownDataset:
        return None


def _is_catalogued(body: Body) -> bool:
    """Whether the catalog has data of a spacecraft, which then have its positions, too."""
    try:
        find_mission(body.label.split()[0])
    except InputError:
        return False
    return True


def _whereabouts(body: Body, span: TimeRange, frame: str) -> Pipeline:
    """Where a body was, in a frame that is named, else in HCI."""
    archive, cadence = _archive([body]), _cadence(span)
    seen: dict[str, Value] = {"archive": archive, "target": body.name, "observer": "SUN", "cadence": cadence, "unit": "au"}
    steps = [
        step_of("place", f"Position of {body.label} in {frame or 'HCI'}", fetch={**seen, "frame": frame or "HCI"}),
        step_of("distance", "Distance from the Sun", fetch={**seen, "parameter": "distance"}),
        figure_of("Orbit from above, distance below", {"traces": [{"data": "place"}], "polar": {}}, "distance"),
    ]
    lacking = "no observer" if frame else "no observer and no frame"
    assumed = [f"Positions are seen from the Sun in {frame or 'HCI'}, because the request names {lacking}."]
    return _pipeline(f"{body.label} orbit", [body], span, steps, assumed)


def _separation(bodies: list[Body], span: TimeRange) -> Pipeline:
    target, other, observer = bodies
    fetch: dict[str, Value] = {
        "archive": _archive(bodies),
        "target": f"separation({target.name}, {other.name})",
        "observer": observer.name,
        "cadence": _cadence(span),
    }
    words = f"Angle between {target.label} and {other.label} from {observer.label}"
    return _pipeline(words, bodies, span, [step_of("angle", words, fetch=fetch), figure_of("Draw the angle", "angle")], [])


def _apart_in_longitude(bodies: list[Body], span: TimeRange) -> Pipeline:
    """How far two bodies are apart in longitude, over time, with its least and greatest value in numbers."""
    words = f"Longitudes of {bodies[0].label} and {bodies[1].label} apart"
    extremes = compute_of("facts_of", {"series": "apart"}, {"statistics": ["minimum", "maximum", "mean"]})
    steps = [
        *_longitude_steps(bodies, span),
        step_of("extremes", "The least and greatest difference, and when", over="range", compute=extremes),
        figure_of("The difference of longitudes, with its extremes", "apart", "extremes"),
    ]
    return _pipeline(words, bodies, span, steps, [_ABOUT_LONGITUDE])


def _longitude_steps(bodies: list[Body], span: TimeRange) -> list[Value]:
    """The positions of two bodies and the angle between them about the Sun's axis, as the step `apart`."""
    seen: dict[str, Value] = {"archive": _archive(bodies), "observer": "SUN", "cadence": _cadence(span)}
    places = [
        step_of(name, f"Position of {body.label} in HCI", fetch={**seen, "target": body.name, "frame": "HCI", "unit": "au"})
        for name, body in zip(("place", "other_place"), bodies, strict=True)
    ]
    apart = compute_of("angle_between", {"a": "place", "b": "other_place"}, {"plane": "xy"})
    return [*places, step_of("apart", "How far they are apart in longitude", compute=apart)]


def _near_each_other(bodies: list[Body], span: TimeRange, limit: str, *, is_of_longitude: bool) -> Pipeline:
    """The times when two bodies are within an angle of each other, seen from the Sun: in space, or in longitude alone."""
    one, other = bodies
    seen: dict[str, Value] = {"archive": _archive(bodies), "observer": "SUN", "cadence": _cadence(span)}
    what = "longitude" if is_of_longitude else "angle at the Sun"
    words = f"{one.label} and {other.label} within {limit} degrees of {what}"
    assumed: list[str] = []
    if is_of_longitude:
        steps = _longitude_steps(bodies, span)
        assumed.append(_ABOUT_LONGITUDE)
    else:
        fetch: dict[str, Value] = {**seen, "target": f"separation({one.name}, {other.name})"}
        steps = [step_of("apart", "Angle between them as the Sun sees it", fetch=fetch)]
    listed = compute_of("intervals_where", {"series": "apart"}, {"below": float(limit), "longest": "P31D"})
    steps += [
        step_of("near", f"When they are within {limit} degrees", compute=listed),
        figure_of("How far they are apart, with those times shaded", "apart", events="near"),
    ]
    assumed.append("An interval that is longer than 31 days is cut there, and marked.")
    return _pipeline(words, bodies, span, steps, assumed)


def _pipeline(title: str, bodies: list[Body], span: TimeRange, steps: list[Value], assumed: list[str]) -> Pipeline:
    is_made_up = _archive(bodies) != SPICE_ARCHIVE
    source = "the made-up orbits of the demo archive" if is_made_up else "SPICE kernels of the missions"
    step = "hour" if span.duration > _LONG else "ten minutes"
    stated = f"Positions come from {source}; they are geometric, without light time."
    dense = f"One position every {step}, because the request names no cadence."
    return plain_pipeline(title, steps, [stated, *assumed, dense], partitions="monthly" if span.duration > _LONG else "daily")


def _archive(bodies: list[Body]) -> str:
    return "demo" if any(body.is_made_up for body in bodies) else SPICE_ARCHIVE


def _cadence(span: TimeRange) -> str:
    return "PT1H" if span.duration > _LONG else "PT10M"
