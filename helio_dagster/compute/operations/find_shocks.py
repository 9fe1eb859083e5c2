"""Interplanetary shocks looked for in field and plasma: find_shocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.local_sums import find_windows
from helio_dagster.compute.operations.averages import Length, mean_in_windows
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import strength
from helio_dagster.compute.operations.plasma import DENSITY, FIELD, TEMPERATURE
from helio_dagster.compute.operations.results import fact
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

FORWARD, REVERSE = 1.0, -1.0
SIDES = ("upstream_start", "upstream_stop", "downstream_start", "downstream_stop")
_SHARP = 4
_RATIOS = ("field", "density", "temperature")
Sign = Literal[1, -1]
_SIGNS: tuple[Sign, Sign] = (1, -1)


class FindShocksOptions(Options):
    """By how much field and plasma must change, and over which times they are compared."""

    field_ratio: Annotated[float, Field(gt=1)] = 1.2
    """The strength of the field downstream must be at least this many times that upstream."""
    density_ratio: Annotated[float, Field(gt=1)] = 1.2
    """The density downstream must be at least this many times that upstream."""
    temperature_ratio: Annotated[float, Field(gt=0)] = 1 / 1.2
    """The temperature downstream must be more than this many times that upstream."""
    speed_jump: Annotated[float, Field(gt=0)] = 20.0
    """The speed after the shock must be at least this much greater than before, in km/s."""
    length: Length = timedelta(minutes=8)
    """How long the averages of both sides are, an ISO 8601 duration such as PT8M; farther from the Sun take longer ones."""
    clear_upstream: Length = timedelta(minutes=1)
    """What is upstream and nearer to the shock than this does not count, an ISO 8601 duration such as PT1M."""
    clear_downstream: Length = timedelta(minutes=2)
    """What is downstream and nearer to the shock than this does not count, an ISO 8601 duration such as PT2M."""
    apart: Length = timedelta(minutes=30)
    """Of shocks at most this far apart the sharpest counts, an ISO 8601 duration such as PT30M."""
    min_samples: Annotated[int, Field(ge=2)] = 3
    """Where a quantity has fewer valid samples than this on one side, there is no shock."""
    kind: Literal["both", "forward", "reverse"] = "both"
    """Which are listed: fast forward shocks, fast reverse shocks, or both."""

    @property
    def near_ns(self) -> int:
        """How long the means are by which the moment is found."""
        return max(duration_ns(self.length) // _SHARP, 2)


@dataclass(frozen=True)
class _Sides:
    """Means of each quantity upstream and downstream of each time, for one kind of shock; float64, shape (time,) each."""

    upstream: Mapping[str, Floats]
    downstream: Mapping[str, Floats]

    def ratio(self, name: str) -> Floats:
        """Downstream / upstream."""
        with np.errstate(all="ignore"):
            return self.downstream[name] / self.upstream[name]


class FindShocks(ShippedOperation[FindShocksOptions]):
    """Events of a moment, with what changes and between which times it was compared."""

    id = "find_shocks"
    version = 1
    of_one_spacecraft = ("field", "velocity", "density", "temperature")
    summary = (
        "Interplanetary shocks as events: fast forward and fast reverse ones, by the jumps of field, density, heat and speed."
    )
    when = (
        "Use it to list candidates for shocks in the solar wind, and shock_parameters_of_events for the normal, theta_Bn and "
        "Mach numbers of each. Look at each of them: sheets and edges of streams can pass the same limits. Data once an hour "
        "hold no shock within the default lengths: with length: PT4H and clear_upstream and clear_downstream: PT1H wide jumps "
        "are found. For steps in one series use jumps."
    )
    reference = (
        "Fast forward: B_d / B_u >= 1.2, N_d / N_u >= 1.2, T_d / T_u > 1 / 1.2, V_d - V_u >= 20 km/s; fast reverse: the same "
        "ratios, downstream first, V_u - V_d >= 20 km/s; means over 8 min, from 1 min upstream and 2 min downstream on, of at "
        "least 3 samples: the criteria of the Database of Heliospheric Shock Waves (Kilpua et al. 2015, "
        "doi:10.1002/2015JA021138). The moment is this operation's own: the sample of the field at which the means of |B| over "
        "a quarter of length after and before have the greatest ratio (reverse: the least) so far around, at least field_ratio."
    )
    inputs = {
        "field": FIELD,
        "velocity": Input(("series", "vector"), "the bulk velocity, or its speed", ("speed", "velocity"), "km/s", columns=1),
        "density": DENSITY,
        "temperature": Input(
            TEMPERATURE.kinds, TEMPERATURE.meaning, TEMPERATURE.quantity, TEMPERATURE.unit, columns=1, is_optional=True
        ),
    }
    output = (
        "Events at samples of the field: type (1 forward, -1 reverse), ratios downstream / upstream, speed_jump in km/s, and "
        "when both sides start and stop. No event where a side, or the moment itself, lacks samples."
    )
    options = FindShocksOptions
    marks_records = True
    examples = (
        Example(
            inputs={
                "field": ExampleTable(
                    unit="nT", columns={"b": (5,) * 12 + (10,) * 13}, seconds=tuple(60.0 * each for each in range(25))
                ),
                "velocity": ExampleTable(
                    unit="km/s", columns={"v": (400,) * 12 + (480,) * 13}, seconds=tuple(60.0 * each for each in range(25))
                ),
                "density": ExampleTable(
                    unit="cm^-3", columns={"n": (4,) * 12 + (10,) * 13}, seconds=tuple(60.0 * each for each in range(25))
                ),
            },
            expected={
                "type": (1,),
                "field_ratio": (2,),
                "density_ratio": (2.5,),
                "speed_jump": (80,),
                "upstream_start": (180,),
                "upstream_stop": (660,),
                "downstream_start": (840,),
                "downstream_stop": (1320,),
            },
            seconds=(720,),
            units={"speed_jump": "km/s"},
            source="by hand: a step between the samples at 11 and 12 min",
        ),
    )

    def halo(self, options: FindShocksOptions) -> tuple[timedelta, timedelta]:
        """The farther clear distance, length and apart, on both sides."""
        clear = max(duration_ns(options.clear_upstream), duration_ns(options.clear_downstream))
        reach = duration_from_ns(clear + duration_ns(options.length) + duration_ns(options.apart))
        return reach, reach

    def sample_demands(self, options: FindShocksOptions) -> tuple[SampleDemand, ...]:
        """Those of a side, of each quantity; and a sample of the field near another one, which is the moment."""
        near = duration_from_ns(options.near_ns)
        sides = [SampleDemand(name, options.min_samples, options.length) for name in self.inputs]
        return (*sides, SampleDemand("field", 2, near))

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        return {**meta.dtypes, **dict.fromkeys(SIDES, "datetime64[ns]")}

    def _meta(self, inputs: Mapping[str, TableMeta], options: FindShocksOptions, name: str) -> TableMeta:
        del options, name
        columns: list[ColumnMeta] = [*fact("type", "1 fast forward, -1 fast reverse")]
        for each in _RATIOS:
            columns += fact(f"{each}_ratio", f"{each}, downstream / upstream") if each in inputs else ()
        columns += fact("speed_jump", "change of the speed", "km/s")
        for each in SIDES:
            columns += fact(each, each.replace("_", " "))
        return TableMeta(kind="events", columns=tuple(columns), label="Shocks")

    def _compute(self, inputs: Mapping[str, Table], options: FindShocksOptions, meta: TableMeta) -> Table:
        from helio_dagster.compute.window_ranks import is_greatest_around  # it imports pandas, for which a start need not wait

        tables = {name: (inputs[name].time, strength(self._values(inputs, name))) for name in inputs if len(inputs[name])}
        time, field = tables["field"]
        time, field = time[np.isfinite(field)], field[np.isfinite(field)]
        if not len(time) or len(tables) < len(inputs):
            return Table.empty(meta, self._dtypes(meta))
        with np.errstate(all="ignore"):
            sides = [_sides(tables, time, options, sign) for sign in _SIGNS]
            sharpness = [_sharpness(time, field, options, sign) for sign in _SIGNS]
            scores = [
                np.where(
                    _is_shock(each, sharp, options, sign) & is_greatest_around(time, sharp, options.near_ns), sharp, np.nan
                )
                for each, sharp, sign in zip(sides, sharpness, _SIGNS, strict=True)
            ]
        best = np.fmax(*scores)
        place = np.flatnonzero(~np.isnan(best) & is_greatest_around(time, best, duration_ns(options.apart)))
        is_forward = scores[0][place] == best[place]
        of_kind = {"both": is_forward | True, "forward": is_forward, "reverse": ~is_forward}[options.kind]
        return self._table(time, place[of_kind], is_forward[of_kind], sides, options, meta)

    def _table(
        self,
        time: NDArray[np.datetime64],
        place: NDArray[np.intp],
        is_forward: NDArray[np.bool_],
        sides: list[_Sides],
        options: FindShocksOptions,
        meta: TableMeta,
    ) -> Table:
        """The events at some samples of the field."""
        at = time[place].astype("datetime64[ns]")
        near = {
            side: np.timedelta64(duration_ns(getattr(options, f"clear_{side}")), "ns") for side in ("upstream", "downstream")
        }
        columns: dict[str, NDArray[np.generic]] = {"type": np.where(is_forward, FORWARD, REVERSE)}
        for name in (each for each in _RATIOS if f"{each}_ratio" in meta.data_names):
            columns[f"{name}_ratio"] = np.where(is_forward, *(each.ratio(name)[place] for each in sides))
        jumps = [np.abs(each.downstream["velocity"] - each.upstream["velocity"])[place] for each in sides]
        columns["speed_jump"] = np.where(is_forward, *jumps)
        length = np.timedelta64(duration_ns(options.length), "ns")
        for side, is_before in (("upstream", is_forward), ("downstream", ~is_forward)):
            columns[f"{side}_start"] = np.where(is_before, at - near[side] - length, at + near[side])
            columns[f"{side}_stop"] = np.where(is_before, at - near[side], at + near[side] + length)
        return Table(at, {name: columns[name] for name in (each.name for each in meta.columns)}, meta)


Tables = Mapping[str, tuple[NDArray[np.datetime64], Floats]]


def _sides(tables: Tables, around: NDArray[np.datetime64], options: FindShocksOptions, sign: Sign) -> _Sides:
    """Means of all quantities on both sides of each time, were it that of a shock of this kind."""
    length = duration_ns(options.length)
    found: dict[str, dict[str, Floats]] = {}
    for side, clear, is_before in (
        ("upstream", duration_ns(options.clear_upstream), sign > 0),
        ("downstream", duration_ns(options.clear_downstream), sign < 0),
    ):
        before_ns, after_ns = (clear + length, -clear) if is_before else (-clear, clear + length)
        found[side] = {}
        for name, (time, values) in tables.items():
            windows = find_windows(time, before_ns, after_ns, with_lower_edge=True, around=around)
            found[side][name] = mean_in_windows(windows, np.where(np.isfinite(values), values, np.nan), options.min_samples)
    return _Sides(found["upstream"], found["downstream"])


def _sharpness(time: NDArray[np.datetime64], field: Floats, options: FindShocksOptions, sign: Sign) -> Floats:
    """Ratio of the field's strength right after a sample, and with it, to that right before; for reverse shocks its inverse."""
    before = mean_in_windows(find_windows(time, options.near_ns, -1, with_lower_edge=True), field, 1)
    after = mean_in_windows(find_windows(time, 0, options.near_ns - 1, with_lower_edge=True), field, 1)
    return np.asarray(after / before if sign > 0 else before / after)


def _is_shock(sides: _Sides, sharpness: Floats, options: FindShocksOptions, sign: Sign) -> NDArray[np.bool_]:
    jump = sign * (sides.downstream["velocity"] - sides.upstream["velocity"])
    is_met = (jump >= options.speed_jump) & (sides.ratio("density") >= options.density_ratio)
    is_met &= (sides.ratio("field") >= options.field_ratio) & (sharpness >= options.field_ratio)
    if "temperature" in sides.upstream:
        is_met &= sides.ratio("temperature") > options.temperature_ratio
    return np.asarray(is_met & np.isfinite(sharpness))
