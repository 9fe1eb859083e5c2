"""Frame in which a structure stands still, and whether the flow in it is Alfvenic: dehoffmann_teller, walen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.operations.arithmetic import MatchOptions, shared_frame
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import matched
from helio_dagster.compute.operations.plasma import DENSITY
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.straight_lines import least_squares
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

LEAST_CONDITION = 1e-3
"""Least over greatest eigenvalue of K_0: below it all fields lie within about 2 deg of a line, along which nothing is known."""
_VELOCITY = Input(("vector",), "the bulk velocity; it gives the times", ("velocity",), "km/s", columns=3)
_FIELD = Input(("vector",), "the magnetic field, in the same frame", ("magnetic field",), "nT", columns=3)
_SHEET: dict[str, Any] = {
    "velocity": ExampleTable(
        kind="vector",
        unit="km/s",
        frame="GSE",
        columns={"vx": (150, 100, 50, 100), "vy": (0, 50, 0, -50), "vz": (20, 20, 20, 20)},
    ),
    "field": ExampleTable(
        kind="vector", unit="nT", frame="GSE", columns={"bx": (5, 0, -5, 0), "by": (0, 5, 0, -5), "bz": (0,) * 4}
    ),
    "density": ExampleTable(unit="cm^-3", columns={"n": (5, 5, 5, 5)}),
}
_SOURCE = "by hand: V = (100, 0, 20) km/s + 10 km/s per nT * B, and v_A = 48.7732 km/s for 5 nT"


class FrameOptions(MatchOptions):
    """How inputs meet, and how many samples there must be."""

    min_samples: Annotated[int, Field(ge=3)] = 8
    """With fewer valid samples in the window than this nothing is known, at least 3."""
    helium: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Number of alpha particles per proton in the Alfven speed, 0 to 1; by default protons alone."""


class WalenOptions(FrameOptions):
    """How inputs meet, how many samples there must be, and which component is shown."""

    component: Literal["x", "y", "z"] = "x"
    """Component of the velocities, x, y or z of the inputs' frame."""


FrameT = TypeVar("FrameT", bound=FrameOptions)


@dataclass(frozen=True)
class _Frame:
    """Velocity of the frame in km/s with its standard deviations, and the share of the electric field that it leaves."""

    velocity: Floats
    spread: Floats
    ratio: float


class _OfFrame(WindowOperation[FrameT], Generic[FrameT]):
    def _matched_rows(self, inputs: Mapping[str, Table], options: FrameT, name: str) -> Floats:
        """An input at the times of the velocity, shape (record, component); NaN where it is missing or not near enough."""
        if name not in inputs:
            return np.full((len(inputs["velocity"]), 1), np.nan)
        return np.stack(matched(self, inputs, name, options.tolerance), axis=1)

    def _rows(self, inputs: Mapping[str, Table], options: FrameT) -> tuple[Floats, Floats, Floats]:
        """Velocity in km/s, field in nT and Alfven velocity in km/s, shape (record, 3) each."""
        velocity, field, density = (self._matched_rows(inputs, options, name) for name in ("velocity", "field", "density"))
        with np.errstate(all="ignore"):
            mass_kg_m3 = PROTON_MASS_KG * (1 + 4 * options.helium) * density * 1e6
            per_nt = 1e-12 / np.sqrt(VACUUM_PERMEABILITY_H_PER_M * np.where(mass_kg_m3 > 0, mass_kg_m3, np.nan))
        return velocity, field, field * per_nt


class DeHoffmannTeller(_OfFrame[FrameOptions]):
    """Velocity of the frame without an electric field."""

    id = "dehoffmann_teller"
    gives_reasons = True
    version = 1
    of_one_spacecraft = ("velocity", "field", "density")
    summary = "DeHoffmann-Teller frame of a window, in which a structure stands still, and the Walen test in it, as facts."
    when = (
        "Use it over the crossing of a magnetopause, current sheet or wave: a slope near 1 or -1 of the Walen relation "
        "says that it is a rotational discontinuity, as of reconnection. walen gives the points; minimum_variance_frame "
        "the normal."
    )
    reference = (
        "V_HT = K_0^-1 <K v>, K_ij = B^2 (delta_ij - B_i B_j / B^2), K_0 = <K>: the least D(V) = <|(v - V) x B|^2>; "
        "covariance D(V_HT) / (2 M - 3) K_0^-1 of M samples (Khrabrov and Sonnerup 1998, ISSI SR-001, chapter 9). The "
        "electric fields -v x B and -V_HT x B are correlated over all components. Walen: v - V_HT over v_A = B / "
        "sqrt(mu_0 m_p n (1 + 4 f)), least squares over all components (Sonnerup et al. 1987, "
        "doi:10.1029/JA092iA11p12137)."
    )
    inputs = {
        "velocity": _VELOCITY,
        "field": _FIELD,
        "density": Input(DENSITY.kinds, DENSITY.meaning, DENSITY.quantity, DENSITY.unit, columns=1, is_optional=True),
    }
    output = (
        "Facts: V_HT in km/s with uncertainties, D(V_HT) / D(0) (a frame is usually trusted below 0.1), slope and "
        "correlation of the electric fields, slope and correlation of the Walen relation, number of samples. NaN with too "
        "few samples, and where all fields lie within about 2 deg of one line, along which no velocity is known."
    )
    options = FrameOptions
    examples = (
        Example(
            inputs=_SHEET,
            options={"min_samples": 4},
            expected={
                "frame_x": (100,),
                "frame_y": (0,),
                "frame_z": (20,),
                "electric_field_left": (0,),
                "electric_slope": (1,),
                "electric_r": (1,),
                "walen_slope": (50 / 48.7732,),
                "walen_r": (1,),
                "samples": (4,),
            },
            window=(0, 600),
            seconds=(0,),
            units={"frame_x": "km/s"},
            relative=1e-5,
            source=_SOURCE,
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: FrameOptions, name: str) -> TableMeta:
        del options, name
        frame = shared_frame(inputs["velocity"], inputs["field"])
        columns: list[ColumnMeta] = []
        for component in "xyz":
            columns += uncertain_fact(f"frame_{component}", f"velocity of the frame, {component}", "km/s")
        columns += fact("electric_field_left", "share of the squared electric field left in the frame")
        columns += fact("electric_slope", "slope of the convection field over that of the frame")
        columns += fact("electric_r", "correlation of the electric fields")
        columns += uncertain_fact("walen_slope", "slope of the Walen relation")
        columns += fact("walen_r", "correlation of the Walen relation")
        columns += count_column("samples", "number of samples")
        return facts_meta("DeHoffmann-Teller frame", columns, frame=frame)

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: FrameOptions) -> Iterator[str]:
        """That all fields have one direction."""
        del inputs
        if int(result.columns["samples"][0]) >= options.min_samples and not np.isfinite(result.columns["frame_x"][0]):
            yield "there is no frame, because all fields lie within about 2 deg of one line, along which no velocity is known"

    def _compute_window(self, inputs: Mapping[str, Table], options: FrameOptions, meta: TableMeta, window: TimeRange) -> Table:
        velocity, field, alfven = self._rows(inputs, options)
        is_valid = _is_valid(velocity, field)
        found: dict[str, float] = {"samples": float(is_valid.sum())}
        frame = _frame(velocity[is_valid], field[is_valid], options.min_samples)
        if frame is None:
            return facts_table(window, found, meta)
        for component, speed, spread in zip("xyz", frame.velocity, frame.spread, strict=True):
            found |= {f"frame_{component}": float(speed), f"frame_{component}_uncertainty": float(spread)}
        electric = least_squares(
            np.cross(field[is_valid], frame.velocity).ravel(), np.cross(field[is_valid], velocity[is_valid]).ravel()
        )
        is_walen = is_valid & np.isfinite(alfven).all(axis=1)
        walen = least_squares(alfven[is_walen].ravel(), (velocity[is_walen] - frame.velocity).ravel())
        found |= {
            "electric_field_left": frame.ratio,
            "electric_slope": electric.slope,
            "electric_r": electric.correlation,
            "walen_slope": walen.slope,
            "walen_slope_uncertainty": walen.slope_uncertainty,
            "walen_r": walen.correlation,
        }
        return facts_table(window, found, meta)


class Walen(_OfFrame[WalenOptions]):
    """Flow in the deHoffmann-Teller frame over the Alfven velocity."""

    id = "walen"
    version = 1
    of_one_spacecraft = ("velocity", "field", "density")
    summary = "Walen relation: flow in the deHoffmann-Teller frame of the window over the Alfven velocity, as points."
    when = (
        "Use it to see whether flow and field change as in an Alfven wave; fit_line puts a line through the points, "
        "dehoffmann_teller gives the frame and the slope over all components."
    )
    reference = (
        "(v_A, v - V_HT)(t), v_A = B / sqrt(mu_0 m_p n (1 + 4 f)), V_HT as dehoffmann_teller (Khrabrov and Sonnerup 1998, ISSI "
        "SR-001, chapter 9; Sonnerup et al. 1987, doi:10.1029/JA092iA11p12137)."
    )
    inputs = {"velocity": _VELOCITY, "field": _FIELD, "density": DENSITY}
    output = "Points x, y in km/s at the times of the velocity; NaN where an input is missing, and where there is no frame."
    options = WalenOptions
    examples = (
        Example(
            inputs=_SHEET,
            options={"min_samples": 4},
            expected={"x": (48.7732, 0, -48.7732, 0), "y": (50, 0, -50, 0)},
            unit="km/s",
            relative=1e-5,
            source=_SOURCE,
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: WalenOptions, name: str) -> TableMeta:
        del name
        frame = shared_frame(inputs["velocity"], inputs["field"])
        labels = (f"Alfven velocity {options.component}", f"V - V_HT {options.component}")
        columns = tuple(ColumnMeta(name=axis, label=label, unit="km/s") for axis, label in zip("xy", labels, strict=True))
        return TableMeta(kind="points", columns=columns, label="Walen relation", unit="km/s", frame=frame)

    def _compute_window(self, inputs: Mapping[str, Table], options: WalenOptions, meta: TableMeta, window: TimeRange) -> Table:
        del window
        velocity, field, alfven = self._rows(inputs, options)
        is_valid = _is_valid(velocity, field)
        frame = _frame(velocity[is_valid], field[is_valid], options.min_samples)
        place = "xyz".index(options.component)
        moved = velocity[:, place] - (math.nan if frame is None else float(frame.velocity[place]))
        is_pair = np.isfinite(moved) & np.isfinite(alfven[:, place])
        points = {"x": np.where(is_pair, alfven[:, place], np.nan), "y": np.where(is_pair, moved, np.nan)}
        return Table(inputs["velocity"].time, points, meta)


def _is_valid(velocity: Floats, field: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.asarray(np.isfinite(velocity).all(axis=1) & np.isfinite(field).all(axis=1))


def _frame(velocity: Floats, field: Floats, least: int) -> _Frame | None:
    """The frame of valid samples, shape (sample, 3); None with too few, or where fields of one direction leave it open."""
    count = len(velocity)
    if count < least:
        return None
    squares = np.sum(field * field, axis=1)
    each = squares[:, None, None] * np.eye(3) - field[:, :, None] * field[:, None, :]
    whole = np.mean(each, axis=0)
    eigenvalues = np.linalg.eigvalsh(whole)
    if not eigenvalues[0] > LEAST_CONDITION * eigenvalues[2]:
        return None
    found = np.linalg.solve(whole, np.mean(np.sum(each * velocity[:, None, :], axis=2), axis=0))
    left, before = (float(np.mean(np.sum(np.cross(flow, field) ** 2, axis=1))) for flow in (velocity - found, velocity))
    covariance = np.linalg.inv(whole) * (left / (2 * count - 3))
    return _Frame(found, np.sqrt(np.maximum(np.diag(covariance), 0.0)), left / before if before > 0 else math.nan)
