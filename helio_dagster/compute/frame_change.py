"""Vectors, positions and velocities in another frame, record by record.

The change from one frame to another is interpolated by parabolas in cells of time that lie fixed since 1970, so that a record
has the same bits however the data were cut, and that many records cost little more than their rotation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.frame_axes import HELIOCENTRIC, TURNING_WITH_EARTH, frame_axes, matrix_product
from helio_dagster.domain.lengths import AU_KM

Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats, Floats]

_SLOW_CELL_NS, _FAST_CELL_NS = 3_600 * 10**9, 240 * 10**9
"""Parabolas err by less than 5e-8 rad: in an hour of what turns with the Sun or once a year, in four minutes of what turns with
the Earth."""
_MANY = 200
"""Records per cell from which the cells are gone through one by one."""
_AT_ONCE = 4_096


def rotate_between(vector: Columns, at_ns: NDArray[np.int64], source: str, target: str) -> Columns:
    """A vector along the axes of another frame.

    Parameters
    ----------
    vector
        float64, shape (record,) each: x, y, z in `source`.
    at_ns
        ns since 1970, naive UTC, not decreasing, shape (record,).
    source, target
        Of `GEOCENTRIC` and `HELIOCENTRIC`.

    Returns
    -------
    tuple
        x, y, z in `target`, NaN where a component is.
    """
    return _changed(vector, at_ns, source, target, None)


def move_between(position: Columns, at_ns: NDArray[np.int64], source: str, target: str, *, unit_km: float) -> Columns:
    """A position as seen from the origin of another frame and along its axes.

    Parameters
    ----------
    position
        float64, shape (record,) each: x, y, z in `source`.
    at_ns
        ns since 1970, naive UTC, not decreasing, shape (record,).
    source, target
        Of `GEOCENTRIC` and `HELIOCENTRIC`.
    unit_km
        Length of the position's unit in km.

    Returns
    -------
    tuple
        x, y, z in `target` and the same unit, NaN where a component is.
    """
    return _changed(position, at_ns, source, target, unit_km)


def velocity_between(
    velocity: Columns, position: Columns, at_ns: NDArray[np.int64], source: str, target: str, *, per_s: float, unit_km: float
) -> Columns:
    """How fast something moves as seen in another frame: with the turning of the axes and the motion of the origin.

    `v' = M v + (dM/dt) r + dc/dt` for `r' = M r + c`, of which `(dM/dt) r` is `-omega x r` in the new axes.

    Parameters
    ----------
    velocity, position
        x, y and z in `source`, float64, shape (time,) each.
    at_ns
        Times in ns since 1970, UTC, shape (time,), of both.
    source, target
        Names of the frames.
    per_s
        How many units of the velocity one unit of the position per second is.
    unit_km
        Length of the unit of the position.
    """
    turned = rotate_between(velocity, at_ns, source, target)
    moved, rows = np.empty((3, len(at_ns))), np.stack(position)
    per_cell = per_s * 1e9 / _cell_ns(source, target)
    for some, (_, linear, square), share in _pieces(at_ns, source, target, unit_km):
        moved[:, some] = _applied(linear + 2 * share * square, rows[:, some]) * per_cell
    return turned[0] + moved[0], turned[1] + moved[1], turned[2] + moved[2]


def rtn_to_hci(vector: Columns, place: Columns) -> Columns:
    """A vector of RTN along the axes of HCI, for a spacecraft at a place in HCI; NaN where it is above a pole of the Sun."""
    (r, t, n), (radial, tangential, normal) = vector, _rtn_axes(place)
    x, y, z = (r * radial[k] + t * tangential[k] + n * normal[k] for k in range(3))
    return x, y, z


def hci_to_rtn(vector: Columns, place: Columns) -> Columns:
    """A vector of HCI along R, T and N of a spacecraft at a place in HCI; NaN where it is above a pole of the Sun."""
    x, y, z = vector
    r, t, n = (x * axis[0] + y * axis[1] + z * axis[2] for axis in _rtn_axes(place))
    return r, t, n


def _rtn_axes(place: Columns) -> tuple[Columns, Columns, Columns]:
    """R away from the Sun, T along the rotation of the Sun, N in the plane of R and the Sun's axis."""
    x, y, z = place
    across, distance = np.sqrt(x * x + y * y), np.sqrt(x * x + y * y + z * z)
    radial = (x / distance, y / distance, z / distance)
    tangential = (-y / across, x / across, 0.0 * across)
    normal = (-radial[2] * tangential[1], radial[2] * tangential[0], radial[0] * tangential[1] - radial[1] * tangential[0])
    return radial, tangential, normal


def _changed(given: Columns, at_ns: NDArray[np.int64], source: str, target: str, unit_km: float | None) -> Columns:
    if source == target:
        return given
    result, rows = np.empty((3, len(at_ns))), np.stack(given)
    for some, (constant, linear, square), share in _pieces(at_ns, source, target, unit_km):
        matrix = share * square  # in place: the cells fit into the processor's cache
        matrix += linear
        matrix *= share
        matrix += constant
        result[:, some] = _applied(matrix, rows[:, some])
    return result[0], result[1], result[2]


def _applied(matrix: Floats, rows: Floats) -> Floats:
    """Matrices times vectors, and the shift where there is a fourth column: shape (axis, record)."""
    terms = matrix[:, :3] * rows
    found = terms[:, 0] + terms[:, 1] + terms[:, 2]
    return np.asarray(found + matrix[:, 3] if matrix.shape[1] > 3 else found)


def _cell_ns(source: str, target: str) -> int:
    return _FAST_CELL_NS if {source, target} & set(TURNING_WITH_EARTH) else _SLOW_CELL_NS


def _pieces(
    at_ns: NDArray[np.int64], source: str, target: str, unit_km: float | None
) -> Iterator[tuple[slice, Floats, Floats]]:
    """Runs of records, the parabola of the change for them, and how far in its cell each record is."""
    if not len(at_ns):
        return
    cell_ns = _cell_ns(source, target)
    cell = at_ns // cell_ns
    share = (at_ns - cell * cell_ns) / cell_ns
    starts = np.concatenate([[0], np.flatnonzero(np.diff(cell)) + 1])
    parabola = _parabolas(cell[starts], cell_ns, source, target, unit_km)
    stops = np.append(starts[1:], len(at_ns))
    if len(at_ns) >= _MANY * len(starts):
        for place, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            for first in range(start, stop, _AT_ONCE):
                some = slice(first, min(first + _AT_ONCE, stop))
                yield some, parabola[..., place, None], share[some]
        return
    yield slice(None), np.repeat(parabola, stops - starts, axis=-1), share


def _parabolas(cells: NDArray[np.int64], cell_ns: int, source: str, target: str, unit_km: float | None) -> Floats:
    """Constant, linear and square part of the change in each cell: shape (part, axis, x y z shift, cell)."""
    nodes, place = np.unique(np.concatenate([2 * cells, 2 * cells + 1, 2 * cells + 2]), return_inverse=True)
    at_nodes = _change(nodes * (cell_ns // 2), source, target, unit_km)
    start, middle, stop = (at_nodes[..., each] for each in place.reshape(3, -1))
    return np.stack([start, 4 * middle - 3 * start - stop, 2 * start - 4 * middle + 2 * stop])


def _change(at_ns: NDArray[np.int64], source: str, target: str, unit_km: float | None) -> Floats:
    """The matrix between two frames and, in its fourth column, the shift of the origin."""
    (from_axes, to_axes), earth_au = frame_axes([source, target], at_ns)
    matrix = matrix_product(to_axes, from_axes.swapaxes(0, 1))
    sign = int(target in HELIOCENTRIC) - int(source in HELIOCENTRIC)
    if unit_km is None:
        return matrix
    earth = earth_au * (sign * AU_KM / unit_km)
    shift = np.stack([to_axes[row, 0] * earth[0] + to_axes[row, 1] * earth[1] + to_axes[row, 2] * earth[2] for row in range(3)])
    return np.concatenate([matrix, shift[:, None]], axis=1)
