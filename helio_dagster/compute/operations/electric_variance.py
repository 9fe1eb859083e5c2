"""Normal of a boundary by the maximum variance of the electric field (MVAE): maximum_variance_electric."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.electric_variance import electric_frame
from helio_dagster.compute.operations.arithmetic import MatchOptions, shared_frame
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import matched
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_NAMES = ("normal", "intermediate", "minimum")
_ORDER = ("maximum", "intermediate", "minimum")


class ElectricVarianceOptions(MatchOptions):
    """How inputs meet, how many samples there must be, and in which frame the electric field is taken."""

    min_samples: Annotated[int, Field(ge=4)] = 8
    """With fewer valid samples in the window than this nothing is known, at least 4."""
    is_moving: bool = True
    """Whether the electric field is that of a frame which moves with the boundary along its normal; else as it is measured."""


class MaximumVarianceElectric(WindowOperation[ElectricVarianceOptions]):
    """Axes, variances and their errors."""

    id = "maximum_variance_electric"
    version = 1
    of_one_spacecraft = ("electric", "field")
    summary = "Normal of a boundary by the maximum variance of the electric field (MVAE), and its speed along the normal."
    when = (
        "Use it over the crossing of a magnetopause or current sheet where minimum_variance_frame is uncertain because the "
        "field hardly turns; both should agree. For a field made of the flow take convection_electric_field first."
    )
    reference = (
        "Across a steady plane layer the tangential electric field is constant in the frame of the layer, so that the normal N "
        "is the axis of maximum variance of E' = E + u n x B. n and u are those of the minimum Faraday residue: with e = E - "
        "<E>, b = B - <B>, P = <e x b>, n is the axis of the least eigenvalue of <e^2> delta_ij - <e_i e_j> - P_i P_j / <b^2>, "
        "u = P n / <b^2> (Khrabrov and Sonnerup 1998, doi:10.1029/98GL51784). |delta phi_ij| = sqrt(l_3 / (n - 1) (l_i + l_j - "
        "l_3) / (l_i - l_j)^2) (Sonnerup and Scheible 1998, ISSI SR-001, chapter 8, section 8.4 and equation 8.23). Signs: N "
        "has x >= 0, the minimum z >= 0."
    )
    inputs = {
        "electric": Input(("vector",), "the electric field; it gives the times", ("electric field",), "mV/m", columns=3),
        "field": Input(("vector",), "the magnetic field, in the same frame", ("magnetic field",), "nT", columns=3),
    }
    output = (
        "Facts: the three axes as unit vectors in the frame of the inputs, the variances along them in mV^2/m^2, maximum / "
        "intermediate, the angles in deg by which the normal may be turned towards the other axes, speed along the normal in "
        "km/s (0 where is_moving is off), number of samples. The errors do "
        "not contain that of the frame, which may be twice as large. NaN with too few samples, and, where is_moving is on, "
        "where the magnetic field does not vary, so that the speed is not known."
    )
    options = ElectricVarianceOptions
    examples = (
        Example(
            inputs={
                "electric": ExampleTable(
                    kind="vector",
                    unit="mV/m",
                    frame="GSE",
                    columns={"ex": (4, -4, 4, -4, 0, 0), "ey": (2, 2, -2, -2, 0, 0), "ez": (1, -1, -1, 1, 0, 0)},
                ),
                "field": ExampleTable(
                    kind="vector", unit="nT", frame="GSE", columns={"bx": (1,) * 6, "by": (5,) * 6, "bz": (9,) * 6}
                ),
            },
            options={"min_samples": 4, "is_moving": False},
            expected={
                "normal_x": (1,),
                "normal_y": (0,),
                "minimum_z": (1,),
                "maximum_variance": (32 / 3,),
                "intermediate_variance": (8 / 3,),
                "minimum_variance": (2 / 3,),
                "ratio": (4,),
                "normal_error_intermediate": (math.degrees((2 / 3 / 5 * (32 / 3 + 8 / 3 - 2 / 3) / 8**2) ** 0.5),),
                "speed": (0,),
                "samples": (6,),
            },
            window=(0, 600),
            seconds=(0,),
            units={"maximum_variance": "mV^2 m^-2", "normal_error_minimum": "deg", "speed": "km/s"},
            relative=1e-9,
            source="three components without correlation: their variances; the error by hand from them",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: ElectricVarianceOptions, name: str) -> TableMeta:
        del options, name
        frame = shared_frame(inputs["electric"], inputs["field"], names=("electric", "field"))
        columns: list[ColumnMeta] = []
        for axis in _NAMES:
            for component in "xyz":
                columns += fact(f"{axis}_{component}", f"{axis}, {component}")
        for axis in _ORDER:
            columns += fact(f"{axis}_variance", f"{axis} variance", "mV^2 m^-2")
        columns += fact("ratio", "maximum / intermediate variance")
        for axis in _NAMES[1:]:
            columns += fact(f"normal_error_{axis}", f"error of the normal towards the {axis} axis", "deg")
        columns += [*fact("speed", "speed along the normal", "km/s"), *count_column("samples", "number of samples")]
        return facts_meta("Maximum variance of the electric field", columns, frame=frame)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: ElectricVarianceOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        rows = [np.stack(matched(self, inputs, name, options.tolerance), axis=1) for name in ("electric", "field")]
        is_valid = np.isfinite(rows[0]).all(axis=1) & np.isfinite(rows[1]).all(axis=1)
        count = int(is_valid.sum())
        found: dict[str, float] = {"samples": count}
        frame = None
        if count >= options.min_samples:
            frame = electric_frame(rows[0][is_valid], rows[1][is_valid], is_moving=options.is_moving)
        if frame is None:
            return facts_table(window, found, meta)
        largest, middle, least = (float(each) for each in frame.variances)
        for axis, name in zip(frame.axes, _NAMES, strict=True):
            found |= {f"{name}_{component}": float(value) for component, value in zip("xyz", axis, strict=True)}
        found |= {f"{name}_variance": float(each) for name, each in zip(_ORDER, frame.variances, strict=True)}
        found["ratio"] = largest / middle if middle > 0 else math.nan
        found["speed"] = frame.speed
        for other, name in ((middle, "intermediate"), (least, "minimum")):
            if largest > other:
                size = math.sqrt(least / (count - 1) * (largest + other - least)) / (largest - other)
                found[f"normal_error_{name}"] = math.degrees(size)
        return facts_table(window, found, meta)
