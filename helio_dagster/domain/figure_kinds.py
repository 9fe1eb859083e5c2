"""Panels that show their data in another way than over time: an orbit, a map of longitudes, a calendar, one panel per event."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from helio_dagster.domain.described import Described
from helio_dagster.domain.pipeline_fields import Duration, Moment, Reference

Plane = Literal["XY", "XZ", "YZ", "XR"]
"""Planes of a frame, the first axis to the right; R is the distance from the X axis."""


class _Kind(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What is not given says nothing: the code versions of figures are made of this."""
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if value is not None}


class SolarWind(_Kind):
    """Conditions in the solar wind, for models of boundaries."""

    pressure: Annotated[float, Field(gt=0, le=200)] = 2.0
    """Dynamic pressure in nPa."""
    bz: Annotated[float, Field(ge=-100, le=100)] = 0.0
    """Bz of the interplanetary magnetic field in GSM, in nT."""


class Orbit(_Kind):
    """Positions in planes of their frame, with equal axes."""

    planes: Annotated[tuple[Plane, ...], Field(min_length=1, max_length=4)] = ("XY", "XZ", "YZ")
    """Planes beside each other; below each other on narrow sheets."""
    body: Literal["earth", "sun", "none"] | None = None
    """What is at the origin, drawn to scale; by the frame where not given."""
    unit: Literal["R_E", "km", "AU", "R_S"] | None = None
    """Unit of the axes; R_E around Earth and AU around the Sun where not given."""
    frame: Annotated[str, Field(min_length=1, max_length=16)] | None = None
    """Frame of the positions, where the data do not say it."""
    every: Duration | None = None
    """Time between marks along the orbit; by the range where not given."""
    magnetopause: bool = False
    """Whether the model magnetopause of Shue et al. (1998) is drawn."""
    bow_shock: bool = False
    """Whether the model bow shock of Jelínek et al. (2012) is drawn."""
    solar_wind: SolarWind = SolarWind()
    """Conditions for these models."""

    @field_validator("every")
    @classmethod
    def _check_every(cls, every: timedelta | None) -> timedelta | None:
        return _longer_than_nothing(every)

    @field_validator("planes")
    @classmethod
    def _check_planes(cls, planes: tuple[Plane, ...]) -> tuple[Plane, ...]:
        if len(set(planes)) < len(planes):
            raise ValueError("each plane may be named once")
        return planes


class Polar(_Kind):
    """Positions about the Sun, seen from above the ecliptic, with Parker spirals."""

    speed: Annotated[float, Field(ge=50, le=5000)] = 400.0
    """Speed of the solar wind for the spirals, in km/s."""
    spirals: bool = True
    """Whether the spiral through the last position of each spacecraft is drawn."""
    earth: bool = True
    """Whether the Earth is drawn where it is at the last position, if the frame says where that is."""
    frame: Annotated[str, Field(min_length=1, max_length=16)] | None = None
    """Frame of the positions, where the data do not say it: HCI, HGI, HAE, HEE or HEEQ."""
    every: Duration | None = None
    """Time between marks along the paths; by the range where not given."""

    @field_validator("every")
    @classmethod
    def _check_every(cls, every: timedelta | None) -> timedelta | None:
        return _longer_than_nothing(every)


class Calendar(_Kind):
    """A coloured cell for each day, in rows of months or years."""

    show: Literal["coverage", "mean", "min", "max", "count"] | None = None
    """What a cell shows; the coverage of samples, the mean of facts and the number of events where not given."""
    cell: Literal["hour", "day", "month"] = "day"
    """What a cell stands for: rows of hours are days, rows of months are years."""
    rows: Literal["month", "year"] | None = None
    """What a row of days is; by the length of the range where not given."""

    @model_validator(mode="after")
    def _check_rows(self) -> Calendar:
        if self.rows is not None and self.cell != "day":
            raise ValueError(
                f"`rows` is for cells of days; rows of {'hours are days' if self.cell == 'hour' else 'months are years'}"
            )
        return self


class Each(_Kind):
    """Small multiples: the panel once for each event of a list, all with the same axes."""

    events: Reference
    """A step whose rows are events; the figure's range says which of them."""
    before: Duration = timedelta(0)
    """How long before the start of each event."""
    after: Duration
    """How long after its start."""
    columns: Annotated[int, Field(ge=1, le=6)] | None = None
    """How many stand beside each other; by the sheet where not given."""

    @model_validator(mode="after")
    def _check_window(self) -> Each:
        if self.before < timedelta(0) or self.after <= timedelta(0):
            raise ValueError("`before` and `after` are lengths of time, and `after` is longer than nothing")
        return self


class Cut(_Kind):
    """A spectrogram as curves over its bins: at times, or averaged over a range, the whole one where nothing is given."""

    at: Annotated[tuple[Moment, ...], Field(min_length=1, max_length=16)] | Moment | None = None
    """Times, each of the record that it is in or nearest to."""
    start: Moment | None = None
    """Where an average starts."""
    stop: Moment | None = None
    """Where it stops."""

    @model_validator(mode="after")
    def _check_times(self) -> Cut:
        if (self.start is None) != (self.stop is None):
            raise ValueError("an average needs both `start` and `stop`")
        if self.at is not None and self.start is not None:
            raise ValueError("a cut is `at` times, or from `start` to `stop`, not both")
        if self.start is not None and self.stop is not None and self.start >= self.stop:
            raise ValueError("`start` is not before `stop`")
        return self

    @property
    def times(self) -> tuple[datetime, ...]:
        """The times that are asked for; none for an average."""
        return () if self.at is None else self.at if isinstance(self.at, tuple) else (self.at,)


def _longer_than_nothing(every: timedelta | None) -> timedelta | None:
    if every is not None and every <= timedelta(0):
        raise ValueError("the time between marks must be longer than nothing")
    return every
