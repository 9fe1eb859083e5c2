"""Vectors along the axes of a spacecraft and back, against scipy's rotations, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from helio_dagster.compute.attitudes import attitude_at
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from tests.unit.compute.operations.conftest import Apply

START = datetime(2022, 3, 5, tzinfo=UTC)
START_NS = int(START.timestamp()) * 10**9
MakeVector = Callable[..., Table]


def table(seconds: Any, columns: dict[str, Any], **meta: Any) -> Table:
    """Columns at seconds after the start."""
    at = (START_NS + (np.asarray(seconds) * 1e9).astype(np.int64)).astype("datetime64[ns]")
    described = TableMeta(kind="vector", columns=tuple(ColumnMeta(name=name, label=name) for name in columns), **meta)
    return Table(at, {name: np.asarray(each, dtype=float) for name, each in columns.items()}, described)


def turning(seconds: Any, rotations: Rotation, axes: str = "SPP_SPACECRAFT") -> Table:
    """An attitude as it is fetched, from scipy's rotations of J2000 into the axes of the spacecraft."""
    x, y, z, w = rotations.as_quat().T
    sign = np.where(w < 0, -1, 1)
    columns = {"q0": w * sign, "q1": x * sign, "q2": y * sign, "q3": z * sign}
    return table(seconds, columns, frame="J2000", attributes={"SPACECRAFT_AXES": axes})


def vectors(seconds: Any, rows: Any, frame: str | None) -> Table:
    """A field."""
    columns = dict(zip(("bx", "by", "bz"), np.asarray(rows).T, strict=True))
    return table(seconds, columns, unit="nT", frame=frame)


def stacked(found: Table) -> np.ndarray:
    """Rows of components."""
    return np.stack(list(found.columns.values()), axis=1)


def test_between_samples_it_turns_as_scipy_has_it() -> None:
    """Spherical interpolation of attitudes up to nearly half a turn apart, in whatever sign they are stored; 1e-12."""
    random = np.random.default_rng(3)
    known = np.arange(12) * 60.0
    rotations = Rotation.from_rotvec(np.cumsum(random.normal(size=(12, 3)) * 0.8, axis=0))
    wanted = np.sort(random.uniform(0, 660, 300))
    given = turning(known, rotations)
    found = attitude_at(
        (wanted * 1e9).astype(np.int64), (known * 1e9).astype(np.int64), np.stack(list(given.columns.values())), 60 * 10**9
    )
    expected = Slerp(known, rotations)((wanted * 1e9).astype(np.int64) / 1e9)
    apart = (Rotation.from_quat(found[[1, 2, 3, 0]].T) * expected.inv()).magnitude()
    assert apart.max() < 1e-12


def test_a_field_along_the_axes_of_a_spinning_spacecraft(apply: Apply) -> None:
    """Of 12 s a turn, known every second, the field every 1/16 s: the closed form to 1e-9, and back to the same field."""
    seconds, known = np.arange(16 * 20) / 16, np.arange(-1, 22)
    spin = np.array([0.2, -0.5, 0.8]) / np.linalg.norm([0.2, -0.5, 0.8])

    def at(times: Any) -> Rotation:
        return Rotation.from_rotvec(np.outer(2 * np.pi * np.asarray(times) / 12, spin))

    rows = np.random.default_rng(4).normal(size=(len(seconds), 3))
    attitude = turning(known, at(known))
    along = apply(
        "transform_frame",
        {"vector": vectors(seconds, rows, "J2000"), "attitude": attitude},
        to="SC",
        attitude_gap="PT1S",
    )
    assert along.meta.frame == "SPP_SPACECRAFT"
    np.testing.assert_allclose(stacked(along), at(seconds).apply(rows), atol=1e-9)
    back = apply("transform_frame", {"vector": along, "attitude": attitude}, to="J2000", attitude_gap="PT1S")
    np.testing.assert_allclose(stacked(back), rows, atol=1e-12)


def test_rtn_needs_the_position_too(apply: Apply) -> None:
    """From the axes of the spacecraft by J2000 and HCI; the same as in two steps."""
    seconds = np.arange(60.0)
    rows = np.random.default_rng(5).normal(size=(60, 3))
    attitude = turning(seconds, Rotation.random(60, random_state=6))
    place = table(seconds, {"x": np.full(60, 3e7), "y": np.full(60, 4e7), "z": np.full(60, 1e6)}, unit="km", frame="HCI")
    field = vectors(seconds, rows, "SC")
    at_once = apply(
        "transform_frame",
        {"vector": field, "attitude": attitude, "position": place},
        to="RTN",
        attitude_gap="PT1S",
        position_gap="PT1S",
    )
    inertial = apply("transform_frame", {"vector": field, "attitude": attitude}, to="HCI", attitude_gap="PT1S")
    in_steps = apply("transform_frame", {"vector": inertial, "position": place}, to="RTN", position_gap="PT1S")
    np.testing.assert_allclose(stacked(at_once), stacked(in_steps), atol=1e-7)
    with pytest.raises(ComputeError, match="needs a position from SC to RTN"):
        apply("transform_frame", {"vector": field, "attitude": attitude}, to="RTN", attitude_gap="PT1S")


def test_nothing_is_turned_where_the_attitude_is_not_known(apply: Apply) -> None:
    """Samples too far apart, missing ones, and times outside."""
    attitude = turning([0, 10, 40], Rotation.from_rotvec([[0, 0, 0], [0, 0, 0.1], [0, 0, 0.4]]))
    field = vectors([-1, 0, 5, 10, 20, 40, 41], np.ones((7, 3)), "SC")
    found = apply("transform_frame", {"vector": field, "attitude": attitude}, to="J2000", attitude_gap="PT10S")
    assert np.isnan(stacked(found)).any(axis=1).tolist() == [True, False, False, False, True, False, True]


@pytest.mark.parametrize("frame", ["SC", "SRF", "SOLO_SRF", None])
def test_axes_of_the_spacecraft_have_several_names(apply: Apply, frame: str | None) -> None:
    """Those that the data of the mission have; where they have none, the options say it."""
    attitude = turning([0, 1], Rotation.from_rotvec([[0, 0, 1], [0, 0, 1]]), "SOLO_SRF")
    given = {"vector": vectors([0, 1], np.ones((2, 3)), frame), "attitude": attitude}
    options = {"source": "SC"} if frame is None else {}
    found = apply("transform_frame", given, to="J2000", attitude_gap="PT1S", **options)
    assert found.meta.frame == "J2000"
    assert np.isfinite(stacked(found)).all()


@pytest.mark.parametrize(
    ("frame", "axes", "options", "problem"),
    [
        ("SOLO_SRF", "SPP_SPACECRAFT", {"to": "GSE"}, "the vector is in SOLO_SRF, and the attitude is that of SPP_SPACECRAFT"),
        ("SRF", "SPP_SPACECRAFT", {"to": "GSE"}, "the vector is in SRF, and the attitude is that of SPP_SPACECRAFT"),
        ("GSE", "SPP_SPACECRAFT", {"to": "GSM"}, "takes no attitude from GSE to GSM"),
        ("GSE", "", {"to": "SC"}, "does not say how a spacecraft is turned"),
        ("SC", "SPP_SPACECRAFT", {"to": "GSE", "attitude_gap": None}, "needs the option attitude_gap"),
        ("SC", "SPP_SPACECRAFT", {"to": "GSE", "quantity": "velocity"}, "does not bring a velocity from SC to GSE"),
    ],
)
def test_what_cannot_be_is_refused(apply: Apply, frame: str, axes: str, options: dict[str, Any], problem: str) -> None:
    """With the reason."""
    attitude = turning([0, 1], Rotation.identity(2), axes)
    given = {"vector": vectors([0, 1], np.ones((2, 3)), frame), "attitude": attitude}
    with pytest.raises(ComputeError, match=problem):
        apply("transform_frame", given, **{"attitude_gap": "PT1S", **options})


def test_without_an_attitude_the_hint_says_where_it_comes_from(apply: Apply) -> None:
    """A fetch, and the option beside it."""
    with pytest.raises(ComputeError, match="needs an attitude from GSE to SC") as refused:
        apply("transform_frame", {"vector": vectors([0, 1], np.ones((2, 3)), "GSE")}, to="SC")
    assert "fetch: {archive: spice, target: PSP, parameter: attitude, cadence: PT1S}" in str(refused.value)
