"""Solar wind data at the times when what was measured upstream arrives at a point near the Earth: propagate."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.operations.arithmetic import MatchOptions, shared_frame
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, floats, like_meta
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import matched
from helio_dagster.compute.operations.results import times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.lengths import EARTH_RADIUS_KM
from helio_dagster.domain.table import Table, TableMeta

LEAST_SINE = 0.1
"""A flow that is nearer than about 6 deg to a plane of the structure does not carry it along."""


class PropagateOptions(MatchOptions):
    """Where to, in what bins, and how structures lie."""

    cadence: Length = timedelta(minutes=1)
    """Length of the bins of arrival, an ISO 8601 duration such as PT1M; they begin at its multiples since 1970."""
    to_re: Annotated[float, Field(ge=-300, le=300)] = 14.0
    """Where on the line from the Earth to the Sun data arrive, in R_E (6371.2 km); by default near the bow shock's nose."""
    normal: tuple[float, float, float] | None = None
    """Normal of the planes that the wind carries, in the frame of the position; by default along X: a flat delay. That of
    minimum_variance_frame is tilted as the field is."""
    longest: Length = timedelta(hours=2)
    """Longest delay, an ISO 8601 duration such as PT2H; samples with a longer one, or a negative one, are left out."""

    @model_validator(mode="after")
    def _has_length(self) -> PropagateOptions:
        if self.normal is not None and not np.linalg.norm(self.normal) > 0:
            raise ValueError("normal has no length. Give a vector such as [0.8, 0.6, 0]")
        return self


class Propagate(ShippedOperation[PropagateOptions]):
    """Data shifted by the time that the flow takes."""

    id = "propagate"
    version = 2
    keeps_place = False
    of_one_spacecraft = ("series", "position")
    summary = "Solar wind data shifted to when they arrive at a point between Sun and Earth, such as the bow shock's nose."
    when = (
        "Use it to compare data of a spacecraft upstream with the magnetosphere, where OMNI does not do. "
        "Do not use it on OMNI, which is shifted already."
    )
    reference = (
        "t' = t + (r_target - r) n / (V n), with V = (-v, 0, 0) of a speed v; n along X is the flat delay, another normal "
        "that of planes (Weimer et al. 2003, doi:10.1029/2002JA009405; King and Papitashvili 2005, "
        "doi:10.1029/2004JA010649). A bin "
        "has the mean of all samples that arrive in it, also where fast wind overtakes slow."
    )
    inputs = {
        "series": Input(("series", "vector"), "what is shifted, column by column"),
        "velocity": Input(("series", "vector"), "the flow, or its speed away from the Sun", ("speed", "velocity"), "km/s"),
        "position": Input(("vector",), "where the spacecraft is", ("position",), "km", columns=3, frames=("GSE", "GSM")),
    }
    output = (
        "The input's kind, unit and frame, one record per bin in which a sample arrives; NaN where none of them is valid. "
        "Samples without flow or position near enough, or whose flow is within 6 deg of the plane, are left out."
    )
    options = PropagateOptions
    keeps_times = False
    examples = (
        Example(
            inputs={
                "series": ExampleTable(unit="nT", columns={"v": (1, 3, 5)}, seconds=(0, 60, 120)),
                "velocity": ExampleTable(unit="km/s", columns={"v": (400, 400, 400)}, seconds=(0, 60, 120)),
                "position": ExampleTable(
                    kind="vector",
                    unit="km",
                    frame="GSE",
                    columns={"x": (1_440_000,) * 3, "y": (0,) * 3, "z": (0,) * 3},
                    seconds=(0, 60, 120),
                ),
            },
            options={"to_re": 0, "cadence": "PT2M"},
            expected={"result": (2, 5)},
            seconds=(3600, 3720),
            unit="nT",
            source="by hand: 1,440,000 km at 400 km/s take an hour",
        ),
    )

    def halo(self, options: PropagateOptions) -> tuple[timedelta, timedelta]:
        """The longest delay before, one bin after, and the tolerance on both sides."""
        return options.longest + options.tolerance, options.cadence + options.tolerance

    def _meta(self, inputs: Mapping[str, TableMeta], options: PropagateOptions, name: str) -> TableMeta:
        position, velocity = inputs["position"], inputs["velocity"]
        if velocity.kind == "vector" and velocity.columns and position.columns:
            shared_frame(velocity, position, names=("velocity", "position"))
        columns = self.inputs["velocity"].used_columns(velocity, operation_id=self.id)
        if velocity.columns and len(columns) not in (1, 3):
            raise ComputeError(
                f"{self.id} takes a speed or three components as 'velocity'", hint="Take a vector or its length."
            )
        meta = inputs["series"]
        shifted = like_meta(meta, name, label=f"{meta.label or name}, shifted to {options.to_re:g} R_E")
        return shifted.model_copy(update={"extent": Extent.of_bin(options.cadence)})

    def _compute(self, inputs: Mapping[str, Table], options: PropagateOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        arrival = times_ns(table) + np.rint(self._delays_s(inputs, options) * 1e9).astype(np.int64)
        delay = arrival - times_ns(table)
        kept = np.flatnonzero((delay >= 0) & (delay <= duration_ns(options.longest)))
        if not len(kept):
            return Table.empty(meta, self._dtypes(meta))
        length = duration_ns(options.cadence)
        bins = arrival[kept] // length
        kept, bins = kept[np.argsort(bins, kind="stable")], np.sort(bins)
        first = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
        columns = {
            name: _means(floats(table, source)[kept], first)
            for name, source in zip(meta.data_names, table.meta.data_names, strict=True)
        }
        return Table((bins[first] * length).astype("datetime64[ns]"), columns, meta)

    def _delays_s(self, inputs: Mapping[str, Table], options: PropagateOptions) -> Floats:
        """The delay of each sample in s; -1 where it is not known."""
        flow = matched(self, inputs, "velocity", options.tolerance)
        place = matched(self, inputs, "position", options.tolerance)
        if len(flow) == 1:
            still = np.zeros(len(flow[0]))
            flow = [-np.abs(flow[0]), still, still]
        given = np.array(options.normal or (1.0, 0.0, 0.0))
        normal = given / np.linalg.norm(given)
        target = (options.to_re * EARTH_RADIUS_KM, 0.0, 0.0)
        with np.errstate(all="ignore"):
            along = sum(each * share for each, share in zip(flow, normal, strict=True))
            away = sum((end - each) * share for end, each, share in zip(target, place, normal, strict=True))
            speed = np.sqrt(sum(each * each for each in flow))
            delay = np.asarray(away / along)
            is_known = np.isfinite(delay) & (np.abs(along) >= LEAST_SINE * speed) & (np.abs(delay) < 1e7)
        return np.where(is_known, delay, -1.0)


def _means(values: Floats, first: np.ndarray) -> Floats:
    """Mean of the finite values from one index of `first` to the next, NaN where there is none."""
    is_valid = np.isfinite(values)
    counts = np.add.reduceat(is_valid.astype(np.int64), first)
    sums = np.add.reduceat(np.where(is_valid, values, 0.0), first)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
